//! In-out: the four answers, what is no overwriting, recursion.

use crate::testing::{Function, function, program};

fn sorted(mut places: Vec<String>) -> Vec<String> {
    places.sort();
    places
}
fn reads(f: &Function) -> Vec<String> {
    sorted(f.places(&f.summary.in_out.reads))
}
fn writes(f: &Function) -> Vec<String> {
    sorted(f.places(&f.summary.in_out.writes))
}
fn kills(f: &Function) -> Vec<String> {
    sorted(f.places(f.summary.in_out.kills.as_deref().expect("it returns")))
}

#[test]
fn the_four_answers() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias, v4: f64)
         b0:
           v5: f64 = load v0
           store v4, v0
           v7: f64 = load v1
           store v4, v2
           v9: f64 = load v2             // its own
           ret",
    );
    assert_eq!(reads(&f), ["p0:8", "p1:8"]);
    assert_eq!(writes(&f), ["p0:8", "p2:8"]);
    assert_eq!(kills(&f), ["p0:8", "p2:8"]);
}

#[test]
fn a_conditional_store_overwrites_nothing() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           condbr v2 -> b1 b2
         b1:
           store v1, v0
           br -> b2
         b2:
           v5: f64 = load v0
           ret",
    );
    assert_eq!(
        (reads(&f), writes(&f), kills(&f)),
        (vec!["p0:8".into()], vec!["p0:8".into()], vec![])
    );
}

#[test]
fn stores_on_both_paths_overwrite() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           condbr v2 -> b1 b2
         b1:
           store v1, v0
           br -> b3
         b2:
           store v1, v0
           br -> b3
         b3:
           v6: f64 = load v0
           ret",
    );
    assert_eq!((reads(&f), kills(&f)), (vec![], vec!["p0:8".into()]));
}

#[test]
fn a_loop_that_may_not_run_and_an_array_of_which_elements_are_left_keep() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1)
         loop l0 header b2 counter v6 exits b4:v20 single
           v4: i64 = const 0
           v5: i64 = const 1
         b0:
           condbr v3 -> b1 b5
         b1:
           br -> b2
         b2:
           v6: i64 = phi [b1 v4] [b3 v7]
           v8: ptr = gep v1 + v6*8
           store v2, v8
           store v2, v0
           br -> b3
         b3:
           v7: i64 = add v6, v5
           condbr v3 -> b2 b4
         b4:
           v20: i64 = phi [b3 v6]
           br -> b5
         b5:
           v21: f64 = load v0
           v22: f64 = load v1
           ret",
    );
    assert_eq!(reads(&f), ["p0:8", "p1+?:1"]);
    assert!(kills(&f).is_empty());
}

#[test]
fn overwriting_under_one_name_leaves_the_others() {
    let text = "body @f(v0: ptr, v1: ptr, v2: f64)
         b0:
           store v2, v0
           v4: f64 = load v1
           ret";
    assert_eq!(reads(&function(text)), ["p1:8"]);
}

#[test]
fn a_path_that_does_not_return_does_not_count() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           condbr v2 -> b1 b2
         b1:
           v3: f64 = load v0
           unreachable
         b2:
           store v1, v0
           ret",
    );
    assert_eq!((reads(&f), kills(&f)), (vec!["p0:8".into()], vec!["p0:8".into()]));
    let never = function("body @f(v0: ptr, v1: f64)\nb0:\nstore v1, v0\nunreachable");
    assert!(!never.summary.in_out.returns());
}

#[test]
fn heap_memory_is_the_callers_and_stack_variables_are_not() {
    let f = function(
        "body @f(v0: i64, v1: f64)
         b0:
           v2: ptr = alloca bytes 8
           v3: ptr = call malloc(v0)
           store v1, v2
           store v1, v3
           v6: f64 = load v2
           ret v3",
    );
    assert_eq!((reads(&f), writes(&f)), (vec![], vec!["v3:8".into()]));
}

#[test]
fn through_a_call() {
    let inner = "body @inner(v0: ptr, v1: ptr, v2: f64, v3: i1)
        b0:
          store v2, v0
          v5: f64 = load v1
          condbr v3 -> b1 b2
        b1:
          store v2, v1
          br -> b2
        b2:
          ret";
    let outer = "body @outer(v0: ptr noalias, v1: f64, v2: i1)
        b0:
          v3: ptr = gep v0 + 16
          call defined @inner(v0, v3, v1, v2)
          v5: f64 = load v0
          v6: f64 = load v3
          ret";
    let outer = program(&[inner, outer]).pop().unwrap();
    assert_eq!(reads(&outer), ["p0+16:8"]);
    assert_eq!((writes(&outer).len(), kills(&outer)), (2, vec!["p0:8".into()]));
}

