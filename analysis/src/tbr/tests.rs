//! To-be-recorded: which loads the reverse sweep may repeat, and which values it finds in memory.
//! Loads and stores of loops are v8 and v9, so that the tests read alike.

mod loops;

use crate::{
    context::{Context, Entry},
    summary::Known,
    tbr::Tbr,
    testing::{function, program, v},
};

/// Whether the load v4 may be repeated, where `later` follows it.
fn repeatable(later: &str) -> bool {
    let f = function(&format!(
        "body @f(v0: ptr, v1: ptr noalias, v2: f64, v3: i1, v30: i64)
           v31: i64 = const 8
           v32: i32 = const 0
           v33 = global const @table
           v34 = global @variable
         b0:
           v35: ptr = gep v0 + 8
           v36: ptr = gep v0 + v30*8
           v37: ptr = load v1
           v38: ptr = alloca bytes 8
           v39: ptr = select v3, v0, v38
           v4: f64 = load v0
           {later}
           ret"
    ));
    f.tbr().is_reloadable(v(4))
}

#[test]
fn a_load_may_be_repeated_until_something_may_overwrite_it() {
    for harmless in [
        "",
        "store v2, v35",
        "store v2, v1",
        "store v2, v38",
        "call inactive @puts(v38)",
        "v9: f64 = load v35",
        "call memset(v35, v32, v31)",
        "v9: f64 = call rule sin.f64(v2)",
    ] {
        assert!(repeatable(harmless), "{harmless}");
    }
    for harmful in [
        "store v2, v0",
        "store v2, v36",
        "store v2, v37",
        "store v2, v39",
        "store v2, v34",
        "store v30, v0",
        "condbr v3 -> b1 b2\nb1:\nstore v2, v0\nbr -> b2\nb2:",
        "call memset(v0, v32, v31)",
        "call memcpy(v0, v1, v31)",
        "call memmove(v0, v1, v31)",
        "call memcpy(v35, v1, v30)\nstore v2, v36",
        "call unknown @u()",
        "call indirect (v38)",
        "call assembly ()",
        "v9: i64 = atomic v38",
        "call defined @elsewhere(v38)",
        "call inactive @sprintf(v0)",
        "v9: f64 = call rule modf.f64(v2, v0)",
    ] {
        assert!(!repeatable(harmful), "{harmful}");
    }
}

#[test]
fn constants_stay_whatever_the_caller_does() {
    let f = function(
        "body @f(v0: ptr, v1: f64)
           v2 = global const @table
           v3 = global @variable
         b0:
           v4: f64 = load v2
           v5: f64 = load v3
           store v1, v0
           ret",
    );
    let outside = Tbr::compute(f.known(), &Context::unknown(2), &|_| true);
    assert!(outside.is_reloadable(v(4)) && !outside.is_reloadable(v(5)));
}

#[test]
fn volatile_memory_is_not_read_again() {
    let f = function("body @f(v0: ptr)\nb0:\nv1: f64 = atomic v0\nret v1");
    assert!(!f.tbr().is_reloadable(v(1)));
}

#[test]
fn what_the_caller_does_not_keep_is_gone() {
    let f = function(
        "body @f(v0: ptr, v1: ptr)
         b0:
           v2: f64 = load v0
           v3: f64 = load v1
           v4: ptr = load v1
           v5: f64 = load v4
           v6: ptr = alloca bytes 8
           v7: f64 = load v6
           ret",
    );
    let stable = Entry { stable: true, ..Entry::ANY };
    let context = Context::new(vec![[Entry::ANY; 2], [stable, Entry::ANY]], false, vec![]);
    let tbr = Tbr::compute(f.known(), &context, &|_| true);
    assert_eq!([2, 3, 5, 7].map(|n| tbr.is_reloadable(v(n))), [false, true, false, true]);
    assert_eq!(tbr.culprit(v(2)), None, "nobody of this function");
}

#[test]
fn stores_that_are_left_out_overwrite_nothing() {
    let f =
        function("body @f(v0: ptr, v1: f64)\nb0:\nv2: f64 = load v0\nv3: void = store v1, v0\nret");
    assert_eq!(f.tbr().culprit(v(2)), Some(v(3)));
    assert!(Tbr::compute(f.known(), &f.request, &|i| i != v(3)).is_reloadable(v(2)));
}

