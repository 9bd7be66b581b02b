//! Which inputs a number depends on, and which of them interact in it: one graph for the process,
//! which the request `__ad_pattern` appends to in place of computing tangents.
//!
//! A node is a set of input indices. A handle names a node, and is what memory holds in place of a
//! tangent. The graph only grows, so operands have smaller handles than results.
//!
//! ```text
//! leaf         {index}, of one matrix
//! union        a ∪ b
//! product      a ∪ b, and d²/dx_i dx_j may differ from zero for i in a, j in b
//! nonlinear    a, and d²/dx_i dx_j may differ from zero for i, j in a
//! ```
//!
//! Handle 0 is the empty set. Handles of a graph that was dropped are not given out again for the
//! next 2^30 nodes, so that memory with old sets is noticed (AD225). Nodes take 8 bytes.

use super::{capacity, misuse::Misuse, reserve};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many operations the cache remembers, a power of two: it fits into the processor's first
/// cache.
const CACHE: usize = 4096;
/// Handles have 31 bits.
const HANDLES: u64 = 1 << 31;
/// Where a new graph starts again with the smallest handles.
const RESTART: u64 = 1 << 30;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An input: number of the matrix, index.
    Leaf,
    /// Operands: two nodes.
    Union,
    /// Operands: two nodes.
    Product,
    /// Operand: one node.
    Nonlinear,
}

/// Two operands of 31 bits, and the kind in the highest bits of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    first: u32,
    second: u32,
}

impl Node {
    const MARK: u32 = 1 << 31;

    /// Operands below 2^31.
    pub fn new(kind: Kind, first: u32, second: u32) -> Node {
        debug_assert!((first | second) & Node::MARK == 0);
        let (high, low) = match kind {
            Kind::Leaf => (0, 0),
            Kind::Union => (0, Node::MARK),
            Kind::Product => (Node::MARK, 0),
            Kind::Nonlinear => (Node::MARK, Node::MARK),
        };
        Node { first: first | high, second: second | low }
    }

    /// The empty set, at the start of every graph.
    pub fn empty() -> Node {
        Node::new(Kind::Union, 0, 0)
    }

    pub fn kind(self) -> Kind {
        match (self.first & Node::MARK != 0, self.second & Node::MARK != 0) {
            (false, false) => Kind::Leaf,
            (false, true) => Kind::Union,
            (true, false) => Kind::Product,
            (true, true) => Kind::Nonlinear,
        }
    }

    pub fn first(self) -> u32 {
        self.first & !Node::MARK
    }

    /// 0 of a nonlinear node.
    pub fn second(self) -> u32 {
        self.second & !Node::MARK
    }

