//! What a copy moves, as evidence of each kind tells; evidence that may be of another object.

use super::{Evidence, Layout, Length, ScalarKind};
use crate::activity::integers::place;
use crate::testing::{Function, function, program, v};

/// What the copy `call` moves.
fn moved(f: &Function, call: u32, length: Length) -> Option<Layout> {
    let pointers = f.body[v(call)].operands[..2].to_vec();
    f.types.fields(&f.memory, v(call), &pointers, length)
}

/// A copy between two stack variables, by way of a third: only the last is looked at.
const CHAIN: &str = "body @f(v0: ptr, v1: f64)
   v2: i64 = const 16
 b0:
   v3: ptr = alloca bytes 16
   v4: ptr = alloca bytes 16
   v5: ptr = alloca bytes 16
   v6: ptr = gep v5 + 8
   v7: void = call memcpy(v4, v3, v2)
   v8: void = call memcpy(v5, v4, v2)
   v9: f64 = load v5
   v10: ptr = load v6
   ret v9";

#[test]
fn copies_carry_what_is_known_of_their_ends() {
    let f = function(CHAIN);
    let pair = Some((vec![(0, ScalarKind::F64), (8, ScalarKind::Ptr)], 16));
    assert_eq!(moved(&f, 7, Length::Exactly(16)), pair);
    assert_eq!(moved(&f, 8, Length::Exactly(16)), pair);
    let unseen = function(&CHAIN.replace("v10: ptr = load v6", "v10: ptr = gep v6 + 0"));
    assert_eq!(moved(&unseen, 7, Length::Exactly(16)), None);
}

#[test]
fn copies_carry_parts_of_arrays_to_their_places() {
    let f = function(
        "body @f(v0: ptr, v1: i64)
           v2: i64 = const 24
         b0:
           v3: ptr = alloca bytes 24
           v4: ptr = gep v0 + v1*24
           v5: ptr = gep v4 + 16
           v6: void = call memcpy(v3, v4, v2)
           v7: void = call memcpy(v4, v3, v2)
           v8: f64 = load v4
           v9: ptr = load v5
           v10: ptr = gep v3 + 8
           v11: f64 = load v10
           ret v8",
    );
    let item = Some((vec![(0, ScalarKind::F64), (8, ScalarKind::F64), (16, ScalarKind::Ptr)], 24));
    assert_eq!(moved(&f, 6, Length::Exactly(24)), item);
    assert_eq!(moved(&f, 7, Length::Exactly(24)), item);
}

/// Moves bytes, and does not know which.
const MOVE: &str = "body @move(v0: ptr, v1: ptr, v2: i64)
 b0:
   v3: void = call memmove(v0, v1, v2)
   ret";

fn caller(name: &str, scalar: &str) -> String {
    format!(
        "body @{name}(v0: ptr, v1: i64)
           v2: i64 = const 64
         b0:
           v3: ptr = alloca bytes 64
           v4: ptr = gep v3 + v1*8
           v5: {scalar} = load v4
           v6: ptr = gep v0 + v1*8
           v7: {scalar} = load v6
           call defined @move(v3, v0, v2)
           ret"
    )
}

#[test]
fn callers_say_what_they_hand_on_if_they_agree() {
    let any = Length::UpTo { complete: true };
    let of = |texts: &[&str]| moved(&program(texts)[0], 3, any);
    assert_eq!(of(&[MOVE]), None);
    assert_eq!(of(&[MOVE, &caller("a", "f64")]), Some((vec![(0, ScalarKind::F64)], 8)));
    assert_eq!(
        of(&[MOVE, &caller("a", "f64"), &caller("b", "f64")]),
        Some((vec![(0, ScalarKind::F64)], 8))
    );
    assert_eq!(of(&[MOVE, &caller("a", "f64"), &caller("b", "ptr")]), None);
    let says_nothing = caller("b", "f64")
        .replace("f64 = load", "ptr = gep")
        .replace("gep v4", "gep v4 + 0")
        .replace("gep v6", "gep v6 + 0");
    assert_eq!(of(&[MOVE, &caller("a", "f64"), &says_nothing]), None);
}

