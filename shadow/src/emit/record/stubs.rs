//! Code that appends entries to the recording, by the shape of an operation: called by what is emitted for instructions, if an operand is active.
//!
//! It finds indices and partials lane by lane in the thread's [`Record`], leaves the results' shadows there, and keeps all registers and flags. A sum
//! with one active operand needs no entry: its index is the operand's. What it cannot do (no room, no index, a shadow that is none, a sum that may be
//! made to round) it leaves to Rust code, which does the whole instruction and returns to where this was called from.
//!
//! An entry is a word of two operands, behind the partials that are neither 1 nor -1: first that of the upper half.

use std::mem::offset_of;

use iced_x86::{IcedError, code_asm::*};

use crate::{
    assembler::{Assembler, member},
    mirror::indices::{DOUBLE, END},
    recording::entry::{EXPLICIT, MINUS, MOST_OF_LANE},
    state::{Reason, Record, State, Vector},
};

/// What an operation's result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Kind {
    /// The first operand and the second; their values are given.
    Sum = 0,
    /// The first without the second; their values are given.
    Difference = 1,
    /// Of two operands with partials.
    Two = 2,
    /// Of the second operand, with a partial.
    One = 3,
    /// Of two operands with partials, and the third; the value of the third is given.
    FusedPlus = 4,
    /// Of two operands with partials, less the third; the value of the third is given.
    FusedMinus = 5,
    /// The first operand, a float, as a double.
    Widened = 6,
    /// The first operand, a double, as a float.
    Narrowed = 7,
    /// Bits of both operands; their values are given.
    And = 8,
    /// Bits of the second without the first's; their values are given.
    AndNot = 9,
    /// Bits of either; their values are given.
    Or = 10,
    /// Bits of one of them; their values are given.
    Xor = 11,
}

/// Stubs that a state has room for.
pub const STUBS: usize = 12 * 8;

/// An operation, its element type (of operands), and for how many lanes: 1, 2, 4 or 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The operation.
    pub kind: Kind,
    /// Whether operands are doubles.
    pub is_double: bool,
    /// Lanes.
    pub lanes: usize,
}

const KINDS: [Kind; 12] = [
    Kind::Sum,
    Kind::Difference,
    Kind::Two,
    Kind::One,
    Kind::FusedPlus,
    Kind::FusedMinus,
    Kind::Widened,
    Kind::Narrowed,
    Kind::And,
    Kind::AndNot,
    Kind::Or,
    Kind::Xor,
];

impl Shape {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Shape> {
        let of = |kind| [1, 2, 4, 8].into_iter().flat_map(move |lanes| [true, false].map(|is_double| Shape { kind, is_double, lanes }));
        KINDS.into_iter().flat_map(of)
    }

    /// Its place in the state's table.
    pub fn place(self) -> usize {
        8 * self.kind as usize + 4 * usize::from(self.is_double) + self.lanes.ilog2() as usize
    }
}

/// A member of the record, by its offset in the state.
pub fn of_record(offset: usize) -> usize {
    member!(record) + offset
}

const OPERANDS: usize = offset_of!(Record, indices);
const PARTIALS: usize = offset_of!(Record, partials);
const RESULTS: usize = offset_of!(Record, results);
const VECTOR: usize = size_of::<Vector>();
/// Exponents of sums that may be made to round, at least; as `rules::real::is_rounding` has them. Of doubles in the upper half.
const LEAST_DOUBLE: i32 = (1023 + 40) << 20;
const LEAST_FLOAT: i32 = (127 + 23) << 23;

struct Writer<'a> {
    a: &'a mut Assembler,
    shape: Shape,
    fails: CodeLabel,
}