// ---- recursion ----

/// Overwrites `p0` at its end, and `p1` only where it goes deeper.
const DEEP: &str = "body @deep(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1)
    b0:
      condbr v3 -> b1 b2
    b1:
      store v2, v1
      call defined @CALL(v0, v1, v2, v3)
      br -> b3
    b2:
      store v2, v0
      br -> b3
    b3:
      v9: f64 = load v1
      ret";

#[test]
fn a_recursive_function_overwrites_what_its_end_does() {
    let f = function(&DEEP.replace("CALL", "deep"));
    assert_eq!((reads(&f), kills(&f)), (vec!["p1:8".into()], vec!["p0:8".into()]));
}

#[test]
fn functions_that_call_each_other_agree() {
    let other = "body @other(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1)
        b0:
          v4: ptr = gep v1 + 8
          v5: f64 = load v4
          call defined @deep(v0, v1, v2, v3)
          ret";
    for order in [[0, 1], [1, 0]] {
        let texts = [DEEP.replace("CALL", "other"), other.to_string()];
        let functions = program(&order.map(|i| &texts[i][..]));
        for f in functions {
            assert_eq!(
                (reads(&f), kills(&f)),
                (vec!["p1+8:8".into(), "p1:8".into()], vec!["p0:8".into()]),
                "{}",
                f.body.name
            );
        }
    }
}

#[test]
fn recursion_without_end_never_returns() {
    let f = function("body @f(v0: ptr, v1: f64)\nb0:\ncall defined @f(v0, v1)\nstore v1, v0\nret");
    assert!(!f.summary.in_out.returns());
}

#[test]
fn arguments_that_are_exchanged_overwrite_neither() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1)
         b0:
           condbr v3 -> b1 b2
         b1:
           call defined @f(v1, v0, v2, v3)
           br -> b3
         b2:
           store v2, v0
           br -> b3
         b3:
           ret",
    );
    assert_eq!((writes(&f).len(), kills(&f)), (2, vec![]));
}

/// The tangent of y = x², with places for x, y and their tangents.
const SQUARE: &str =
    "body @square(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias)
     b0:
       v4: f64 = load v0
       v5: f64 = load v2
       v6: f64 = fmul v4, v4
       v7: f64 = fmul v4, v5
       store v6, v1
       store v7, v3
       ret";

#[test]
fn an_adjoint_reads_and_writes_what_a_tangent_does() {
    let f = function(SQUARE);
    let adjoint = (*f.summary.in_out).clone().of_adjoint(&f.memory, &[2, 3]);
    assert_eq!(sorted(f.places(&adjoint.reads)), ["p0:8", "p2:8", "p3:8"]);
    assert_eq!(sorted(f.places(&adjoint.writes)), ["p1:8", "p2:8", "p3:8"]);
    assert_eq!(f.places(adjoint.kills.as_deref().expect("it returns")), ["p1:8"]);
}

#[test]
fn what_an_adjoint_does_to_variables_it_may_do_to_shadows() {
    let f = function(
        "body @f(v0: ptr, v1: f64)
           v2: ptr = global @shadow
         b0:
           store v1, v2
           ret",
    );
    let adjoint = (*f.summary.in_out).clone().of_adjoint(&f.memory, &[]);
    assert_eq!(f.places(&adjoint.reads), f.places(&adjoint.writes));
    assert_eq!(f.places(adjoint.kills.as_deref().expect("it returns")), Vec::<String>::new());
}

#[test]
fn a_function_tells_what_a_call_does_that_no_analysis_looks_into() {
    let caller = "body @f(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias)
         b0:
           call custom @square(v0, v1, v2, v3)
           ret";
    let known = &program(&[caller, SQUARE])[0];
    assert_eq!(
        (reads(known), writes(known)),
        (vec!["p0:8".into(), "p2:8".into()], vec!["p1:8".into(), "p3:8".into()])
    );
    let unknown = function(caller);
    assert!(
        ["p0 rest", "p2 rest"].iter().all(|p| writes(&unknown).contains(&(*p).to_string())),
        "{:?}",
        writes(&unknown)
    );
}