#[test]
fn recursion_with_shifted_arguments_settles() {
    let recursive = "body @move(v0: ptr, v1: ptr, v2: i64)
         b0:
           v3: void = call memmove(v0, v1, v2)
           v4: ptr = gep v0 + 8
           v5: ptr = gep v1 + 8
           call defined @move(v4, v5, v2)
           ret";
    let f = &program(&[recursive, &caller("a", "f64")])[0];
    assert_eq!(moved(f, 3, Length::UpTo { complete: true }), Some((vec![(0, ScalarKind::F64)], 8)));
}

#[test]
fn what_is_called_from_elsewhere_relies_on_no_caller() {
    let recursive = "body @move(v0: ptr, v1: ptr, v2: i64)
         b0:
           v3: ptr = alloca bytes 8
           v4: void = call memmove(v0, v3, v2)
           v5: f64 = load v1
           call defined @move(v3, v1, v2)
           ret";
    let f = function(recursive);
    assert_eq!(moved(&f, 4, Length::UpTo { complete: true }), None);
    assert!(f.types.suits(&f.memory, &[Evidence::default()]), "{:#?}", f.types.callers);
}

/// A variable of `header` bytes or a node of a list, with a real at the node's byte 16, and how the
/// variable's is accessed.
fn header(access: &str) -> Vec<ScalarKind> {
    let text = format!(
        "body @f(v0: i1, v1: f64)
           v2: i32 = const 1
           v3: i64 = const 24
           v4: i64 = const 16
         b0:
           v5: ptr = alloca v2
           v6: ptr = call _Znwm @_Znwm(v3)
           v7: ptr = select v0, v5, v6
           v8: ptr = gep v7 + 16 of v7, v4
           v9 = store v1, v8
           v10: ptr = gep v5 + 16 of v5, v4
           {access}
           v13 = ret v11"
    );
    let f = function(&text);
    f.types.scalar(&f.memory, v(10), 8)
}

#[test]
fn an_integer_of_the_source_is_no_real_that_may_be_elsewhere() {
    assert_eq!(
        header("v11: i64 = load v10 integer member\nv12 = store v11, v10 integer member"),
        [ScalarKind::Int]
    );
}

#[test]
fn bits_that_are_moved_may_be_those_of_a_real() {
    assert!(header("v11: i64 = load v10\nv12 = store v11, v10").contains(&ScalarKind::F64));
}

#[test]
fn a_real_that_is_surely_there_stays() {
    assert_eq!(
        header("v11: i64 = load v10 integer member\nv12 = store v1, v10"),
        [ScalarKind::Int, ScalarKind::F64]
    );
}

/// Moves words that the source calls integers, and does something else with the loaded ones.
fn words(also: &str) -> String {
    format!(
        "body @words(v0: ptr, v1: ptr, v2: i64)
         b0:
           v3: ptr = gep v0 + v2*8
           v4: i64 = load v3 integer
           v5: ptr = gep v1 + v2*8
           v6 = store v4, v5 integer
           {also}
           ret"
    )
}

fn calls_words(scalar: &str) -> String {
    caller("a", scalar).replace("@move(v3, v0, v2)", "@words(v3, v0, v1)")
}

/// What the load of `words` may touch.
fn loaded(texts: &[&str]) -> Vec<ScalarKind> {
    let f = &program(texts)[0];
    f.types.accessed(&f.body, &f.memory, v(4), v(3), 8).to_vec()
}

#[test]
fn words_that_are_only_moved_are_what_a_caller_knows() {
    let moves = words("");
    assert_eq!(loaded(&[&moves]), []);
    assert_eq!(loaded(&[&moves, &calls_words("f64")]), [ScalarKind::F64]);
    // A comparison of bits is one of reals as well.
    assert_eq!(loaded(&[&words("v7: i1 = icmp v4, v2"), &calls_words("f64")]), [ScalarKind::F64]);
}

#[test]
fn what_is_an_index_is_an_integer() {
    assert_eq!(loaded(&[&words("v7: ptr = gep v1 + v4*8")]), [ScalarKind::Int]);
    assert_eq!(
        loaded(&[&words("v7: i64 = mul v4, v2\nv8 = store v7, v5 integer")]),
        [ScalarKind::Int]
    );
}

