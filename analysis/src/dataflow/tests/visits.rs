//! How often blocks are visited: once where nothing goes round, and d + 2 times at most in d loops,
//! however many loops come before.

use super::mocks::{Flowing, Live, LiveNames, Needed, Origins, Reaching, set};
use crate::dataflow::{Analysis, Direction, Facts, engine::Solution, solve};
use adir::{BlockId, Body, ValueId};
use adir_testing::{parsed as body, programs};
use proptest::{collection::vec, prelude::*};
use std::{cell::RefCell, collections::BTreeMap};

/// Another analysis, with the number of visits per block.
struct Counted<'a, A> {
    inner: &'a A,
    visits: RefCell<Vec<usize>>,
}

impl<A: Analysis> Analysis for Counted<'_, A> {
    type Domain = A::Domain;
    type Fact = A::Fact;
    const NAME: &'static str = A::NAME;
    const DIRECTION: Direction = A::DIRECTION;

    fn bottom(&self) -> A::Domain {
        self.inner.bottom()
    }
    fn no_fact(&self) -> A::Fact {
        self.inner.no_fact()
    }
    fn boundary(&self, body: &Body, block: BlockId) -> A::Domain {
        self.inner.boundary(body, block)
    }
    fn apply(&self, body: &Body, v: ValueId, state: &mut A::Domain, facts: &mut Facts<A::Fact>) {
        if let Some(block) = body[v].block.filter(|b| body[*b].insts[0] == v) {
            self.visits.borrow_mut()[block.index()] += 1;
        }
        self.inner.apply(body, v, state, facts);
    }
    fn watchers(&self, v: ValueId) -> &[BlockId] {
        self.inner.watchers(v)
    }
}

fn visits<A: Analysis>(b: &Body, inner: &A, seeds: &[(ValueId, A::Fact)]) -> Vec<usize> {
    let counted = Counted { inner, visits: RefCell::new(vec![0; b.blocks.len()]) };
    let Solution { visits, .. } = solve(b, &counted, seeds);
    let of_blocks = counted.visits.into_inner();
    assert_eq!(of_blocks.iter().sum::<usize>(), visits);
    of_blocks
}

fn depth(b: &Body, block: BlockId) -> usize {
    b[block].innermost.map_or(0, |l| b[l].depth as usize)
}

/// Visits of analyses of states, where the number of rounds is bounded by the depth of loops.
fn is_bounded(b: &Body) {
    let reaching = visits(b, &Reaching { entry: set(b, [0]) }, &[]);
    let live = visits(b, &LiveNames { exit: set(b, []) }, &[]);
    for visits in [reaching, live] {
        for &block in &b.order {
            let most = depth(b, block) + 2;
            assert!(
                visits[block.index()] <= most,
                "{block:?} is visited {} times in\n{b}",
                visits[block.index()]
            );
        }
    }
}

/// Loops in loops, tested first (as `while`) or last, followed by `after` more at each level.
fn nest(depth: u32, tests_first: bool, after: u32) -> Body {
    let (mut loops, mut blocks, mut count) = (vec![], String::new(), (1, 3));
    let end = level(depth, tests_first, after, 0, &mut loops, &mut blocks, &mut count);
    let text = format!(
        "body @f(v0: ptr, v1: f64, v2: i1)\n{}\nb0:\n{blocks}ret // b{end}\n",
        loops.join("\n")
    );
    body(&text)
}

/// Writes `after + 1` loops one after the other, from the end of block `at`; the block in which
/// they end.
fn level(
    depth: u32,
    tests_first: bool,
    after: u32,
    mut at: u32,
    loops: &mut Vec<String>,
    text: &mut String,
    next: &mut (u32, u32),
) -> u32 {
    if depth == 0 {
        return at;
    }
    for _ in 0..=after {
        let (header, inside, exit) = (next.0, next.0 + 1, next.0 + 2);
        let first = next.1;
        *next = (next.0 + 3, next.1 + 3);
        let number = loops.len();
        loops.push(String::new());
        *text += &format!("br -> b{header}\nb{header}:\n");
        *text += &match tests_first {
            true => format!("condbr v2 -> b{inside} b{exit}\nb{inside}:\n"),
            false => format!("br -> b{inside}\nb{inside}:\n"),
        };
        // What the body stores gets out of the loop, what it loads to where the loop begins.
        *text +=
            &format!("v{first}: ptr = gep v0 + {first}\nv{}: f64 = load v{first}\n", first + 1);
        *text += &format!("v{} = store v1, v0\n", first + 2);
        let latch = level(depth - 1, tests_first, after, inside, loops, text, next);
        *text += &match tests_first {
            true => format!("br -> b{header}\nb{exit}:\n"),
            false => format!("condbr v2 -> b{header} b{exit}\nb{exit}:\n"),
        };
        loops[number] =
            format!("loop l{number} header b{header} preheader b{at} latch b{latch} counter v2");
        at = exit;
    }
    at
}

