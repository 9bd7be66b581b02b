//! The code of a statement for some active leaves: tests that they are, accumulates partials from
//! the result down, and appends the entry.
//!
//! It is entered with RCX kept and all bits of the leaves' shadows in it, which are not all zero,
//! and may use the borrowed vector registers and flags.

mod entry;
mod partials;

use std::mem::offset_of;

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register, code_asm::*};

use super::{Id, LeafPlace, RAX, RDX, Statement, What, ask, saved, value_at};
use crate::{
    machine::state::{ADJOINTS, Record},
    memory::indices::{DOUBLE, END},
    translate::{
        assembler::{Assembler, member},
        emit::{
            family::{self, Family},
            record::stubs::of_record,
            scratch::of_state,
            vex,
        },
    },
};

/// Which leaves a variant is for: all that are active, by their place among the statement's leaves;
/// or whichever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Active {
    /// These, and no others.
    These(u64),
    /// Any.
    Any,
}

/// Exponents of doubles that may make a sum round, at least: `stubs` has the same.
const LEAST: i32 = (1023 + 40) << 20;

/// Where a partial is, and whether it has the other sign there.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Partial {
    at: At,
    is_negative: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum At {
    /// It is one.
    One,
    /// A value.
    Value(LeafPlace),
    /// Computed.
    Adjoint(usize),
}

/// Writes a variant. `next` is the link to what is tried if other leaves are active.
pub fn write(
    a: &mut Assembler,
    it: &Statement,
    active: Active,
    (id, next): (usize, Option<u64>),
) -> Result<(), IcedError> {
    let (other, fails) = (a.code.create_label(), a.code.create_label());
    let bits = match active {
        Active::These(bits) => it
            .leaves
            .iter()
            .enumerate()
            .filter(|(k, _)| bits >> k & 1 == 1)
            .fold(0, |bits, (_, id)| bits | 1 << id),
        Active::Any => it.leaves.iter().fold(0, |bits, id| bits | 1 << id),
    };
    let reached = it.reached_from(bits);
    let f = family::scalar(it.is_vex, true);
    let mut w = Writer {
        a,
        it,
        f,
        is_any: active == Active::Any,
        reached,
        adjoints: 0,
        other,
        fails,
        partials: vec![None; it.nodes.len()],
        values: vec![None; it.nodes.len()],
    };
    w.all()?;
    let (mut other, mut fails) = (other, fails);
    a.code.set_label(&mut other)?;
    give_back(a)?;
    match next {
        Some(slot) => a.code.add_instruction(Instruction::with1(
            Code::Jmp_rm64,
            MemoryOperand::with_base_displ(Register::RIP, slot as i64),
        )?)?,
        None => ask(a, it.scratch, id, 0)?,
    }
    a.code.set_label(&mut fails)?;
    give_back(a)?;
    ask(a, it.scratch, id, 0)?;
    if it.is_vex { vex::encode(a) } else { Ok(()) }
}

/// Writes what the link of a variant leads to at first.
pub fn write_ask(a: &mut Assembler, it: &Statement, id: usize, link: u64) -> Result<(), IcedError> {
    ask(a, it.scratch, id, link)?;
    if it.is_vex { vex::encode(a) } else { Ok(()) }
}

fn give_back(a: &mut Assembler) -> Result<(), IcedError> {
    let (rax_saved, rdx_saved) = (saved(a, RAX), saved(a, RDX));
    a.code.mov(rax, rax_saved)?;
    a.code.mov(rdx, rdx_saved)
}

struct Writer<'w> {
    a: &'w mut Assembler,
    it: &'w Statement,
    f: &'static Family,
    is_any: bool,
    /// Nodes that are active, or may be.
    reached: u64,
    adjoints: usize,
    other: CodeLabel,
    fails: CodeLabel,
    partials: Vec<Option<Partial>>,
    /// Values that were computed once more.
    values: Vec<Option<LeafPlace>>,
}

