//! What the verifier accepts, and for each of its rules something that it rejects.

use adir::{BlockId, Body, LoopId, Op, Ty, ValueId};
use adir_testing::parsed as body;

/// Nested counted loops, a branch, a store.
const NESTED: &str = "body @nested(v0: ptr noalias, v1: i64)
  loop l0 header b1 preheader b0 latch b4 counter v10 taken v1 exits b5:v30 single
  loop l1 header b2 preheader b1 latch b2 counter v12 taken v10 exits b3:v16 single
  v2 = const 0
  v3 = const 1
  v4 = global @table
  v5: ptr = constexpr v4, v3
b0:
  br -> b1
b1:
  v10: i64 = phi [b0 v2] [b4 v20]
  br -> b2
b2:
  v12: i64 = phi [b1 v2] [b2 v13]
  v13: i64 = add v12, v3 nsw
  v14 = icmp v13, v10
  v15 = condbr v14 -> b2 b3
b3:
  v16: i64 = phi [b2 v12]
  br -> b4
b4:
  v20: i64 = add v10, v3 nsw
  v21 = gep v0 + v20*8
  v22: f64 = load v21
  store v22, v5
  v24 = icmp v20, v1
  v25 = condbr v24 -> b1 b5
b5:
  v30: i64 = phi [b4 v10]
  ret v22
";

/// A loop that is left from two blocks to two exits, a switch, an end without return.
const TWO_EXITS: &str = "body @two_exits(v0: i64, v1: i1)
  loop l0 header b1 counter v10 exits b3:v12 b4:v13
  v2 = const 0
b0:
  br -> b1
b1:
  v10: i64 = phi [b0 v2] [b2 v10]
  condbr v1 -> b2 b3
b2:
  condbr v1 -> b1 b4
b3:
  v12: i64 = phi [b1 v10]
  br -> b5
b4:
  v13: i64 = phi [b2 v10]
  switch v0 -> b5 b6 b5
b5:
  v14: i64 = phi [b3 v0] [b4 v13] [b4 v13]
  ret v14
b6:
  unreachable
";

/// `text` with replacements is read, changed, and rejected with a message that contains `why`.
fn rejected(text: &str, replacements: &[(&str, &str)], change: impl FnOnce(&mut Body), why: &str) {
    let mut text = text.to_string();
    for (from, to) in replacements {
        assert!(text.contains(from), "'{from}' is not in\n{text}");
        text = text.replacen(from, to, 1);
    }
    let mut b = body(&text);
    change(&mut b);
    match b.verify() {
        Ok(()) => panic!("accepted, but: {why}\n{b}"),
        Err(e) => assert!(e.contains(why), "rejected for '{e}' instead of '{why}'"),
    }
}

/// Wrong as text.
fn text_rejected(text: &str, from: &str, to: &str, why: &str) {
    rejected(text, &[(from, to)], |_| {}, why);
}

/// Wrong in what follows from the text.
fn change_rejected(change: impl FnOnce(&mut Body), why: &str) {
    rejected(NESTED, &[], change, why);
}

#[test]
fn sound_bodies_are_accepted() {
    let smallest = "body @f()\nb0:\nret";
    let endless = "body @f(v0: i64)
        loop l0 header b1 counter v1\nb0:\nbr -> b1\nb1:\nv1: i64 = phi [b0 v0] [b1 v1]\nbr -> b1";
    let unreached = "body @f(v0: i64)\nb0:\nret\nb1:\nv1: i64 = add v2, v0\nv2: i64 = add v1, v0\nbr -> b2\nb2:";
    for text in [NESTED, TWO_EXITS, smallest, endless, unreached] {
        assert_eq!(body(text).verify(), Ok(()), "{text}");
    }
}

#[test]
fn tables() {
    rejected("body @f()\nb0:\nbr -> b0", &[], |_| {}, "not entered through b0 alone");
    change_rejected(|b| b.order.clear(), "not entered through b0 alone");
    change_rejected(|b| b.noalias.clear(), "not as many as the parameters");
    change_rejected(|b| b.readonly.truncate(1), "not as many as the parameters");
    change_rejected(|b| b.params.reverse(), "v1 is not parameter 0");
    change_rejected(|b| b.params[1] = ValueId(99), "v99 is not parameter 1");
    change_rejected(
        |b| b[ValueId(2)].block = Some(BlockId(0)),
        "v2 is in a block and the same in every run, or neither",
    );
    change_rejected(
        |b| b[ValueId(13)].block = None,
        "v13 is in a block and the same in every run, or neither",
    );
    change_rejected(|b| b[ValueId(22)].op = Op::Param(0), "v22 is a parameter that is not listed");
    change_rejected(|b| b[ValueId(0)].block = Some(BlockId(0)), "v0 is in a block and");
    change_rejected(
        |b| b[ValueId(13)].operands[0] = ValueId(99),
        "v13 uses v99, which does not exist",
    );
    change_rejected(
        |b| b[ValueId(5)].operands[0] = ValueId(0),
        "constant v5 uses v0, which is none",
    );
    change_rejected(|b| b.exit = Some(BlockId(1)), "the exit b1 does not return");
}

