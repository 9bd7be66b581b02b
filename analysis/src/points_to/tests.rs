//! Points-to: the tables of the C paper, what single instructions do, and what must not be claimed.

mod calls;

use crate::testing::{Function, function, program, show_targets};

/// What the function leaves in memory: each slot that may have changed, `may_keep_entry` if it may
/// be as it was.
fn exit(f: &Function) -> Vec<String> {
    let memory = &f.memory;
    let shown = memory.exit.changed().map(|(slot, content)| {
        let (object, offset) = memory.slot(slot);
        let place = show_targets(memory, &super::Targets::new(vec![object as u32], offset));
        let may_keep_entry = if content.may_keep_entry { "kept or " } else { "" };
        format!("{place} = {may_keep_entry}{}", show_targets(memory, super::stored(content)))
    });
    shown.collect()
}

// ---- figure 2 of "TAPENADE for C": the variables p1, q1, r1, p2 are memory, v0 to v3 their
// addresses; v4 is v's ----

const PART_A: &str = "body @a(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias, v4: ptr noalias, v5: i1)
    b0:
      store v4, v2                // r1 = &v
      store v1, v3                // p2 = &q1
      condbr v5 -> b1 b2
    b1:
      store v0, v3                // p2 = &p1
      br -> b2
    b2:
      ret";
const PART_B: &str = "body @b(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias)
      v6: ptr = const
    b0:
      v4: ptr = load v2
      v5: ptr = load v3
      store v4, v5                // *p2 = r1
      store v6, v3                // p2 = NULL
      ret";

#[test]
fn the_effects_of_the_papers_two_parts() {
    assert_eq!(exit(&function(PART_A)), ["p2 = p4", "p3 = {p0 p1}"]);
    // The paper overwrites *p2 for certain; here a name behind a pointer never is: it might be that
    // of several places.
    assert_eq!(exit(&function(PART_B)), ["p3 = null", "*(p3) = kept or *(p2)"]);
}

#[test]
fn the_papers_composition_finds_where_the_assignment_through_p2_goes() {
    let both = "body @foo(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias, v4: ptr noalias, v5: i1)
        b0:
          call defined @a(v0, v1, v2, v3, v4, v5)
          call defined @b(v0, v1, v2, v3)
          v6: ptr = load v0
          v7: ptr = load v1
          v8: ptr = load v2
          v9: ptr = load v3
          ret";
    let [.., foo] = &program(&[PART_A, PART_B, both])[..] else { panic!() };
    let mut composed = exit(foo);
    composed.sort();
    assert_eq!(composed, ["p0 = kept or p4", "p1 = kept or p4", "p2 = p4", "p3 = null"]);
    assert_eq!([6, 7, 8, 9].map(|v| foo.targets(v)), ["{p4 *(p0)}", "{p4 *(p1)}", "p4", "null"]);
}

#[test]
fn the_papers_code_in_one_piece_gives_the_same() {
    let whole = "body @foo(v0: ptr noalias, v1: ptr noalias, v2: ptr noalias, v3: ptr noalias, v4: ptr noalias, v5: i1)
          v6: ptr = const
        b0:
          store v4, v2
          store v1, v3
          condbr v5 -> b1 b2
        b1:
          store v0, v3
          br -> b2
        b2:
          v7: ptr = load v2
          v8: ptr = load v3
          store v7, v8
          store v6, v3
          ret";
    let foo = function(whole);
    let mut found = exit(&foo);
    found.sort();
    assert_eq!(found, ["p0 = kept or p4", "p1 = kept or p4", "p2 = p4", "p3 = null"]);
    assert_eq!([foo.targets(7), foo.targets(8)], ["p4", "{p0 p1}"]);
}

// ---- flow ----

#[test]
fn the_order_of_stores_counts() {
    let f = function(
        "body @f(v0: ptr, v1: ptr)
         b0:
           v2: ptr = alloca bytes 8
           store v0, v2
           v4: ptr = load v2
           store v1, v2
           v6: ptr = load v2
           ret",
    );
    assert_eq!([f.targets(4), f.targets(6)], ["p0", "p1"]);
}

