//! Numbers that surely divide the integers of a function: what lengths and steps are multiples of.
//!
//! Arithmetic tells most. The difference of two pointers to elements of an array is a multiple of
//! the element's size: front ends divide it by that, exactly, and the standards of C and C++ leave
//! other differences undefined. Simplification takes the difference itself where the quotient is
//! multiplied again. So an exact division of a difference of addresses says what divides the
//! difference wherever the division surely happened: passes that merge equal differences, of
//! elements here and of bytes there, leave the other uses where the division does not dominate
//! them. Several divisors (memory that holds now this, now that) count as far as they agree.

use crate::llvm::{Block, Function, Opcode, Value};
use adanalysis::points_to::gcd;
use adir::{hashed::HashMap, library, target};
use petgraph::{
    algo::dominators::simple_fast,
    graph::{DiGraph, NodeIndex},
};

/// Factors below this may be the size of an element.
const MOST_SIZE: u64 = 1 << 20;

/// A divisor of every integer; 0 divides only 0.
pub struct Factors {
    known: HashMap<Value, u64>,
    /// Of differences of addresses.
    sizes: HashMap<Value, u64>,
}

impl Factors {
    /// The greatest fixpoint: every integer starts as 0, and takes the greatest divisor that its
    /// operands leave, until nothing changes.
    pub fn compute(f: Function) -> Factors {
        let is_int = |v: &Value| v.ty().is_int();
        let ints: Vec<Value> =
            f.blocks().into_iter().flat_map(|b| b.instructions()).filter(is_int).collect();
        let mut factors =
            Factors { known: ints.iter().map(|&v| (v, 0)).collect(), sizes: sizes(f, &ints) };
        loop {
            let mut same = true;
            for &v in &ints {
                let new = factors.compose(v);
                same &= factors.known.insert(v, new) == Some(new);
            }
            if same {
                return factors;
            }
        }
    }

    /// Of one integer.
    pub fn of(&self, v: Value) -> u64 {
        match v.as_int() {
            Some(k) => k.unsigned_abs(),
            None => self.known.get(&v).copied().unwrap_or(1),
        }
    }

    /// What the operands leave. Where arithmetic may wrap, only powers of two survive, but for
    /// sizes of elements in numbers as wide as addresses: an index whose product with a size wraps
    /// is none of memory, and what wrapped on the way to an offset that lies in an object wraps
    /// back. Remainders, masks and shifts to the right, which hash such products, keep no factor
    /// but powers of two.
    fn compose(&self, v: Value) -> u64 {
        let of = |i| self.of(v.operand(i));
        let power = |f: u64| if f == 0 { 0 } else { 1 << f.trailing_zeros().min(32) };
        let stays =
            |f: u64| v.is_nsw() || (v.ty().int_width() == target::pointer_bits() && f < MOST_SIZE);
        let wrapped = |f: u64| if stays(f) { f } else { power(f) };
        match v.opcode() {
            Opcode::LLVMMul => wrapped(of(0).saturating_mul(of(1))),
            Opcode::LLVMShl => match v.operand(1).as_int() {
                Some(k @ 0..=32) => wrapped(of(0).saturating_mul(1 << k)),
                _ => 1,
            },
            Opcode::LLVMAdd | Opcode::LLVMSub => {
                let arithmetic = wrapped(gcd(of(0), of(1)));
                self.sizes.get(&v).map_or(arithmetic, |&size| multiple(arithmetic, size))
            }
            Opcode::LLVMAnd if of(0) == 0 || of(1) == 0 => 0,
            Opcode::LLVMAnd => power(of(0)).max(power(of(1))),
            Opcode::LLVMTrunc => power(of(0)),
            Opcode::LLVMSRem | Opcode::LLVMURem => power(gcd(of(0), of(1))),
            Opcode::LLVMAShr | Opcode::LLVMLShr if of(0) == 0 => 0,
            // An index is widened and scaled in one: `k << 32 >> 28` counts elements of 16 bytes.
            Opcode::LLVMAShr | Opcode::LLVMLShr => match v.operand(1).as_int() {
                Some(k @ 0..=32) => (power(of(0)) >> k).max(1),
                _ => 1,
            },
            Opcode::LLVMSExt | Opcode::LLVMZExt => of(0),
            Opcode::LLVMSelect => gcd(of(1), of(2)),
            Opcode::LLVMPHI => v.incoming().into_iter().fold(0, |f, (o, _)| gcd(f, self.of(o))),
            // Elements that are kept are kept whole; what a longer old block has beyond them nobody
            // asked for.
            Opcode::LLVMCall
                if v.argument_count() == 3 && v.called().name() == library::KEPT_BYTES =>
            {
                of(2)
            }
            _ => 1,
        }
    }
}