#[test]
fn a_value_is_found_where_it_was_stored() {
    let text = "body @f(v0: ptr, v1: ptr, v2: f64, v3: i1)
         b0:
           v4: f64 = fmul v2, v2
           v5: void = store v4, v0
           ret";
    let stored = |text: &str| function(text).tbr().stored(v(4));
    assert_eq!(stored(text), Some(v(5)));
    assert_eq!(stored(&text.replace("ret", "store v2, v1\nret")), None, "perhaps the same memory");
    assert_eq!(stored(&text.replace("ret", "store v2, v0\nret")), None);
    assert_eq!(
        stored(&text.replace("ret", "v6: void = store v4, v0\nret")),
        Some(v(6)),
        "the last one"
    );
    let apart = text
        .replace("v5: void", "condbr v3 -> b1 b2\nb1:\nv5: void")
        .replace("ret", "br -> b2\nb2:\nret");
    assert_eq!(stored(&apart), None, "not run whenever the value is computed");
    assert_eq!(
        stored(&text.replace("v4: f64 = fmul v2, v2", "v4: i64 = load v1")),
        None,
        "no real"
    );
    let left_out = function(text);
    assert_eq!(
        Tbr::compute(left_out.known(), &left_out.request, &|i| i != v(5)).stored(v(4)),
        None
    );
}

#[test]
fn a_call_overwrites_what_its_callee_may() {
    let callee = "body @g(v0: ptr, v1: ptr, v2: f64, v3: i1)
        b0:
          v4: ptr = gep v0 + 8
          condbr v3 -> b1 b2
        b1:
          store v2, v4
          br -> b2
        b2:
          v6: f64 = load v1
          ret";
    let f = program(&[
        callee,
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1, v4: i64)
         b0:
           v5: f64 = load v0
           v6: ptr = gep v0 + 8
           v7: f64 = load v6
           v8: f64 = load v1
           v9: ptr = gep v0 + v4*24
           v10: f64 = load v9
           v11: void = call defined @g(v0, v1, v2, v3)
           ret",
    ])
    .pop()
    .unwrap();
    let tbr = f.tbr();
    assert_eq!([5, 7, 8].map(|n| tbr.is_reloadable(v(n))), [true, false, true]);
    assert!(tbr.after_call(v(11)).is_some_and(|over| !over.any()));
}

#[test]
fn what_a_recursive_call_may_overwrite_at_any_depth() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1)
         b0:
           v4: f64 = load v0
           v5: f64 = load v1
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
    let tbr = f.tbr();
    assert!(!tbr.is_reloadable(v(4)) && !tbr.is_reloadable(v(5)), "the arguments change places");
}

#[test]
fn rows_of_a_table_may_lead_into_one_array() {
    let text = "body @f(v0: ptr noalias, v1: i64, v2: i64, v3: f64)
         b0:
           v4: ptr = gep v0 + v1*8
           v5: ptr = load v4
           v6: ptr = gep v0 + v2*8
           v7: ptr = load v6
           v8: ptr = gep v7 + 8
           v9: f64 = load v8
           store v3, v5
           ret";
    assert!(!function(text).tbr().is_reloadable(v(9)));
}

#[test]
fn a_pointer_that_is_loaded_may_be_overwritten_itself() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr, v2: f64)
         b0:
           v3: ptr = load v0
           v4: f64 = load v3
           store v1, v0
           ret",
    );
    let tbr = f.tbr();
    assert!(!tbr.is_reloadable(v(3)) && tbr.is_reloadable(v(4)), "the address is another matter");
}

#[test]
fn bits_and_parts_of_a_real_overwrite_it() {
    let text = "body @f(v0: ptr, v1: f32, v2: i64)
         b0:
           v3: f64 = load v0
           v4: ptr = gep v0 + 4
           store v1, v4
           ret";
    assert!(!function(text).tbr().is_reloadable(v(3)));
    assert!(!function(&text.replace("store v1, v4", "store v2, v0")).tbr().is_reloadable(v(3)));
}

#[test]
fn arguments_that_a_caller_knows_to_be_apart() {
    let f =
        function("body @f(v0: ptr, v1: ptr, v2: f64)\nb0:\nv3: f64 = load v0\nstore v2, v1\nret");
    assert!(!f.tbr().is_reloadable(v(3)));
    let stable = [Entry { stable: true, ..Entry::ANY }; 2];
    let context = Context::new(vec![stable; 3], true, vec![((0, 0), (1, 0))]);
    let locations = f.locations_in(&context);
    let known = Known { locations: &locations, ..f.known() };
    assert!(Tbr::compute(known, &context, &|_| true).is_reloadable(v(3)));
}
