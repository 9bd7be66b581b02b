//! Pointers through calls, copies and recursion.

use crate::testing::{Function, function, program};

/// The last of several functions.
fn last(texts: &[&str]) -> Function {
    program(texts).pop().expect("a function")
}

const SET: &str = "body @set(v0: ptr, v1: ptr)
    b0:
      store v1, v0
      ret";
const PERHAPS: &str = "body @perhaps(v0: ptr, v1: ptr, v2: i1)
    b0:
      condbr v2 -> b1 b2
    b1:
      store v1, v0
      br -> b2
    b2:
      ret";

#[test]
fn a_callee_that_surely_stores_overwrites_and_one_that_perhaps_does_adds() {
    let caller = "body @f(v0: ptr, v1: ptr, v2: i1)
        b0:
          v3: ptr = alloca bytes 16
          v4: ptr = gep v3 + 8
          store v0, v3
          store v0, v4
          call defined @set(v3, v1)
          call defined @perhaps(v4, v1, v2)
          v9: ptr = load v3
          v10: ptr = load v4
          ret";
    let f = last(&[SET, PERHAPS, caller]);
    assert_eq!([f.targets(9), f.targets(10)], ["p1", "{p0 p1}"]);
}

#[test]
fn a_callee_given_one_of_two_places_overwrites_neither() {
    let caller = "body @f(v0: ptr, v1: ptr, v2: i1)
        b0:
          v3: ptr = alloca bytes 8
          v4: ptr = alloca bytes 8
          store v0, v3
          store v0, v4
          v7: ptr = select v2, v3, v4
          call defined @set(v7, v1)
          v9: ptr = load v3
          v10: ptr = load v4
          ret";
    let f = last(&[SET, caller]);
    assert_eq!([f.targets(9), f.targets(10)], ["{p0 p1}", "{p0 p1}"]);
}

#[test]
fn two_parameters_that_are_one_place_in_the_caller() {
    let both = "body @both(v0: ptr, v1: ptr, v2: ptr, v3: ptr)
        b0:
          store v2, v0
          store v3, v1
          v6: ptr = load v0
          ret v6";
    let caller = "body @f(v0: ptr, v1: ptr)
        b0:
          v2: ptr = alloca bytes 8
          v3: ptr = call defined @both(v2, v2, v0, v1)
          v4: ptr = load v2
          ret";
    let f = last(&[both, caller]);
    assert_eq!(f.targets(3), "{p0 p1}", "what it returns was overwritten under the other name");
    assert!(f.targets(4).contains("p1"));
}

#[test]
fn parameters_of_a_callee_may_overlap_at_other_offsets() {
    let both = "body @both(v0: ptr, v1: ptr, v2: ptr, v3: ptr)
        b0:
          v4: ptr = gep v0 + 8
          store v2, v4
          store v3, v1
          v7: ptr = load v4
          ret v7";
    let caller = "body @f(v0: ptr, v1: ptr)
        b0:
          v2: ptr = alloca bytes 16
          v3: ptr = gep v2 + 8
          v4: ptr = call defined @both(v2, v3, v0, v1)
          v5: ptr = load v3
          ret";
    let f = last(&[both, caller]);
    assert_eq!(f.targets(4), "{p0 p1}");
    assert!(f.targets(5).contains("p1"));
}

#[test]
fn what_a_callee_returns_is_the_callers_own() {
    let second = "body @second(v0: ptr, v1: ptr)
        b0:
          v2: ptr = gep v1 + 16
          v3: ptr = load v2
          v4: ptr = gep v3 + 8
          ret v4";
    let fresh = "body @fresh(v0: i64, v1: ptr)
        b0:
          v2: ptr = call malloc(v0)
          store v1, v2
          ret v2";
    let caller = "body @f(v0: ptr, v1: ptr, v2: i64)
        b0:
          v3: ptr = alloca bytes 24
          v4: ptr = gep v3 + 16
          store v0, v4
          v6: ptr = call defined @second(v1, v3)
          v7: ptr = call defined @second(v3, v1)
          v8: ptr = call defined @fresh(v2, v0)
          v9: ptr = call defined @fresh(v2, v1)
          v10: ptr = load v8
          ret";
    let f = last(&[second, fresh, caller]);
    assert_eq!([6, 7, 8].map(|v| f.targets(v)), ["p0+8", "*(p1+16)+8", "r8"]);
    assert!(f.targets(10).contains("p0"));
    assert!(!f.may_alias(8, 0) && !f.may_alias(8, 3), "it did not exist before");
}

