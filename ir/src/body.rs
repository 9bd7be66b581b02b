//! The image of one function: its values, blocks and loops, and the questions that it answers by
//! itself.

use crate::hashed::{HashMap, HashSet};
use crate::{
    entity::{BlockId, EntityMap, LoopId, ValueId},
    library::outside::Outside,
    op::{Op, Ty},
    scalar::{Field, ScalarKind},
    target,
};
use std::{
    ops::{Index, IndexMut},
    rc::Rc,
};

/// A value.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// What it is.
    pub op: Op,
    /// Its operands.
    pub operands: Vec<ValueId>,
    /// Its type.
    pub ty: Ty,
    /// Block of an instruction; [`Body::block_of`] of what is known to be one.
    pub block: Option<BlockId>,
    /// Index of an instruction in its block.
    pub place: u32,
    /// Size in bytes of what the type occupies in memory; 0 for void.
    pub bytes: u64,
    /// What memory holds where a value of this type is stored: reals and pointers; nothing is said
    /// of integers.
    pub fields: Vec<Field>,
    /// Of an integer: a number that surely divides it (0 for the constant 0).
    pub factor: u64,
    /// Of a load or store: alignment of its address, in bytes.
    pub alignment: u32,
    /// Of a load or store of an integer: the source says that it is one, not a copy of other bits.
    /// Of a copy of memory: the source says that it moves characters.
    pub is_integer: bool,
    /// Of such a load or store: it is of a member of a struct that has reals or pointers as well.
    pub is_member: bool,
    /// Of a copy of memory: the source declares all its members, and none is an address or as large an
    /// integer.
    pub is_of_numbers: bool,
    /// Of a load of a pointer: the source does not say that it is one.
    pub is_untold: bool,
    /// Of a load of a pointer: the source says that it is one that leads to data, none to a table of
    /// virtual functions.
    pub is_to_data: bool,
    /// Of such a load: the source says that it leads to a table of virtual functions.
    pub is_to_table: bool,
    /// Done exactly once, never again in the reverse sweep: a load or store that is volatile or
    /// atomic; arithmetic that obeys the floating-point environment, which may be another one then.
    pub is_once: bool,
    /// Of an integer constant that fits: its value, sign-extended from its width. Of an address
    /// within a global variable: how many bytes it lies behind its operand.
    pub constant: Option<i64>,
    /// Of a real constant that a double holds exactly: its value.
    pub real: Option<f64>,
    /// Of a vector: bits of each element; else 0.
    pub lane_bits: u32,
    /// Of a conversion of reals to integers: these have no sign.
    pub is_unsigned: bool,
    /// Of a stack variable: its bytes, where they are constant.
    pub allocated_bytes: Option<u64>,
    /// Of `Add`, `Sub`, `Mul`, `Shl`: the result is known not to wrap as signed; of `Or`: no bit is
    /// set in both.
    pub nowrap: bool,
    /// Of a global variable: no code but that of this file reads or writes it, nor does a function
    /// that other code may call (prebuilt/shared.rs).
    pub is_hidden: bool,
    /// Of a constant table: how many pointers, one behind the other, lead on from it to further
    /// tables, if that is known; 0 where none lies in it.
    pub steps: Option<u32>,
    /// Of a call: what it has to do with data outside of the code that is differentiated.
    pub outside: Outside,
    /// Of a direct call, a global or the address of a function: the linker's name of what is called
    /// or meant.
    pub symbol: Option<Rc<str>>,
}

impl ValueData {
    /// The address of a variable that no instruction names.
    pub fn of_variable(symbol: &str) -> ValueData {
        ValueData {
            op: Op::Global(false),
            operands: vec![],
            ty: Ty::Ptr,
            block: None,
            place: 0,
            bytes: target::pointer(),
            fields: vec![(0, ScalarKind::Ptr)],
            factor: 1,
            alignment: 1,
            is_integer: false,
            is_member: false,
            is_of_numbers: false,
            is_untold: false,
            is_to_data: false,
            is_to_table: false,
            is_once: false,
            constant: None,
            real: None,
            lane_bits: 0,
            is_unsigned: false,
            allocated_bytes: None,
            nowrap: false,
            is_hidden: false,
            steps: None,
            outside: Outside::NONE,
            symbol: Some(symbol.into()),
        }
    }
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Instructions in order; the last is the terminator ([`Body::terminator`]).
    pub insts: Vec<ValueId>,
    /// Predecessors, each once.
    pub preds: Vec<BlockId>,
    /// Successors in the terminator's order, repeated ones included.
    pub succs: Vec<BlockId>,
    /// Innermost loop.
    pub innermost: Option<LoopId>,
    /// Whether the return can be reached from here: only such blocks are reversed.
    pub returns: bool,
}

