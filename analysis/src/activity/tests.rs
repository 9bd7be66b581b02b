//! Activity: the papers' examples as bodies, what ends and what does not end a value's activity,
//! shadows, calls.

mod calls;
mod outside;

use super::{Param, Shadow};
use crate::testing::{Function, function, v};

const ACTIVE: Param = Param::Active;
const SHADOWED: Param = Param::Shadowed;
const CONST: Param = Param::Const;

/// The values of a list that are active, by number.
fn active(f: &Function, params: &[Param], values: &[u32]) -> Vec<u32> {
    let activity = f.activity(params);
    values.iter().copied().filter(|&n| activity.is_active(v(n))).collect()
}
fn varied(f: &Function, params: &[Param], values: &[u32]) -> Vec<u32> {
    let activity = f.activity(params);
    values.iter().copied().filter(|&n| activity.is_varied(v(n))).collect()
}

// ---- the papers' examples ----

#[test]
fn figure_8_only_the_product_with_c_is_active() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias, v4: ptr noalias, v5: ptr noalias)
           v6: f64 = const
         b0:
           v7: f64 = load v0
           v8: f64 = load v1
           v9: f64 = fmul v7, v8         // x = a b
           store v9, v5
           store v6, v0                  // a = 5
           v12: f64 = load v0
           v13: f64 = load v2
           v14: f64 = fmul v12, v13      // d = a c
           store v14, v3
           v16: f64 = load v0
           v17: f64 = load v5
           v18: f64 = fdiv v16, v17      // e = a / x
           store v18, v4
           v20: f64 = load v4
           v21: f64 = call rule floor.f64(v20)
           store v21, v4
           ret",
    );
    // a b c d e, and x without shadow.
    let params = [SHADOWED, SHADOWED, SHADOWED, SHADOWED, SHADOWED, SHADOWED];
    assert_eq!(
        varied(&f, &params, &[7, 8, 9, 12, 13, 14, 16, 17, 18, 20, 21]),
        [7, 8, 9, 13, 14, 17, 18, 20]
    );
    let active = active(&f, &params, &[7, 8, 9, 12, 13, 14, 16, 17, 18, 20, 21]);
    // x is memory of the caller here, and so an output of its own.
    assert_eq!(active, [7, 8, 9, 13, 14]);
}

#[test]
fn figure_8_with_x_as_a_local_variable() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias, v4: ptr noalias)
           v6: f64 = const
         b0:
           v5: ptr = alloca bytes 8
           v7: f64 = load v0
           v8: f64 = load v1
           v9: f64 = fmul v7, v8
           store v9, v5
           store v6, v0
           v12: f64 = load v0
           v13: f64 = load v2
           v14: f64 = fmul v12, v13
           store v14, v3
           v16: f64 = load v0
           v17: f64 = load v5
           v18: f64 = fdiv v16, v17
           store v18, v4
           v20: f64 = load v4
           v21: f64 = call rule floor.f64(v20)
           store v21, v4
           ret",
    );
    assert_eq!(active(&f, &[SHADOWED; 5], &[7, 8, 9, 12, 13, 14, 16, 17, 18, 20, 21]), [13, 14]);
}

#[test]
fn figure_3_of_the_c_paper_y_is_never_active() {
    // v2, v3 are x, y; p is a stack variable, as in the source.
    let f = function(
        "body @test(v0: f64, v1: ptr noalias)
           v20: f64 = const
           v21: f64 = const
         b0:
           v2: ptr = alloca bytes 8
           v3: ptr = alloca bytes 8
           v4: ptr = alloca bytes 8
           store v20, v2
           v22: f64 = load v2
           v23: f64 = fadd v21, v22
           store v23, v3
           store v0, v1
           v5: f64 = load v1
           v6: i1 = fcmp v5, v20
           condbr v6 -> b1 b2
         b1:
           store v3, v4
           br -> b3
         b2:
           store v2, v4
           v7: ptr = load v4
           v8: f64 = call rule sin.f64(v0)
           v9: void = store v8, v7
           br -> b3
         b3:
           v10: f64 = load v1
           v11: ptr = load v4
           v12: f64 = load v11
           v13: f64 = load v3
           v14: f64 = fmul v12, v13
           v15: f64 = fadd v10, v14
           store v15, v1
           ret",
    );
    assert_eq!([f.targets(7), f.targets(11)], ["v2", "{v2 v3}"]);
    let values = [22, 23, 5, 8, 10, 12, 13, 14, 15];
    assert_eq!(active(&f, &[ACTIVE, SHADOWED], &values), [8, 10, 12, 14, 15]);
}

