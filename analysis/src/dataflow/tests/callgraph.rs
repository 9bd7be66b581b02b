//! Components of the call graph, their order, and sweeps over them.

use crate::dataflow::CallGraph;
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;

/// Components in order, members sorted.
fn components(graph: &CallGraph) -> Vec<Vec<usize>> {
    let mut all = graph.components();
    all.iter_mut().for_each(|c| c.sort_unstable());
    all
}

/// The order of updates of a bottom-up sweep in which function f grows `growth[f]` times.
fn sweep(graph: &CallGraph, growth: &[usize]) -> Vec<usize> {
    let (mut left, mut seen) = (growth.to_vec(), vec![]);
    graph.bottom_up(|f| {
        seen.push(f);
        let grows = left[f] > 0;
        left[f] = left[f].saturating_sub(1);
        grows
    });
    seen
}

#[test]
fn callees_come_before_callers() {
    // 0 calls 1 and 2, both call 3; 4 calls no function and none calls it.
    let graph = CallGraph::new(5, [(0, 1), (0, 2), (1, 3), (2, 3)]);
    let order = sweep(&graph, &[9; 5]);
    assert_eq!(order.len(), 5, "what is not recursive is updated once, whether it grows or not");
    let at = |f: usize| order.iter().position(|&g| g == f).expect("all are updated");
    assert!(at(3) < at(1) && at(3) < at(2) && at(1) < at(0) && at(2) < at(0));
}

#[test]
fn a_function_that_calls_itself_is_updated_until_it_stops_growing() {
    let graph = CallGraph::new(2, [(0, 1), (1, 1), (1, 1)]);
    assert_eq!(components(&graph), [[1], [0]]);
    assert!(graph.is_recursive(&[1]) && !graph.is_recursive(&[0]));
    assert_eq!(sweep(&graph, &[5, 0]), [1, 0]);
    assert_eq!(sweep(&graph, &[5, 3]), [1, 1, 1, 1, 0]);
    assert_eq!(graph.callees(1).collect::<Vec<_>>(), [1], "each once");
}

#[test]
fn functions_that_call_each_other_settle_together() {
    // 1 -> 2 -> 3 -> 1, called by 0, calling 4.
    let graph = CallGraph::new(5, [(0, 1), (1, 2), (2, 3), (3, 1), (2, 4)]);
    assert_eq!(components(&graph), [vec![4], vec![1, 2, 3], vec![0]]);
    assert!(graph.is_recursive(&[2, 1, 3]) && !graph.is_recursive(&[4]));
    let order = sweep(&graph, &[0, 0, 2, 0, 7]);
    // Two rounds in which 2 grows, and one that finds that nobody does.
    assert_eq!(order.len(), 1 + 3 * 3 + 1);
    assert_eq!((order[0], order[10]), (4, 0));
    assert_eq!(order[1..4], order[4..7]);
    assert_eq!(sweep(&graph, &[0; 5]).len(), 5);
}

#[test]
fn a_summary_goes_once_around_a_cycle() {
    // The functions reachable from each: a cycle of four whose member 3 calls 4.
    let calls = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (5, 0)];
    let graph = CallGraph::new(6, calls);
    let mut reach = vec![BTreeSet::new(); 6];
    let mut updates = 0;
    graph.bottom_up(|f| {
        updates += 1;
        let mut new = reach[f].clone();
        for g in graph.callees(f) {
            new.insert(g);
            new.extend(reach[g].clone());
        }
        std::mem::replace(&mut reach[f], new.clone()) != new
    });
    for reached in &reach[..4] {
        assert_eq!(*reached, BTreeSet::from([0, 1, 2, 3, 4]));
    }
    assert_eq!(reach[5], BTreeSet::from([0, 1, 2, 3, 4]));
    assert!(reach[4].is_empty());
    assert!(updates <= 2 + 4 * 5, "{updates} updates");
}

#[test]
fn functions_without_calls_and_no_functions() {
    let graph = CallGraph::new(3, []);
    assert_eq!(BTreeSet::from_iter(sweep(&graph, &[1; 3])), BTreeSet::from([0, 1, 2]));
    assert!(graph.components().iter().all(|c| !graph.is_recursive(c)));
    assert_eq!(graph.callees(1).count(), 0);
    assert!(sweep(&CallGraph::new(0, []), &[]).is_empty());
}

#[test]
fn a_long_chain_of_calls_does_not_fill_the_stack() {
    const LENGTH: usize = 200_000;
    let graph = CallGraph::new(LENGTH, (1..LENGTH).map(|f| (f - 1, f)));
    assert!(sweep(&graph, &[0; LENGTH]).into_iter().eq((0..LENGTH).rev()));
}

fn calls() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
    (1usize..12).prop_flat_map(|n| (Just(n), vec((0..n, 0..n), 0..30)))
}

/// Per function: those that it calls, also through others.
fn reaches(n: usize, calls: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; n]; n];
    calls.iter().for_each(|&(f, g)| reach[f][g] = true);
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    reach
}

proptest! {
    #[test]
    fn components_are_what_calls_each_other_in_order((n, calls) in calls()) {
        let graph = CallGraph::new(n, calls.iter().copied());
        let reach = reaches(n, &calls);
        let components = components(&graph);
        let mut component_of = vec![usize::MAX; n];
        for (c, members) in components.iter().enumerate() {
            for &f in members {
                prop_assert_eq!(component_of[f], usize::MAX);
                component_of[f] = c;
            }
            prop_assert_eq!(graph.is_recursive(members), members.iter().all(|&f| reach[f][f]));
        }
        for f in 0..n {
            for g in 0..n {
                let same = f == g || (reach[f][g] && reach[g][f]);
                prop_assert_eq!(component_of[f] == component_of[g], same);
                prop_assert!(!reach[f][g] || component_of[g] <= component_of[f]);
            }
            let called: BTreeSet<usize> = calls.iter().filter(|c| c.0 == f).map(|c| c.1).collect();
            prop_assert_eq!(BTreeSet::from_iter(graph.callees(f)), called.clone());
            prop_assert_eq!(graph.callees(f).count(), called.len());
        }
    }

    #[test]
    fn a_sweep_goes_on_while_somebody_in_the_component_grows((n, calls) in calls(), growth in vec(0usize..4, 12)) {
        let graph = CallGraph::new(n, calls);
        let order = sweep(&graph, &growth[..n]);
        let mut at = 0;
        for c in graph.components() {
            let most = c.iter().map(|&f| growth[f]).max().unwrap_or(0);
            let rounds = if graph.is_recursive(&c) { most + 1 } else { 1 };
            for _ in 0..rounds {
                prop_assert_eq!(&order[at..at + c.len()], &c[..]);
                at += c.len();
            }
        }
        prop_assert_eq!(at, order.len());
    }
}