/// A natural loop in simplified form: one preheader, one latch, dedicated exits.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// Its header.
    pub header: BlockId,
    /// The one block outside that leads to the header.
    pub preheader: BlockId,
    /// The one block inside that leads to the header.
    pub latch: BlockId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for outermost loops.
    pub depth: u32,
    /// i64 phi of the header that counts 0, 1, 2 …
    pub counter: ValueId,
    /// Backedge-taken count, an i64 available in the preheader.
    pub taken: Option<ValueId>,
    /// (exit block, phi of the counter's last value there).
    pub exits: Vec<(BlockId, ValueId)>,
    /// Whether one block inside has all the edges that leave.
    pub single_exiting: bool,
}

/// A phi of a loop's header that is start + first · i + second · i (i - 1) / 2 in iteration i.
/// Integers wrap; pointers walk bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The phi.
    pub phi: ValueId,
    /// What it grows by first, known before the loop.
    pub first: ValueId,
    /// What that grows by, known before the loop.
    pub second: Option<ValueId>,
}

/// Where exceptions begin and end in a function.
#[derive(Clone, Debug, Default)]
pub struct Exceptions {
    /// Calls that make room for one.
    pub made: HashSet<ValueId>,
    /// Blocks that begin with a landing pad.
    pub found: HashSet<BlockId>,
    /// Calls that end a handler, and the exception with it.
    pub ended: HashSet<ValueId>,
}

/// The image of one function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Symbol of the function.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<ValueId>,
    /// All values.
    pub values: Vec<ValueData>,
    /// All blocks, entry first.
    pub blocks: Vec<BlockData>,
    /// All loops, outer before inner.
    pub loops: Vec<LoopData>,
    /// Phis that follow from the counter of their loop and from what is known before it.
    pub growths: Vec<Growth>,
    /// (load, store) that never touch the same byte in one run of a loop, as the source says
    /// (`restrict`): the outermost such loop.
    pub apart: HashMap<(ValueId, ValueId), LoopId>,
    /// The one block that returns, if any does.
    pub exit: Option<BlockId>,
    /// Blocks in reverse postorder.
    pub order: Vec<BlockId>,
    /// Index of each block in `order`.
    pub rank: EntityMap<BlockId, u32>,
    /// Per parameter: `noalias` (restrict).
    pub noalias: Vec<bool>,
    /// Per parameter: the callee does not write through it (`readonly` or `readnone`).
    pub readonly: Vec<bool>,
    /// Users of each value (instructions of reachable blocks).
    pub users: EntityMap<ValueId, Vec<ValueId>>,
    /// Instructions through which an exception may leave the function.
    pub unwinds: HashSet<ValueId>,
    /// Blocks to which only exceptions lead that these calls have handed over; between a call and the
    /// branch, nothing reads memory but what is handed over.
    pub handed: HashMap<BlockId, Vec<ValueId>>,
    /// Stores by which the function hands an exception over to its caller: behind them it returns.
    pub handing: HashSet<ValueId>,
    /// Whether it hands over exceptions, its own or those of calls.
    pub hands_over: bool,
    /// The exceptions of this function, and those that it catches.
    pub exceptions: Exceptions,
    /// Immediate dominator of each block.
    pub idoms: EntityMap<BlockId, Option<BlockId>>,
    /// The program has classes derived from the library's streams' buffers and facets: functions of
    /// the library on text may call its functions.
    pub has_own_streams: bool,
    /// Characters of the program's strings may be bits of reals.
    pub has_bits_in_text: bool,
}

macro_rules! index {
    ($id:ident, $field:ident, $data:ident) => {
        impl Index<$id> for Body {
            type Output = $data;
            fn index(&self, id: $id) -> &$data {
                &self.$field[id.index()]
            }
        }
        impl IndexMut<$id> for Body {
            fn index_mut(&mut self, id: $id) -> &mut $data {
                &mut self.$field[id.index()]
            }
        }
    };
}
index!(ValueId, values, ValueData);
index!(BlockId, blocks, BlockData);
index!(LoopId, loops, LoopData);

