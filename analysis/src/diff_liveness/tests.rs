//! Diff-liveness: what a derivative may leave out, and what it must run.

use crate::{
    context::{Context, Entry},
    diff_liveness::DiffLiveness,
    testing::{Function, function, program, v},
};

/// Which of some stores are run; derivatives use the values `used`, the memory of `unneeded`
/// parameters is not needed.
fn present(f: &Function, used: &[u32], unneeded: &[bool], stores: &[u32]) -> Vec<u32> {
    let live = f.live(used, unneeded);
    stores.iter().copied().filter(|&n| live.is_present(v(n))).collect()
}

#[test]
fn unused_results_are_not_computed() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias)
         b0:
           v2: f64 = load v0
           v3: f64 = fmul v2, v2
           v4: f64 = fadd v3, v2
           store v4, v1
           ret v3",
    );
    assert_eq!(present(&f, &[], &[false, false], &[5]), [5]);
    let mut context = Context::of_request(&[false, true]);
    context.result_live = false;
    let live = DiffLiveness::compute(f.known(), &context, &[v(2)], &|_| false);
    assert!(!live.is_present(v(5)));
    assert_eq!([2, 3, 4].map(|n| live.is_live(v(n))), [true, false, false]);
}

#[test]
fn what_a_derivative_uses_brings_all_that_it_is_made_of() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: i64)
         b0:
           v3: f64 = load v0
           store v3, v1
           v5: ptr = gep v1 + v2*8
           v6: f64 = load v5             // perhaps what was stored
           v7: f64 = fmul v6, v6
           v8: ptr = alloca bytes 8
           store v7, v8
           store v3, v0
           ret",
    );
    assert_eq!(present(&f, &[7], &[true, true, false], &[4, 9, 10]), [4]);
    let live = f.live(&[7], &[true, true, false]);
    assert!([3, 5, 6, 7, 2].iter().all(|&n| live.is_live(v(n))));
}

#[test]
fn a_store_that_is_overwritten_first_is_left_out_and_one_that_may_stay_is_run() {
    let text = "body @f(v0: ptr noalias, v1: ptr, v2: f64, v3: i1, v4: i64)
         b0:
           v5: ptr = gep v0 + v4*8
           v20: void = store v2, v0
           store v2, v0
           v7: f64 = load v0
           ret v7";
    let of = |between: &str| {
        let f = function(
            &text.replace("store v2, v0\n           v7", &format!("{between}\n           v7")),
        );
        !present(&f, &[7], &[true; 5], &[20]).is_empty()
    };
    assert!(!of("store v2, v0"));
    assert!(of("store v2, v5"), "another element");
    assert!(of("store v2, v1"), "other memory");
    assert!(of("condbr v3 -> b1 b2\nb1:\nstore v2, v0\nbr -> b2\nb2:"), "not always");
    assert!(!of(
        "condbr v3 -> b1 b2\nb1:\nstore v2, v0\nbr -> b3\nb2:\nstore v2, v0\nbr -> b3\nb3:"
    ));
    assert!(of("v8: f64 = load v0\nstore v8, v1\nstore v8, v0\n"), "read in between");
    assert!(of("call unknown @u(v0)"));
}

#[test]
fn a_store_under_another_name_of_needed_memory_is_run() {
    let text = "body @f(v0: ptr, v1: ptr, v2: f64)
         b0:
           store v2, v1
           v4: f64 = load v0
           ret";
    assert_eq!(present(&function(text), &[4], &[true; 3], &[3]), [3]);
    let restricted = text.replace("v0: ptr", "v0: ptr noalias");
    assert!(present(&function(&restricted), &[4], &[true; 3], &[3]).is_empty());
}

#[test]
fn the_next_iteration_reads_what_this_one_stores() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1)
         loop l0 header b1 counter v6 exits b2:v10 single
           v4: i64 = const 0
           v5: i64 = const 1
         b0:
           br -> b1
         b1:
           v6: i64 = phi [b0 v4] [b1 v7]
           v8: f64 = load v0
           v9: f64 = fmul v8, v8
           v20: void = store v9, v0
           v21: void = store v9, v1
           v7: i64 = add v6, v5
           condbr v3 -> b1 b2
         b2:
           v10: i64 = phi [b1 v6]
           ret",
    );
    assert_eq!(present(&f, &[8], &[true; 4], &[20, 21]), [20]);
    assert!(f.live(&[8], &[true; 4]).is_live(v(9)));
}

