//! The entry of a statement: a word and partials for one or two operands, a group for more.

use std::mem::offset_of;

use iced_x86::{Code, IcedError, Instruction, Register, code_asm::*};

use super::{At, Partial, Writer};
use crate::{
    machine::state::Record,
    memory::indices::{DOUBLE, END},
    recording::entry::{self, EXPLICIT, MINUS},
    translate::emit::record::{
        statement::{Id, LeafPlace, leaf_at},
        stubs::of_record,
    },
};

impl Writer<'_> {
    /// Appends the entry; the result's shadow is its index.
    pub(super) fn entry(&mut self) -> Result<(), IcedError> {
        let of = |this: &Self, id: Id| this.partials[id].expect("active leaves have partials");
        let active: Vec<(Id, Partial)> = self
            .it
            .leaves
            .iter()
            .filter(|&&id| self.is_active(id))
            .map(|&id| (id, of(self, id)))
            .collect();
        let place = self.a.of_state(leaf_at(self.it.result));
        if let [(id, Partial { at: At::One, is_negative: false })] = active[..] {
            // The same number.
            let shadow = self.shadow(id);
            self.a.code.mov(rcx, shadow)?;
            return self.a.code.mov(place, rcx);
        }
        for (register, at, most) in [
            (rax, offset_of!(Record, cursor), offset_of!(Record, limit)),
            (rdx, offset_of!(Record, next), offset_of!(Record, last)),
        ] {
            let (at, most) = (self.a.of_state(of_record(at)), self.a.of_state(of_record(most)));
            self.a.code.mov(register, at)?;
            self.a.code.cmp(register, most)?;
            self.a.code.ja(self.fails)?;
        }
        let is_unit = |p: &Partial| p.at == At::One;
        let (units, explicit): (Vec<_>, Vec<_>) = active.into_iter().partition(|(_, p)| is_unit(p));
        let (minus, plus): (Vec<_>, Vec<_>) = units.into_iter().partition(|(_, p)| p.is_negative);
        let bytes = if !self.is_any && explicit.len() + plus.len() + minus.len() <= 2 {
            self.pair(&explicit, &plus, &minus)?
        } else {
            self.group(&explicit, &plus, &minus)?
        };
        self.finite(&explicit)?;
        let (cursor, next) = (
            self.a.of_state(of_record(offset_of!(Record, cursor))),
            self.a.of_state(of_record(offset_of!(Record, next))),
        );
        self.a.code.add(rax, bytes)?;
        self.a.code.mov(cursor, rax)?;
        self.a.code.mov(rcx, DOUBLE)?;
        self.a.code.or(rcx, rdx)?;
        self.a.code.mov(place, rcx)?;
        self.a.code.inc(rdx)?;
        self.a.code.mov(next, rdx)
    }

    /// Partials go so many bytes behind the cursor.
    pub(super) fn explicit(&mut self, all: &[(Id, Partial)]) -> Result<(), IcedError> {
        for (k, (_, p)) in all.iter().enumerate() {
            match self.memory(p.at) {
                Some(offset) => {
                    let from = self.a.of_state(offset);
                    self.a.code.mov(rcx, from)?;
                }
                None => {
                    let At::Value(LeafPlace::Register(r)) = p.at else {
                        unreachable!("only values are in registers")
                    };
                    self.a.code.add_instruction(Instruction::with2(
                        Code::Movq_rm64_xmm,
                        Register::RCX,
                        Register::XMM0 + r as u32,
                    )?)?;
                }
            }
            if p.is_negative {
                self.a.code.btc(rcx, 63)?;
            }
            self.a.code.mov(qword_ptr(rax + 8 * k), rcx)?;
        }
        Ok(())
    }

    /// An entry of one or two operands, in a word. They are active: an index of zero is for groups.
    pub(super) fn pair(
        &mut self,
        explicit: &[(Id, Partial)],
        plus: &[(Id, Partial)],
        minus: &[(Id, Partial)],
    ) -> Result<i32, IcedError> {
        self.explicit(explicit)?;
        let at = 8 * explicit.len();
        // The lower half's partial comes last.
        let marked = |all: &[(Id, Partial)], mark: u32| {
            all.iter().rev().map(|(id, _)| (*id, mark)).collect::<Vec<_>>()
        };
        let halves = [marked(explicit, EXPLICIT), marked(plus, 0), marked(minus, MINUS)].concat();
        for (k, (id, mark)) in halves.iter().enumerate() {
            self.index(*id)?;
            self.a.code.and(ecx, (END - 1) as i32)?;
            if *mark != 0 {
                self.a.code.or(ecx, *mark as i32)?;
            }
            self.a.code.mov(dword_ptr(rax + at + 4 * k), ecx)?;
        }
        if halves.len() == 1 {
            self.a.code.mov(dword_ptr(rax + at + 4), 0)?;
        }
        Ok(at as i32 + 8)
    }

    /// A leaf's index in ECX, with one bit of the shadow's beside it.
    pub(super) fn index(&mut self, leaf: Id) -> Result<(), IcedError> {
        let shadow = dword_ptr(self.a.state() + self.it.shadow_at(leaf) as i32).fs();
        self.a.code.mov(ecx, shadow)
    }

    /// An entry of more operands: the reverse sweep leaves out the bit beside an index.
    pub(super) fn group(
        &mut self,
        explicit: &[(Id, Partial)],
        plus: &[(Id, Partial)],
        minus: &[(Id, Partial)],
    ) -> Result<i32, IcedError> {
        self.explicit(explicit)?;
        let all: Vec<Id> = [explicit, plus, minus].concat().into_iter().map(|(id, _)| id).collect();
        let indices = 8 * explicit.len();
        for (k, id) in all.iter().enumerate() {
            self.index(*id)?;
            self.a.code.mov(dword_ptr(rax + indices + entry::place_in_group(k, all.len())), ecx)?;
        }
        let at = indices + 8 * (all.len() / 2);
        self.a.code.mov(
            dword_ptr(rax + at),
            entry::group(explicit.len(), plus.len(), minus.len()) as i32,
        )?;
        Ok(at as i32 + 8)
    }

    /// A partial that came out as infinite or no number, where another one's zero may belong, is
    /// left to Rust code.
    pub(super) fn finite(&mut self, explicit: &[(Id, Partial)]) -> Result<(), IcedError> {
        let s0 = self.it.scratch.xmm(0);
        let computed: Vec<At> =
            explicit.iter().map(|(_, p)| p.at).filter(|at| matches!(at, At::Adjoint(_))).collect();
        let Some((first, rest)) = computed.split_first() else { return Ok(()) };
        self.load_place(s0, *first)?;
        for at in rest {
            self.by(self.f.add, s0, *at)?;
        }
        self.a.code.add_instruction(Instruction::with2(Code::Movq_rm64_xmm, Register::RCX, s0)?)?;
        self.a.code.add(rcx, rcx)?;
        self.a.code.shr(rcx, 53)?;
        self.a.code.cmp(ecx, 0x7ff)?;
        self.a.code.je(self.fails)
    }
}