    fn slot(self) -> usize {
        let both = u64::from(self.first) << 32 | u64::from(self.second);
        (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % CACHE
    }
}

/// The graph that is recorded.
pub struct Graph {
    /// The first is the empty set; none while no matrix is recorded.
    nodes: Vec<Node>,
    /// Handle minus position of a node.
    base: u64,
    /// Position of a recent node by its hash, or 0.
    cache: Vec<u32>,
    /// How many matrices are being recorded.
    recordings: usize,
}

static GRAPH: Mutex<Graph> = Mutex::new(Graph::new());

/// The graph of the process.
pub fn graph() -> MutexGuard<'static, Graph> {
    // Nothing panics while it holds the lock and leaves half a node behind.
    GRAPH.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Graph {
    const fn new() -> Graph {
        Graph { nodes: vec![], base: 0, cache: vec![], recordings: 0 }
    }

    /// One more matrix is recorded.
    pub fn begin(&mut self) {
        self.recordings += 1;
        if self.nodes.is_empty() {
            self.nodes.push(Node::empty());
            self.cache = vec![0; CACHE];
        }
    }

    /// The recording of one matrix has ended.
    pub fn end(&mut self) {
        self.recordings -= 1;
        if self.recordings == 0 {
            let next = self.base + self.nodes.len() as u64;
            self.base = if next < RESTART { next } else { 0 };
            self.nodes = vec![];
            self.cache = vec![];
        }
    }

    /// The position of a node.
    fn position(&self, handle: u32) -> Result<u32, Misuse> {
        let position = u64::from(handle).wrapping_sub(self.base);
        match handle {
            0 => Ok(0),
            _ if position > 0 && position < self.nodes.len() as u64 => Ok(position as u32),
            _ => Err(Misuse::new(
                "memory that should hold sets of inputs holds something else, or sets of an \
                 earlier recording; remedy: set shadows to zero before ad_sparse_inputs and the \
                 request __ad_pattern",
            )),
        }
    }

    fn handle(&self, position: u32) -> u32 {
        if position == 0 { 0 } else { (self.base + u64::from(position)) as u32 }
    }

    fn append(&mut self, node: Node) -> u32 {
        let position = self.nodes.len();
        if self.base + position as u64 >= HANDLES {
            capacity("more than 2^31 operations on sets of inputs");
        }
        if position == self.nodes.capacity() {
            reserve(&mut self.nodes, position);
        }
        self.nodes.push(node);
        position as u32
    }

    fn find_or_append(&mut self, node: Node) -> u32 {
        let slot = node.slot();
        let position = self.cache[slot];
        if position != 0 && self.nodes[position as usize] == node {
            return position;
        }
        let position = self.append(node);
        self.cache[slot] = position;
        position
    }

    /// The handle of {index}; the matrix is being recorded.
    pub fn leaf(&mut self, matrix: u32, index: u32) -> u32 {
        debug_assert!(self.recordings > 0);
        let position = self.append(Node::new(Kind::Leaf, matrix, index));
        self.handle(position)
    }

    /// The handle of the result of an operation.
    pub fn operation(&mut self, kind: Kind, a: u32, b: u32) -> Result<u32, Misuse> {
        let (a, b) = (self.position(a)?, self.position(b)?);
        let (a, b) = (a.min(b), a.max(b));
        let node = match kind {
            Kind::Leaf => unreachable!("inputs are no operations"),
            _ if b == 0 => return Ok(0),
            Kind::Union | Kind::Product if a == 0 => return Ok(self.handle(b)),
            Kind::Union if a == b => return Ok(self.handle(b)),
            Kind::Product if a == b => Node::new(Kind::Nonlinear, b, 0),
            Kind::Union | Kind::Product => Node::new(kind, a, b),
            Kind::Nonlinear => Node::new(Kind::Nonlinear, b, 0),
        };
        if node.kind() == Kind::Nonlinear && self.nodes[b as usize].kind() == Kind::Nonlinear {
            return Ok(self.handle(b));
        }
        let position = self.find_or_append(node);
        Ok(self.handle(position))
    }

    /// Checks a handle that memory of the user holds.
    pub fn check(&self, handle: u32) -> Result<(), Misuse> {
        self.position(handle).map(|_| ())
    }

    /// What the roots depend on, of one matrix. Where only first derivatives count, there are no
    /// products and no nonlinear nodes.
    pub fn extract(&self, roots: &[u32], matrix: u32, first_order: bool) -> Result<Dag, Misuse> {
        let roots = roots.iter().map(|&r| self.position(r)).collect::<Result<Vec<u32>, _>>()?;
        let top = roots.iter().copied().max().unwrap_or(0) as usize;
        // First 1 for each node that a root reaches, then the node's new number.
        let mut number = vec![];
        reserve(&mut number, top + 1);
        number.resize(top + 1, 0u32);
        roots.iter().for_each(|&r| number[r as usize] = 1);
        let mut reached = 1;
        for (i, &node) in self.nodes[..=top].iter().enumerate().skip(1).rev() {
            if number[i] == 0 {
                continue;
            }
            reached += 1;
            if node.kind() != Kind::Leaf {
                number[node.first() as usize] = 1;
                number[node.second() as usize] = 1;
            }
        }
        number[0] = 0;
        let mut nodes = vec![];
        reserve(&mut nodes, reached);
        nodes.push(Node::empty());
        for (i, &node) in self.nodes[..=top].iter().enumerate().skip(1) {
            if number[i] == 0 {
                continue;
            }
            let (a, b) = (node.first(), node.second());
            let renumbered = match node.kind() {
                Kind::Leaf if a == matrix => Ok(node),
                Kind::Leaf => Err(0),
                kind => join(kind, number[a as usize], number[b as usize], first_order),
            };
            number[i] = renumbered.map_or_else(
                |same| same,
                |node| {
                    nodes.push(node);
                    nodes.len() as u32 - 1
                },
            );
        }
        let roots = roots.iter().map(|&r| number[r as usize]).collect();
        Ok(Dag { nodes, roots })
    }
}

/// The node of an operation in a part of the graph, or the operand that it equals there.
fn join(kind: Kind, a: u32, b: u32, first_order: bool) -> Result<Node, u32> {
    match kind {
        Kind::Nonlinear if a == 0 || first_order => Err(a),
        Kind::Nonlinear => Ok(Node::new(kind, a, 0)),
        _ if a == 0 => Err(b),
        _ if b == 0 => Err(a),
        Kind::Product if !first_order && a == b => Ok(Node::new(Kind::Nonlinear, a, 0)),
        Kind::Product if !first_order => Ok(Node::new(kind, a, b)),
        _ if a == b => Err(a),
        _ => Ok(Node::new(Kind::Union, a, b)),
    }
}

/// A part of the graph: what some roots depend on, of one matrix, operands before results. Node 0
/// is the empty set, the first operand of a leaf is not of interest, and each node is reached by a
/// root.
pub struct Dag {
    pub nodes: Vec<Node>,
    pub roots: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_operands_are_kept() {
        for kind in [Kind::Leaf, Kind::Union, Kind::Product, Kind::Nonlinear] {
            let node = Node::new(kind, 0x7fff_fffe, 5);
            assert_eq!((node.kind(), node.first(), node.second()), (kind, 0x7fff_fffe, 5));
        }
    }