#[test]
fn branches_run_so_what_they_look_at_is_needed() {
    let f = function(
        "body @f(v0: ptr noalias, v1: f64)
         b0:
           v2: ptr = alloca bytes 8
           store v1, v2
           v4: f64 = load v2
           v5: i1 = fcmp v4, v1
           condbr v5 -> b1 b2
         b1:
           br -> b2
         b2:
           ret",
    );
    assert_eq!(present(&f, &[], &[true; 2], &[3]), [3]);
}

#[test]
fn effects_beyond_memory_stay_and_need_what_they_read() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: ptr)
         b0:
           v3: ptr = alloca bytes 8
           v4: ptr = alloca bytes 8
           v5: ptr = alloca bytes 8
           v6: ptr = alloca bytes 8
           v10: void = store v1, v3
           call inactive @printf(v3)
           v11: void = store v1, v4
           v12: i64 = atomic v4
           v13: void = store v1, v5
           v14: void = store v2, v6      // a pointer takes its shadow along
           ret",
    );
    assert_eq!(present(&f, &[], &[true; 3], &[10, 11, 13, 14]), [10, 11, 14]);
}

#[test]
fn memory_functions_are_run_and_need_their_source() {
    let f = function(
        "body @f(v0: ptr noalias, v1: f64)
           v2: i64 = const 8
           v3: i32 = const 0
         b0:
           v4: ptr = alloca bytes 8
           v5: ptr = alloca bytes 8
           v6: ptr = alloca bytes 8
           v10: void = store v1, v4
           call memcpy(v5, v4, v2)
           v12: f64 = load v5
           v13: void = call memset(v6, v3, v2)
           v14: void = call memset(v5, v3, v2)
           v15: f64 = load v5
           ret",
    );
    assert_eq!(present(&f, &[12, 15], &[true; 2], &[10, 13, 14]), [10, 14]);
}

#[test]
fn a_call_needs_what_its_callee_reads() {
    let callee = "body @g(v0: ptr, v1: ptr)
        b0:
          v2: f64 = load v0
          store v2, v1
          ret";
    let f = program(&[
        callee,
        "body @f(v0: ptr noalias, v1: f64)
         b0:
           v2: ptr = alloca bytes 16
           v3: ptr = gep v2 + 8
           v4: ptr = alloca bytes 8
           v10: void = store v1, v2
           v11: void = store v1, v3
           v12: void = store v1, v4      // surely overwritten by the callee
           v15: void = call defined @g(v2, v4)
           v13: f64 = load v4
           ret",
    ])
    .pop()
    .unwrap();
    assert_eq!(present(&f, &[13], &[true; 2], &[10, 11, 12]), [10]);
    // Run as a derivative, the callee itself may leave the overwriting out.
    let used = [v(13)];
    let live = DiffLiveness::compute(f.known(), &Context::of_request(&[true; 2]), &used, &|_| true);
    assert!(live.is_present(v(12)));
    assert!(live.after_call(v(15)).is_some_and(|l| l.any()));
}

#[test]
fn what_the_caller_uses_behind_pointers_in_memory_is_needed() {
    let f = function(
        "body @f(v0: ptr noalias, v1: f64)
         b0:
           v2: ptr = load v0
           store v1, v2
           v4: ptr = gep v0 + 8
           store v1, v4
           ret",
    );
    assert_eq!(
        present(&f, &[], &[true, false], &[3, 5]),
        [3],
        "the marker says it of the argument's own memory"
    );
    let nothing = Entry { live: false, ..Entry::ANY };
    let context = Context::new(vec![[nothing; 2]; 2], false, vec![]);
    let live = DiffLiveness::compute(f.known(), &context, &[], &|_| false);
    assert!(!live.is_present(v(3)) && !live.is_present(v(5)));
}

#[test]
fn a_real_over_a_pointer_is_stored_for_its_adjoint_takes_the_place_of_a_shadow() {
    let f = function(
        "body @f(v0: ptr noalias, v1: f64)
         b0:
           v2: ptr = load v0
           store v1, v2
           store v1, v0
           ret",
    );
    assert_eq!(present(&f, &[], &[true, false], &[4]), [4]);
}

#[test]
fn heap_memory_may_outlive_the_function() {
    let f = function(
        "body @f(v0: ptr noalias, v1: f64, v2: i64)
         b0:
           v3: ptr = call malloc(v2)
           store v1, v3
           store v3, v0
           ret",
    );
    assert_eq!(present(&f, &[], &[true; 3], &[4, 5]), [4, 5]);
}