#[test]
fn memory_of_calls_is_apart_only_from_what_was_there_before() {
    let fresh = "body @fresh(v0: i64, v1: ptr)
        b0:
          v2: ptr = call malloc(v0)
          store v2, v1
          ret v2";
    let caller = "body @f(v0: ptr, v1: i64)
        b0:
          v2: ptr = call defined @fresh(v1, v0)
          v3: ptr = call defined @fresh(v1, v0)
          v4: ptr = load v0
          ret";
    let f = last(&[fresh, caller]);
    assert_eq!(f.targets(4), "r3");
    assert!(
        f.may_alias(4, 3) && f.may_alias(2, 3),
        "an allocation that was kept may be given out again"
    );
}

#[test]
fn a_global_has_one_name_in_both_and_else_none() {
    let keep = "body @keep(v0: ptr)
          v1 = global @g
        b0:
          store v0, v1
          ret";
    let caller = |global: &str| {
        format!(
            "body @f(v0: ptr, v1: ptr)
              v2 = global @{global}
            b0:
              store v1, v2
              v4: ptr = alloca bytes 8
              call defined @keep(v4)
              v6: ptr = load v2
              call unknown @u()
              v8: ptr = load v2
              ret"
        )
    };
    let f = last(&[keep, &caller("g")]);
    assert_eq!(f.targets(6), "v4");
    assert!(f.may_alias(8, 4), "kept where everybody may find it");
    let other = last(&[keep, &caller("h")]);
    assert!(other.targets(6).contains("p1"));
    assert!(other.may_alias(8, 4));
}

/// Of two places that are one here, either may have been written last.
#[test]
fn what_a_callee_overwrites_by_two_names_holds_either() {
    let both = "body @both(v0: ptr, v1: ptr, v2: ptr, v3: ptr)
        b0:
          store v2, v0
          store v3, v1
          ret";
    let caller = "body @f(v0: ptr, v1: ptr)
        b0:
          v2: ptr = alloca bytes 8
          call defined @both(v2, v2, v0, v1)
          v4: ptr = load v2
          ret";
    assert_eq!(last(&[both, caller]).targets(4), "{p0 p1}");
}

#[test]
fn a_callee_may_store_through_what_the_callers_memory_leads_to() {
    let redirect = "body @redirect(v0: ptr, v1: ptr)
        b0:
          v2: ptr = load v0
          store v1, v2
          ret";
    let caller = "body @f(v0: ptr, v1: ptr)
        b0:
          v2: ptr = alloca bytes 8
          v3: ptr = alloca bytes 8
          store v3, v2
          store v0, v3
          call defined @redirect(v2, v1)
          v7: ptr = load v3
          v8: ptr = load v2
          ret";
    let f = last(&[redirect, caller]);
    // Alone, the callee must think that its pointer leads back to itself; here it does not.
    assert_eq!([f.targets(7), f.targets(8)], ["{p0 p1}", "v3"]);
}

#[test]
fn the_effect_of_a_callees_callee_arrives() {
    let outer = "body @outer(v0: ptr, v1: ptr)
        b0:
          v2: ptr = gep v0 + 8
          call defined @set(v2, v1)
          ret";
    let caller = "body @f(v0: ptr, v1: ptr)
        b0:
          v2: ptr = alloca bytes 16
          v3: ptr = gep v2 + 8
          store v0, v2
          store v0, v3
          call defined @outer(v2, v1)
          v7: ptr = load v2
          v8: ptr = load v3
          ret";
    // In an order in which callers come first.
    let functions = program(&[caller, outer, SET]);
    assert_eq!([functions[0].targets(7), functions[0].targets(8)], ["p0", "p1"]);
}

