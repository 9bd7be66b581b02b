//! Order, dominators and natural loops: on known graphs, and against their definitions on random
//! ones.

use adir::{BlockId, Body, LoopId, loops};
use adir_testing::parsed as body;
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;

/// A body of empty blocks with these successors.
fn graph(succs: &[Vec<u32>]) -> Body {
    let mut text = "body @graph(v0: i1)\n".to_string();
    for (b, succs) in succs.iter().enumerate() {
        let targets: String = succs.iter().map(|s| format!(" b{s}")).collect();
        let end = match succs.len() {
            0 => "ret".to_string(),
            1 => format!("br ->{targets}"),
            2 => format!("condbr v0 ->{targets}"),
            _ => format!("switch v0 ->{targets}"),
        };
        text += &format!("b{b}:\n{end}\n");
    }
    body(&text)
}

fn ids(blocks: impl IntoIterator<Item = u32>) -> Vec<BlockId> {
    blocks.into_iter().map(BlockId).collect()
}

fn idoms(body: &Body) -> Vec<Option<u32>> {
    body.block_ids().map(|b| body.idom(b).map(|d| d.0)).collect()
}

/// (header, blocks) of each natural loop.
fn natural(body: &Body) -> Vec<(u32, Vec<u32>)> {
    let loops = loops::natural_loops(body).unwrap_or_else(|b| panic!("irreducible at {b:?}"));
    let blocks = |l: &loops::NaturalLoop| {
        BTreeSet::from_iter(l.blocks.iter().map(|b| b.0)).into_iter().collect()
    };
    loops.iter().map(|l| (l.header.0, blocks(l))).collect()
}

#[test]
fn a_diamond() {
    let b = graph(&[vec![1, 2], vec![3], vec![3], vec![]]);
    assert_eq!((b.order[0], b.order[3]), (BlockId(0), BlockId(3)));
    assert_eq!(idoms(&b), [None, Some(0), Some(0), Some(0)]);
    assert!(b.dominates(BlockId(0), BlockId(3)) && b.dominates(BlockId(3), BlockId(3)));
    assert!(!b.dominates(BlockId(1), BlockId(3)) && !b.dominates(BlockId(3), BlockId(0)));
    assert!(natural(&b).is_empty());
    assert_eq!(b.exit, Some(BlockId(3)));
}

#[test]
fn nested_loops_come_outer_before_inner() {
    // 1 { 2 { 3 } 4 } 5, and a loop of its own at 6.
    let b =
        graph(&[vec![1], vec![2], vec![3], vec![2, 4], vec![1, 5], vec![6], vec![6, 7], vec![]]);
    let loops = natural(&b);
    assert!(
        loops.contains(&(1, vec![1, 2, 3, 4]))
            && loops.contains(&(2, vec![2, 3]))
            && loops.contains(&(6, vec![6]))
    );
    assert!(loops.iter().position(|l| l.0 == 1) < loops.iter().position(|l| l.0 == 2));
}

#[test]
fn one_header_with_two_latches_is_one_loop() {
    let b = graph(&[vec![1], vec![2, 3], vec![1], vec![1, 4], vec![]]);
    let found = loops::natural_loop(&b, BlockId(1)).expect("a loop");
    assert_eq!(BTreeSet::from_iter(found.latches), BTreeSet::from_iter(ids([2, 3])));
    assert_eq!(found.blocks.len(), 3);
    assert!(loops::natural_loop(&b, BlockId(3)).is_none());
}

#[test]
fn a_cycle_with_two_entries_is_irreducible() {
    let b = graph(&[vec![1, 2], vec![2, 3], vec![1], vec![]]);
    assert_eq!(b.order.len(), 4);
    assert_eq!(idoms(&b), [None, Some(0), Some(0), Some(1)]);
    let at = loops::natural_loops(&b).err().expect("irreducible");
    assert!(at == BlockId(1) || at == BlockId(2));
    assert!(b.block_ids().all(|h| loops::natural_loop(&b, h).is_none()));
}

#[test]
fn an_irreducible_cycle_may_lie_in_a_loop_and_around_one() {
    // 1 { two ways into 2 <-> 3; 3 also loops on itself } 4
    let b = graph(&[vec![1], vec![2, 3], vec![3], vec![2, 3, 1, 4], vec![]]);
    assert!(loops::natural_loops(&b).is_err());
    assert_eq!(loops::natural_loop(&b, BlockId(1)).expect("a loop").blocks.len(), 3);
    assert_eq!(loops::natural_loop(&b, BlockId(3)).expect("a loop").blocks.len(), 1);
    assert!(loops::natural_loop(&b, BlockId(2)).is_none());
}

#[test]
fn blocks_that_are_not_reached_count_nowhere() {
    // 3 and 4 jump into the reached part, and to each other.
    let b = graph(&[vec![1], vec![2], vec![], vec![1, 4], vec![3]]);
    assert_eq!(b.order, ids([0, 1, 2]));
    assert_eq!(b[BlockId(1)].preds, ids([0]));
    assert_eq!(idoms(&b), [None, Some(0), Some(1), None, None]);
    assert!(natural(&b).is_empty() && loops::natural_loop(&b, BlockId(3)).is_none());
    assert!(!b.dominates(BlockId(0), BlockId(3)));
    assert!(!b[BlockId(3)].returns && b[BlockId(0)].returns);
    let text = b.to_string();
    assert!(text.contains("b3: // not reached"), "{text}");
    assert_eq!(b.insts().count(), 3);
}