/// What a load may touch, of which a called function makes a number, and the kind of the real that the
/// run looks for there.
fn number(flags: &str, caller: Option<String>) -> (Vec<ScalarKind>, Option<ScalarKind>) {
    let of = format!(
        "body @of(v0: ptr)
         b0:
           v1: i64 = load v0 {flags}
           v2: f64 = call defined @number(v1)
           ret v2"
    );
    let number = "body @number(v0: i64)
                  b0:
                    v1: f64 = inttofloat v0
                    ret v1"
        .to_string();
    let texts: Vec<String> = [of, number].into_iter().chain(caller).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let f = &program(&texts)[0];
    let touched = f.types.accessed(&f.body, &f.memory, v(1), v(0), 8).to_vec();
    (touched, place(&f.body, &f.memory, &f.types, v(1)).map(|p| p.real))
}

#[test]
fn a_number_that_a_called_function_makes_is_one_of_an_integer() {
    use ScalarKind::{F64, Int};
    let knows_real = || Some(caller("a", "f64").replace("@move(v3, v0, v2)", "@of(v3)"));
    assert_eq!(number("integer", None), (vec![Int], None));
    assert_eq!(number("integer", knows_real()), (vec![Int, F64], Some(F64)));
    assert_eq!(number("integer member", knows_real()), (vec![Int], Some(F64)));
}

#[test]
fn own_memory_of_integers_holds_some_unless_copies_join_it_to_reals() {
    let text = |last: &str| {
        format!(
            "body @f(v0: i64)
             b0:
               v1: ptr = alloca bytes 32
               v2: ptr = alloca bytes 32
               v3: ptr = gep v1 + v0*8
               v4: i64 = load v3 integer
               v5: ptr = gep v2 + v0*8
               v6 = store v4, v5 integer
               v7: {last} = load v5
               ret"
        )
    };
    assert_eq!(loaded(&[&text("i64")]), [ScalarKind::Int]);
    assert_eq!(loaded(&[&text("f64")]), [ScalarKind::F64]);
}

#[test]
fn a_half_of_a_real_is_a_part_of_it() {
    let f = function(
        "body @f(v0: ptr, v1: i64)
         b0:
           v2: ptr = gep v0 + v1*8
           v3: f64 = load v2
           v4: ptr = gep v2 + 4
           v5: i32 = load v4 integer
           ret v3",
    );
    assert!(f.types.breaks_reals(&f.body, &f.memory, v(4), 4));
    assert!(!f.types.breaks_reals(&f.body, &f.memory, v(2), 8));
    assert_eq!(f.types.position(&f.memory, v(4), 4), Some((4, 8)));
}

/// What a function copies out of nodes, in which a pointer lies before what it has copied into them,
/// and its caller knows; `also` happens besides.
fn out_of_nodes(also: &str) -> Option<Layout> {
    let nodes = format!(
        "body @nodes(v0: ptr, v1: i64)
           v2: i64 = const 12
           v3: i64 = const 8
         b0:
           v4: ptr = alloca bytes 96
           v5: ptr = gep v4 + v1*24
           v6: ptr = gep v5 + 8
           v7: ptr = load v5
           v8: ptr = gep v0 + v1*12
           v9: void = call memcpy(v6, v8, v2)
           v10: void = call memcpy(v8, v6, v2)
           {also}
           ret"
    );
    let caller = "body @f(v0: i64)
         b0:
           v1: ptr = alloca bytes 48
           v2: ptr = gep v1 + v0*12
           v3: ptr = gep v2 + 8
           v4: f64 = load v2
           v5: f32 = load v3
           call defined @nodes(v1, v0)
           ret";
    moved(&program(&[&nodes, caller])[0], 10, Length::Exactly(12))
}

#[test]
fn copies_bring_what_they_move_and_nothing_beside_it() {
    let reals = Some((vec![(0, ScalarKind::F64), (8, ScalarKind::F32)], 12));
    assert_eq!(out_of_nodes(""), reals);
    let from_anywhere = "v11: ptr = gep v5 + v1*1\nv12: void = call memcpy(v8, v11, v3)";
    assert_eq!(out_of_nodes(from_anywhere), None);
    assert_eq!(out_of_nodes("v11: void = call memcpy(v8, v5, v3)"), None);
}

