//! What instructions do to shadows: the kinds of rules.

/// What the numbers are that an instruction computes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Element {
    /// Half precision.
    F16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Extended precision, of the x87.
    F80,
    /// Bits: the instruction does not say what they mean.
    Bits,
}

/// How many numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Lanes {
    /// The lowest of the register; for where the others come from see [`super::upper`].
    Scalar,
    /// All.
    Packed,
}

/// Where a scalar result has the rest of its register from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Upper {
    /// The destination's, unchanged: the encodings before VEX.
    Kept,
    /// The second operand's up to bit 127, then zero: VEX and EVEX.
    Second,
    /// The destination's up to bit 127, then zero: fused multiplication and addition.
    First,
}

/// Element type and lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Form {
    /// Of the result.
    pub element: Element,
    /// Of the result.
    pub lanes: Lanes,
}

/// Packed single precision.
pub const PS: Form = Form { element: Element::F32, lanes: Lanes::Packed };
/// Scalar single precision.
pub const SS: Form = Form { element: Element::F32, lanes: Lanes::Scalar };
/// Packed double precision.
pub const PD: Form = Form { element: Element::F64, lanes: Lanes::Packed };
/// Scalar double precision.
pub const SD: Form = Form { element: Element::F64, lanes: Lanes::Scalar };
/// Packed, of no type.
pub const PB: Form = Form { element: Element::Bits, lanes: Lanes::Packed };

/// What steers a move. All other operands are data, whose shadows move as the data do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Steering {
    /// Nothing but immediates and mask registers.
    None,
    /// The operand of this number holds indices. They must not be active.
    Indices(u8),
    /// The operand of this number holds a mask, which decides as a branch does: its activity does
    /// not count.
    Mask(u8),
}

/// The order of operands of a fused multiplication and addition: numbers of the operands, from 1,
/// of the two factors and the addend.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Order {
    /// First times third plus second.
    O132,
    /// Second times first plus third.
    O213,
    /// Second times third plus first.
    O231,
}

/// The sign of the addend of a fused multiplication and addition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Addend {
    /// Added.
    Plus,
    /// Subtracted.
    Minus,
    /// Subtracted in even lanes, added in odd ones.
    MinusPlus,
    /// Added in even lanes, subtracted in odd ones.
    PlusMinus,
}

/// Bitwise operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bitwise {
    /// Both.
    And,
    /// The second where the first is not.
    AndNot,
    /// Either.
    Or,
    /// One.
    Xor,
    /// The complement of the only operand.
    Not,
    /// By the table that is the immediate, of three operands.
    Table,
    /// The bit whose number is the second operand becomes 0.
    Reset,
    /// The bit whose number is the second operand becomes 1.
    Set,
    /// The bit whose number is the second operand changes.
    Complement,
}

/// Which way bits move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Direction {
    /// To higher numbers, zeros come in.
    Left,
    /// To lower numbers; zeros come in, or the sign.
    Right,
    /// To higher numbers, round.
    RotateLeft,
    /// To lower numbers, round.
    RotateRight,
}

/// Instructions of the x87 unit. All compute with 80 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum X87 {
    /// A number from memory or a register onto the stack.
    Load,
    /// The top to memory or a register.
    Store,
    /// Two registers change places.
    Exchange,
    /// A register to the top if flags say so.
    MoveIf,
    /// A constant onto the stack: inactive.
    Constant,
    /// An integer or decimal number onto the stack: inactive.
    FromInteger,
    /// The top to memory as integer or decimal number: inactive.
    ToInteger,
    /// First plus second.
    Add,
    /// First minus second.
    Sub,
    /// Second minus first.
    SubReversed,
    /// First times second.
    Mul,
    /// First by second.
    Div,
    /// Second by first.
    DivReversed,
    /// Square root.
    Sqrt,
    /// Absolute value.
    Abs,
    /// The other sign.
    Negate,
    /// To an integer: derivative zero.
    Round,
    /// The remainder of the top by the next, truncated: `fprem`.
    Remainder,
    /// The remainder of the top by the next, to nearest: `fprem1`.
    RemainderNearest,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Sine, and the cosine onto the stack.
    SinCos,
    /// Tangent, and one onto the stack.
    Tan,
    /// The angle of the next over the top.
    Atan,
    /// 2^x - 1.
    Exp2m1,
    /// The next times the logarithm of the top.
    Log2,
    /// The next times the logarithm of one more than the top.
    Log2p1,
    /// The top times 2 to the truncated next: derivative by the top only.
    Scale,
    /// Exponent, and the significand onto the stack.
    Extract,
    /// Results are flags.
    Compare,
    /// The stack pointer, tags, control words. No number moves.
    Control,
    /// The whole unit to the state in which it starts: all registers become inactive.
    Initialize,
}