#[test]
fn what_does_not_return_is_not_reversed() {
    let b = graph(&[vec![1, 2], vec![], vec![2]]);
    assert_eq!(b.block_ids().map(|i| b[i].returns).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn an_edge_leaves_loops_from_the_inside() {
    let b = body(
        "body @f(v0: i1)
           loop l0 header b1 counter v0
           loop l1 header b2 counter v0
         b0:
           br -> b1
         b1:
           br -> b2
         b2:
           condbr v0 -> b2 b3
         b3:
           switch v0 -> b1 b4 b3
         b4:
           ret",
    );
    assert_eq!(b.loops_left(BlockId(2), BlockId(4)), [LoopId(1), LoopId(0)]);
    assert_eq!(b.loops_left(BlockId(2), BlockId(3)), [LoopId(1)]);
    assert!(b.loops_left(BlockId(3), BlockId(1)).is_empty());
    assert!(b.contains(LoopId(0), BlockId(2)) && !b.contains(LoopId(1), BlockId(1)));
    assert_eq!(b.loop_headed_by(BlockId(2)), Some(LoopId(1)));
    // b3 loops on itself too, which no line says.
    assert_eq!(b[BlockId(3)].innermost, Some(LoopId(0)));
}

/// Blocks that the entry reaches without passing `without`.
fn reached(succs: &[Vec<u32>], without: Option<u32>) -> BTreeSet<u32> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![0];
    while let Some(b) = stack.pop() {
        if Some(b) != without && seen.insert(b) {
            stack.extend(&succs[b as usize]);
        }
    }
    seen
}

/// Whether removing self-loops and merging single successors into their predecessor, as long as
/// that works, leaves one block (Hecht & Ullman).
fn is_reducible(succs: &[Vec<u32>]) -> bool {
    let mut blocks = reached(succs, None);
    let mut edges: BTreeSet<(u32, u32)> =
        blocks.iter().flat_map(|&b| succs[b as usize].iter().map(move |&s| (b, s))).collect();
    loop {
        edges.retain(|(from, to)| from != to);
        let preds =
            |b: u32| edges.iter().filter(move |e| e.1 == b).map(|e| e.0).collect::<Vec<_>>();
        let single = blocks.iter().find_map(|&b| match preds(b)[..] {
            [p] if b != 0 => Some((p, b)),
            _ => None,
        });
        let Some((into, gone)) = single else { return blocks.len() == 1 };
        blocks.remove(&gone);
        edges = edges
            .iter()
            .map(|&(from, to)| if from == gone { (into, to) } else { (from, to) })
            .collect();
        edges.remove(&(into, gone));
    }
}

/// Up to eight blocks with up to three successors each; nothing leads to the entry.
fn graphs() -> impl Strategy<Value = Vec<Vec<u32>>> {
    (2u32..=8).prop_flat_map(|n| vec(vec(1..n, 0..=3), n as usize))
}

proptest! {
    #[test]
    fn a_block_dominates_what_is_cut_off_without_it(succs in graphs()) {
        let b = graph(&succs);
        let all = reached(&succs, None);
        for a in b.block_ids() {
            let rest = reached(&succs, Some(a.0));
            for &to in &all {
                prop_assert_eq!(b.dominates(a, BlockId(to)), !rest.contains(&to), "{:?} over b{}", a, to);
            }
        }
        for &to in all.iter().filter(|&&to| to != 0) {
            let above = all.iter().filter(|&&a| a != to && b.dominates(BlockId(a), BlockId(to)));
            let nearest = above.max_by_key(|&&a| all.iter().filter(|&&c| b.dominates(BlockId(c), BlockId(a))).count());
            prop_assert_eq!(b.idom(BlockId(to)).map(|d| d.0), nearest.copied());
        }
    }

    #[test]
    fn the_order_has_what_is_reached_dominators_first(succs in graphs()) {
        let b = graph(&succs);
        let place = |block: BlockId| b.order.iter().position(|&o| o == block);
        prop_assert_eq!(b.order[0], BlockId(0));
        prop_assert_eq!(b.order.iter().map(|b| b.0).collect::<BTreeSet<_>>(), reached(&succs, None));
        prop_assert_eq!(b.order.len(), reached(&succs, None).len());
        for &block in &b.order[1..] {
            prop_assert!(b[block].preds.iter().any(|&p| place(p) < place(block)));
            prop_assert!(place(b.idom(block).expect("reached")) < place(block));
        }
        for &block in &b.order {
            let want = b.order.iter().filter(|p| succs[p.index()].contains(&block.0)).count();
            prop_assert_eq!(b[block].preds.len(), want);
        }
    }

    #[test]
    fn natural_loops_exist_where_the_graph_is_reducible(succs in graphs()) {
        let b = graph(&succs);
        let found = loops::natural_loops(&b);
        prop_assert_eq!(found.is_ok(), is_reducible(&succs));
        let Ok(found) = found else { return Ok(()) };
        for (i, l) in found.iter().enumerate() {
            prop_assert!(l.blocks.iter().all(|&block| b.dominates(l.header, block)));
            prop_assert!(l.latches.iter().all(|p| b[*p].succs.contains(&l.header) && l.blocks.contains(p)));
            for inner in &found[i + 1..] {
                let shared = inner.blocks.intersection(&l.blocks).count();
                prop_assert!(shared == 0 || (shared == inner.blocks.len() && shared < l.blocks.len()));
            }
        }
    }
}
