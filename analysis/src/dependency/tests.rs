//! Dependency and diff-dependency of functions and of those that call them.

use super::Port;
use crate::testing::{Function, function, program};
use std::rc::Rc;

fn port(f: &Function, port: &Port) -> String {
    match port {
        Port::Param(i) => format!("a{i}"),
        Port::Memory(place) => f.place(place),
        Port::Result => "result".into(),
    }
}

fn show(f: &Function, dependences: &super::Dependences) -> Vec<String> {
    let one = |(output, from): &(Port, Rc<[Port]>)| {
        let mut from: Vec<String> = from.iter().map(|p| port(f, p)).collect();
        from.sort();
        format!("{} <- {}", port(f, output), from.join(" "))
    };
    let mut shown: Vec<String> = dependences.iter().map(one).collect();
    shown.sort();
    shown
}
/// Of memory that is not the function's to see (what calls allocate, what has no name, the library's
/// text) nothing is expected.
fn is_named(shown: &str) -> bool {
    !shown.starts_with(['?', 'r', 't']) || shown.starts_with("result")
}
fn differentiable(f: &Function) -> Vec<String> {
    show(f, &f.summary.dependency.differentiable)
        .into_iter()
        .filter(|shown| is_named(shown))
        .collect()
}
fn any(f: &Function) -> Vec<String> {
    show(f, &f.summary.dependency.any).into_iter().filter(|shown| is_named(shown)).collect()
}

#[test]
fn indices_conditions_and_integers_are_no_differentiable_dependence() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: f64)
         b0:
           v4: i1 = fcmp v2, v3
           v5: i64 = floattoint v3
           v6: ptr = gep v0 + v5*8
           v7: f64 = load v6
           v8: f64 = inttofloat v5
           v9: f64 = select v4, v7, v8
           store v9, v1
           ret v2",
    );
    assert_eq!(differentiable(&f), ["p1:8 <- p0+0%8:8", "result <- a2"]);
    assert_eq!(any(&f), ["p1:8 <- a2 a3 p0+0%8:8", "result <- a2"]);
}

#[test]
fn a_surely_overwritten_place_does_not_depend_on_itself() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: f64, v4: i1, v5: i64)
         b0:
           store v3, v0
           condbr v4 -> b1 b2
         b1:
           store v3, v1
           br -> b2
         b2:
           v9: ptr = gep v2 + v5*8
           store v3, v9
           ret",
    );
    assert_eq!(differentiable(&f), ["p0:8 <- a3", "p1:8 <- a3 p1:8", "p2+0%8:8 <- a3 p2+0%8:8"]);
    assert_eq!(any(&f)[1], "p1:8 <- a3 a4 p1:8", "whether it is stored depends on the condition");
    assert_eq!(any(&f)[2], "p2+0%8:8 <- a3 a5 p2+0%8:8", "where, on the index");
}

#[test]
fn a_store_is_seen_under_other_names() {
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: f64)
         b0:
           store v2, v0
           v4: f64 = load v1
           ret v4",
    );
    assert!(differentiable(&f).contains(&"result <- a2 p1:8".into()), "{:?}", differentiable(&f));
    assert!(differentiable(&f).contains(&"p1:8 <- a2 p1:8".into()), "it may be overwritten");
}

#[test]
fn which_value_is_taken_depends_on_how_control_came() {
    let f = function(
        "body @f(v0: f64, v1: f64, v2: f64, v3: f64)
         b0:
           v4: i1 = fcmp v0, v1
           condbr v4 -> b1 b2
         b1:
           br -> b2
         b2:
           v7: f64 = phi [b0 v2] [b1 v3]
           ret v7",
    );
    assert_eq!(
        (differentiable(&f), any(&f)),
        (vec!["result <- a2 a3".into()], vec!["result <- a0 a1 a2 a3".into()])
    );
}

#[test]
fn how_often_a_loop_runs_decides_its_sum() {
    let f = function(
        "body @f(v0: i64, v1: f64)
         loop l0 header b1 counter v4 exits b2:v10 single
           v2: i64 = const 0
           v3: i64 = const 1
           v20: f64 = const
         b0:
           br -> b1
         b1:
           v4: i64 = phi [b0 v2] [b1 v5]
           v6: f64 = phi [b0 v20] [b1 v7]
           v7: f64 = fadd v6, v1
           v5: i64 = add v4, v3
           v8: i1 = icmp v5, v0
           condbr v8 -> b1 b2
         b2:
           v10: i64 = phi [b1 v4]
           v11: f64 = phi [b1 v7]
           ret v11",
    );
    assert_eq!(
        (differentiable(&f), any(&f)),
        (vec!["result <- a1".into()], vec!["result <- a0 a1".into()])
    );
}

#[test]
fn a_value_goes_round_a_loop_through_memory() {
    // In each iteration b = a, a = x: after two, b depends on x.
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v9: i1)
         loop l0 header b1 counter v5 exits b2:v10 single
           v3: i64 = const 0
           v4: i64 = const 1
         b0:
           br -> b1
         b1:
           v5: i64 = phi [b0 v3] [b1 v6]
           v7: f64 = load v0
           store v7, v1
           store v2, v0
           v6: i64 = add v5, v4
           condbr v9 -> b1 b2
         b2:
           v10: i64 = phi [b1 v5]
           ret",
    );
    assert_eq!(differentiable(&f), ["p0:8 <- a2", "p1:8 <- a2 p0:8"]);
}