/// What an instruction does to shadows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Rule {
    /// The result's shadow is the same instruction applied to shadows.
    Move(Steering),
    /// As a move; where the result is wider, shadows of the bits that come in are zero.
    Extend,
    /// Both operands change places.
    Exchange,
    /// `cmpxchg` and its kin: memory gets the new value or stays, as the processor decides.
    CompareExchange,
    /// Memory to memory: `movs`.
    MoveString,
    /// The accumulator to memory: `stos`.
    StoreString,
    /// Memory to the accumulator: `lods`.
    LoadString,
    /// Sum. One that is made to round has derivative zero: [`super::real::is_rounding`].
    Add(Form),
    /// Difference; as for sums.
    Sub(Form),
    /// Difference in even lanes, sum in odd ones.
    AddSub(Form),
    /// Product.
    Mul(Form),
    /// Quotient.
    Div(Form),
    /// Square root.
    Sqrt(Form),
    /// The first if it is less, else the second: also if one is no number, or both are zero.
    Min(Form),
    /// The first if it is greater, else the second: also if one is no number, or both are zero.
    Max(Form),
    /// Product, and sum; as for sums.
    Fma {
        /// Lanes and type.
        form: Form,
        /// Which operands are factors.
        order: Order,
        /// The product's sign changes.
        negated: bool,
        /// The sign of the addend.
        addend: Addend,
    },
    /// Sums of neighbours within 128 bits.
    HorizontalAdd(Form),
    /// Differences of neighbours within 128 bits.
    HorizontalSub(Form),
    /// `dpps` and `dppd`: which lanes is in the immediate.
    DotProduct(Form),
    /// To an integral or shorter number: derivative zero.
    Rounding(Form),
    /// A number minus itself rounded: derivative one.
    Reduce(Form),
    /// The result is flags or a mask: no number. Operands may be active, as in a branch.
    Compare,
    /// Numbers to integers: derivative zero.
    ToInteger,
    /// Integers to numbers: derivative zero.
    FromInteger(Form),
    /// Between widths: shadows are converted likewise.
    Convert {
        /// Of the operand.
        from: Element,
        /// Of the result.
        to: Form,
    },
    /// Bitwise. What it means is resolved by values, see [`super::bits`].
    Logic(Bitwise, Form),
    /// Bits move within elements of so many bits. By 0 or 32 it is a move; where only sign and
    /// exponent are left it has derivative zero; else no active data may meet it.
    Shift(Direction, u8),
    /// An approximation of 1/x: derivative of 1/x.
    Reciprocal(Form),
    /// An approximation of 1/sqrt x: derivative of that.
    ReciprocalSqrt(Form),
    /// The first times 2 to the second rounded down: derivative by the first only.
    ScaleByPower(Form),
    /// The exponent as a number: derivative zero.
    GetExponent(Form),
    /// The significand, scaled: derivative a power of two.
    GetMantissa(Form),
    /// Least, greatest, also by magnitude, with a sign as the immediate says.
    Range(Form),
    /// By a table for kinds of numbers: either operand or a constant.
    FixupImm(Form),
    /// Sums of integers of so many bits. With active data in one operand it scales by a power of
    /// two, or gives another sign, if the other adds to exponent and sign only; else it must not
    /// meet active data.
    AddInteger(u8),
    /// Differences, likewise: the second operand may not be active.
    SubInteger(u8),
    /// Arithmetic of integers, and what else makes new bits from bits. It must not meet active
    /// data.
    Integer,
    /// The x87 unit.
    X87(X87),
    /// All vector registers become zero (`vzeroall`).
    ZeroAll,
    /// Upper parts of all vector registers become zero (`vzeroupper`).
    ZeroUpper,
    /// No data: jumps, fences, prefetches, mask registers, flags.
    Control,
    /// Nothing is known of how it treats shadows, or nothing can be done: the reason.
    Refused(&'static str),
    /// In no table.
    Unknown,
}