#[test]
fn paths_that_meet_join_and_loops_carry_around() {
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: i1)
         loop l0 header b1 counter v6 exits b2:v9 single
           v3: i64 = const 0
           v4: i64 = const 1
         b0:
           v5: ptr = alloca bytes 8
           store v0, v5
           br -> b1
         b1:
           v6: i64 = phi [b0 v3] [b1 v7]
           v8: ptr = load v5          // in the first iteration p0, later p1
           v7: i64 = add v6, v4
           store v1, v5
           condbr v2 -> b1 b2
         b2:
           v9: i64 = phi [b1 v6]
           v10: ptr = load v5
           ret",
    );
    assert_eq!([f.targets(8), f.targets(10)], ["{p0 p1}", "p1"]);
}

#[test]
fn offsets_follow_arithmetic_joins_and_walking() {
    let f = function(
        "body @f(v0: ptr, v1: i64, v2: i1)
         loop l0 header b1 counter v20 exits b2:v13 single
           v3: i64 = const 0
           v4: i64 = const 1
         b0:
           v5: ptr = gep v0 + 8 + v1*24
           v6: ptr = gep v5 + 16
           v7: ptr = select v2, v0, v6
           v8: i64 = ptrtoint v0
           v9: ptr = inttoptr v8
           br -> b1
         b1:
           v20: i64 = phi [b0 v3] [b1 v21]
           v10: ptr = phi [b0 v0] [b1 v11]
           v11: ptr = gep v10 + 16
           v21: i64 = add v20, v4
           condbr v2 -> b1 b2
         b2:
           v13: i64 = phi [b1 v20]
           v12: ptr = phi [b1 v11]
           ret",
    );
    assert_eq!(
        [5, 6, 7, 9, 10, 11].map(|v| f.targets(v)),
        ["p0+8%24", "p0+0%24", "p0+0%24", "?", "p0+0%16", "p0+0%16"]
    );
}

#[test]
fn members_of_a_structure_are_apart_and_elements_of_an_array_are_one() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr, v2: ptr, v3: i64)
         b0:
           v4: ptr = gep v0 + 8
           store v1, v0
           store v2, v4
           v7: ptr = load v0
           v8: ptr = load v4
           v9: ptr = gep v0 + 16 + v3*24
           store v1, v9
           v11: ptr = gep v0 + 64
           v12: ptr = load v11            // the member of another element, or what it was
           v13: ptr = load v4
           ret",
    );
    assert_eq!([7, 8, 12, 13].map(|v| f.targets(v)), ["p1", "p2", "{p1 *(p0+16%24)}", "p2"]);
}

#[test]
fn an_array_at_a_stride_takes_in_what_may_be_one_of_its_elements() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr, v2: ptr, v3: i64)
         b0:
           store v2, v0
           v5: ptr = gep v0 + 16 + v3*8
           store v1, v5
           v7: ptr = load v0
           ret",
    );
    assert_eq!(f.targets(7), "{p1 p2 *(p0+0%8)}");
}

// ---- what must not be claimed ----

#[test]
fn a_store_through_a_pointer_that_may_lead_to_two_places_overwrites_neither() {
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: i1)
         b0:
           v3: ptr = alloca bytes 8
           v4: ptr = alloca bytes 8
           store v0, v3
           store v0, v4
           v7: ptr = select v2, v3, v4
           store v1, v7
           v9: ptr = load v3
           v10: ptr = load v4
           ret",
    );
    assert_eq!([f.targets(9), f.targets(10)], ["{p0 p1}", "{p0 p1}"]);
}

#[test]
fn a_store_in_an_array_or_on_the_heap_overwrites_nothing() {
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: i64)
         b0:
           v3: ptr = alloca bytes 80
           v4: ptr = gep v3 + v2*8
           store v0, v4
           store v1, v4
           v7: ptr = load v4
           v8: ptr = call malloc(v2)
           store v0, v8
           store v1, v8
           v11: ptr = load v8
           v12: ptr = alloca dynamic v2
           store v0, v12
           store v1, v12
           v15: ptr = load v12
           ret",
    );
    assert_eq!([7, 11, 15].map(|v| f.targets(v)), ["{p0 p1}"; 3]);
}

