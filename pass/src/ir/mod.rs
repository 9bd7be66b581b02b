//! The `Body`: a read-only, densely numbered image of one canonical function, which analyses and
//! plans read.
//!
//! Every value that the function uses (parameters, constants, globals, instructions) has a
//! [`ValueId`]. Blocks hold the ids of their instructions in order. Loops are the natural loops,
//! each with its counter. Analyses never touch LLVM; only the generators follow
//! [`ValueData::llvm`].

mod factors;
mod held;
mod import;
mod loops;
#[cfg(test)]
mod parse;
mod print;
mod rounding;
#[cfg(test)]
pub(crate) mod tests;
mod verify;

pub use held::{Field, Held};
pub use import::import;

use crate::{
    library::{memory::Allocator, outside::Outside},
    llvm::Value,
};
use adrules::{Precision, Rule};
use std::{
    ops::{Index, IndexMut},
    rc::Rc,
};

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into dense tables.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

entity!(
    /// A value of a [`Body`].
    ValueId, "v");
entity!(
    /// A block of a [`Body`].
    BlockId, "b");
entity!(
    /// A loop of a [`Body`].
    LoopId, "l");

/// Type of a value, as far as the analyses care.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Ty {
    /// No value.
    Void,
    /// An integer of that many bits.
    Int(u32),
    /// float.
    F32,
    /// double.
    F64,
    /// half: _Float16.
    F16,
    /// bfloat.
    BF16,
    /// x86_fp80: long double on x86.
    F80,
    /// fp128.
    F128,
    /// A pointer.
    Ptr,
    /// A vector, whose elements are floating-point (`true`) or not.
    Vector(bool),
    /// A struct or array value, which contains floating-point data (`true`) or not.
    Aggregate(bool),
    /// Labels, tokens, metadata.
    Other,
}

impl Ty {
    /// Whether values of this type are one real.
    pub fn is_real(self) -> bool {
        matches!(self, Ty::F16 | Ty::BF16 | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128)
    }
    /// Whether values of this type hold reals: one, or several in a vector, struct or array.
    pub fn holds_float(self) -> bool {
        self.is_real() || matches!(self, Ty::Vector(true) | Ty::Aggregate(true))
    }
}

/// Conversions, as far as derivatives tell them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    /// Between floating-point types: linear.
    Float,
    /// Floating point to integer: derivative zero.
    FloatToInt,
    /// Integer to floating point: inactive.
    IntToFloat,
    /// Between integers, but for the next.
    Int,
    /// From an integer to a wider one, filled up with zeros.
    ZeroExtend,
    /// Reinterpretation of bits.
    Bits,
    /// Between pointers of two address spaces.
    AddressSpace,
    /// Pointer to integer.
    PtrToInt,
    /// Integer to pointer.
    IntToPtr,
}

/// Integer arithmetic, as far as analyses of addresses and counts tell it apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntOp {
    /// x + y.
    Add,
    /// x - y.
    Sub,
    /// x y.
    Mul,
    /// x << y.
    Shl,
    /// x >> y, filled up with zeros.
    LShr,
    /// x & y.
    And,
    /// x | y.
    Or,
    /// x ^ y.
    Xor,
    /// Division, remainder, arithmetic shifts.
    Other,
}

/// What becomes of memory in an atomic update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Update {
    /// *p + x.
    Add,
    /// *p - x.
    Sub,
}