// ---- recursion ----

#[test]
fn a_recursive_function_swaps_its_arguments() {
    let swap = "body @swap(v0: ptr, v1: ptr, v2: i1)
        b0:
          condbr v2 -> b1 b2
        b1:
          call defined @swap(v1, v0, v2)
          br -> b2
        b2:
          v5: ptr = load v1
          store v5, v0
          ret";
    let caller = "body @f(v0: ptr, v1: ptr, v2: i1)
        b0:
          v3: ptr = alloca bytes 8
          v4: ptr = alloca bytes 8
          store v0, v3
          store v1, v4
          call defined @swap(v3, v4, v2)
          v8: ptr = load v3
          v9: ptr = load v4
          ret";
    let f = last(&[swap, caller]);
    // The inner call stored the other way round.
    assert_eq!([f.targets(8), f.targets(9)], ["{p0 p1}", "{p0 p1}"]);
}

#[test]
fn functions_that_call_each_other_reach_every_argument() {
    let even = "body @even(v0: ptr, v1: ptr, v2: i1)
        b0:
          condbr v2 -> b1 b2
        b1:
          call defined @odd(v0, v1, v2)
          br -> b2
        b2:
          ret";
    let odd = "body @odd(v0: ptr, v1: ptr, v2: i1)
        b0:
          v3: ptr = load v0
          store v1, v3
          call defined @even(v0, v3, v2)
          ret";
    let caller = "body @f(v0: ptr, v1: ptr, v2: i1)
        b0:
          v3: ptr = alloca bytes 8
          v4: ptr = alloca bytes 8
          store v4, v3
          store v0, v4
          call defined @even(v3, v1, v2)
          v8: ptr = load v4
          ret";
    let f = last(&[even, odd, caller]);
    assert_eq!(f.targets(8), "{p0 p1 v4}");
}

#[test]
fn a_recursive_function_may_return_what_it_was_given_at_any_depth() {
    let last_node = "body @last(v0: ptr, v1: i1)
        b0:
          condbr v1 -> b1 b2
        b1:
          v2: ptr = load v0
          v3: ptr = call defined @last(v2, v1)
          br -> b2
        b2:
          v4: ptr = phi [b0 v0] [b1 v3]
          ret v4";
    let caller = "body @f(v0: ptr, v1: i1)
        b0:
          v2: ptr = alloca bytes 8
          v3: ptr = alloca bytes 8
          store v3, v2
          store v0, v3
          v6: ptr = call defined @last(v2, v1)
          ret";
    let f = last(&[last_node, caller]);
    assert_eq!(f.targets(6), "{? p0 v2 v3 *(p0)}+?");
    for end in [2, 3, 0] {
        assert!(f.may_alias(6, end), "v{end}: {}", f.targets(6));
    }
}

// ---- copies ----

/// A structure of two pointers is copied as a whole.
const COPY: &str = "v2: i64 = const 16
         b0:
           v3: ptr = alloca bytes 16
           v4: ptr = gep v3 + 8
           v5: ptr = alloca bytes 16
           v6: ptr = gep v5 + 8
           store v0, v3
           store v1, v4
           store v1, v5
           store v0, v6";

#[test]
fn a_copy_of_a_structure_brings_its_pointers() {
    let f = function(&format!(
        "body @f(v0: ptr, v1: ptr)
           {COPY}
           call memcpy(v5, v3, v2)
           v12: ptr = load v5
           v13: ptr = load v6
           ret"
    ));
    let (first, second) = (f.targets(12), f.targets(13));
    assert!(first.contains("p0"), "{first}");
    assert!(second.contains("p1"), "{second}");
}

#[test]
fn a_copy_of_part_of_a_structure_leaves_the_rest() {
    let f = function(&format!(
        "body @f(v0: ptr, v1: ptr)
           v20: i64 = const 8
           {COPY}
           call memmove(v5, v3, v20)
           v12: ptr = load v5
           v13: ptr = load v6
           ret"
    ));
    assert!(f.targets(12).contains("p0"));
    assert_eq!(f.targets(13), "p0");
}