#[test]
fn a_nest_of_loops() {
    for depth in 0..6 {
        for tests_first in [false, true] {
            is_bounded(&nest(depth, tests_first, 0));
        }
    }
}

#[test]
fn loops_one_after_the_other() {
    for tests_first in [false, true] {
        is_bounded(&nest(1, tests_first, 40));
        is_bounded(&nest(3, tests_first, 4));
    }
}

#[test]
fn facts_that_are_used_further_on_cost_no_visit() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           v3: f64 = fneg v1
           v4: f64 = fadd v3, v1
           v5 = store v4, v0
           v6 = condbr v2 -> b1 b2
         b1:
           v7: f64 = fmul v4, v4
           v8 = br -> b3
         b2:
           v9: f64 = load v0
           v10: f64 = fmul v9, v3
           v11 = br -> b3
         b3:
           v12: f64 = phi [b1 v7] [b2 v10]
           v13: f64 = fneg v12
           v14 = ret v13",
    );
    let seeds = [(ValueId(1), set(&b, [1]))];
    let roots = [(ValueId(14), true)];
    assert_eq!(visits(&b, &Origins, &seeds), [1; 4]);
    assert_eq!(visits(&b, &Needed, &roots), [1; 4]);
    assert_eq!(visits(&b, &Flowing::new(BTreeMap::new()), &seeds), [1; 4]);
    assert_eq!(visits(&b, &Live { exit: set(&b, [0]) }, &roots), [1; 4]);
}

/// Graphs without cycles: up to ten blocks, each with edges to later ones, loads and stores.
fn acyclic() -> impl Strategy<Value = Body> {
    let block = (vec(any::<u8>(), 0..4), vec(0u8..6, 0..4));
    vec(block, 1..10).prop_map(|blocks| {
        let mut text = "body @f(v0: ptr, v1: ptr, v2: f64)\n".to_string();
        for (i, (to, insts)) in blocks.iter().enumerate() {
            text += &format!("b{i}:\n");
            for (k, inst) in insts.iter().enumerate() {
                let p = inst % 2;
                match inst / 2 {
                    0 => text += &format!("store v2, v{p}\n"),
                    _ => text += &format!("v{}: f64 = load v{p}\n", 10 + 4 * i + k),
                }
            }
            let left = blocks.len() - i - 1;
            match (left, to.len()) {
                (0, _) | (_, 0) => text += "ret\n",
                _ => {
                    let to: String =
                        to.iter().map(|t| format!(" b{}", i + 1 + *t as usize % left)).collect();
                    text += &format!("switch v2 ->{to}\n");
                }
            }
        }
        body(&text)
    })
}

proptest! {
    #[test]
    fn without_cycles_each_block_is_visited_once(b in acyclic()) {
        let all = set(&b, 0..b.values.len() as u32);
        let entry = BTreeMap::from([0, 1].map(|p| (ValueId(p), set(&b, [p]))));
        let roots: Vec<_> = b.insts().map(|v| (v, true)).collect();
        prop_assert_eq!(solve(&b, &Reaching { entry: all.clone() }, &[]).visits, b.order.len());
        prop_assert_eq!(solve(&b, &LiveNames { exit: all.clone() }, &[]).visits, b.order.len());
        prop_assert_eq!(solve(&b, &Flowing::new(entry), &[(ValueId(2), all.clone())]).visits, b.order.len());
        prop_assert_eq!(solve(&b, &Live { exit: all }, &roots).visits, b.order.len());
    }

    #[test]
    fn programs_are_visited_as_often_as_their_loops_are_deep(b in programs()) {
        is_bounded(&b);
    }
}
