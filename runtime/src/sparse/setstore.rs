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
    scratch: Vec<u32>,
    stack: Vec<u32>,
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
            scratch: vec![],
            stack: vec![],
        }
    }

    /// The elements of a set, ascending.
    pub fn get(&self, set: u32) -> &[u32] {
        &self.elements[self.starts[set as usize]..self.starts[set as usize + 1]]
    }

    /// The number of the set of a node. None at a limit.
    pub fn of(&mut self, node: u32) -> Option<u32> {
        if let Some(known) = self.known[node as usize].checked_sub(1) {
            return Some(known);
        }
        let (a, b) = self.operands(node);
        let number = match (self.simple(node)?, self.simple(a)?, self.simple(b)?) {
            (Some(set), _, _) => set,
            (None, Some(a), Some(b)) => self.union(a, b)?,
            _ => self.walk(node)?,
        };
        self.known[node as usize] = number + 1;
        Some(number)
    }

    /// The nodes whose union is the node; of an input, twice itself.
    fn operands(&self, node: u32) -> (u32, u32) {
        let of = self.dag.nodes[node as usize];
        match of.kind() {
            Kind::Leaf => (node, node),
            Kind::Union | Kind::Product => (of.first(), of.second()),
            Kind::Nonlinear => (of.first(), of.first()),
        }
    }

    /// The set of an input, of a node whose set is known, or of a nonlinear function of one. None
    /// at a limit, none inside for other nodes.
    fn simple(&mut self, node: u32) -> Option<Option<u32>> {
        let of = self.dag.nodes[node as usize];
        let known = match of.kind() {
            Kind::Nonlinear => self.known[node as usize].max(self.known[of.first() as usize]),
            Kind::Leaf if self.known[node as usize] == 0 => self.intern(&[of.second()])? + 1,
            _ => self.known[node as usize],
        };
        self.known[node as usize] = known;
        Some(known.checked_sub(1))
    }

    /// The union of two sets. Most operations add no input to the larger one.
    fn union(&mut self, a: u32, b: u32) -> Option<u32> {
        if a == b {
            return Some(a);
        }
        let mut both = std::mem::take(&mut self.scratch);
        both.clear();
        let (x, y) = (self.get(a), self.get(b));
        let lengths = (x.len(), y.len());
        merge(x, y, &mut both);
        self.work = self.work.checked_sub(lengths.0 + lengths.1)?;
        let number = match both.len() {
            count if count == lengths.0 => a,
            count if count == lengths.1 => b,
            _ => self.intern(&both)?,
        };
        self.scratch = both;
        Some(number)
    }

    /// The set of a node, by a walk to nodes whose sets are known.
    fn walk(&mut self, node: u32) -> Option<u32> {
        let mut found = std::mem::take(&mut self.scratch);
        found.clear();
        self.stack.push(node);
        while let Some(at) = self.stack.pop() {
            if at == 0 || std::mem::replace(&mut self.seen[at as usize], node) == node {
                continue;
            }
            self.work = self.work.checked_sub(1)?;
            if let Some(known) = self.simple(at)? {
                let set = self.get(known);
                found.extend_from_slice(set);
                self.work = self.work.checked_sub(set.len())?;
            } else {
                let (a, b) = self.operands(at);
                self.stack.extend([b, a]);
            }
        }
        found.sort_unstable();
        found.dedup();
        let number = self.intern(&found);
        self.scratch = found;
        number
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

/// Appends the union of two ascending lists.
fn merge(mut a: &[u32], mut b: &[u32], to: &mut Vec<u32>) {
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        to.push(x.min(y));
        a = &a[usize::from(x <= y)..];
        b = &b[usize::from(y <= x)..];
    }
    to.extend_from_slice(a);
    to.extend_from_slice(b);
}

fn hash(set: &[u32]) -> u64 {
    set.iter().fold(set.len() as u64, |h, &e| super::mix(h ^ u64::from(e)))
}
