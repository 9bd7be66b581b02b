//! What the slow way knows of one place of the program where translated code asks it: made when the code is translated, so that nobody decodes or locks.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, UsedMemory, UsedRegister};

use super::{masked, parts, places, saved, unit};
use crate::{
    emit::ties,
    rules::{
        self, Rule,
        power::{Cuts, FORMATS},
    },
};

/// A place of the program.
pub struct Site {
    /// The instruction there.
    pub instruction: Instruction,
    /// Where the translation goes on behind shadows.
    resume: AtomicU64,
    details: OnceLock<Details>,
    /// See [`Cuts`].
    cuts: [AtomicU64; FORMATS],
}

/// What is looked up once, when a site is met first.
pub struct Details {
    /// The instruction's rule.
    pub rule: Rule,
    /// Who does its shadows.
    pub by: By,
    /// Registers that it touches.
    pub registers: Vec<UsedRegister>,
    /// Memory that it touches.
    pub memory: Vec<UsedMemory>,
}

/// Who does an instruction's shadows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// All vector registers become inactive.
    Zero,
    /// [`saved`].
    Saved,
    /// [`super::ties`].
    Tie,
    /// [`unit`].
    Unit,
    /// [`places`].
    Places,
    /// An atomic comparison and exchange, whose shadows code does: if it may.
    Atomic,
    /// [`parts`].
    Parts,
    /// By its rule, and what it touches is asked of its mask: [`masked`].
    Masked,
    /// By its rule.
    Rule,
}

impl Site {
    /// For good: translated code has its address.
    pub fn leak(instruction: &Instruction) -> &'static Site {
        Box::leak(Box::new(Site { instruction: *instruction, resume: AtomicU64::new(0), details: OnceLock::new(), cuts: Default::default() }))
    }

    /// Says where the translation goes on.
    pub fn set_resume(&self, at: u64) {
        self.resume.store(at, Ordering::Release);
    }

    /// Where it goes on.
    pub fn resume(&self) -> u64 {
        self.resume.load(Ordering::Acquire)
    }

    /// Where the instruction cut numbers off.
    pub fn cuts(&self) -> Cuts {
        Cuts::from_bits(std::array::from_fn(|k| self.cuts[k].load(Ordering::Relaxed)))
    }

    /// Keeps that.
    pub fn keep_cuts(&self, cuts: &Cuts) {
        for (to, seen) in self.cuts.iter().zip(cuts.bits()).filter(|(_, seen)| *seen != 0) {
            to.fetch_or(seen, Ordering::Relaxed);
        }
    }

    /// What is known of the instruction.
    pub fn details(&self) -> &Details {
        self.details.get_or_init(|| {
            let i = &self.instruction;
            let rule = rules::rule(i.code());
            let by = match () {
                () if i.mnemonic() == Mnemonic::Vzeroall => By::Zero,
                () if saved::is_of(i) => By::Saved,
                () if ties::is_comparison(i.mnemonic()) => By::Tie,
                () if unit::is_of(i) => By::Unit,
                () if rule == Rule::CompareExchange && i.has_lock_prefix() => By::Atomic,
                () if places::is_of(i) => By::Places,
                () if parts::is_of(i) => By::Parts,
                () if masked::is_of(i) => By::Masked,
                () => By::Rule,
            };
            let mut factory = InstructionInfoFactory::new();
            let info = factory.info(i);
            Details { rule, by, registers: info.used_registers().to_vec(), memory: info.used_memory().to_vec() }
        })
    }
}