#[test]
fn a_callee_that_copies_a_structure_brings_its_pointers() {
    let copy = "body @copy(v0: ptr, v1: ptr)
          v2: i64 = const 16
        b0:
          call memcpy(v0, v1, v2)
          ret";
    let f = last(&[
        copy,
        &format!(
            "body @f(v0: ptr, v1: ptr)
               {COPY}
               call defined @copy(v5, v3)
               v12: ptr = load v5
               v13: ptr = load v6
               ret"
        ),
    ]);
    let (first, second) = (f.targets(12), f.targets(13));
    assert!(first.contains("p0") || first.contains('?'), "{first}");
    assert!(second.contains("p1") || second.contains('?'), "{second}");
}

#[test]
fn a_callee_that_copies_by_way_of_its_own_variable() {
    let copy = "body @copy(v0: ptr, v1: ptr)
          v2: i64 = const 16
        b0:
          v3: ptr = alloca bytes 16
          call memcpy(v3, v1, v2)
          call memcpy(v0, v3, v2)
          ret";
    let outer = "body @outer(v0: ptr, v1: ptr)
        b0:
          call defined @copy(v0, v1)
          ret";
    let f = last(&[
        copy,
        outer,
        &format!(
            "body @f(v0: ptr, v1: ptr)
               {COPY}
               call defined @outer(v5, v3)
               v12: ptr = load v5
               v13: ptr = load v6
               ret"
        ),
    ]);
    let (first, second) = (f.targets(12), f.targets(13));
    assert!(first.contains("p0") || first.contains('?'), "{first}");
    assert!(second.contains("p1") || second.contains('?'), "{second}");
}

#[test]
fn a_callee_that_moves_the_bits_of_a_pointer() {
    let copy = "body @copy(v0: ptr, v1: ptr)
        b0:
          v2: i64 = load v1
          store v2, v0
          ret";
    let f = last(&[
        copy,
        &format!(
            "body @f(v0: ptr, v1: ptr)
               {COPY}
               call defined @copy(v5, v3)
               v12: ptr = load v5
               v13: ptr = load v6
               ret"
        ),
    ]);
    let first = f.targets(12);
    assert!(first.contains("p0") || first.contains('?'), "{first}");
    assert!(f.targets(13) == "p0" || f.targets(13).contains('?'));
}

// ---- tables ----

#[test]
fn pointers_of_a_table_may_lead_into_one_array_at_different_places() {
    // rows[i] = base + 8, rows[j] = base: the second element of one row is the first of the other.
    let f = function(
        "body @f(v0: ptr, v1: i64, v2: i64, v3: f64)
         b0:
           v4: ptr = gep v0 + v1*8
           v5: ptr = load v4
           v6: ptr = gep v0 + v2*8
           v7: ptr = load v6
           v8: ptr = gep v7 + 8
           v9: f64 = load v8
           store v3, v5
           v11: f64 = load v8
           ret",
    );
    assert!(f.meets(10, 9) && f.meets(10, 11), "{} {}", f.targets(5), f.targets(8));
}

#[test]
fn two_members_of_what_one_pointer_leads_to_are_apart() {
    let f = function(
        "body @f(v0: ptr, v1: f64)
         b0:
           v2: ptr = load v0
           v3: ptr = gep v2 + 8
           store v1, v3
           v5: f64 = load v2
           ret",
    );
    assert!(!f.meets(4, 5));
}

#[test]
fn pointers_stored_in_a_table_of_arrays_are_seen_at_every_place_of_these() {
    let f = function(
        "body @f(v0: ptr, v1: i64, v2: i64, v3: ptr)
         b0:
           v4: ptr = gep v0 + v1*8
           v5: ptr = load v4
           v6: ptr = gep v0 + v2*8
           v7: ptr = load v6
           v8: ptr = gep v7 + 8
           store v3, v5
           v10: ptr = load v8
           ret",
    );
    assert!(f.targets(10).contains("p3"), "{}", f.targets(10));
}