impl Body {
    /// Ids of all values.
    pub fn value_ids(&self) -> impl Iterator<Item = ValueId> + use<> {
        (0..self.values.len() as u32).map(ValueId)
    }
    /// Ids of all blocks.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }
    /// Ids of all loops, outer before inner.
    pub fn loop_ids(&self) -> impl Iterator<Item = LoopId> + use<> {
        (0..self.loops.len() as u32).map(LoopId)
    }
    /// Instructions of reachable blocks, in reverse postorder of blocks.
    pub fn insts(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.order.iter().flat_map(|&b| self[b].insts.iter().copied())
    }
    /// The block of an instruction, which it has (`verify`). Panics for all other values.
    pub fn block_of(&self, inst: ValueId) -> BlockId {
        self[inst].block.expect("only instructions lie in blocks")
    }
    /// The terminator of a block, which it has (`verify`): a body that is not complete has none
    /// yet, and panics.
    pub fn terminator(&self, b: BlockId) -> ValueId {
        *self[b].insts.last().expect("a block ends with its terminator")
    }
    /// The value's operand `i`.
    pub fn operand(&self, v: ValueId, i: usize) -> ValueId {
        self[v].operands[i]
    }
    /// Whether `v` is a pointer, or holds one.
    pub fn holds_pointer(&self, v: ValueId) -> bool {
        self[v].fields.iter().any(|f| f.1 == ScalarKind::Ptr)
    }
    /// The call whose exceptions a landing pad takes.
    pub fn call_of_pad(&self, pad: ValueId) -> Option<ValueId> {
        let &[from] = &self[self[pad].block?].preds[..] else { return None };
        let &normal = self[from].succs.first()?;
        self[normal].insts.iter().copied().find(|&v| !matches!(self[v].op, Op::Phi(_)))
    }
    /// Adds a value that is the same in every run and that no instruction uses.
    pub fn add_leaf(&mut self, data: ValueData) -> ValueId {
        self.values.push(data);
        self.users.push(vec![]);
        ValueId(self.values.len() as u32 - 1)
    }
    /// Whether `v` is the same in every run of the function: constant, global or function.
    pub fn is_leaf(&self, v: ValueId) -> bool {
        matches!(
            self[v].op,
            Op::Constant | Op::ConstantExpr | Op::Global(_) | Op::Function | Op::Undef
        )
    }
    /// Immediate dominator of a block; `None` for the entry and for what it does not reach.
    pub fn idom(&self, b: BlockId) -> Option<BlockId> {
        self.idoms[b]
    }
    /// Whether every way to `b` leads through `a`.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let mut at = Some(b);
        while let Some(c) = at {
            if c == a {
                return true;
            }
            at = self.idom(c);
        }
        false
    }
    /// The nearest of `b` and the blocks that dominate it which satisfies `is`. One of them does:
    /// if none other, the entry.
    pub fn nearest_dominator(&self, b: BlockId, is: impl Fn(BlockId) -> bool) -> BlockId {
        let mut at = b;
        while !is(at) {
            at = self.idom(at).expect("the entry is asked last, and satisfies");
        }
        at
    }
    /// The nearest block that dominates both, which the entry does.
    pub fn common_dominator(&self, x: BlockId, y: BlockId) -> BlockId {
        self.nearest_dominator(x, |b| self.dominates(b, y))
    }
    /// Place of an instruction in the order of blocks: where control flows without going back, it
    /// grows.
    pub fn position(&self, v: ValueId) -> (u32, u32) {
        (self.rank[self.block_of(v)], self[v].place)
    }
    /// Innermost loop of the block that defines `v`; `None` for what is outside all loops.
    pub fn loop_of(&self, v: ValueId) -> Option<LoopId> {
        self[v].block.and_then(|b| self[b].innermost)
    }
    /// Whether the instruction `w` comes before `v` on every way to `v`.
    pub fn is_before(&self, w: ValueId, v: ValueId) -> bool {
        let (Some(there), Some(here)) = (self[w].block, self[v].block) else { return false };
        if there != here {
            return self.dominates(there, here);
        }
        let insts = &self[here].insts;
        insts.iter().position(|&i| i == w) < insts.iter().position(|&i| i == v)
    }
    /// Whether `block` lies in loop `l`, at any depth.
    pub fn contains(&self, l: LoopId, block: BlockId) -> bool {
        let mut at = self[block].innermost;
        while let Some(m) = at {
            if m == l {
                return true;
            }
            at = self[m].parent;
        }
        false
    }
    /// Whether a load and a store in loop `l` never touch the same byte in one run of it, as the source
    /// says.
    pub fn are_apart_in(&self, l: LoopId, load: ValueId, store: ValueId) -> bool {
        let outermost = self.apart.get(&(load, store));
        outermost.is_some_and(|&outermost| self.contains(outermost, self[l].header))
    }
    /// What a phi brings where its block is entered from `from`; `None` for other values and blocks.
    pub fn incoming(&self, phi: ValueId, from: BlockId) -> Option<ValueId> {
        let Op::Phi(blocks) = &self[phi].op else { return None };
        blocks.iter().position(|&b| b == from).map(|i| self.operand(phi, i))
    }
    /// The loop whose header `block` is.
    pub fn loop_headed_by(&self, block: BlockId) -> Option<LoopId> {
        self[block].innermost.filter(|&l| self[l].header == block)
    }
    /// Loops that the edge leaves, innermost first.
    pub fn loops_left(&self, from: BlockId, to: BlockId) -> Vec<LoopId> {
        let mut left = vec![];
        let mut at = self[from].innermost;
        while let Some(l) = at {
            if self.contains(l, to) {
                break;
            }
            left.push(l);
            at = self[l].parent;
        }
        left
    }
}