/// Writes the code of a shape.
pub fn stub(a: &mut Assembler, shape: Shape) -> Result<(), IcedError> {
    let fails = a.code.create_label();
    let mut it = Writer { a, shape, fails };
    it.save()?;
    let (cursor, limit) = (it.record(offset_of!(Record, cursor)), it.record(offset_of!(Record, limit)));
    let (next, last) = (it.record(offset_of!(Record, next)), it.record(offset_of!(Record, last)));
    it.a.code.mov(rax, cursor)?;
    it.a.code.cmp(rax, limit)?;
    it.a.code.ja(fails)?;
    it.a.code.mov(rdx, next)?;
    it.a.code.cmp(rdx, last)?;
    it.a.code.ja(fails)?;
    if shape.is_double || shape.kind == Kind::Widened {
        it.a.code.mov(rdi, DOUBLE)?;
    }
    for lane in 0..shape.lanes {
        it.lane(lane)?;
    }
    it.a.code.mov(cursor, rax)?;
    it.a.code.mov(next, rdx)?;
    it.restore()?;
    it.a.code.ret()?;
    let mut fails = fails;
    it.a.code.set_label(&mut fails)?;
    it.restore()?;
    a.set(member!(reason), Reason::Record as u64)?;
    let dispatch = a.of_state(member!(dispatch));
    a.code.jmp(dispatch)
}

const KEPT: [AsmRegister64; 6] = [rax, rcx, rdx, rsi, rdi, r8];