/// What a call calls.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function whose partials are known.
    Rule(&'static Rule, Precision),
    /// memcpy(dst, src, n).
    MemCpy,
    /// memmove(dst, src, n).
    MemMove,
    /// memset(dst, byte, n).
    MemSet,
    /// A function that returns new memory.
    Allocate(&'static Allocator),
    /// A function that frees what its first argument leads to.
    Free,
    /// How many bytes of a block `realloc` keeps (canon/models.rs).
    KeptBytes,
    /// Without effect on derivatives: output, assumptions, lifetimes.
    Inactive,
    /// An integer function of its arguments alone: it can be done again.
    PureInt,
    /// A function with a body in this module.
    Defined,
    /// A function that the user declared inactive: run as it is; what it does to memory is not
    /// known.
    Passive,
    /// A function with a derivative of the user's own: what it does to memory is not known.
    Custom,
    /// A function without body and without rule.
    Unknown,
    /// Through a pointer.
    Indirect,
    /// Inline assembly.
    Assembly,
    /// What the call of an invoke did until it threw: anything that its operands allow. Its landing
    /// pad.
    Unwound,
}

/// What a value is, or how it is computed.
#[derive(Clone, Debug)]
pub enum Op {
    /// Parameter, by number from 0.
    Param(u32),
    /// A constant that holds no address.
    Constant,
    /// A constant expression over addresses; its operands are the constants it is made of.
    ConstantExpr,
    /// A global variable, constant (`true`) or not.
    Global(bool),
    /// The address of a function.
    Function,
    /// undef or poison.
    Undef,
    /// -x.
    FNeg,
    /// x + y.
    FAdd,
    /// x - y.
    FSub,
    /// x y.
    FMul,
    /// x / y.
    FDiv,
    /// fmod(x, y) as an instruction.
    FRem,
    /// Integer arithmetic and logic.
    IntBinary(IntOp),
    /// Integer or pointer comparison.
    ICmp,
    /// Floating-point comparison.
    FCmp,
    /// Conversion.
    Cast(Cast),
    /// c ? x : y.
    Select,
    /// freeze.
    Freeze,
    /// Address arithmetic: constant bytes, and (operand, bytes per unit) for the rest.
    Gep(i64, Vec<(ValueId, i64)>),
    /// Join; operands by incoming block.
    Phi(Vec<BlockId>),
    /// Stack variable; `true` in the entry block with constant size.
    Alloca(bool),
    /// Load; operand 0 is the address.
    Load,
    /// Store; operand 0 the value, 1 the address.
    Store,
    /// Call; operands are the arguments.
    Call(Callee),
    /// Member of an aggregate.
    ExtractValue(Vec<u32>),
    /// Aggregate (operand 0) with a member replaced (by operand 1).
    InsertValue(Vec<u32>),
    /// Element of a vector (operand 0), by number (operand 1).
    ExtractElement,
    /// Vector (operand 0) with an element replaced (by operand 1), by number (operand 2).
    InsertElement,
    /// Elements of two vectors, by number in both together; `None` for those that do not matter.
    Shuffle(Vec<Option<u32>>),
    /// Atomic arithmetic on a real; operand 0 is the address, 1 the value. The result is what
    /// memory held.
    Update(Update),
    /// Fences, atomic exchanges and arithmetic on what is no real.
    Atomic,
    /// Unconditional branch.
    Br,
    /// Branch on operand 0.
    CondBr,
    /// Switch on operand 0; the first successor is the default.
    Switch,
    /// A call, the first instruction of the first successor, that may throw: then control goes to
    /// the second.
    Invoke,
    /// Return, with the value if any.
    Ret,
    /// A point that is never reached.
    Unreachable,
    /// Anything else.
    Other,
}

/// A value.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// What it is.
    pub op: Op,
    /// Its operands.
    pub operands: Vec<ValueId>,
    /// Its type.
    pub ty: Ty,
    /// Block of an instruction.
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
    /// Of a load or store: volatile or atomic. It is done exactly once, never again in the reverse
    /// sweep.
    pub is_once: bool,
    /// Of an integer constant that fits: its value, sign-extended from its width. Of an address
    /// within a global variable: how many bytes it lies behind its operand.
    pub constant: Option<i64>,
    /// Of `Add`, `Sub`, `Mul`, `Shl`: the result is known not to wrap as signed; of `Or`: no bit is
    /// set in both.
    pub nowrap: bool,
    /// Of a global variable: no code but that of this file reads or writes it, nor does a function
    /// that other code may call (prebuilt/shared.rs).
    pub is_hidden: bool,
    /// Of a call: what it has to do with data outside of the code that is differentiated.
    pub outside: Outside,
    /// Of a direct call, a global or the address of a function: the linker's name of what is called
    /// or meant.
    pub symbol: Option<Rc<str>>,
    /// The LLVM value. `None` in mock bodies of tests.
    pub llvm: Option<Value>,
}

impl ValueData {
    /// The address of a variable that no instruction names.
    pub fn of_variable(variable: Value) -> ValueData {
        ValueData {
            op: Op::Global(false),
            operands: vec![],
            ty: Ty::Ptr,
            block: None,
            place: 0,
            bytes: crate::target::pointer(),
            fields: vec![(0, Held::Ptr)],
            factor: 1,
            alignment: 1,
            is_integer: false,
            is_member: false,
            is_once: false,
            constant: None,
            nowrap: false,
            is_hidden: false,
            outside: Outside::NONE,
            symbol: Some(variable.name().into()),
            llvm: Some(variable),
        }
    }
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Instructions in order; the last is the terminator.
    pub insts: Vec<ValueId>,
    /// Predecessors, each once.
    pub preds: Vec<BlockId>,
    /// Successors in the terminator's order, repeated ones included.
    pub succs: Vec<BlockId>,
    /// Innermost loop.
    pub innermost: Option<LoopId>,
    /// Whether the return can be reached from here: only such blocks are reversed.
    pub returns: bool,
    /// The LLVM block.
    pub llvm: Option<crate::llvm::Block>,
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
    /// (load, store) of one innermost loop that never touch the same byte in one run of it, as the
    /// source says (`restrict`).
    pub apart: std::collections::HashSet<(ValueId, ValueId)>,
    /// The one block that returns, if any does.
    pub exit: Option<BlockId>,
    /// Blocks in reverse postorder.
    pub order: Vec<BlockId>,
    /// Index of each block in `order`.
    pub rank: Vec<u32>,
    /// Per parameter: `noalias` (restrict).
    pub noalias: Vec<bool>,
    /// Per parameter: the callee does not write through it (`readonly` or `readnone`).
    pub readonly: Vec<bool>,
    /// Users of each value (instructions of reachable blocks).
    pub users: Vec<Vec<ValueId>>,
    /// Instructions through which an exception may leave the function.
    pub unwinds: std::collections::HashSet<ValueId>,
    /// Immediate dominator of each block.
    pub idoms: Vec<Option<BlockId>>,
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
    /// Instructions of reachable blocks, in reverse postorder of blocks.
    pub fn insts(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.order.iter().flat_map(|&b| self[b].insts.iter().copied())
    }
    /// The value's operand `i`.
    pub fn operand(&self, v: ValueId, i: usize) -> ValueId {
        self[v].operands[i]
    }
    /// Whether `v` is a pointer, or holds one.
    pub fn holds_pointer(&self, v: ValueId) -> bool {
        self[v].fields.iter().any(|f| f.1 == Held::Ptr)
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
        self.idoms[b.index()]
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
    /// The nearest block that dominates both, which the entry does.
    pub fn common_dominator(&self, x: BlockId, y: BlockId) -> BlockId {
        let mut at = x;
        while !self.dominates(at, y) {
            at = self.idom(at).expect("the entry dominates all blocks");
        }
        at
    }
    /// Place of an instruction in the order of blocks: where control flows without going back, it
    /// grows.
    pub fn position(&self, v: ValueId) -> (u32, u32) {
        let block = self[v].block.expect("only instructions have places");
        (self.rank[block.index()], self[v].place)
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
