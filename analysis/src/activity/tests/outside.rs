//! Memory that foreign code knows: which calls of such code find something varied there.

use super::{ACTIVE, CONST, Param, SHADOWED};
use crate::{
    activity::Activity,
    context::Context,
    testing::{Function, program},
};

/// A function that calls foreign code, and names no variable but the library's memory.
const HELPER: &str = "body @helper()
       v0 = global @__adcc.library
     b0:
       call custom @sweep.prebuilt(v0)
       ret";

fn last(texts: &[&str]) -> Function {
    program(texts).pop().expect("a function")
}

/// Variables that need a shadow before anything is known, where the memory of the parameters is
/// hidden or not.
fn needed(f: &Function, params: &[Param], hidden: bool) -> Vec<String> {
    let mut context = Context::unknown(params.len()).with_hidden(vec![hidden; params.len()]);
    context.is_open = true;
    let locations = f.locations_in(&context);
    let known = crate::summary::Known { locations: &locations, ..f.known() };
    let activity = Activity::compute(known, params, &context, true);
    let mut found: Vec<String> = activity.globals(known).map(|s| s.to_string()).collect();
    found.sort_unstable();
    found
}

/// `g = a0; sweep()`, with `call` for the call and `more` after the variable's name.
fn stores_and_calls(call: &str, more: &str, library: &str) -> Function {
    last(&[
        HELPER,
        &format!(
            "body @f(v0: f64)
               v1 = global @g{more}
               v2 = global @{library}
             b0:
               store v0, v1
               {call}
               v5: f64 = load v1
               ret v5"
        ),
    ])
}

#[test]
fn a_call_finds_what_was_stored_in_a_variable_that_foreign_code_may_access() {
    for call in ["call custom @sweep.prebuilt(v2)", "call defined @helper()"] {
        assert_eq!(
            needed(&stores_and_calls(call, "", "__adcc.library"), &[ACTIVE], true),
            ["__adcc.library", "g"],
            "{call}"
        );
        assert_eq!(
            needed(&stores_and_calls(call, " hidden", "__adcc.library"), &[ACTIVE], true),
            ["g"],
            "{call}"
        );
        assert!(
            needed(&stores_and_calls(call, "", "__adcc.library"), &[CONST], true).is_empty(),
            "{call}"
        );
    }
    assert_eq!(
        needed(&stores_and_calls("call unknown @sweep()", "", "__adcc.outside"), &[ACTIVE], true),
        ["__adcc.outside", "g"]
    );
    assert_eq!(
        needed(
            &stores_and_calls("call unknown @sweep()", " hidden", "__adcc.outside"),
            &[ACTIVE],
            true
        ),
        ["g"]
    );
}

#[test]
fn a_call_before_the_store_finds_nothing() {
    let f = last(&["body @f(v0: f64)
           v1 = global @g
           v2 = global @__adcc.library
         b0:
           call custom @sweep.prebuilt(v2)
           store v0, v1
           ret"]);
    assert_eq!(needed(&f, &[ACTIVE], true), ["g"]);
}

#[test]
fn a_call_may_know_what_a_request_is_given_unless_that_is_hidden() {
    let reads = |library: &str, call: &str| {
        last(&[&format!(
            "body @f(v0: ptr)
               v1 = global @{library}
             b0:
               v2: f64 = {call}
               v3: f64 = load v0
               v4: f64 = fmul v2, v3
               ret v4"
        )])
    };
    let f = reads("__adcc.library", "call custom @eval.prebuilt(v1)");
    assert_eq!(needed(&f, &[SHADOWED], false), ["__adcc.library"]);
    assert!(needed(&f, &[SHADOWED], true).is_empty());
    assert!(needed(&f, &[CONST], false).is_empty());
    // Who refuses calls asks for arguments and variables.
    assert!(
        needed(&reads("__adcc.outside", "call unknown @eval()"), &[SHADOWED], false).is_empty()
    );
}