// ---- varied: what ends it, and what does not ----

/// Something varied is stored, then something that is not; `between` stands before a load of v0.
fn stored_twice(between: &str) -> Vec<u32> {
    let f = function(&format!(
        "body @f(v0: ptr, v1: ptr, v2: f64, v3: f64, v4: i1, v5: i64)
         b0:
           v6: ptr = gep v0 + v5*8
           v7: ptr = select v4, v0, v1
           v8: ptr = load v1
           v9: ptr = alloca bytes 8
           v10: ptr = alloca bytes 8
           v11: ptr = select v4, v9, v10
           store v2, v9
           store v2, v0
           {between}
           v30: f64 = load v0
           v31: f64 = load v9
           ret"
    ));
    varied(&f, &[SHADOWED, SHADOWED, ACTIVE, CONST, CONST, CONST], &[30, 31])
}

#[test]
fn only_a_sure_store_of_something_else_ends_it() {
    assert_eq!(stored_twice("store v3, v0"), [31]);
    assert_eq!(stored_twice("store v3, v9"), [30]);
    assert_eq!(stored_twice("store v3, v1"), [30, 31], "perhaps the same memory, perhaps not");
    assert_eq!(stored_twice("store v3, v6"), [30, 31], "another element");
    assert_eq!(stored_twice("store v3, v7"), [30, 31], "one of two");
    assert_eq!(stored_twice("store v3, v11"), [30, 31], "one of two");
    assert_eq!(stored_twice("store v3, v8"), [30, 31], "behind a pointer in memory");
    assert_eq!(
        stored_twice("condbr v4 -> b1 b2\nb1:\nstore v3, v0\nstore v3, v9\nbr -> b2\nb2:"),
        [30, 31],
        "not always"
    );
    assert_eq!(
        stored_twice(
            "condbr v4 -> b1 b2\nb1:\nstore v3, v0\nbr -> b3\nb2:\nstore v3, v0\nbr -> b3\nb3:"
        ),
        [31]
    );
    assert_eq!(stored_twice("call unknown @u(v9)"), [30, 31]);
    assert_eq!(stored_twice("v20: i64 = atomic v0, v5"), [30, 31]);
}

#[test]
fn a_store_under_another_name_varies_too() {
    let text = "body @f(v0: ptr, v1: ptr, v2: f64)
           v9: f64 = const
         b0:
           store v9, v0
           store v2, v1
           v5: f64 = load v0
           ret v5";
    let params = [SHADOWED, SHADOWED, ACTIVE];
    assert_eq!(active(&function(text), &params, &[5]), [5]);
    assert!(
        active(&function(&text.replace("v0: ptr", "v0: ptr noalias")), &params, &[5]).is_empty()
    );
}

#[test]
fn what_a_loop_stores_is_loaded_in_its_next_iteration() {
    let f = function(
        "body @f(v0: f64, v1: i1)
         loop l0 header b1 counter v5 exits b2:v10 single
           v2: i64 = const 0
           v3: i64 = const 1
           v4: f64 = const
         b0:
           v20: ptr = alloca bytes 8
           store v4, v20
           br -> b1
         b1:
           v5: i64 = phi [b0 v2] [b1 v6]
           v8: f64 = phi [b0 v4] [b1 v9]
           v7: f64 = load v20
           v9: f64 = fmul v7, v0
           store v9, v20
           v6: i64 = add v5, v3
           condbr v1 -> b1 b2
         b2:
           v10: i64 = phi [b1 v5]
           v11: f64 = phi [b1 v8]
           ret v11",
    );
    assert_eq!(active(&f, &[ACTIVE, CONST], &[7, 8, 9, 11]), [7, 8, 9, 11]);
}