#[test]
fn block_ends() {
    text_rejected(TWO_EXITS, "unreachable", "", "b6 is empty");
    text_rejected(
        TWO_EXITS,
        "unreachable",
        "v40 = alloca",
        "b6 does not end with its only terminator",
    );
    text_rejected(
        TWO_EXITS,
        "unreachable",
        "unreachable\nunreachable",
        "b6 does not end with its only terminator",
    );
    text_rejected(
        TWO_EXITS,
        "condbr v1 -> b1 b4",
        "br -> b1 b4",
        "b2 does not have as many successors",
    );
    text_rejected(TWO_EXITS, "br -> b5", "condbr v1 -> b5", "b3 does not have as many successors");
    text_rejected(
        TWO_EXITS,
        "  unreachable",
        "  unreachable -> b5",
        "b6 does not have as many successors",
    );
    text_rejected(TWO_EXITS, "  unreachable", "  switch v0", "b6 does not have as many successors");
    text_rejected(TWO_EXITS, "  unreachable", "  ret v0", "returns but is not the exit");
}

#[test]
fn edges() {
    change_rejected(|b| b[BlockId(4)].preds.clear(), "b4 does not know its predecessor b3");
    change_rejected(
        |b| b[BlockId(4)].preds.push(BlockId(0)),
        "b4 does not follow its predecessor b0",
    );
    change_rejected(
        |b| b[BlockId(3)].succs = vec![BlockId(9)],
        "b9 does not know its predecessor b3",
    );
    change_rejected(
        |b| b[BlockId(4)].preds.push(BlockId(9)),
        "b4 does not follow its predecessor b9",
    );
}

#[test]
fn instructions_and_blocks_know_each_other() {
    change_rejected(|b| b[ValueId(13)].block = Some(BlockId(3)), "v13 does not know its block b2");
    let twice = |b: &mut Body| b[BlockId(2)].insts.insert(1, ValueId(13));
    change_rejected(twice, "v13 stands twice in b2");
}

#[test]
fn phis() {
    text_rejected(NESTED, "[b0 v2] [b4 v20]", "[b0 v2]", "phi v10 of b1 does not join [b0, b4]");
    text_rejected(
        NESTED,
        "[b0 v2] [b4 v20]",
        "[b0 v2] [b3 v20]",
        "phi v10 of b1 does not join [b0, b4]",
    );
    text_rejected(NESTED, "[b2 v12]", "[b2 v12] [b4 v12]", "phi v16 of b3 does not join [b2]");
    let late = "v20: i64 = add v10, v3 nsw\n v40: i64 = phi [b3 v2]";
    text_rejected(NESTED, "v20: i64 = add v10, v3 nsw", late, "phi v40 of b4 does not join");
    change_rejected(|b| b[ValueId(10)].operands.truncate(1), "phi v10 of b1 does not join");
}

#[test]
fn definitions_come_before_uses() {
    let why = "not defined on every way there";
    text_rejected(NESTED, "add v12, v3", "add v13, v3", "v13 of b2 uses v13, which is not defined");
    text_rejected(NESTED, "add v12, v3", "add v14, v3", "v13 of b2 uses v14, which is not defined");
    text_rejected(NESTED, "add v12, v3", "add v22, v3", "v13 of b2 uses v22, which is not defined");
    text_rejected(TWO_EXITS, "ret v14", "ret v12", why);
    text_rejected(TWO_EXITS, "[b3 v0]", "[b3 v13]", "v14 of b5 uses v13, which is not defined");
    text_rejected(TWO_EXITS, "[b3 v0]", "[b3 v14]", why);
    text_rejected(
        TWO_EXITS,
        "ret v14",
        "ret v50\nb7:\nv50: i64 = add v0, v0\nunreachable",
        "uses v50, which is not defined",
    );
    text_rejected(
        NESTED,
        "gep v0 + v20*8",
        "gep v0 + v20*8 of v0, v10",
        "v21 steps by what is not its operand",
    );
}

