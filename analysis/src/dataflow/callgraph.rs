//! The call graph, and sweeps over its strongly connected components.
//!
//! Bottom-up sweeps make summaries: callees before callers, and the members of a component
//! (recursion) again and again until none of their summaries changes. Contexts go top-down as
//! derivatives are asked for: making that of a caller asks for those of its callees, with what it
//! knows (`analysis::context`); recursion finds the one that is being made. Source: Kosaraju's
//! components, in the order in which petgraph yields them (callees first); petgraph's version of
//! Tarjan's algorithm recurses, and a chain of calls may be longer than the compiler's stack.

use petgraph::{
    Direction,
    algo::kosaraju_scc,
    graph::{DiGraph, NodeIndex},
    visit::DfsPostOrder,
};

/// Functions numbered 0..n, and who calls whom.
pub struct CallGraph {
    graph: DiGraph<(), ()>,
}

impl CallGraph {
    /// The graph of `n` functions with the given (caller, callee) pairs.
    pub fn new(n: usize, calls: impl IntoIterator<Item = (usize, usize)>) -> CallGraph {
        let mut graph = DiGraph::with_capacity(n, n);
        for _ in 0..n {
            graph.add_node(());
        }
        for (caller, callee) in calls {
            graph.update_edge(NodeIndex::new(caller), NodeIndex::new(callee), ());
        }
        CallGraph { graph }
    }

    /// Components in bottom-up order: callees before callers; the members too, as far as recursion
    /// has such an order.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let at = self.post_order();
        let members = |c: Vec<NodeIndex>| {
            let mut members: Vec<usize> = c.into_iter().map(NodeIndex::index).collect();
            members.sort_unstable_by_key(|&f| at[f]);
            members
        };
        kosaraju_scc(&self.graph).into_iter().map(members).collect()
    }
    /// The place of each function in one order in which callees come before callers.
    fn post_order(&self) -> Vec<usize> {
        let mut at = vec![0; self.graph.node_count()];
        let mut order = DfsPostOrder::empty(&self.graph);
        let mut next = 0;
        for f in self.graph.node_indices() {
            order.move_to(f);
            while let Some(f) = order.next(&self.graph) {
                at[f.index()] = next;
                next += 1;
            }
        }
        at
    }
    /// Whether a component calls itself.
    pub fn is_recursive(&self, component: &[usize]) -> bool {
        let own = |f: usize| self.graph.contains_edge(NodeIndex::new(f), NodeIndex::new(f));
        component.len() > 1 || component.iter().any(|&f| own(f))
    }
    /// Functions that call `f`, each once.
    pub fn callers(&self, f: usize) -> impl Iterator<Item = usize> + '_ {
        self.graph.neighbors_directed(NodeIndex::new(f), Direction::Incoming).map(NodeIndex::index)
    }
    /// Functions that `f` calls, each once.
    #[cfg(test)]
    pub fn callees(&self, f: usize) -> impl Iterator<Item = usize> + '_ {
        self.graph.neighbors(NodeIndex::new(f)).map(NodeIndex::index)
    }

    /// Runs `update` on every function, callees first; within a recursive component until `update`
    /// returns false for all its members. `update` tells whether the function's summary grew.
    pub fn bottom_up(&self, mut update: impl FnMut(usize) -> bool) {
        for component in self.components() {
            let again = self.is_recursive(&component);
            loop {
                let mut grew = false;
                for &f in &component {
                    grew |= update(f);
                }
                if !(again && grew) {
                    break;
                }
            }
        }
    }
}