#[test]
fn bits_that_are_only_moved_may_be_those_of_a_real() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: i64)
         b0:
           v4: i64 = load v0
           store v4, v1
           call memcpy(v2, v1, v3)
           ret",
    );
    let found = differentiable(&f);
    assert!(found.contains(&"p1:8 <- p0:8".into()), "{found:?}");
    assert!(found.iter().any(|d| d.starts_with("p2 rest <- ") && d.contains("p0:8")), "{found:?}");
}

#[test]
fn nothing_is_known_of_an_unknown_function() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr, v2: f64, v3: f64)
         b0:
           v4: f64 = load v0
           v5: f64 = load v1
           v6: f64 = call unknown @u(v1, v2)
           v7: f64 = load v1
           ret v6",
    );
    let found = differentiable(&f);
    let result = found.iter().find(|d| d.starts_with("result")).unwrap();
    assert!(
        result.contains("a2")
            && result.contains("p1:8")
            && !result.contains("a3")
            && !result.contains("p0:8"),
        "{result}"
    );
    let memory = found.iter().find(|d| d.starts_with("p1:8")).unwrap();
    assert!(memory.contains("a2") && memory.contains("p1:8"), "{memory}");
}

// ---- calls ----

const AXPY: &str = "body @axpy(v0: f64, v1: ptr, v2: ptr)
    b0:
      v3: f64 = load v1
      v4: f64 = load v2
      v5: f64 = fmul v0, v3
      v6: f64 = fadd v5, v4
      store v6, v2
      ret v3";

#[test]
fn summaries_are_composed_with_what_the_caller_gives() {
    let caller = "body @f(v0: ptr noalias, v1: f64, v2: f64)
        b0:
          v3: ptr = alloca bytes 8
          v4: ptr = alloca bytes 8
          store v1, v3
          store v2, v4
          v7: f64 = call defined @axpy(v2, v3, v4)
          v8: f64 = load v4
          v9: f64 = load v3
          store v8, v0
          ret v7";
    let f = program(&[AXPY, caller]).pop().unwrap();
    assert_eq!(differentiable(&f), ["p0:8 <- a1 a2", "result <- a1"]);
}

#[test]
fn two_arguments_that_are_one_place() {
    let caller = "body @f(v0: ptr noalias, v1: f64)
        b0:
          v2: f64 = call defined @axpy(v1, v0, v0)
          ret v2";
    let f = program(&[AXPY, caller]).pop().unwrap();
    assert!(differentiable(&f).contains(&"result <- p0:8".into()));
    let memory = differentiable(&f).into_iter().find(|d| d.starts_with("p0:8")).unwrap();
    assert!(memory.contains("a1") && memory.ends_with("p0:8"), "{memory}");
}

#[test]
fn a_callee_that_surely_overwrites_ends_dependences_and_one_that_may_does_not() {
    let clear = |text: &str| format!("body @clear(v0: ptr, v1: i1)\n v9: f64 = const\n {text}");
    let surely = clear("b0:\n store v9, v0\n ret");
    let perhaps = clear("b0:\n condbr v1 -> b1 b2\n b1:\n store v9, v0\n br -> b2\n b2:\n ret");
    let caller = "body @f(v0: ptr noalias, v1: i1)
        b0:
          call defined @clear(v0, v1)
          v3: f64 = load v0
          ret v3";
    let of = |clear: &str| differentiable(&program(&[clear, caller]).pop().unwrap());
    assert_eq!(of(&surely), ["p0:8 <- ", "result <- "]);
    assert_eq!(of(&perhaps), ["p0:8 <- p0:8", "result <- p0:8"]);
}

#[test]
fn recursion_multiplies_what_it_was_given() {
    let power = "body @power(v0: f64, v1: f64, v2: i1)
        b0:
          condbr v2 -> b1 b2
        b1:
          v3: f64 = call defined @power(v1, v0, v2)
          v4: f64 = fmul v3, v0
          br -> b2
        b2:
          v5: f64 = phi [b0 v0] [b1 v4]
          ret v5";
    let f = function(power);
    assert_eq!(
        (differentiable(&f), any(&f)),
        (vec!["result <- a0 a1".into()], vec!["result <- a0 a1 a2".into()])
    );
}

#[test]
fn functions_that_call_each_other_pass_memory_on() {
    // ping: q = p, then pong; pong: r = q, and back.
    let ping = "body @ping(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: i1)
        b0:
          v4: f64 = load v0
          store v4, v1
          condbr v3 -> b1 b2
        b1:
          call defined @pong(v0, v1, v2, v3)
          br -> b2
        b2:
          ret";
    let pong = "body @pong(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: i1)
        b0:
          v4: f64 = load v1
          store v4, v2
          call defined @ping(v2, v1, v0, v3)
          ret";
    for order in [[ping, pong], [pong, ping]] {
        let functions = program(&order);
        let f = functions.iter().find(|f| f.body.name == "ping").unwrap();
        let found = differentiable(f);
        assert!(found.contains(&"p1:8 <- p0:8".into()), "{found:?}");
        assert!(found.contains(&"p2:8 <- p0:8 p2:8".into()), "{found:?}");
    }
}

#[test]
fn a_rule_passes_on_what_its_arguments_are() {
    let f = function(
        "body @f(v0: f64, v1: ptr noalias, v2: f64)
         b0:
           v3: f64 = call rule modf.f64(v0, v1)
           v4: f64 = call rule pow.f64(v0, v2)
           ret v4",
    );
    let found = differentiable(&f);
    assert!(found.iter().any(|d| d.starts_with("p1") && d.contains("a0")), "{found:?}");
    assert!(found.contains(&"result <- a0 a2".into()), "{found:?}");
}
