//! Reading and printing: what is printed is read back as it was, defaults, errors.

use adir::{BlockId, Body, LoopId, Op, Ty, ValueId};
use adir_testing::{bodies, parsed as body};
use proptest::prelude::*;

/// Bodies as `-ad-print=body` shows them.
const PRINTED: &[&str] = &[
    include_str!("printed/nested_loops.body"),
    include_str!("printed/linked_list.body"),
    include_str!("printed/memory_functions.body"),
    include_str!("printed/packed_triangle.body"),
];

/// Every field, that of lookups included.
fn all_of(body: &Body) -> String {
    format!("{body:#?}")
}

#[test]
fn printed_functions_are_read_back_and_sound() {
    for text in
        PRINTED.iter().flat_map(|file| file.split("\n\n")).filter(|text| !text.trim().is_empty())
    {
        let parsed = body(text);
        assert_eq!(parsed.to_string().trim(), text.trim());
        assert_eq!(parsed.verify(), Ok(()), "{text}");
    }
}

proptest! {
    #[test]
    fn printing_and_reading_give_the_same_body(body in bodies()) {
        let text = body.to_string();
        let parsed = Body::parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(all_of(&parsed), all_of(&body), "{}", text);
        prop_assert_eq!(parsed.to_string(), text);
        // Nearly all are unsound: there is something to say about them, and nothing panics.
        let _ = body.verify();
    }

    #[test]
    fn damaged_text_is_an_error_or_another_body(
        body in bodies(), at: prop::sample::Index, by in "[ a-z0-9:,=()\\[\\]+*@\"\n-]{0,3}",
    ) {
        let text = body.to_string();
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        chars.splice(at..at + 1, by.chars());
        if let Ok(other) = Body::parse(&chars.into_iter().collect::<String>()) {
            let again = Body::parse(&other.to_string()).map_err(TestCaseError::fail)?;
            prop_assert_eq!(all_of(&again), all_of(&other));
        }
    }
}

#[test]
fn lines_without_name_take_the_lowest_free_ids() {
    let b = body(
        "body @f(v0: ptr, v2: f64)
         b0:
           store v2, v0
           v7: f64 = load v0
           ret v7",
    );
    assert!(matches!(b[ValueId(1)].op, Op::Store) && matches!(b[ValueId(3)].op, Op::Ret));
    assert_eq!(b[BlockId(0)].insts, [ValueId(1), ValueId(7), ValueId(3)]);
    assert!(matches!(b[ValueId(5)].op, Op::Undef), "an id without line is an undef");
    assert_eq!(b.users[ValueId(0)], [ValueId(1), ValueId(7)]);
    assert_eq!(b.users[ValueId(7)], [ValueId(3)]);
}

#[test]
fn what_the_text_leaves_out_is_what_one_expects() {
    let b = body(
        "body @f(v0: ptr noalias, v1: i32 factor 4, v2: ptr readonly)
           v3 = const -24
           v4: i64 = const 9223372036854775807 factor 1
           v5 = global const @\"odd \\\"name\\\" // no comment\"
         b0: // comment
           v6: f32 = load v0
           store v1, v0            // i32
           v8: i32 = load v0 align 1 integer
           v9 = icmp v8, v1
           v10 = gep v0 + 8 + v3*16 + -4
           v11: i64 = mul v3, v4 nsw
           v12: f64 = call rule sin.f64 @sin(v6)
           v13 = alloca dynamic v3
           ret",
    );
    assert_eq!(
        (&b.noalias[..], &b.readonly[..]),
        (&[true, false, false][..], &[false, false, true][..])
    );
    let data = |v: u32| &b[ValueId(v)];
    assert_eq!((data(1).bytes, data(1).factor, data(1).alignment), (4, 4, 1));
    assert_eq!((data(3).ty, data(3).constant, data(3).factor), (Ty::Int(64), Some(-24), 24));
    assert_eq!((data(4).constant, data(4).factor), (Some(i64::MAX), 1));
    assert_eq!(data(5).symbol.as_deref(), Some("odd \"name\" // no comment"));
    assert_eq!((data(6).alignment, data(7).alignment, data(8).alignment), (4, 4, 1));
    assert_eq!((data(6).is_integer, data(8).is_integer), (false, true));
    assert_eq!((data(9).ty, data(9).bytes), (Ty::Int(1), 1));
    let Op::Gep(4, strides) = &data(10).op else { panic!("{:?}", data(10)) };
    assert_eq!(
        (strides, &data(10).operands),
        (&vec![(ValueId(3), 16)], &vec![ValueId(0), ValueId(3)])
    );
    assert!(data(11).nowrap && !data(9).nowrap);
    assert_eq!(data(12).symbol.as_deref(), Some("sin"));
    assert!(matches!(data(13).op, Op::Alloca(false)));
    assert_eq!(b.exit, Some(BlockId(0)));
}

#[test]
fn a_loop_line_may_leave_out_what_the_graph_says() {
    let text = "body @f(v0: i64)
           loop l0 header b1 counter v1 taken v0
         b0:
           br -> b1
         b1:
           v1: i64 = phi [b0 v0] [b2 v1]
           condbr v1 -> b2 b3
         b2:
           br -> b1
         b3:
           ret";
    let b = body(text);
    let l = &b[LoopId(0)];
    assert_eq!((l.preheader, l.latch, l.parent, l.depth), (BlockId(0), BlockId(2), None, 1));
    assert_eq!((l.taken, l.single_exiting), (Some(ValueId(0)), false));
    assert_eq!(b[BlockId(2)].innermost, Some(LoopId(0)));
    let without = body(&text.replace("loop", "// loop"));
    assert!(without.loops.is_empty() && without[BlockId(2)].innermost.is_none());
}