#[test]
fn what_called_functions_copy_brings_what_they_move() {
    let copy = "body @copy(v0: ptr, v1: ptr)
           v2: i64 = const 12
         b0:
           v3: void = call memcpy(v0, v1, v2)
           ret";
    let by_way = "body @copy(v0: ptr, v1: ptr)
           v2: i64 = const 24
         b0:
           v3: ptr = alloca bytes 24
           v4: void = call memcpy(v3, v1, v2)
           v5: void = call memcpy(v0, v3, v2)
           ret";
    let nodes = "body @nodes(v0: ptr, v1: i64)
           v2: i64 = const 12
         b0:
           v4: ptr = alloca bytes 96
           v5: ptr = gep v4 + v1*24
           v6: ptr = gep v5 + 8
           v7: ptr = load v5
           v8: ptr = gep v0 + v1*12
           v9: void = call memcpy(v6, v8, v2)
           call defined @copy(v8, v6)
           ret";
    let caller = "body @f(v0: i64)
         b0:
           v1: ptr = alloca bytes 48
           v2: ptr = gep v1 + v0*12
           v3: ptr = gep v2 + 8
           v4: f64 = load v2
           v5: f32 = load v3
           call defined @nodes(v1, v0)
           ret";
    let of = |callee: &str| moved(&program(&[callee, nodes, caller])[1], 9, Length::Exactly(12));
    let reals = Some((vec![(0, ScalarKind::F64), (8, ScalarKind::F32)], 12));
    assert_eq!(of(copy), reals);
    assert_eq!(of(by_way), None);
}

#[test]
fn a_length_that_a_caller_passes_is_one() {
    let swap = "body @swap(v0: ptr, v1: ptr, v2: i64)
         b0:
           v3: ptr = alloca bytes 256
           v4: void = call memcpy(v3, v0, v2)
           v5: void = call memcpy(v0, v1, v2)
           v6: void = call memcpy(v1, v3, v2)
           ret";
    let caller = "body @f(v0: ptr)
           v1: i64 = const 24
         b0:
           v2: ptr = alloca bytes 48
           v3: ptr = gep v2 + 24
           v4: ptr = gep v2 + 32
           v5: f64 = load v4
           call defined @swap(v2, v3, v1)
           v7: ptr = gep v2 + 8
           v8: i64 = load v2
           store v8, v0
           ret";
    let f = &program(&[swap, caller])[1];
    let brings = |pointer: u32| f.types.known().brings_others(&f.memory, v(pointer), 8, |_| false);
    assert!(brings(7) && !brings(2) && !brings(3), "the other element's member, and nothing else");
}

/// A struct of 24 bytes with a byte, a float and two doubles goes from one element to another, but for
/// its first byte.
const TAIL: &str = "body @f(v0: ptr, v1: i64, v2: i64)
   v3: i64 = const 23
   v4: i8 = const 2
 b0:
   v5: ptr = gep v0 + v1*24
   v6: ptr = gep v0 + v2*24
   v7: ptr = gep v5 + 1
   v8: ptr = gep v6 + 1
   v9: void = call memmove(v7, v8, v3)
   v10: ptr = gep v5 + 4
   v11: f32 = load v10
   v12: ptr = gep v5 + 8
   v13: f64 = load v12
   v14: ptr = gep v5 + 16
   v15: f64 = load v14
   ret v15";

#[test]
fn the_rest_of_a_struct_has_the_padding_of_the_whole() {
    let f = function(TAIL);
    let rest = vec![(3, ScalarKind::F32), (7, ScalarKind::F64), (15, ScalarKind::F64)];
    assert_eq!(moved(&f, 9, Length::Exactly(23)), Some((rest, 23)));
    let open = function(&TAIL.replace("v13: f64 = load v12", "v13: ptr = gep v12 + 0"));
    assert_eq!(moved(&open, 9, Length::Exactly(23)), None, "a word of which nothing is known");
}