impl Writer<'_> {
    fn all(&mut self) -> Result<(), IcedError> {
        let (rax_saved, rdx_saved) = (saved(self.a, RAX), saved(self.a, RDX));
        self.a.code.mov(rax_saved, rax)?;
        self.a.code.mov(rdx_saved, rdx)?;
        if self.is_any {
            self.any_indices()?
        } else {
            self.same_leaves()?
        }
        self.sums_that_round()?;
        self.partials[self.it.root] = Some(Partial { at: At::One, is_negative: false });
        for id in (0..=self.it.root).rev() {
            if self.is_active(id) && self.it.nodes[id].shadow.is_none() {
                self.operation(id)?;
            }
        }
        self.entry()?;
        give_back(self.a)?;
        self.a.code.jmp(self.it.back)
    }

    fn is_active(&self, id: Id) -> bool {
        self.reached >> id & 1 == 1
    }

    fn shadow(&self, leaf: Id) -> AsmMemoryOperand {
        self.a.of_state(self.it.shadow_at(leaf))
    }

    /// All that are to be active have an index, and no others. All bits are in RCX.
    fn same_leaves(&mut self) -> Result<(), IcedError> {
        let (active, passive): (Vec<Id>, Vec<Id>) =
            self.it.leaves.iter().partition(|&&id| self.is_active(id));
        for (k, id) in passive.iter().enumerate() {
            let place = self.shadow(*id);
            if k == 0 { self.a.code.mov(rax, place)? } else { self.a.code.or(rax, place)? }
        }
        if !passive.is_empty() {
            self.a.code.test(rax, rax)?;
            self.a.code.jnz(self.other)?;
        }
        for (k, id) in active.iter().enumerate() {
            let place = self.shadow(*id);
            if k == 0 { self.a.code.mov(rax, place)? } else { self.a.code.and(rax, place)? }
        }
        // Each has the bits of a double's shadow beside the index, and none has another.
        self.a.code.not(rax)?;
        self.a.code.mov(rdx, DOUBLE)?;
        self.a.code.test(rax, rdx)?;
        self.a.code.jnz(self.other)?;
        self.a.code.mov(rax, !(DOUBLE | u64::from(END - 1)))?;
        self.a.code.test(rcx, rax)?;
        self.a.code.jnz(self.other)
    }

    /// Each has an index, or is zero.
    fn any_indices(&mut self) -> Result<(), IcedError> {
        self.a.code.mov(rdx, DOUBLE)?;
        for &id in &self.it.leaves {
            let (place, mut next) = (self.shadow(id), self.a.code.create_label());
            self.a.code.mov(rax, place)?;
            self.a.code.test(rax, rax)?;
            self.a.code.jz(next)?;
            self.a.code.xor(rax, rdx)?;
            self.a.code.cmp(rax, END as i32)?;
            self.a.code.jae(self.other)?;
            self.a.code.set_label(&mut next)?;
            self.a.code.zero_bytes()?;
        }
        Ok(())
    }

    /// A number that is added to an active one, and may make the sum round, is left to Rust code.
    fn sums_that_round(&mut self) -> Result<(), IcedError> {
        let may_be_passive = |this: &Self, id: Id| this.is_any || !this.is_active(id);
        for id in (0..=self.it.root).filter(|&id| self.it.nodes[id].shadow.is_none()) {
            if !self.is_active(id) || !self.is_below_root(id) {
                continue;
            }
            match self.it.nodes[id].what {
                What::Sum { a, b, .. } => {
                    for operand in [a, b] {
                        if may_be_passive(self, operand) {
                            self.load_bits(operand)?;
                            self.test_large(true, LEAST)?;
                        }
                    }
                }
                What::Fused { factors: [a, b], addend, .. } => {
                    if may_be_passive(self, addend) {
                        self.load_bits(addend)?;
                        self.test_large(true, LEAST)?;
                    }
                    if may_be_passive(self, a) && may_be_passive(self, b) {
                        let s0 = self.it.scratch.xmm(0);
                        let (a, b) = (self.value(a)?, self.value(b)?);
                        self.load_place(s0, At::Value(a))?;
                        self.by(self.f.mul, s0, At::Value(b))?;
                        self.a.code.add_instruction(Instruction::with2(
                            Code::Movq_rm64_xmm,
                            Register::RAX,
                            s0,
                        )?)?;
                        self.test_large(false, LEAST - (2 << 20))?;
                    }
                }
                What::Given | What::Product(..) | What::Quotient(..) | What::Root(_) => {}
            }
        }
        Ok(())
    }

    /// Whether the result is computed of a node: others are in the list, too.
    fn is_below_root(&self, id: Id) -> bool {
        let mut bits = 1u64 << self.it.root;
        for k in (id..=self.it.root).rev().filter(|&k| self.it.nodes[k].shadow.is_none()) {
            if bits >> k & 1 == 1 {
                bits = self.it.nodes[k].what.operands().fold(bits, |bits, o| bits | 1 << o);
            }
        }
        bits >> id & 1 == 1
    }

    fn load_bits(&mut self, id: Id) -> Result<(), IcedError> {
        match self.value(id)? {
            LeafPlace::Buffer(k) => {
                let place = self.a.of_state(value_at(k));
                self.a.code.mov(rax, place)
            }
            LeafPlace::Register(r) => self.a.code.add_instruction(Instruction::with2(
                Code::Movq_rm64_xmm,
                Register::RAX,
                Register::XMM0 + r as u32,
            )?),
        }
    }

    /// The number in RAX has that exponent or more and, if so asked, few digits.
    fn test_large(&mut self, has_few_digits: bool, least: i32) -> Result<(), IcedError> {
        let mut small = self.a.code.create_label();
        if has_few_digits {
            self.a.code.test(eax, eax)?;
            self.a.code.jnz(small)?;
        }
        self.a.code.shr(rax, 32)?;
        self.a.code.and(eax, 0x7fff_ffff)?;
        self.a.code.cmp(eax, least)?;
        self.a.code.jae(self.fails)?;
        self.a.code.set_label(&mut small)?;
        self.a.code.zero_bytes()
    }

    fn new_adjoint(&mut self, from: Register) -> Result<usize, IcedError> {
        let k = self.adjoints;
        assert!(k < ADJOINTS, "statements are small enough");
        self.adjoints += 1;
        let at = of_state(self.a, adjoint_at(k));
        self.a.code.add_instruction(Instruction::with2(Code::Movsd_xmmm64_xmm, at, from)?)?;
        Ok(k)
    }

    /// What of the state holds a number that is in memory.
    fn memory(&self, at: At) -> Option<usize> {
        match at {
            At::One => Some(of_record(offset_of!(Record, one))),
            At::Value(LeafPlace::Buffer(k)) => Some(value_at(k)),
            At::Value(LeafPlace::Register(_)) => None,
            At::Adjoint(k) => Some(adjoint_at(k)),
        }
    }

    fn load_place(&mut self, to: Register, at: At) -> Result<(), IcedError> {
        let load = match (self.memory(at), at) {
            (Some(offset), _) => {
                Instruction::with2(Code::Movsd_xmm_xmmm64, to, of_state(self.a, offset))?
            }
            (None, At::Value(LeafPlace::Register(r))) => {
                Instruction::with2(Code::Movaps_xmm_xmmm128, to, Register::XMM0 + r as u32)?
            }
            (None, _) => unreachable!("only values are in registers"),
        };
        self.a.code.add_instruction(load)
    }

    /// to = to by a number.
    fn by(&mut self, code: Code, to: Register, at: At) -> Result<(), IcedError> {
        let it = match (self.memory(at), at) {
            (Some(offset), _) if self.f.is_vex => {
                Instruction::with3(code, to, to, of_state(self.a, offset))?
            }
            (Some(offset), _) => Instruction::with2(code, to, of_state(self.a, offset))?,
            (None, At::Value(LeafPlace::Register(r))) if self.f.is_vex => {
                Instruction::with3(code, to, to, Register::XMM0 + r as u32)?
            }
            (None, At::Value(LeafPlace::Register(r))) => {
                Instruction::with2(code, to, Register::XMM0 + r as u32)?
            }
            (None, _) => unreachable!("only values are in registers"),
        };
        self.a.code.add_instruction(it)
    }
}

fn adjoint_at(k: usize) -> usize {
    of_record(offset_of!(Record, adjoints)) + 8 * k
}

const _: () = assert!(offset_of!(Record, adjoints) > offset_of!(Record, values));
const _: () =
    assert!(std::mem::size_of::<crate::machine::state::State>() <= 8192 && member!(record) > 0);