/// What both divide.
fn multiple(a: u64, b: u64) -> u64 {
    if a == 0 { 0 } else { (a / gcd(a, b)).checked_mul(b).unwrap_or(b) }
}

/// Divisors of differences of addresses: what all exact divisions agree on, if one of them
/// dominates all uses that make something of the difference.
fn sizes(f: Function, ints: &[Value]) -> HashMap<Value, u64> {
    let mut found: HashMap<Value, (u64, bool)> = HashMap::default();
    let divisions = ints
        .iter()
        .filter_map(|&v| Some((v, divisor(v)?)))
        .filter(|(v, _)| is_difference(v.operand(0)));
    let mut dominators = None;
    for (division, size) in divisions {
        let dominators = dominators.get_or_insert_with(|| Dominators::of(f));
        let happened = |user: &Value| match user.opcode() {
            Opcode::LLVMICmp | Opcode::LLVMSDiv | Opcode::LLVMAShr => true,
            // A join of its own block takes the difference before it is divided.
            Opcode::LLVMPHI if user.block() == division.block() => false,
            _ => dominators.dominates(division.block(), user.block()),
        };
        let is_sure = division.operand(0).users().iter().all(happened);
        let known = found.entry(division.operand(0)).or_insert((size, false));
        *known = (gcd(known.0, size), known.1 || is_sure);
    }
    found.into_iter().filter_map(|(v, (size, is_sure))| is_sure.then_some((v, size))).collect()
}

/// Which blocks lie on all paths to which.
struct Dominators {
    nodes: HashMap<Block, NodeIndex>,
    tree: petgraph::algo::dominators::Dominators<NodeIndex>,
}

impl Dominators {
    fn of(f: Function) -> Dominators {
        let blocks = f.blocks();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: HashMap<Block, NodeIndex> =
            blocks.iter().map(|&b| (b, graph.add_node(()))).collect();
        for b in &blocks {
            for s in b.terminator().map(|t| t.successors()).unwrap_or_default() {
                graph.update_edge(nodes[b], nodes[&s], ());
            }
        }
        Dominators { tree: simple_fast(&graph, nodes[&blocks[0]]), nodes }
    }
    fn dominates(&self, a: Block, b: Block) -> bool {
        self.tree.dominators(self.nodes[&b]).is_some_and(|mut all| all.any(|n| n == self.nodes[&a]))
    }
}

/// By what an exact division divides.
fn divisor(v: Value) -> Option<u64> {
    match v.opcode() {
        Opcode::LLVMSDiv if v.is_exact() => v.operand(1).as_int().map(i64::unsigned_abs),
        Opcode::LLVMAShr if v.is_exact() => {
            v.operand(1).as_int().filter(|k| (0..32).contains(k)).map(|k| 1 << k)
        }
        _ => None,
    }
    .filter(|&size| size > 0)
}

/// Whether an integer is the difference of two addresses, moved by constants perhaps.
fn is_difference(v: Value) -> bool {
    v.is_instruction()
        && v.opcode() == Opcode::LLVMSub
        && is_address(v.operand(0))
        && is_address(v.operand(1))
}

fn is_address(mut v: Value) -> bool {
    while v.is_instruction() && v.opcode() == Opcode::LLVMAdd && v.operand(1).as_int().is_some() {
        v = v.operand(0);
    }
    v.is_instruction() && v.opcode() == Opcode::LLVMPtrToInt
}