impl Writer<'_> {
    fn record(&self, offset: usize) -> AsmMemoryOperand {
        self.a.of_state(of_record(offset))
    }

    fn kept(&self, k: usize) -> AsmMemoryOperand {
        self.record(offset_of!(Record, kept) + 8 * k)
    }

    fn half(&self, offset: usize) -> AsmMemoryOperand {
        dword_ptr(self.a.state() + of_record(offset) as i32).fs()
    }

    fn save(&mut self) -> Result<(), IcedError> {
        for (k, register) in KEPT.into_iter().enumerate() {
            let place = self.kept(k);
            self.a.code.mov(place, register)?;
        }
        self.a.code.lahf()?;
        self.a.code.seto(al)?;
        let flags = self.kept(6);
        self.a.code.mov(flags, rax)?;
        Ok(())
    }

    fn restore(&mut self) -> Result<(), IcedError> {
        let flags = self.kept(6);
        self.a.code.mov(rax, flags)?;
        self.a.code.add(al, 0x7f)?;
        self.a.code.sahf()?;
        for (k, register) in KEPT.into_iter().enumerate() {
            let place = self.kept(k);
            self.a.code.mov(register, place)?;
        }
        Ok(())
    }

    fn lane(&mut self, lane: usize) -> Result<(), IcedError> {
        let mut done = self.a.code.create_label();
        match self.shape.kind {
            Kind::Sum | Kind::Difference => self.sum(lane, done)?,
            Kind::Two => self.two(lane, done)?,
            Kind::One => self.one(lane)?,
            Kind::FusedPlus | Kind::FusedMinus => self.fused(lane, done)?,
            Kind::Widened | Kind::Narrowed => self.converted(lane)?,
            Kind::And | Kind::AndNot | Kind::Or | Kind::Xor => self.bits(lane, done)?,
        }
        self.a.code.set_label(&mut done)?;
        self.a.code.nop()
    }

    fn size(&self) -> usize {
        if self.shape.is_double { 8 } else { 4 }
    }

    /// An operand's shadow to a register.
    fn load(&mut self, to: AsmRegister64, operand: usize, lane: usize) -> Result<(), IcedError> {
        let at = OPERANDS + VECTOR * operand + self.size() * lane;
        if self.shape.is_double {
            let place = self.record(at);
            self.a.code.mov(to, place)
        } else {
            let place = self.half(at);
            self.a.code.mov(low(to), place)
        }
    }

    /// The shadow becomes the index; nothing to do for floats.
    fn strip(&mut self, register: AsmRegister64) -> Result<(), IcedError> {
        if self.shape.is_double { self.a.code.xor(register, rdi) } else { Ok(()) }
    }

    /// What is no index is left to Rust code.
    fn check(&mut self, register: AsmRegister64) -> Result<(), IcedError> {
        self.a.code.cmp(register, END as i32)?;
        self.a.code.jae(self.fails)
    }

    /// A partial goes where the entry at the cursor begins, so many bytes further. It uses R8.
    fn partial(&mut self, operand: usize, lane: usize, at: i32) -> Result<(), IcedError> {
        let from = PARTIALS + VECTOR * operand + self.size() * lane;
        if self.shape.is_double {
            let place = self.record(from);
            self.a.code.mov(r8, place)?;
            self.a.code.mov(qword_ptr(rax + at), r8)
        } else {
            let place = self.half(from);
            self.a.code.mov(r8d, place)?;
            self.widen()?;
            self.a.code.mov(qword_ptr(rax + at), r8)
        }
    }

    /// The float in R8 becomes a double. Not by the vector unit, where the program may have upper parts of registers. Rust code does what is neither zero nor
    /// normal. It uses RDI.
    fn widen(&mut self) -> Result<(), IcedError> {
        let mut zero = self.a.code.create_label();
        let bias = self.record(offset_of!(Record, bias));
        self.a.code.mov(edi, r8d)?;
        self.a.code.shl(rdi, 32)?;
        self.a.code.and(r8d, 0x7fff_ffff)?;
        self.a.code.jz(zero)?;
        // Exponents from 1 to 254.
        self.a.code.cmp(r8d, 0x7f80_0000)?;
        self.a.code.jae(self.fails)?;
        self.a.code.cmp(r8d, 0x0080_0000)?;
        self.a.code.jb(self.fails)?;
        self.a.code.shl(r8, 29)?;
        self.a.code.add(r8, bias)?;
        self.a.code.set_label(&mut zero)?;
        // The sign.
        self.a.code.shr(rdi, 63)?;
        self.a.code.shl(rdi, 63)?;
        self.a.code.or(r8, rdi)
    }

    /// The word of an entry: two halves.
    fn head(&mut self, at: i32, first: AsmRegister64, second: Option<AsmRegister64>) -> Result<(), IcedError> {
        self.a.code.mov(dword_ptr(rax + at), low(first))?;
        match second {
            Some(second) => self.a.code.mov(dword_ptr(rax + at + 4), low(second))?,
            None => self.a.code.mov(dword_ptr(rax + at + 4), 0)?,
        }
        self.a.code.lea(rax, qword_ptr(rax + at + 8))
    }

    /// The result of a lane is a new entry's.
    fn is_new(&mut self, lane: usize) -> Result<(), IcedError> {
        self.result_is(lane, rdx)?;
        self.a.code.inc(edx)
    }

    /// The result of a lane has an index. It uses R8.
    fn result_is(&mut self, lane: usize, index: AsmRegister64) -> Result<(), IcedError> {
        if self.shape.is_double {
            let place = self.record(RESULTS + 8 * lane);
            self.a.code.lea(r8, qword_ptr(index + rdi))?;
            self.a.code.mov(place, r8)
        } else {
            let place = self.half(RESULTS + 4 * lane);
            self.a.code.mov(place, low(index))
        }
    }

    fn result_is_passive(&mut self, lane: usize) -> Result<(), IcedError> {
        if self.shape.is_double {
            let place = self.record(RESULTS + 8 * lane);
            self.a.code.mov(place, 0)
        } else {
            let place = self.half(RESULTS + 4 * lane);
            self.a.code.mov(place, 0)
        }
    }

    /// A value that may make a sum round is left to Rust code. It uses R8.
    fn may_round(&mut self, operand: usize, lane: usize) -> Result<(), IcedError> {
        let mut does_not = self.a.code.create_label();
        let at = PARTIALS + VECTOR * operand + self.size() * lane;
        let least = if self.shape.is_double {
            let (lower, upper) = (self.half(at), self.half(at + 4));
            self.a.code.cmp(lower, 0)?;
            self.a.code.jne(does_not)?;
            self.a.code.mov(r8d, upper)?;
            LEAST_DOUBLE
        } else {
            let whole = self.half(at);
            self.a.code.mov(r8d, whole)?;
            self.a.code.test(r8d, 0x3f_ffff)?;
            self.a.code.jne(does_not)?;
            LEAST_FLOAT
        };
        self.a.code.and(r8d, 0x7fff_ffff)?;
        self.a.code.cmp(r8d, least)?;
        self.a.code.jae(self.fails)?;
        self.a.code.set_label(&mut does_not)?;
        self.a.code.nop()
    }

    fn minus(&mut self, register: AsmRegister64) -> Result<(), IcedError> {
        self.a.code.or(low(register), MINUS as i32)
    }

    fn explicit(&mut self, register: AsmRegister64) -> Result<(), IcedError> {
        self.a.code.or(low(register), EXPLICIT as i32)
    }

    fn sum(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let (mut no_first, mut no_second, mut none) = (self.a.code.create_label(), self.a.code.create_label(), self.a.code.create_label());
        let subtracts = self.shape.kind == Kind::Difference;
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_second)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        if subtracts {
            self.minus(rsi)?;
        }
        self.head(0, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_second)?;
        self.may_round(1, lane)?;
        self.result_is(lane, rcx)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_first)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(none)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.may_round(0, lane)?;
        if subtracts {
            self.minus(rsi)?;
            self.head(0, rsi, None)?;
            self.is_new(lane)?;
        } else {
            self.result_is(lane, rsi)?;
        }
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut none)?;
        self.result_is_passive(lane)
    }

    fn two(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let (mut no_first, mut no_second, mut none) = (self.a.code.create_label(), self.a.code.create_label(), self.a.code.create_label());
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        self.explicit(rcx)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_second)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.partial(0, lane, 8)?;
        self.head(16, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_second)?;
        self.partial(0, lane, 0)?;
        self.head(8, rcx, None)?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_first)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(none)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.head(8, rsi, None)?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut none)?;
        self.result_is_passive(lane)
    }

    fn one(&mut self, lane: usize) -> Result<(), IcedError> {
        let (mut active, mut over) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(rsi, 1, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jnz(active)?;
        self.result_is_passive(lane)?;
        self.a.code.jmp(over)?;
        self.a.code.set_label(&mut active)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.head(8, rsi, None)?;
        self.is_new(lane)?;
        self.a.code.set_label(&mut over)?;
        self.a.code.nop()
    }

    /// The product as in `two`, but an entry of its own only if both factors and the third operand are active.
    fn fused(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let mut labels = [(); 6].map(|()| self.a.code.create_label());
        let [third, no_first, no_third, no_factor, one_factor, only_product] = labels;
        let subtracts = self.shape.kind == Kind::FusedMinus;
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        self.explicit(rcx)?;
        self.a.code.test(rsi, rsi)?;
        // One factor: its partial is written already.
        let mut first_only = self.a.code.create_label();
        self.a.code.jz(first_only)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.partial(0, lane, 8)?;
        self.head(16, rcx, Some(rsi))?;
        // The product's index, for now.
        self.a.code.mov(rcx, rdx)?;
        self.a.code.inc(edx)?;
        self.load(rsi, 2, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(only_product)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        if subtracts {
            self.minus(rsi)?;
        }
        self.head(0, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut labels[5])?;
        self.may_round(2, lane)?;
        self.result_is(lane, rcx)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut first_only)?;
        self.partial(0, lane, 0)?;
        self.a.code.jmp(one_factor)?;

        self.a.code.set_label(&mut labels[1])?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_factor)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.a.code.mov(rcx, rsi)?;
        self.partial(1, lane, 0)?;

        self.a.code.set_label(&mut labels[4])?;
        self.load(rsi, 2, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_third)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        if subtracts {
            self.minus(rsi)?;
        }
        self.head(8, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut labels[2])?;
        self.may_round(2, lane)?;
        self.head(8, rcx, None)?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        // A product without index may be what makes the sum round: it is rare that one is as large, and its value is not at hand.
        self.a.code.set_label(&mut labels[3])?;
        self.load(rsi, 2, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jnz(third)?;
        self.result_is_passive(lane)?;
        self.a.code.jmp(done)?;
        self.a.code.set_label(&mut labels[0])?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.large_product(lane)?;
        if subtracts {
            self.minus(rsi)?;
            self.head(0, rsi, None)?;
            self.is_new(lane)
        } else {
            self.result_is(lane, rsi)
        }
    }

    /// A product that may make a sum round is left to Rust code: partials are the factors. It uses RCX and R8.
    fn large_product(&mut self, lane: usize) -> Result<(), IcedError> {
        let (digits, bias, least) = if self.shape.is_double { (20, 1023, 40) } else { (23, 127, 23) };
        for (operand, to) in [(0, rcx), (1, r8)] {
            let top = PARTIALS + VECTOR * operand + self.size() * lane + self.size() - 4;
            let place = self.half(top);
            self.a.code.mov(low(to), place)?;
            self.a.code.and(low(to), 0x7fff_ffff)?;
            self.a.code.shr(low(to), digits)?;
        }
        self.a.code.add(ecx, r8d)?;
        self.a.code.cmp(ecx, 2 * bias + least - 1)?;
        self.a.code.jae(self.fails)
    }

    fn converted(&mut self, lane: usize) -> Result<(), IcedError> {
        let (mut passive, mut over) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(rcx, 0, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(passive)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        if self.shape.kind == Kind::Widened {
            self.a.code.add(rcx, rdi)?;
        }
        self.a.code.set_label(&mut passive)?;
        if self.shape.kind == Kind::Widened {
            let place = self.record(RESULTS + 8 * lane);
            self.a.code.mov(place, rcx)?;
        } else {
            let place = self.half(RESULTS + 4 * lane);
            self.a.code.mov(place, ecx)?;
        }
        self.a.code.set_label(&mut over)?;
        self.a.code.nop()
    }
}

/// What an operation on bits makes of the active operand, by the other one's bits.
#[derive(Clone, Copy)]
enum Made {
    /// Itself.
    Same,
    /// Nothing of it.
    Nothing,
    /// It with the other sign.
    Negated,
    /// Its magnitude.
    Magnitude,
}

impl Writer<'_> {
    /// The known cases: one operand is active, and the other one selects it, or changes its sign. All else is left to Rust code.
    fn bits(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let (mut no_first, mut none) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jnz(self.fails)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        if self.shape.kind == Kind::AndNot {
            self.a.code.jmp(self.fails)?;
        } else {
            self.made(lane, (0, rcx), 1, done)?;
        }
        self.a.code.set_label(&mut no_first)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(none)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.made(lane, (1, rsi), 0, done)?;
        self.a.code.set_label(&mut none)?;
        self.result_is_passive(lane)
    }

    /// Of the active operand, with its index, and the other one. It uses RCX or RSI, whichever is free, and R8.
    fn made(&mut self, lane: usize, (active, index): (usize, AsmRegister64), other: usize, done: CodeLabel) -> Result<(), IcedError> {
        let (ones, sign) = if self.shape.is_double { (u64::MAX, 1 << 63) } else { (u64::from(u32::MAX), 1 << 31) };
        let cases = match self.shape.kind {
            Kind::And => vec![(ones, Made::Same), (0, Made::Nothing), (ones ^ sign, Made::Magnitude)],
            Kind::AndNot => vec![(0, Made::Same), (ones, Made::Nothing), (sign, Made::Magnitude)],
            Kind::Or => vec![(0, Made::Same)],
            _ => vec![(0, Made::Same), (sign, Made::Negated)],
        };
        let free = if index == rcx { rsi } else { rcx };
        let from = |operand: usize| PARTIALS + VECTOR * operand + self.size() * lane;
        let (other, active) = (from(other), from(active));
        let mut labels = Vec::new();
        if self.shape.is_double {
            let place = self.record(other);
            self.a.code.mov(r8, place)?;
        } else {
            let place = self.half(other);
            self.a.code.mov(r8d, place)?;
        }
        for (bits, made) in cases {
            let label = self.a.code.create_label();
            self.a.code.mov(free, bits)?;
            self.a.code.cmp(r8, free)?;
            self.a.code.je(label)?;
            labels.push((label, made));
        }
        self.a.code.jmp(self.fails)?;
        for (mut label, made) in labels {
            self.a.code.set_label(&mut label)?;
            match made {
                Made::Same => self.result_is(lane, index)?,
                Made::Nothing => self.result_is_passive(lane)?,
                Made::Negated => {
                    self.minus(index)?;
                    self.head(0, index, None)?;
                    self.is_new(lane)?;
                }
                Made::Magnitude => {
                    let mut positive = self.a.code.create_label();
                    let top = self.half(active + self.size() - 4);
                    self.a.code.cmp(top, 0)?;
                    self.a.code.jge(positive)?;
                    self.minus(index)?;
                    self.head(0, index, None)?;
                    self.is_new(lane)?;
                    self.a.code.jmp(done)?;
                    self.a.code.set_label(&mut positive)?;
                    self.result_is(lane, index)?;
                }
            }
            self.a.code.jmp(done)?;
        }
        Ok(())
    }
}

/// The lower half of a register.
fn low(register: AsmRegister64) -> AsmRegister32 {
    match register {
        r if r == rax => eax,
        r if r == rcx => ecx,
        r if r == rdx => edx,
        r if r == rsi => esi,
        r if r == rdi => edi,
        _ => r8d,
    }
}

const _: () = assert!(MOST_OF_LANE >= 32, "a fused operation: two entries");
const _: () = assert!(offset_of!(State, record) % 64 == 0);