#[test]
fn conditions_indices_and_integers_carry_nothing() {
    let f = function(
        "body @f(v0: f64, v1: f64, v2: ptr)
         b0:
           v3: i1 = fcmp v0, v1
           v4: f64 = select v3, v1, v1
           v5: i64 = floattoint v0
           v6: f64 = inttofloat v5
           v7: ptr = gep v2 + v5*8
           v8: f64 = load v7
           v9: f64 = call rule floor.f64(v0)
           v10: f64 = select v3, v0, v1
           ret v10",
    );
    assert_eq!(varied(&f, &[ACTIVE, CONST, CONST], &[4, 6, 8, 9, 10]), [10]);
}

#[test]
fn copies_and_moved_bits_carry_it() {
    let f = function(
        "body @f(v0: ptr, v1: f64)
           v2: i64 = const 8
         b0:
           v3: ptr = alloca bytes 8
           v4: ptr = alloca bytes 8
           v5: ptr = alloca bytes 8
           store v1, v3
           call memcpy(v4, v3, v2)
           v8: i64 = load v4
           store v8, v5
           v10: f64 = load v5
           v11: f64 = bitcast v8
           ret v10",
    );
    let params = [CONST, ACTIVE];
    assert_eq!(varied(&f, &params, &[8, 10, 11]), [8, 10, 11]);
    let activity = f.activity(&params);
    assert!([3, 4, 5].iter().all(|&n| activity.has_shadow(v(n))));
}

#[test]
fn a_copy_of_something_constant_ends_it_where_it_covers_all() {
    let text = "body @f(v0: ptr noalias, v1: f64)
           v2: i64 = const 8
           v3: i32 = const 0
         b0:
           v4: ptr = alloca bytes 16
           v5: ptr = gep v4 + 8
           store v1, v4
           store v1, v5
           call memcpy(v4, v0, v2)
           v9: f64 = load v4
           v10: f64 = load v5
           ret";
    assert_eq!(varied(&function(text), &[CONST, ACTIVE], &[9, 10]), [10]);
    assert_eq!(
        varied(
            &function(&text.replace("memcpy(v4, v0, v2)", "memset(v4, v3, v2)")),
            &[CONST, ACTIVE],
            &[9, 10]
        ),
        [10]
    );
    assert_eq!(varied(&function(text), &[SHADOWED, ACTIVE], &[9, 10]), [9, 10]);
}

// ---- useful ----

#[test]
fn what_is_overwritten_before_the_end_is_not_useful_and_what_may_stay_is() {
    let text = "body @f(v0: ptr noalias, v1: ptr, v2: f64, v3: i1)
           v20: f64 = const
         b0:
           v4: f64 = fmul v2, v2
           store v4, v0
           store v20, v0
           ret";
    let params = [SHADOWED, SHADOWED, ACTIVE, CONST];
    assert!(active(&function(text), &params, &[4]).is_empty());
    let perhaps =
        text.replace("store v20, v0\n", "condbr v3 -> b1 b2\nb1:\nstore v20, v0\nbr -> b2\nb2:\n");
    assert_eq!(active(&function(&perhaps), &params, &[4]), [4]);
    let read = text.replace("store v20, v0\n", "v7: f64 = load v0\nstore v7, v1\nstore v20, v0\n");
    assert_eq!(active(&function(&read), &params, &[4, 7]), [4, 7]);
    let alias =
        text.replace("v0: ptr noalias", "v0: ptr").replace("store v20, v0\n", "store v20, v1\n");
    assert_eq!(active(&function(&alias), &params, &[4]), [4]);
}

#[test]
fn what_goes_only_into_locals_is_not_useful_but_kept_heap_memory_is() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: i64)
         b0:
           v3: f64 = fmul v1, v1
           v4: ptr = alloca bytes 8
           store v3, v4
           v6: f64 = fadd v1, v1
           v7: ptr = call malloc(v2)
           store v6, v7
           store v7, v0
           v10: f64 = fsub v1, v1
           v11: ptr = call malloc(v2)
           store v10, v11
           ret",
    );
    assert_eq!(active(&f, &[SHADOWED, ACTIVE, CONST], &[3, 6, 10]), [6]);
}

