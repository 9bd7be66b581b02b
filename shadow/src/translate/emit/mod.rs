//! Shadow code: beside each instruction, what it does to dots, or to the indices of a recording.
//!
//! **In:** an instruction of a block, the general registers that may be active there
//! ([`Mask`]), and the vector registers that the block does not
//! use ([`Scratch`]).
//!
//! **Out:** shadow code in the program's own stream, before the instruction or in place of it
//! ([`Done`]), and tests that lead out of line ([`Cold`]).
//!
//! - [`general`]: instructions on general registers and memory, which may carry reals from place to
//!   place; `integer`: what computes with them; `parts`: loads and stores of one or two bytes;
//!   `exchange`: conditional moves and exchanges.
//! - [`vector`]: SSE, AVX and AVX-512; [`bits`]: bitwise operations on vectors; [`fused`]: fused
//!   operations; `gather`: gathers and scatters; `conversion`: scalars to integers; [`family`]:
//!   arithmetic by encoding, element type and width.
//! - [`record`]: what of all that records.
//! - `aligned`: stores of reals that may not be aligned.
//! - [`above`]: what code of AVX makes zero, before loops; [`vex`]: shadow code in AVX's encoding.
//! - [`guard`], [`rounding`] and [`equality`]: tests, and where they lead out of line.
//!
//! **What must hold:** shadow code uses vector registers that the block does not use, no general
//! register and no flag that the program reads. Shadow registers lie in the thread's state, shadow
//! memory at the distance that the segment register holds. What has no inline code goes to the slow
//! path: Rust code computes its shadows, with all registers saved.

pub mod above;
mod aligned;
pub mod bits;
mod conversion;
pub mod equality;
mod exchange;
pub mod family;
pub mod fused;
mod gather;
pub mod general;
pub mod guard;
mod guarded_unit;
mod integer;
mod parts;
pub mod record;
pub mod rounding;
pub mod scratch;
pub mod vector;
pub mod vex;

use iced_x86::{
    CpuidFeature, EncodingKind, IcedError, Instruction, InstructionInfoFactory, Register,
    code_asm::CodeLabel,
};

use super::{Mode, assembler::Assembler, instruction::writes};
use crate::{
    machine::{general_mask::Mask, word},
    rules::{self, Rule},
};
pub use guard::Cold;
use record::statement::delay::{Delay, Snapshot};
pub use scratch::Scratch;

/// How an instruction is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// Its shadow code was written; the instruction itself comes next.
    Before,
    /// Both were written.
    Whole,
    /// No inline code is known: the slow path.
    SlowPath,
}

/// Where the instruction itself is, while its shadow code is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Own {
    /// It comes behind its shadow code.
    Follows,
    /// It was written: its result is none of its operands.
    Written,
    /// Its result is in this borrowed register. The slow path runs it itself.
    Computed(Register),
}

/// Writes shadow code for the instructions of one block.
pub struct Emitter<'a> {
    /// Where code goes.
    pub a: &'a mut Assembler,
    /// What shadows are.
    pub mode: Mode,
    /// Vector registers for shadow code.
    pub scratch: Scratch,
    /// General registers whose shadows may be other than zero, at this place.
    pub active: Mask,
    /// The block's instructions.
    pub block: &'a [Instruction],
    /// Whether code behind the present instruction may look at flags that it leaves as they are.
    pub flags_live: bool,
    /// Vector registers whose shadow is zero from the 33rd byte on, by number: so code of AVX left
    /// it before the present instruction.
    pub zero_above: u32,
    /// Likewise, by the present instruction.
    pub cleared_above: u32,
    /// Where tests of loads lead that found active data: to the same instruction, translated so
    /// that it carries shadows.
    pub tests: Vec<(CodeLabel, u64, Option<Snapshot>)>,
    /// Where stubs that record return to, and the address of the instruction that called them.
    pub sites: Vec<(CodeLabel, u64)>,
    /// What is delayed, in recordings.
    pub delayed: Option<Delay<'a>>,
    /// Where other tests lead: to code out of line.
    pub cold: Vec<Cold>,
    /// iced's knowledge of what instructions read and write.
    pub info: InstructionInfoFactory,
}

impl<'a> Emitter<'a> {
    /// At the start of a block that is entered with this knowledge.
    pub fn new(
        a: &'a mut Assembler,
        mode: Mode,
        scratch: Scratch,
        active: Mask,
        block: &'a [Instruction],
    ) -> Self {
        Self {
            a,
            mode,
            scratch,
            active,
            block,
            flags_live: true,
            zero_above: 0,
            cleared_above: 0,
            tests: Vec::new(),
            sites: Vec::new(),
            delayed: None,
            cold: Vec::new(),
            info: InstructionInfoFactory::new(),
        }
    }

    /// After the slow path: of general registers that the instruction writes nothing is known.
    pub fn forget_written(&mut self, i: &Instruction) {
        let written: Vec<Register> = self
            .info
            .info(i)
            .used_registers()
            .iter()
            .filter(|u| writes(u.access()))
            .map(|u| u.register())
            .collect();
        written
            .into_iter()
            .filter(|r| r.is_gpr() && r.full_register() != word::SP.full_register())
            .for_each(|r| self.active.set(r, true));
    }

    /// Shadow code of an instruction that is no jump, call or return, and perhaps the instruction
    /// itself.
    pub fn instruction(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        self.zero_above |= std::mem::take(&mut self.cleared_above);
        let done = self.of_kind(i)?;
        // What writes more, or in a way that is not known here.
        if done == Done::SlowPath {
            (self.zero_above, self.cleared_above) = (0, 0);
        } else if i.encoding() == EncodingKind::EVEX {
            self.zero_above &= !number_bit(i.op0_register());
            self.cleared_above = 0;
        }
        Ok(done)
    }

    fn of_kind(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        if let Some(done) = self.delay(i)? {
            return Ok(done);
        }
        let is_old = i.cpuid_features().iter().any(|f| {
            matches!(
                f,
                CpuidFeature::FPU | CpuidFeature::FPU287 | CpuidFeature::FPU387 | CpuidFeature::MMX
            )
        });
        let asks = equality::asks_lanes_for_equality(i)
            || equality::compares_packed_bits(i.mnemonic()) && equality::compares_bits(i);
        let done = if asks || is_old || (0..i.op_count()).any(|k| i.op_register(k).is_mm()) {
            Done::SlowPath
        } else if (0..i.op_count()).any(|k| is_vector(i.op_register(k)))
            || rules::rule(i.code()) == Rule::ToInteger
        {
            // Code that computes with vectors is written for x86-64; on i386 there is the guard.
            if !word::IS_64 {
                Done::SlowPath
            } else if self.mode == Mode::Recording {
                self.record(i)?
            } else {
                self.vector(i)?
            }
        } else {
            self.general(i)?
        };
        if done == Done::SlowPath { self.guarded(i) } else { Ok(done) }
    }
}

/// A vector register's bit; none of another register's.
fn number_bit(register: Register) -> u32 {
    if is_vector(register) { 1 << register.number() } else { 0 }
}

/// Whether a register is one of SSE, AVX or AVX-512.
pub fn is_vector(register: Register) -> bool {
    register.is_vector_register()
}
