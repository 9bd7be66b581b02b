//! Code that appends entries to the recording, by the shape of an operation: called by what is
//! emitted for instructions, if an operand is active.
//!
//! It finds indices and partials lane by lane in the thread's [`Record`], leaves the results'
//! shadows there, and keeps all registers and flags. A sum with one active operand needs no entry:
//! its index is the operand's. What it cannot do (no room, no index, a shadow that is none, a sum
//! that may be made to round) it leaves to Rust code, which does the whole instruction and returns
//! to where this was called from.
//!
//! An entry is a word of two operands, behind the partials that are neither 1 nor -1: first that of
//! the upper half.

mod bits;
mod lanes;

use std::mem::offset_of;

use iced_x86::{IcedError, code_asm::*};

use crate::{
    machine::state::{Reason, Record, State, Vector},
    memory::indices::{DOUBLE, END},
    recording::entry::{EXPLICIT, MINUS, MOST_OF_LANE},
    translate::assembler::{Assembler, member},
};

/// What an operation's result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum EntryKind {
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

/// An operation, its element type (of operands), and for how many lanes: 1, 2, 4 or 8, of floats
/// also 16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The operation.
    pub kind: EntryKind,
    /// Whether operands are doubles.
    pub is_double: bool,
    /// Lanes.
    pub lanes: usize,
}

const KINDS: [EntryKind; 12] = [
    EntryKind::Sum,
    EntryKind::Difference,
    EntryKind::Two,
    EntryKind::One,
    EntryKind::FusedPlus,
    EntryKind::FusedMinus,
    EntryKind::Widened,
    EntryKind::Narrowed,
    EntryKind::And,
    EntryKind::AndNot,
    EntryKind::Or,
    EntryKind::Xor,
];

impl Shape {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Shape> {
        let of = |kind| {
            [1, 2, 4, 8, 16].into_iter().flat_map(move |lanes| {
                [true, false].map(|is_double| Shape { kind, is_double, lanes })
            })
        };
        KINDS.into_iter().flat_map(of).filter(|shape| shape.lanes < 16 || !shape.is_double)
    }

    /// Its place in the state's table.
    pub fn place(self) -> usize {
        9 * self.kind as usize + if self.is_double { 0 } else { 4 } + self.lanes.ilog2() as usize
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
/// Exponents of sums that may be made to round, at least; as `rules::real::is_rounding` has them.
/// Of doubles in the upper half.
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
    let (cursor, limit) =
        (it.record(offset_of!(Record, cursor)), it.record(offset_of!(Record, limit)));
    let (next, last) = (it.record(offset_of!(Record, next)), it.record(offset_of!(Record, last)));
    it.a.code.mov(rax, cursor)?;
    it.a.code.cmp(rax, limit)?;
    it.a.code.ja(fails)?;
    it.a.code.mov(rdx, next)?;
    it.a.code.cmp(rdx, last)?;
    it.a.code.ja(fails)?;
    if shape.is_double || shape.kind == EntryKind::Widened {
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

    fn saved(&self, k: usize) -> AsmMemoryOperand {
        self.record(offset_of!(Record, saved) + 8 * k)
    }

    fn half(&self, offset: usize) -> AsmMemoryOperand {
        dword_ptr(self.a.state() + of_record(offset) as i32).fs()
    }

    fn save(&mut self) -> Result<(), IcedError> {
        for (k, register) in KEPT.into_iter().enumerate() {
            let place = self.saved(k);
            self.a.code.mov(place, register)?;
        }
        self.a.code.lahf()?;
        self.a.code.seto(al)?;
        let flags = self.saved(6);
        self.a.code.mov(flags, rax)?;
        Ok(())
    }

    fn restore(&mut self) -> Result<(), IcedError> {
        let flags = self.saved(6);
        self.a.code.mov(rax, flags)?;
        self.a.code.add(al, 0x7f)?;
        self.a.code.sahf()?;
        for (k, register) in KEPT.into_iter().enumerate() {
            let place = self.saved(k);
            self.a.code.mov(register, place)?;
        }
        Ok(())
    }

    fn lane(&mut self, lane: usize) -> Result<(), IcedError> {
        let mut done = self.a.code.create_label();
        match self.shape.kind {
            EntryKind::Sum | EntryKind::Difference => self.sum(lane, done)?,
            EntryKind::Two => self.two(lane, done)?,
            EntryKind::One => self.one(lane)?,
            EntryKind::FusedPlus | EntryKind::FusedMinus => self.fused(lane, done)?,
            EntryKind::Widened | EntryKind::Narrowed => self.converted(lane)?,
            EntryKind::And | EntryKind::AndNot | EntryKind::Or | EntryKind::Xor => {
                self.bits(lane, done)?
            }
        }
        self.a.code.set_label(&mut done)?;
        self.a.code.zero_bytes()
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

    /// The float in R8 becomes a double. Not by the vector unit, where the program may have upper
    /// parts of registers. Rust code does what is neither zero nor normal. It uses RDI.
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
    fn head(
        &mut self,
        at: i32,
        first: AsmRegister64,
        second: Option<AsmRegister64>,
    ) -> Result<(), IcedError> {
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
        self.a.code.zero_bytes()
    }

    fn minus(&mut self, register: AsmRegister64) -> Result<(), IcedError> {
        self.a.code.or(low(register), MINUS as i32)
    }

    fn explicit(&mut self, register: AsmRegister64) -> Result<(), IcedError> {
        self.a.code.or(low(register), EXPLICIT as i32)
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
