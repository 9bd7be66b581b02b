//! Statements: operations on doubles whose results only the same block needs have no entries of
//! their own.
//!
//! While a block is translated, each scalar result is a *node* over those that it was computed of,
//! down to *leaves*: numbers in memory or in registers that the block found ([`delay`]). Only where
//! a value leaves the block (a store, an instruction without code here, a branch where it is live:
//! [`live`]) its expression becomes one entry: the partials by all of its leaves, accumulated by
//! the chain rule from the result down (local preaccumulation: Griewank & Walther, Evaluating
//! Derivatives, chapter 10). Until then, leaves' shadows and the values that partials are made of
//! wait in the thread's state.
//!
//! Which leaves are active is known when a statement runs. So its code is written then, for the
//! leaves that are active there ([`variant`]), and linked as jumps are; each such code tests that
//! the same leaves are active, and the next one is asked if not. What a variant cannot do (a shadow
//! that is no index, a value that may make a sum round, a partial that came out as infinite or no
//! number, no room) Rust code does: it records operation by operation, as if nothing had been
//! delayed ([`crate::translate::slow_path::statement`]).

pub mod delay;
pub mod live;
pub mod variant;

use std::mem::offset_of;

use iced_x86::{IcedError, Instruction, Register};

use super::stubs::of_record;
use crate::{
    machine::state::{Reason, Record},
    translate::{
        assembler::{Assembler, member},
        emit::{Emitter, Scratch},
    },
};

/// A node, by its place in the statement's list; operands come before what is computed of them.
pub type Id = usize;

/// Where a number or a shadow is when a statement runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafPlace {
    /// In the record, by its place there.
    Buffer(usize),
    /// In a vector register, or its shadow's place, which the block does not write any more.
    Register(usize),
}

/// How a number is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// It was there.
    Given,
    /// a + b or a - b.
    Sum {
        /// The first.
        a: Id,
        /// The second.
        b: Id,
        /// Whether the second is subtracted.
        subtracts: bool,
    },
    /// a b.
    Product(Id, Id),
    /// a / b.
    Quotient(Id, Id),
    /// The square root.
    Root(Id),
    /// ± a b ± c.
    Fused {
        /// The factors.
        factors: [Id; 2],
        /// What is added.
        addend: Id,
        /// Whether the product's sign is changed.
        negates: bool,
        /// Whether the addend is subtracted.
        subtracts: bool,
    },
}

impl What {
    /// What it is computed of.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let (all, count) = match self {
            What::Given => ([0; 3], 0),
            What::Root(a) => ([a, 0, 0], 1),
            What::Sum { a, b, .. } | What::Product(a, b) | What::Quotient(a, b) => ([a, b, 0], 2),
            What::Fused { factors: [a, b], addend, .. } => ([a, b, addend], 3),
        };
        all.into_iter().take(count)
    }
}

/// A number, the result of an instruction or an operand.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// How it is computed.
    pub what: What,
    /// Where its shadow is, if it was given or is recorded: then it is a leaf.
    pub shadow: Option<LeafPlace>,
    /// Where its value waits. If it does not, it can be computed anew.
    pub value: Option<LeafPlace>,
    /// The instruction that computes it, and which of its operands the node's operands are.
    pub instruction: Instruction,
    /// See above.
    pub numbers: [u32; 3],
}

/// An expression that is recorded at some place of a block.
#[derive(Clone, Debug)]
pub struct Statement {
    /// All nodes that the block had up to there.
    pub nodes: Vec<Node>,
    /// The result.
    pub root: Id,
    /// Its leaves.
    pub leaves: Vec<Id>,
    /// Where the result's shadow goes, in the record.
    pub result: usize,
    /// What the block has borrowed.
    pub scratch: Scratch,
    /// Whether its code is of AVX.
    pub is_vex: bool,
    /// Where the block goes on after a variant, with what is borrowed, and after Rust code: behind
    /// the statement, or before its variants.
    pub back: u64,
    /// See above.
    pub resume: u64,
    /// See above.
    pub again: u64,
}

impl Statement {
    /// A bit for each of some leaves, and for all that is computed of them.
    pub fn reached_from(&self, leaves: u64) -> u64 {
        let reaches = |bits: u64, id: Id| {
            self.nodes[id].shadow.is_none()
                && self.nodes[id].what.operands().any(|o| bits >> o & 1 == 1)
        };
        (0..self.nodes.len())
            .fold(leaves, |bits, id| if reaches(bits, id) { bits | 1 << id } else { bits })
    }

    /// Where a leaf's shadow is, in the state.
    pub fn shadow_at(&self, leaf: Id) -> usize {
        match self.nodes[leaf].shadow {
            Some(LeafPlace::Register(r)) => Emitter::slot(Register::XMM0 + r as u32),
            Some(LeafPlace::Buffer(k)) => leaf_at(k),
            None => unreachable!("leaves have shadows"),
        }
    }
}

/// Where the record keeps shadows of leaves.
pub fn leaf_at(k: usize) -> usize {
    of_record(offset_of!(Record, leaves)) + 8 * k
}

/// Where it keeps values.
pub fn value_at(k: usize) -> usize {
    of_record(offset_of!(Record, values)) + 8 * k
}

/// What statements keep of registers: RCX, RAX, RDX; flags.
fn saved(a: &Assembler, k: usize) -> iced_x86::code_asm::AsmMemoryOperand {
    a.of_state(of_record(offset_of!(Record, saved)) + 8 * k)
}

const RCX: usize = 0;
const RAX: usize = 1;
const RDX: usize = 2;
const FLAGS: usize = 7;

/// Has Rust code record a statement, and write a variant if there is a link for it.
pub fn ask(a: &mut Assembler, scratch: Scratch, id: usize, link: u64) -> Result<(), IcedError> {
    scratch.give_back(a)?;
    a.set(member!(instruction), id as u64)?;
    a.set(member!(reason), Reason::Statement as u64)?;
    a.set(member!(link), link)?;
    let dispatch = a.of_state(member!(dispatch));
    a.code.jmp(dispatch)
}
