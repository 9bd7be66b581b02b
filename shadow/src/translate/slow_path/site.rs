//! What the slow path knows of one place of the program where translated code asks it: made when
//! the code is translated, so that nobody decodes or locks.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, UsedMemory,
    UsedRegister,
};

use super::{masked, parts, places, saved, unit, uses};
use crate::{
    machine::word,
    process::modules,
    rules::{
        self, Element, Rule,
        power::{Cuts, FORMATS},
    },
    translate::emit::equality,
};

/// A place of the program.
pub struct Site {
    /// The instruction there.
    pub instruction: Instruction,
    /// Where the translation goes on behind shadows.
    resume: AtomicU64,
    details: OnceLock<Details>,
    behind: OnceLock<Vec<Instruction>>,
    used_as: OnceLock<Option<Element>>,
    /// See [`Cuts`].
    cuts: [AtomicU64; FORMATS],
}

/// What is looked up once, when a site is met first.
pub struct Details {
    /// The instruction's rule.
    pub rule: Rule,
    /// Who does its shadows.
    pub by: By,
    /// What else it asks for.
    pub asks: Asks,
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
    /// `saved`.
    Saved,
    /// [`super::equality`].
    Equality,
    /// `unit`.
    Unit,
    /// `places`.
    Places,
    /// An atomic comparison and exchange, whose shadows code does: if it may.
    Atomic,
    /// [`parts`].
    Parts,
    /// By its rule, and what it touches is asked of its mask: `masked`.
    Masked,
    /// By its rule.
    Rule,
}

/// Whether an instruction asks for equality, beside what it does to shadows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// [`super::equality::bits`].
    Bits,
    /// [`super::equality::look_at_lanes`].
    Lanes,
    /// No, or for the flags alone.
    Nothing,
}

impl Site {
    /// For good: translated code has its address.
    pub fn leak(instruction: &Instruction) -> &'static Site {
        Box::leak(Box::new(Site {
            instruction: *instruction,
            resume: AtomicU64::new(0),
            details: OnceLock::new(),
            behind: OnceLock::new(),
            used_as: OnceLock::new(),
            cuts: Default::default(),
        }))
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

    /// The code behind the instruction, as far as it tells what the instruction is for: what lies
    /// there, whoever jumps where.
    pub fn behind(&self) -> &[Instruction] {
        const MOST: usize = 64;
        const MOST_BYTES: u64 = 15;
        self.behind.get_or_init(|| {
            let next = self.instruction.next_ip();
            let end = modules::code_around(&modules::loaded(), next).map_or(next, |code| code.end);
            // SAFETY: code of a loaded segment.
            let bytes = unsafe {
                std::slice::from_raw_parts(
                    next as *const u8,
                    (end - next).min(MOST_BYTES * MOST as u64) as usize,
                )
            };
            let all = Decoder::with_ip(word::BITS, bytes, next, DecoderOptions::NONE).into_iter();
            all.take(MOST).take_while(|i| !i.is_invalid()).collect()
        })
    }

    /// Which numbers the instruction's result is taken for by the code behind it, where that is to
    /// be seen.
    pub fn used_as(&self) -> Option<Element> {
        *self.used_as.get_or_init(|| uses::used_as(&self.instruction, self.behind()))
    }

    /// What is known of the instruction.
    pub fn details(&self) -> &Details {
        self.details.get_or_init(|| {
            let i = &self.instruction;
            let rule = rules::rule(i.code());
            let by = match () {
                () if i.mnemonic() == Mnemonic::Vzeroall => By::Zero,
                () if saved::is_of(i) => By::Saved,
                () if equality::is_comparison(i.mnemonic()) => By::Equality,
                () if unit::is_of(i) => By::Unit,
                () if rule == Rule::CompareExchange && i.has_lock_prefix() => By::Atomic,
                () if places::is_of(i) => By::Places,
                () if parts::is_of(i) => By::Parts,
                () if masked::is_of(i) => By::Masked,
                () => By::Rule,
            };
            let asks = match () {
                () if equality::compares_bits(i) => Asks::Bits,
                () if equality::asks_lanes_for_equality(i) => Asks::Lanes,
                () => Asks::Nothing,
            };
            let mut factory = InstructionInfoFactory::new();
            let info = factory.info(i);
            Details {
                rule,
                by,
                asks,
                registers: info.used_registers().to_vec(),
                memory: info.used_memory().to_vec(),
            }
        })
    }
}