    #[test]
    fn equal_operations_share_a_node() {
        let mut g = Graph::new();
        g.begin();
        let (a, b) = (g.leaf(1, 0), g.leaf(1, 1));
        let mut ask = |kind, a, b| g.operation(kind, a, b).expect("handles are right");
        let sum = ask(Kind::Union, a, b);
        assert_eq!(ask(Kind::Union, b, a), sum);
        assert_eq!(ask(Kind::Union, a, a), a);
        assert_eq!(ask(Kind::Union, 0, a), a);
        assert_eq!(ask(Kind::Product, a, 0), a);
        assert_eq!(ask(Kind::Nonlinear, 0, 0), 0);
        let square = ask(Kind::Product, a, a);
        assert_eq!(ask(Kind::Nonlinear, a, 0), square);
        assert_eq!(ask(Kind::Nonlinear, square, 0), square);
        assert_ne!(ask(Kind::Product, a, b), sum);
        assert_eq!(g.nodes.len(), 6);
    }

    #[test]
    fn sets_of_an_earlier_recording_are_noticed() {
        let mut g = Graph::new();
        g.begin();
        let old = g.leaf(1, 0);
        g.end();
        assert!(g.nodes.is_empty());
        assert!(g.operation(Kind::Union, old, old).is_err());
        g.begin();
        let new = g.leaf(2, 0);
        assert_ne!(old, new);
        assert!(g.operation(Kind::Union, old, new).is_err());
        assert!(g.operation(Kind::Union, new + 1, new).is_err());
        assert!(g.operation(Kind::Nonlinear, new, 0).is_ok());
    }

    #[test]
    fn a_part_holds_one_matrix() {
        let mut g = Graph::new();
        g.begin();
        let (a, other) = (g.leaf(1, 7), g.leaf(2, 3));
        let mixed = g.operation(Kind::Product, a, other).expect("handles are right");
        let dag = g.extract(&[mixed, other, a], 1, false).expect("handles are right");
        assert_eq!(dag.roots, [1, 0, 1]);
        assert_eq!(dag.nodes[1..], [Node::new(Kind::Leaf, 1, 7)]);
    }
}