#[test]
fn a_store_under_another_name_is_seen() {
    let text = "body @f(v0: ptr, v1: ptr, v2: ptr)
         b0:
           store v2, v0
           v4: ptr = gep v1 + 8
           store v1, v4
           v6: ptr = load v0
           ret";
    assert_eq!(function(text).targets(6), "{p1 p2}");
    let restricted = text.replace("v0: ptr", "v0: ptr noalias");
    assert_eq!(function(&restricted).targets(6), "p2", "restrict: no other name leads there");
}

#[test]
fn what_lies_behind_pointers_may_be_anybodys() {
    let f = function(
        "body @f(v0: ptr, v1: ptr noalias)
           v2 = global @g
         b0:
           v3: ptr = load v0             // *p0
           v4: ptr = gep v0 + 8
           v5: ptr = load v4             // *(p0+8)
           v6: ptr = alloca bytes 8
           v7: ptr = load v2
           ret",
    );
    assert_eq!([f.targets(3), f.targets(5), f.targets(7)], ["*(p0)", "*(p0+8)", "*(v2)"]);
    assert!(f.may_alias(3, 5) && f.may_alias(3, 0) && f.may_alias(3, 2) && f.may_alias(3, 7));
    assert!(!f.may_alias(3, 1), "nothing leads to restricted memory but its own name");
    assert!(!f.may_alias(3, 6), "a variable of this function did not exist when it was entered");
}

#[test]
fn after_a_few_steps_through_memory_nothing_is_known() {
    let f = function(
        "body @f(v0: ptr)
         b0:
           v1: ptr = load v0
           v2: ptr = load v1
           v3: ptr = load v2
           v4: ptr = load v3
           v5: ptr = load v4
           ret",
    );
    assert_eq!([1, 3, 4, 5].map(|v| f.targets(v)), ["*(p0)", "*(*(*(p0)))", "?", "?"]);
    assert!(f.may_alias(5, 0));
}

#[test]
fn the_children_of_many_children_are_not_distinguished() {
    // Eight pointers in what each of eight pointers leads to.
    let name = |i: u32, k: u32| 100 + 20 * i + 2 * k;
    let child = |at: u32, from: u32, k: u32| {
        format!("v{at}: ptr = gep v{from} + {}\n v{}: ptr = load v{at}\n", 8 * k, at + 1)
    };
    let mut text = String::from("body @f(v0: ptr)\n b0:\n");
    for i in 0..8 {
        let here = 10 + 2 * i;
        text += &child(here, 0, i);
        for k in 0..8 {
            text += &child(name(i, k), here + 1, k);
        }
    }
    let f = function(&(text + " ret"));
    let behind =
        f.memory.objects.iter().filter(|o| matches!(o, crate::points_to::Object::Behind(_)));
    // All children, and of theirs as many as there is room for: not 72.
    assert!((32..=40).contains(&behind.count()));
}

#[test]
fn unknown_functions_store_what_has_escaped_where_they_can() {
    let text = "body @f(v0: ptr, v1: ptr)
         b0:
           v2: ptr = alloca bytes 8
           v3: ptr = alloca bytes 8
           v4: ptr = alloca bytes 8
           store v0, v2
           store v1, v3
           store v4, v0                 // the address of v4 is known to whoever can read p0
           call unknown @u(v2)
           v9: ptr = load v2
           v10: ptr = load v3
           v11: ptr = load v4
           ret";
    for call in [
        "call unknown @u(v2)", "call indirect (v0, v2)", "call assembly (v2)",
        "v20: i64 = atomic v2", "call defined @u(v2)",
    ] {
        let f = function(&text.replace("call unknown @u(v2)", call));
        assert!(f.targets(9).starts_with("{? "), "{call}: {}", f.targets(9));
        assert_eq!(f.targets(10), "p1", "{call}: the address of v3 is unknown");
        assert_eq!(f.targets(11), "?", "{call}");
        assert!(f.may_alias(9, 2) && f.may_alias(9, 4) && !f.may_alias(9, 3), "{call}");
    }
    let harmless = function(&text.replace("call unknown @u(v2)", "call inactive @puts(v2)"));
    assert_eq!(harmless.targets(9), "p0");
}

