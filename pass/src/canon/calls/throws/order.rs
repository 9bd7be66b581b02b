//! What comes before what in a function with handlers.

use super::{BEGIN, END, Throw, calls_of, comes_from, handlers::looks, instructions};
use crate::llvm::{Block, Function, IntPredicate, Opcode, Value};
use adir::hashed::{HashMap, HashSet};
use petgraph::{
    algo::dominators::{Dominators, simple_fast},
    graph::{DiGraph, NodeIndex},
};

/// Which instructions come before which on all paths.
pub struct Order {
    nodes: HashMap<Block, NodeIndex>,
    dominators: Dominators<NodeIndex>,
}

impl Order {
    pub fn of(function: Function) -> Order {
        let blocks = function.blocks();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: HashMap<_, _> = blocks.iter().map(|&b| (b, graph.add_node(()))).collect();
        for b in &blocks {
            for s in b.terminator().map(|t| t.successors()).unwrap_or_default() {
                graph.update_edge(nodes[b], nodes[&s], ());
            }
        }
        let dominators = simple_fast(&graph, nodes[&blocks[0]]);
        Order { nodes, dominators }
    }

    pub fn dominates(&self, first: Value, second: Value) -> bool {
        let (a, b) = (first.block(), second.block());
        if a == b {
            let at = |v: Value| a.instructions().iter().position(|&i| i == v);
            return at(first) < at(second);
        }
        let (Some(&above), Some(&below)) = (self.nodes.get(&a), self.nodes.get(&b)) else {
            return false;
        };
        self.dominators.dominators(below).into_iter().flatten().any(|n| n == above)
    }

    /// Whether something in a handler may look at its exception.
    pub(super) fn looks_at(&self, function: Function, begin: Value, throws: &[Throw]) -> bool {
        let ends = self.ends(function, begin);
        let is_within = |call: &Value| {
            self.dominates(begin, *call) && !ends.iter().any(|&end| self.dominates(end, *call))
        };
        let mut calls = instructions(function)
            .filter(|i| i.is_call() && !throws.iter().any(|throw| throw.invoke == *i))
            .filter(is_within);
        calls.any(|call| {
            call.called().as_function().is_none_or(|f| looks(f, &mut HashSet::default()))
        })
    }

    /// Whether a handler is only reached by exceptions that are caught as another type than that as which
    /// a throw is.
    pub(super) fn passes_by(&self, function: Function, throw: &Throw, handler: Value) -> bool {
        let asked = |v: Value| {
            let is_question = v.is_instruction()
                && v.is_call()
                && v.called().name().starts_with("llvm.eh.typeid.for");
            is_question.then(|| v.operand(0))
        };
        let leads_past = |test: Value| {
            let is_test = test.opcode() == Opcode::LLVMICmp
                && test.int_predicate() == IntPredicate::LLVMIntEQ;
            let (class, _) = [(0, 1), (1, 0)]
                .into_iter()
                .filter(|_| is_test)
                .filter_map(|(class, selector)| Some((asked(test.operand(class))?, selector)))
                .find(|(_, selector)| comes_from(test.operand(*selector), throw.pad))?;
            let end = test.block().terminator().filter(|t| t.operand_count() > 0)?;
            let is_decided = end.opcode() == Opcode::LLVMBr && end.operand(0) == test;
            // Where the throw does not go.
            let way = usize::from(Some(class) == throw.caught());
            let other = *end.successors().get(way).filter(|_| is_decided)?;
            let first = *other.instructions().first()?;
            let leads_there =
                |b: &Block| b.terminator().is_some_and(|end| end.successors().contains(&other));
            let is_only_way = function.blocks().iter().filter(|b| leads_there(b)).count() == 1;
            (is_only_way && (first == handler || self.dominates(first, handler))).then_some(())
        };
        instructions(function).any(|test| leads_past(test).is_some())
    }

    /// The call that begins the innermost handler in which an instruction surely is.
    pub fn begin_of(&self, function: Function, inner: Value) -> Option<Value> {
        let is_around = |begin: &Value| {
            self.dominates(*begin, inner)
                && !self.ends(function, *begin).iter().any(|&end| self.dominates(end, inner))
        };
        let around: Vec<Value> = calls_of(function, BEGIN).filter(is_around).collect();
        let is_innermost =
            |begin: &Value| around.iter().all(|o| o == begin || self.dominates(*o, *begin));
        around.iter().copied().find(is_innermost)
    }

    /// The exception that is on its way, if it may come from a landing pad, at the end of a handler to which
    /// others lead as well.
    pub fn on_its_way(&self, function: Function, pad: Value, end: Value) -> Option<Value> {
        let is_exception = |v: &Value| v.opcode() == Opcode::LLVMPHI && comes_from(*v, pad);
        let before = |v: &Value| is_exception(v) && self.dominates(*v, end);
        let all: Vec<Value> = instructions(function).filter(before).collect();
        let is_last = |v: &Value| all.iter().all(|o| o == v || self.dominates(*o, *v));
        all.iter().copied().find(is_last)
    }

    /// The calls that end the handler which `begin` begins, and no handler within it.
    pub fn ends(&self, function: Function, begin: Value) -> Vec<Value> {
        let begins: Vec<Value> = calls_of(function, BEGIN).filter(|&b| b != begin).collect();
        let is_own = |end: &Value| {
            let is_nearer =
                |&other: &Value| self.dominates(begin, other) && self.dominates(other, *end);
            self.dominates(begin, *end) && !begins.iter().any(is_nearer)
        };
        calls_of(function, END).filter(is_own).collect()
    }
}