#[test]
fn a_value_stored_for_the_next_iteration_is_useful() {
    let f = function(
        "body @f(v0: f64, v1: i1)
         loop l0 header b1 counter v5 exits b2:v10 single
           v2: i64 = const 0
           v3: i64 = const 1
           v4: f64 = const
         b0:
           v20: ptr = alloca bytes 16
           v21: ptr = gep v20 + 8
           store v4, v20
           store v4, v21
           br -> b1
         b1:
           v5: i64 = phi [b0 v2] [b1 v6]
           v7: f64 = load v21             // the result, two iterations late
           v8: f64 = load v20
           store v8, v21
           v9: f64 = fmul v0, v0
           store v9, v20
           v6: i64 = add v5, v3
           condbr v1 -> b1 b2
         b2:
           v10: i64 = phi [b1 v5]
           v11: f64 = phi [b1 v7]
           ret v11",
    );
    assert_eq!(active(&f, &[ACTIVE, CONST], &[7, 8, 9, 11]), [7, 8, 9, 11]);
}

#[test]
fn a_path_that_does_not_return_needs_nothing() {
    let f = function(
        "body @f(v0: f64, v1: ptr, v2: i1)
         b0:
           v3: f64 = fmul v0, v0
           condbr v2 -> b1 b2
         b1:
           store v3, v1
           unreachable
         b2:
           ret",
    );
    assert!(active(&f, &[ACTIVE, SHADOWED, CONST], &[3]).is_empty());
}

// ---- shadows ----

#[test]
fn local_memory_has_a_shadow_where_something_varied_or_a_pointer_with_one_may_lie() {
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: f64, v3: f64)
         b0:
           v4: ptr = alloca bytes 8
           v5: ptr = alloca bytes 8
           v6: ptr = alloca bytes 8
           v7: ptr = alloca bytes 8
           store v2, v4
           store v3, v5
           store v0, v6
           store v1, v7
           v12: ptr = load v6
           v13: ptr = load v7
           ret",
    );
    let activity = f.activity(&[SHADOWED, CONST, ACTIVE, CONST]);
    let shadows = [4, 5, 6, 7, 12, 13].map(|n| activity.shadow(v(n)));
    assert_eq!(
        shadows,
        [Shadow::Yes, Shadow::No, Shadow::Yes, Shadow::No, Shadow::Yes, Shadow::No]
    );
}

#[test]
fn memory_that_joins_shadowed_memory_gets_a_shadow_or_is_refused() {
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: i1, v3: f64)
           v4 = global const @table
           v5 = global @variable
         b0:
           v6: ptr = alloca bytes 8
           store v3, v6
           v8: ptr = select v2, v0, v6
           v9: ptr = select v2, v0, v4
           v10: ptr = select v2, v0, v1
           v11: ptr = select v2, v0, v5
           v12: ptr = gep v8 + 8
           ret",
    );
    let activity = f.activity(&[SHADOWED, CONST, CONST, CONST]);
    let shadows = [6, 8, 4, 9, 10, 11, 12].map(|n| activity.shadow(v(n)));
    assert_eq!(
        shadows,
        [
            Shadow::Yes,
            Shadow::Yes,
            Shadow::Yes,
            Shadow::Yes,
            Shadow::Mixed,
            Shadow::Mixed,
            Shadow::Yes
        ]
    );
}

#[test]
fn a_pointer_kept_in_memory_takes_its_shadow_along_through_other_names() {
    // The address of v3 is stored behind p0, loaded again, and something varied stored there.
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: f64)
         b0:
           v3: ptr = alloca bytes 8
           store v3, v0
           v5: ptr = load v1
           store v2, v5
           v7: f64 = load v3
           ret v7",
    );
    let activity = f.activity(&[SHADOWED, SHADOWED, ACTIVE]);
    assert!(activity.has_shadow(v(3)) && activity.is_active(v(7)), "{}", f.targets(5));
}

#[test]
fn unknown_functions_may_do_anything_with_what_they_are_given() {
    let f = function(
        "body @f(v0: f64, v1: ptr)
         b0:
           v2: ptr = alloca bytes 8
           v3: ptr = alloca bytes 8
           v4: f64 = call unknown @u(v0, v2)
           v5: f64 = load v2
           v6: f64 = call unknown @u(v3)
           v7: f64 = load v3
           v8: f64 = call inactive @puts(v2)
           ret v5",
    );
    let activity = f.activity(&[ACTIVE, CONST]);
    assert!(activity.has_shadow(v(2)));
    // What the second is given has no shadow: nothing varied is found there. The first is refused
    // anyway (check.rs).
    assert_eq!(varied(&f, &[ACTIVE, CONST], &[4, 5, 7]), [4, 5]);
    assert!(activity.is_active_call(v(4)));
}