impl Rule {
    /// Lanes and type, if the rule is one of floating-point arithmetic.
    pub fn form(self) -> Option<Form> {
        match self {
            Rule::Add(f)
            | Rule::Sub(f)
            | Rule::AddSub(f)
            | Rule::Mul(f)
            | Rule::Div(f)
            | Rule::Sqrt(f)
            | Rule::Min(f)
            | Rule::Max(f)
            | Rule::Fma { form: f, .. }
            | Rule::HorizontalAdd(f)
            | Rule::HorizontalSub(f)
            | Rule::DotProduct(f)
            | Rule::Rounding(f)
            | Rule::Reduce(f)
            | Rule::FromInteger(f)
            | Rule::Convert { to: f, .. }
            | Rule::Logic(_, f)
            | Rule::Reciprocal(f)
            | Rule::ReciprocalSqrt(f)
            | Rule::ScaleByPower(f)
            | Rule::GetExponent(f)
            | Rule::GetMantissa(f)
            | Rule::Range(f)
            | Rule::FixupImm(f) => Some(f),
            Rule::Move(_)
            | Rule::Extend
            | Rule::Exchange
            | Rule::CompareExchange
            | Rule::MoveString
            | Rule::StoreString
            | Rule::LoadString
            | Rule::Compare
            | Rule::ToInteger
            | Rule::Shift(..)
            | Rule::AddInteger(_)
            | Rule::SubInteger(_)
            | Rule::Integer
            | Rule::X87(_)
            | Rule::ZeroAll
            | Rule::ZeroUpper
            | Rule::Control
            | Rule::Refused(_)
            | Rule::Unknown => None,
        }
    }

    /// The kind's name, for counts and messages.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Move(_) => "move",
            Rule::Extend => "extend",
            Rule::Exchange => "exchange",
            Rule::CompareExchange => "compare and exchange",
            Rule::MoveString => "move string",
            Rule::StoreString => "store string",
            Rule::LoadString => "load string",
            Rule::Add(_) => "add",
            Rule::Sub(_) => "sub",
            Rule::AddSub(_) => "add and sub",
            Rule::Mul(_) => "mul",
            Rule::Div(_) => "div",
            Rule::Sqrt(_) => "sqrt",
            Rule::Min(_) => "min",
            Rule::Max(_) => "max",
            Rule::Fma { .. } => "fma",
            Rule::HorizontalAdd(_) => "horizontal add",
            Rule::HorizontalSub(_) => "horizontal sub",
            Rule::DotProduct(_) => "dot product",
            Rule::Rounding(_) => "rounding",
            Rule::Reduce(_) => "reduce",
            Rule::Compare => "compare",
            Rule::ToInteger => "to integer",
            Rule::FromInteger(_) => "from integer",
            Rule::Convert { .. } => "convert",
            Rule::Logic(..) => "logic",
            Rule::Shift(..) => "shift",
            Rule::Reciprocal(_) => "reciprocal",
            Rule::ReciprocalSqrt(_) => "reciprocal square root",
            Rule::ScaleByPower(_) => "scale by power",
            Rule::GetExponent(_) => "exponent",
            Rule::GetMantissa(_) => "mantissa",
            Rule::Range(_) => "range",
            Rule::FixupImm(_) => "fixup",
            Rule::AddInteger(_) | Rule::SubInteger(_) => "integer sum",
            Rule::Integer => "integer",
            Rule::X87(_) => "x87",
            Rule::ZeroAll | Rule::ZeroUpper => "zero registers",
            Rule::Control => "control",
            Rule::Refused(_) => "refused",
            Rule::Unknown => "unknown",
        }
    }
}