#[test]
fn reals_at_unknown_places_are_no_array_where_a_copy_knows_a_pointer() {
    // A block is accessed at an offset of which only the alignment is known.
    let f = function(
        "body @f(v0: ptr, v1: i64, v2: i64)
           v3: i64 = const 24
         b0:
           v4: ptr = call malloc(v2)
           v5: ptr = call malloc(v2)
           v6: void = call memcpy(v5, v4, v2)
           v7: void = call memcpy(v5, v0, v3)
           v8: ptr = gep v5 + v1*1
           v9: f64 = load v8 align 8
           v10: ptr = gep v0 + 16
           v11: ptr = load v10
           v12: f64 = load v0
           v13: ptr = gep v0 + 8
           v14: f64 = load v13
           ret v9",
    );
    let found = moved(&f, 6, Length::UpTo { complete: true });
    let has_pointer = |l: &Layout| l.0.iter().any(|field| field.1 == ScalarKind::Ptr);
    assert!(found.as_ref().is_none_or(has_pointer), "{found:?}");
}

#[test]
fn a_copy_moves_the_kind_of_real_that_its_source_has() {
    // The destination has room for doubles behind a float.
    let copy = |more: &str| {
        let f = function(&format!(
            "body @f(v0: ptr, v1: ptr, v2: i64)
           v20: i64 = const 32
         b0:
           v3: ptr = alloca bytes 64
           v4: f64 = load v0
           v5: f32 = load v1
           v6: ptr = gep v1 + v2*1
           v7: void = call memcpy(v6, v3, v2)
           v8: void = call memcpy(v3, v0, v20)
           {more}
           ret v4"
        ));
        f.types.only_real_of(&f.memory, v(3))
    };
    assert_eq!(copy(""), Some(ScalarKind::F64));
    assert_eq!(copy("v9: f32 = load v3"), None, "a float in the source");
    assert_eq!(copy("v10: void = call memcpy(v3, v1, v2)"), None, "what a float came from");
}

/// An array of structs of which one is copied: eight bytes that nobody accesses, a double, a float.
const STRUCTS: &str = "body @f(v0: ptr, v1: i64)
   v2: i64 = const 24
   v20: i64 = const 4
 b0:
   v3: ptr = alloca bytes 24
   v4: ptr = gep v0 + v1*24
   v5: ptr = gep v4 + 8
   v6: ptr = gep v4 + 20
   v7: void = call memcpy(v3, v4, v2)
   v8: f64 = load v5
   v9: f32 = load v6
   ret v8";

/// The reals that the copy `v7` surely moves.
fn known_reals(text: &str) -> Option<Layout> {
    let f = function(text);
    let pointers = f.body[v(7)].operands[..2].to_vec();
    f.types.known_reals(&f.memory, &pointers, Length::Exactly(24))
}

#[test]
fn members_are_known_beside_what_is_not() {
    let (float, double) = ((20, ScalarKind::F32), (8, ScalarKind::F64));
    assert_eq!(moved(&function(STRUCTS), 7, Length::Exactly(24)), None);
    assert_eq!(known_reals(STRUCTS), Some((vec![double, float], 24)));
    let with = |more: &str| known_reals(&STRUCTS.replace("   ret v8", &format!("{more}   ret v8")));
    let union = with("   v10: f32 = load v5\n");
    assert_eq!(
        union,
        Some((vec![(8, ScalarKind::F32), double, float], 24)),
        "a union with a float"
    );
    let front = with(
        "   v10: f64 = load v5\n   v11: f32 = load v5\n   v12: ptr = gep v4 + 16\n   v13: f32 = load v12\n",
    );
    let float_in_front = (8, ScalarKind::F32);
    let third = (16, ScalarKind::F32);
    assert_eq!(front, Some((vec![float_in_front, double, third, float], 24)), "members of a union");
    let both = with("   v10: f32 = load v5\n   v11: ptr = gep v5 + 4\n   v12: f32 = load v11\n");
    assert_eq!(both, Some((vec![float], 24)), "or two floats");
    let pointer = with("   v10: ptr = load v5\n");
    assert_eq!(pointer, Some((vec![double, float], 24)), "bits tell a pointer in a union");
    let anywhere = with("   v10: ptr = gep v0 + v1*4\n   v11: f32 = load v10\n");
    assert_eq!(anywhere, Some((vec![float], 24)), "floats anywhere");
    let shifted = with("   v10: ptr = gep v4 + 12\n   v11: f64 = load v10\n");
    assert_eq!(shifted, Some((vec![float], 24)), "a double that overlaps");
    let inner = with("   v10: ptr = gep v3 + 16\n   v11: f64 = load v10\n");
    assert_eq!(inner, Some((vec![double], 24)), "something else on the other side");
    let brought = with(
        "   v10: ptr = alloca bytes 24\n   v11: f32 = load v10\n   v12: ptr = gep v3 + v1*1
   v14: void = call memcpy(v12, v10, v20)\n",
    );
    assert_eq!(brought, Some((vec![float], 24)), "a float that is copied to an unknown place");
}