#[test]
fn bits_that_may_be_those_of_a_pointer_make_it_unknown() {
    let text = "body @f(v0: ptr, v1: i64, v2: i32)
         b0:
           v3: ptr = alloca bytes 16
           v4: ptr = gep v3 + 8
           store v0, v3
           store v0, v4
           store v1, v3
           v8: ptr = load v3
           v9: ptr = load v4
           ret";
    let f = function(text);
    assert_eq!([f.targets(8), f.targets(9)], ["{? p0}+?", "p0"]);
    let small = function(&text.replace("store v1, v3", "store v2, v3"));
    assert_eq!(small.targets(8), "p0", "too few bytes");
}

#[test]
fn an_address_kept_as_an_integer_has_escaped() {
    let f = function(
        "body @f(v0: ptr)
         b0:
           v1: ptr = alloca bytes 8
           v2: ptr = alloca bytes 8
           v3: i64 = ptrtoint v1
           v4: ptr = inttoptr v3
           ret",
    );
    assert!(f.may_alias(4, 1) && !f.may_alias(4, 2));
}

#[test]
fn volatile_accesses_may_bring_anything() {
    let f = function(
        "body @f(v0: ptr)
         b0:
           v1: ptr = alloca bytes 8
           v2: ptr = alloca bytes 8
           v3: ptr = atomic v1          // a volatile load
           v4: void = atomic v2, v0     // a volatile store of v2's address
           v5: ptr = atomic v0
           ret",
    );
    assert_eq!([f.targets(3), f.targets(5)], ["?", "?"]);
    assert!(f.may_alias(5, 2));
}

#[test]
fn an_address_kept_in_a_vector_or_an_aggregate_has_escaped() {
    for packed in [
        "vector = insertelement v1, v1, v1 bytes 16",
        "aggregate = insertvalue v1 [0] bytes 16 holds [0 ptr]",
    ] {
        let f = function(&format!(
            "body @f(v0: ptr)
             b0:
               v1: ptr = alloca bytes 8
               v2: ptr = alloca bytes 8
               v3: {packed}
               store v3, v0
               v5: ptr = load v0
               ret"
        ));
        assert!(f.may_alias(5, 1) && !f.may_alias(5, 2), "{packed}");
    }
}

// ---- steps by differences of addresses ----

/// Where `p + (a - b)` leads, for two addresses.
fn stepped(a: &str, b: &str) -> String {
    let text = format!(
        "body @f(v0: ptr, v1: ptr, v2: i64)
           v3: i64 = const 8
         b0:
           v4: ptr = gep v0 + v2*24
           v5: ptr = gep v0 + 8 of v0, v3
           v6: ptr = load v1
           v7: ptr = load v5
           v8: i64 = ptrtoint {a}
           v9: i64 = ptrtoint {b}
           v10: i64 = sub v8, v9
           v11: ptr = gep v0 + v10*1
           ret"
    );
    let f = function(&text);
    let shown: Vec<String> = f
        .memory
        .places(crate::testing::v(11))
        .map(|(_, at)| format!("{}%{}", at.constant, at.modulus))
        .collect();
    shown.join(" ")
}

#[test]
fn differences_within_one_object_are_those_of_offsets() {
    assert_eq!(stepped("v4", "v0"), "0%24");
    assert_eq!(stepped("v5", "v0"), "8%0");
    assert_eq!(stepped("v0", "v5"), "-8%0");
    assert_eq!(stepped("v5", "v4"), "8%24");
}

#[test]
fn differences_of_what_may_be_one_object_under_two_names_are_unknown() {
    assert_eq!(stepped("v1", "v0"), "0%1");
    assert_eq!(stepped("v6", "v7"), "0%1");
    assert_eq!(stepped("v6", "v0"), "0%1");
}

