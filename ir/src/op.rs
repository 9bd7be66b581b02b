//! What values are and how they are computed: types, operations, and what calls call.

use crate::{BlockId, ValueId, library::memory::Allocator};
use adrules::{Precision, Rule};

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