#[test]
fn users() {
    change_rejected(|b| b.users[ValueId(10)].truncate(1), "the users of v10 are");
    change_rejected(|b| b.users[ValueId(2)].reverse(), "the users of v2 are");
    change_rejected(|b| b.users.truncate(30), "the users of v30 are");
}

#[test]
fn loops_are_the_natural_ones() {
    let irreducible = "body @f(v0: i1)\nb0:\ncondbr v0 -> b1 b2\nb1:\nbr -> b2\nb2:\nbr -> b1";
    rejected(irreducible, &[], |_| {}, "is irreducible");
    text_rejected(NESTED, "loop l1", "// loop l1", "the loops are not those headed by [b1, b2]");
    change_rejected(
        |b| b[LoopId(1)].header = BlockId(4),
        "the loops are not those headed by [b1, b2]",
    );
    change_rejected(|b| b[BlockId(3)].innermost = None, "the innermost loop of b3 is Some(l0)");
    change_rejected(
        |b| b[BlockId(2)].innermost = Some(LoopId(0)),
        "the innermost loop of b2 is Some(l1)",
    );
    change_rejected(
        |b| b[BlockId(5)].innermost = Some(LoopId(0)),
        "the innermost loop of b5 is None",
    );
    change_rejected(|b| b[LoopId(1)].parent = None, "loop l1 is not nested in Some(l0) at depth 2");
    change_rejected(|b| b[LoopId(0)].depth = 0, "loop l0 is not nested in None at depth 1");
    let swapped = |b: &mut Body| {
        b.loops.reverse();
        b[LoopId(0)].parent = Some(LoopId(1));
        b[LoopId(1)].parent = None;
    };
    change_rejected(swapped, "loop l0 is not nested in Some(l1)");
}

#[test]
fn loops_have_the_simplified_form() {
    let why = "loop l0 is not in simplified form";
    change_rejected(|b| b[LoopId(0)].preheader = BlockId(2), why);
    change_rejected(|b| b[LoopId(0)].latch = BlockId(3), why);
    change_rejected(
        |b| (b[LoopId(0)].latch, b[LoopId(0)].preheader) = (BlockId(0), BlockId(4)),
        why,
    );
    let two_latches = [
        ("header b1", "header b1 latch b2"),
        ("[b2 v10]", "[b2 v10] [b1 v10]"),
        ("condbr v1 -> b2 b3", "switch v1 -> b2 b3 b1"),
    ];
    rejected(TWO_EXITS, &two_latches, |_| {}, why);
    change_rejected(|b| b[LoopId(0)].single_exiting = false, "loop l0 is left from 1 blocks");
    rejected(
        TWO_EXITS,
        &[],
        |b| b[LoopId(0)].single_exiting = true,
        "loop l0 is left from 2 blocks",
    );
    text_rejected(TWO_EXITS, " b4:v13", "", "the exits of loop l0 are [b3, b4]");
    text_rejected(TWO_EXITS, " b4:v13", " b4:v13 b5:v14", "the exits of loop l0 are [b3, b4]");
    text_rejected(TWO_EXITS, " b4:v13", " b4:v13 b4:v13", "the exits of loop l0 are [b3, b4]");
    text_rejected(
        TWO_EXITS,
        "b3:v12 b4:v13",
        "b3:v13 b4:v12",
        "v13 does not hold the last count of loop l0 in b3",
    );
    let shared = [
        ("br -> b1\n", "condbr v1 -> b1 b3\n"),
        ("[b1 v10]", "[b1 v10] [b0 v2]"),
        ("header b1", "header b1 preheader b0"),
    ];
    rejected(TWO_EXITS, &shared, |_| {}, "exit b3 of loop l0 is entered from elsewhere");
}

#[test]
fn counters_and_counts() {
    text_rejected(NESTED, "counter v12", "counter v13", "v13 does not count loop l1");
    text_rejected(NESTED, "counter v12", "counter v10", "v10 does not count loop l1");
    change_rejected(|b| b[ValueId(12)].ty = Ty::Int(32), "v12 does not count loop l1");
    change_rejected(|b| b[LoopId(1)].counter = ValueId(99), "v99 does not count loop l1");
    text_rejected(NESTED, "taken v10", "taken v12", "v12 is not known before loop l1");
    text_rejected(NESTED, "taken v10", "taken v20", "v20 is not known before loop l1");
    text_rejected(NESTED, "taken v1 ", "taken v0 ", "v0 is not known before loop l0");
}