/// Copies elements of 40 bytes, of which the third word is a pointer, into nodes of 48 bytes behind
/// a link; `bytes` at a time.
fn linked(bytes: u64) -> Function {
    function(&format!(
        "body @f(v0: ptr, v1: ptr, v2: i64)
           v3: i64 = const {bytes}
         b0:
           v4: ptr = alloca bytes 480
           v5: ptr = gep v4 + v2*48
           v6: ptr = gep v5 + 8
           v7: ptr = gep v0 + v2*40
           v8: ptr = gep v7 + 16
           store v1, v8
           v10: void = call memcpy(v6, v7, v3)
           v11: ptr = load v5
           v12: ptr = gep v6 + 16
           v13: ptr = load v12
           ret"
    ))
}

#[test]
fn copies_of_elements_keep_members_apart() {
    let f = linked(40);
    assert_eq!(f.targets(11), "null");
    assert_eq!(f.targets(13), "{p1 *(p0+16%40)}");
}

#[test]
fn copies_of_several_elements_do_not() {
    assert!(linked(80).targets(11).contains("p1"));
}

#[test]
fn numbers_that_are_copied_from_anywhere_are_no_pointers() {
    let targets = |what: &str| {
        let f = function(&format!(
            "body @f(v0: ptr, v1: i64)
               v2: i64 = const 16
             b0:
               v3: ptr = inttoptr v1
               v4: ptr = alloca bytes 16
               v5: ptr = alloca bytes 16
               store v0, v4
               v6: void = call memcpy(v5, v3, v2){what}
               v7: void = call memcpy(v5, v4, v2){what}
               v8: ptr = load v5
               ret"
        ));
        f.targets(8).to_string()
    };
    assert_eq!(targets(""), "{? p0}+?");
    assert_eq!(targets(" numbers"), "p0", "what was stored as a pointer");
}

// ---- indices of few values ----

/// Where `v0 + v9 stride` leads, `v9` computed of a truth value.
fn chosen(computed: &str, factor: &str, stride: i64) -> String {
    let text = format!(
        "body @f(v0: ptr, v1: i64, v2: i64)
           v3: i64 = const 1
           v4: i64 = const 8
           v5: i64 = const 32
           v6: i64 = const 6
         b0:
           v7: i1 = icmp v1, v2
           v8: i64 = zeroextend v7
           v9: i64 = {computed}{factor}
           v10: ptr = gep v0 + v9*{stride}
           ret"
    );
    let f = function(&text);
    let shown: Vec<String> = f
        .memory
        .places(crate::testing::v(10))
        .map(|(_, at)| format!("{}%{}", at.constant, at.modulus))
        .collect();
    shown.join(" ")
}

#[test]
fn an_index_of_few_values_leads_to_as_many_places() {
    assert_eq!(chosen("add v8, v3", "", 8), "8%0 16%0");
    assert_eq!(chosen("xor v8, v3", "", 24), "0%0 24%0");
    assert_eq!(chosen("and v1, v3", "", 8), "0%0 8%0");
    assert_eq!(chosen("and v1, v6", "", 8), "0%0 16%0 32%0 48%0");
    assert_eq!(chosen("sub v3, v8", "", -8), "-8%0 0%0");
}

#[test]
fn the_stride_of_an_index_is_that_of_what_divides_it() {
    assert_eq!(chosen("select v7, v4, v5", " factor 8", 8), "8%0 32%0");
}

#[test]
fn an_index_of_many_values_leads_to_all_multiples() {
    assert_eq!(chosen("add v1, v3", "", 8), "0%8");
    assert_eq!(chosen("and v1, v5", "", 1), "0%0 32%0");
    assert_eq!(chosen("or v1, v8", "", 24), "0%24");
}

// ---- what the source says of a pointer that is loaded ----

#[test]
fn pointers_to_data_and_to_virtual_tables_are_told_apart() {
    let of = |told: &str| {
        let f = function(&format!(
            "body @f(v0: ptr, v1: ptr, v2: ptr)
               v3: ptr = global const @_ZTV4Base
             b0:
               v4: ptr = gep v3 + 16
               store v4, v0
               store v1, v0
               v7: ptr = load v2{told}
               ret"
        ));
        f.targets(7)
    };
    assert!(of("").contains("v3") && of("").contains("p1"), "{}", of(""));
    assert!(!of(" data").contains("v3") && of(" data").contains("p1"), "{}", of(" data"));
    assert!(of(" table").contains("v3") && !of(" table").contains("p1"), "{}", of(" table"));
}