#[test]
fn copies_to_members_bring_nothing_to_others() {
    let f = function(
        "body @f(v0: ptr, v1: i64)
           v2: i64 = const 40
         b0:
           v3: ptr = alloca bytes 40
           v4: ptr = gep v0 + v1*56
           v5: ptr = gep v4 + 16
           v6: void = call memcpy(v5, v3, v2)
           v7: f64 = load v3
           v8: ptr = gep v4 + 24
           ret v7",
    );
    let brings = |pointer: u32, bytes: u64| {
        f.types.known().brings_others(&f.memory, v(pointer), bytes, |_| false)
    };
    assert!(!brings(4, 8) && !brings(4, 16), "the members before");
    assert!(brings(5, 8) && brings(4, 17), "the member");
    assert!(!brings(8, 8), "the others that are copied");
    assert!(brings(8, 49), "the next element");
}

#[test]
fn what_was_brought_goes_with_copies_within_an_object() {
    let f = function(
        "body @f(v0: ptr, v1: i64)
           v2: i64 = const 8
         b0:
           v3: ptr = alloca bytes 64
           v4: ptr = gep v3 + 48
           v5: ptr = gep v3 + 8
           v6: f64 = load v0
           v7: void = call memcpy(v4, v0, v1)
           v8: void = call memcpy(v5, v4, v2)
           v9: ptr = gep v3 + 16
           ret v6",
    );
    let brings = |pointer: u32, bytes: u64| {
        f.types.known().brings_others(&f.memory, v(pointer), bytes, |_| false)
    };
    assert!(brings(4, 8), "what another object brings");
    assert!(brings(5, 8), "what goes on from there");
    assert!(!brings(3, 8) && !brings(9, 8), "what is beside it");
}

#[test]
fn what_one_block_of_a_called_function_holds_is_not_known_of_another() {
    // Its callers have one name for both blocks.
    let permute = "body @permute(v0: ptr, v1: i64)
           v2: i64 = const 64
           v3: i64 = const 16
         b0:
           v4: ptr = call malloc(v3)
           v5: ptr = call malloc(v2)
           v6: ptr = gep v4 + v1*8
           v7: i64 = load v6
           v9: ptr = gep v0 + v7*16
           v10: ptr = gep v5 + v1*16
           v11: void = call memcpy(v10, v9, v3)
           v12: void = call memcpy(v0, v5, v2)
           ret";
    let caller = "body @f(v0: i64)
         b0:
           v1: ptr = alloca bytes 64
           v2: ptr = gep v1 + v0*16
           v3: f64 = load v2
           call defined @permute(v1, v0)
           ret";
    let f = program(&[permute, caller]);
    let of = |copy: u32, bytes: u64| moved(&f[0], copy, Length::Exactly(bytes));
    assert_eq!([of(11, 16), of(12, 64)], [None, None], "a double, and what nobody knows");
}

#[test]
fn an_integer_that_is_returned_from_unknown_memory_is_looked_at_when_the_program_runs() {
    let of = |body: &str| {
        let f = function(&format!("body @of(v0: ptr)\n b0:\n {body}"));
        place(&f.body, &f.memory, &f.types, v(1)).map(|p| (p.real, p.at))
    };
    let whole = |real| Some((real, Some(0)));
    assert_eq!(of("v1: i64 = load v0 integer\n ret v1"), whole(ScalarKind::F64));
    assert_eq!(of("v1: i32 = load v0 integer\n ret v1"), whole(ScalarKind::F32));
    assert_eq!(of("v1: i64 = load v0\n ret v1"), None, "the source does not say so");
    assert_eq!(of("v1: i64 = load v0 integer\n v2 = store v1, v0\n ret v1"), None, "it is moved");
    assert_eq!(
        of("v2: f64 = load v0\n v1: i64 = load v0 integer\n ret v1"),
        None,
        "a real is known"
    );
}