#[test]
fn with_several_returns_there_is_no_exit() {
    let b = body("body @f(v0: i1)\nb0:\ncondbr v0 -> b1 b2\nb1:\nret\nb2:\nret");
    assert_eq!(b.exit, None);
    assert!(b.blocks.iter().all(|b| !b.returns));
}

#[test]
fn errors_name_the_line() {
    let head = "body @f(v0: ptr, v1: i64)\nb0:\n";
    let of = |text: &str| Body::parse(text).expect_err(text);
    let in_block = |line: &str| of(&format!("{head}{line}\nret"));
    assert_eq!(of(""), "no body");
    assert_eq!(of("body @f()"), "a body without blocks");
    assert_eq!(of("\nb0:"), "line 2: a body begins with 'body @name(…)'");
    assert_eq!(of("body f()"), "line 1: expected @name");
    assert_eq!(of(&format!("{head}ret\nbody @g()")), "line 4: a second body");
    assert_eq!(in_block("v2: f64 = fsin v1"), "line 3: unknown operation 'fsin'");
    assert_eq!(in_block("v2: f65 = load v0"), "line 3: unknown type 'f65'");
    assert_eq!(in_block("v2 = load v0"), "line 3: 'load' needs a type: vN: type = load …");
    assert_eq!(in_block("icmp v0, v1"), "line 3: the result of 'icmp' needs a name: vN = icmp …");
    assert_eq!(in_block("v2: f64 = load v3"), "line 3: v3 is not defined");
    assert_eq!(in_block("v1: f64 = load v0"), "line 3: v1 is defined in line 1 already");
    assert_eq!(in_block("v2: f64 = load v0 fast"), "line 3: unknown attribute 'fast'");
    assert_eq!(
        in_block("v2: f64 = load v0 align"),
        "line 3: expected a number, found the line's end"
    );
    assert_eq!(in_block("v2: f64 = load v0 align -1"), "line 3: -1 is out of range");
    assert_eq!(in_block("v2: f64 = load v0 ]"), "line 3: ']' too much");
    assert_eq!(in_block("v2: f64 = load v0 %"), "line 3: unexpected character '%'");
    assert_eq!(in_block("v2: f64 = load v9999999"), "line 3: 'v9999999' is past v1048576");
    assert_eq!(in_block("v2 = const 5"), "line 3: 'const' stands before the first block");
    assert_eq!(in_block("call rule nosuch.f64(v0)"), "line 3: there is no rule 'nosuch'");
    assert_eq!(in_block("call defined @\"g(v0)"), "line 3: a quote is not closed");
    assert_eq!(in_block("call memcopy(v0)"), "line 3: 'memcopy' is nothing that can be called");
    assert_eq!(in_block("v2 = gep v0 + v1*8 of v1, v0"), "line 3: gep v0 … of v0, …");
    assert_eq!(of(&format!("{head}br -> b7")), "line 3: b7 is not defined");
    assert_eq!(in_block("br -> b0"), "line 4: b0 has ended already");
    assert_eq!(of(&format!("{head}ret\nb0:")), "line 4: b0 is defined in line 2 already");
    assert_eq!(of(&format!("{head}ret\nb2:\nret")), "there is a block after b1, but b1 is missing");
    assert_eq!(of("body @f()\nret\nb0:"), "line 2: 'ret' stands in a block");
    let with_loop = |line: &str| of(&format!("{head}br -> b1\nb1:\nbr -> b1\n{line}"));
    assert_eq!(with_loop("loop l0 counter v1"), "line 6: a loop needs a header");
    assert_eq!(with_loop("loop l0 header b1"), "line 6: a loop needs a counter");
    assert_eq!(
        with_loop("loop l0 header b1 counter v1 fast"),
        "line 6: unknown property 'fast' of a loop"
    );
    assert_eq!(with_loop("loop l0 header b0 counter v1"), "line 6: l0 is no natural loop");
    assert_eq!(
        with_loop("loop l1 header b1 counter v1"),
        "there is a loop after l0, but l0 is missing"
    );
    let twice = "loop l0 header b1 counter v1";
    assert_eq!(
        with_loop(&format!("{twice}\n{}", twice.replace("l0", "l1"))),
        "line 7: l1 has the header of another loop"
    );
}

#[test]
fn outer_loops_come_first() {
    let text = "body @f(v0: i1)
         b0:
           br -> b1
         b1:
           br -> b2
         b2:
           condbr v0 -> b2 b3
         b3:
           condbr v0 -> b1 b4
         b4:
           ret
           loop l0 header b1 counter v0
           loop l1 header b2 counter v0";
    let b = body(text);
    assert_eq!((b[LoopId(1)].parent, b[LoopId(1)].depth), (Some(LoopId(0)), 2));
    let other = text
        .replace("header b1", "header b9")
        .replace("header b2", "header b1")
        .replace("header b9", "header b2");
    assert_eq!(
        Body::parse(&other).expect_err("inner first"),
        "line 13: l1 has a loop inside that comes first"
    );
}
