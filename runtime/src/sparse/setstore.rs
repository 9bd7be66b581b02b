//! Explicit sets of inputs: each distinct set once, under a number.

use super::{
    graph::{Dag, Kind},
    jacobian::words,
};

/// Sets of nodes of one graph.
pub struct SetStore<'a> {
    dag: &'a Dag,
    /// The set of each node plus 1, or 0 where it is not known yet.
    known: Vec<u32>,
    /// The last walk that visited each node.
    seen: Vec<u32>,
    /// Where each set starts, and the end of the last.
    starts: Vec<usize>,
    elements: Vec<u32>,
    /// Open addressing: number of a set plus 1, or 0.
    table: Vec<u32>,
    /// Steps that may still be done, and elements that may still be stored.
    work: usize,
    room: usize,
}

impl SetStore<'_> {
    /// `work` limits nodes visited plus elements read, `room` the elements stored.
    pub fn new(dag: &Dag, work: usize, room: usize) -> SetStore<'_> {
        SetStore {
            dag,
            known: words(dag.nodes.len(), 0),
            seen: words(dag.nodes.len(), 0),
            starts: vec![0],
            elements: vec![],
            table: vec![0; 1 << 10],
            work,
            room,
        }
    }

    /// The elements of a set, ascending.
    pub fn get(&self, set: u32) -> &[u32] {
        &self.elements[self.starts[set as usize]..self.starts[set as usize + 1]]
    }

    /// The number of the set of a node. None at a limit.
    pub fn of(&mut self, node: u32) -> Option<u32> {
        let known = self.known[node as usize];
        if known != 0 {
            return Some(known - 1);
        }
        let (a, b) = self.operands(node);
        let (a, b) = (self.known[a as usize], self.known[b as usize]);
        if a != 0 && a == b && self.dag.nodes[node as usize].kind() != Kind::Leaf {
            self.known[node as usize] = a;
            return Some(a - 1);
        }
        let mut set = self.walk(node)?;
        set.sort_unstable();
        set.dedup();
        let number = self.intern(&set)?;
        self.known[node as usize] = number + 1;
        Some(number)
    }

    /// The nodes whose union is the node; of an input, the empty set.
    fn operands(&self, node: u32) -> (u32, u32) {
        let of = self.dag.nodes[node as usize];
        match of.kind() {
            Kind::Leaf => (0, 0),
            Kind::Union | Kind::Product => (of.first(), of.second()),
            Kind::Nonlinear => (of.first(), of.first()),
        }
    }

    /// The elements of a node's set, in any order.
    fn walk(&mut self, node: u32) -> Option<Vec<u32>> {
        let (mut stack, mut found) = (vec![node], vec![]);
        while let Some(at) = stack.pop() {
            if at == 0 || std::mem::replace(&mut self.seen[at as usize], node) == node {
                continue;
            }
            self.work = self.work.checked_sub(1)?;
            if let Some(known) = self.known[at as usize].checked_sub(1) {
                let set =
                    &self.elements[self.starts[known as usize]..self.starts[known as usize + 1]];
                self.work = self.work.checked_sub(set.len())?;
                found.extend_from_slice(set);
            } else if self.dag.nodes[at as usize].kind() == Kind::Leaf {
                found.push(self.dag.nodes[at as usize].second());
            } else {
                let (a, b) = self.operands(at);
                stack.extend([b, a]);
            }
        }
        Some(found)
    }

    fn intern(&mut self, set: &[u32]) -> Option<u32> {
        let mut slot = hash(set) as usize & (self.table.len() - 1);
        while let Some(number) = self.table[slot].checked_sub(1) {
            if self.get(number) == set {
                return Some(number);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        self.room = self.room.checked_sub(set.len())?;
        self.elements.extend_from_slice(set);
        self.starts.push(self.elements.len());
        let count = self.starts.len() as u32 - 1;
        self.table[slot] = count;
        if count as usize * 2 > self.table.len() {
            self.grow();
        }
        Some(count - 1)
    }

    fn grow(&mut self) {
        let mut table = vec![0; self.table.len() * 4];
        for number in self.table.iter().filter_map(|n| n.checked_sub(1)) {
            let mut slot = hash(self.get(number)) as usize & (table.len() - 1);
            while table[slot] != 0 {
                slot = (slot + 1) & (table.len() - 1);
            }
            table[slot] = number + 1;
        }
        self.table = table;
    }
}

fn hash(set: &[u32]) -> u64 {
    set.iter().fold(set.len() as u64, |h, &e| super::mix(h ^ u64::from(e)))
}
