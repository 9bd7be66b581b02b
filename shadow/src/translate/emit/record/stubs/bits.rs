//! Operations on the bits of numbers: what they select, and signs that they change.

use iced_x86::{IcedError, code_asm::*};

use super::{EntryKind, PARTIALS, VECTOR, Writer};

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
    /// The known cases: one operand is active, and the other one selects it, or changes its sign.
    /// All else is left to Rust code.
    pub(super) fn bits(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let (mut no_first, mut none) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jnz(self.fails)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        if self.shape.kind == EntryKind::AndNot {
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

    /// Of the active operand, with its index, and the other one. It uses RCX or RSI, whichever is
    /// free, and R8.
    pub(super) fn made(
        &mut self,
        lane: usize,
        (active, index): (usize, AsmRegister64),
        other: usize,
        done: CodeLabel,
    ) -> Result<(), IcedError> {
        let (ones, sign) =
            if self.shape.is_double { (u64::MAX, 1 << 63) } else { (u64::from(u32::MAX), 1 << 31) };
        let cases = match self.shape.kind {
            EntryKind::And => {
                vec![(ones, Made::Same), (0, Made::Nothing), (ones ^ sign, Made::Magnitude)]
            }
            EntryKind::AndNot => {
                vec![(0, Made::Same), (ones, Made::Nothing), (sign, Made::Magnitude)]
            }
            EntryKind::Or => vec![(0, Made::Same)],
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
