//! Partials, from the result down to the leaves, and values that were not kept.

use iced_x86::{Code, IcedError, Instruction, Register};

use super::{At, Partial, Writer, adjoint_at};
use crate::translate::emit::{
    record::statement::{Id, LeafPlace, What, value_at},
    scratch::of_state,
};

impl Writer<'_> {
    /// Where a node's value is; it is computed once more if it was not kept.
    pub(super) fn value(&mut self, id: Id) -> Result<LeafPlace, IcedError> {
        let node = self.it.nodes[id];
        if let Some(place) = node.value.or(self.values[id]) {
            return Ok(place);
        }
        let s0 = self.it.scratch.xmm(0);
        let f = self.f;
        match node.what {
            What::Sum { a, b, subtracts } => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.load_place(s0, At::Value(a))?;
                self.by(if subtracts { f.sub } else { f.add }, s0, At::Value(b))?;
            }
            What::Product(a, b) | What::Quotient(a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.load_place(s0, At::Value(a))?;
                let code = if matches!(node.what, What::Product(..)) { f.mul } else { f.div };
                self.by(code, s0, At::Value(b))?;
            }
            What::Root(a) => {
                let a = self.value(a)?;
                self.load_place(s0, At::Value(a))?;
                self.by(f.sqrt, s0, At::Value(a))?;
            }
            What::Fused { factors: [a, b], addend, negates, subtracts } => {
                let (a, b, c) = (self.value(a)?, self.value(b)?, self.value(addend)?);
                let s1 = self.it.scratch.xmm(1);
                self.load_place(s0, At::Value(c))?;
                self.load_place(s1, At::Value(a))?;
                let code = match (negates, subtracts) {
                    (false, false) => Code::VEX_Vfmadd231sd_xmm_xmm_xmmm64,
                    (false, true) => Code::VEX_Vfmsub231sd_xmm_xmm_xmmm64,
                    (true, false) => Code::VEX_Vfnmadd231sd_xmm_xmm_xmmm64,
                    (true, true) => Code::VEX_Vfnmsub231sd_xmm_xmm_xmmm64,
                };
                let fused = match (self.memory(At::Value(b)), b) {
                    (Some(offset), _) => {
                        Instruction::with3(code, s0, s1, of_state(self.a, offset))?
                    }
                    (None, LeafPlace::Register(r)) => {
                        Instruction::with3(code, s0, s1, Register::XMM0 + r as u32)?
                    }
                    (None, LeafPlace::Buffer(_)) => unreachable!("buffers are in memory"),
                };
                self.a.code.add_instruction(fused)?;
            }
            What::Given => unreachable!("values of what was given are kept"),
        }
        let place = self.new_adjoint(s0)?;
        // Adjoints lie behind values.
        let place = LeafPlace::Buffer((adjoint_at(place) - value_at(0)) / 8);
        self.values[id] = Some(place);
        Ok(place)
    }

    /// Hands the partial by an operation's result on to its operands.
    pub(super) fn operation(&mut self, id: Id) -> Result<(), IcedError> {
        // What the result is not computed of has none.
        let Some(own) = self.partials[id] else { return Ok(()) };
        let node = self.it.nodes[id];
        let negative = |p: Partial, is: bool| Partial { is_negative: p.is_negative != is, ..p };
        match node.what {
            What::Given => Ok(()),
            What::Sum { a, b, subtracts } => {
                self.contribute(a, own)?;
                self.contribute(b, negative(own, subtracts))
            }
            What::Product(a, b) => self.product(own, a, b),
            What::Fused { factors: [a, b], addend, negates, subtracts } => {
                self.contribute(addend, negative(own, subtracts))?;
                self.product(negative(own, negates), a, b)
            }
            What::Quotient(a, b) => {
                let (s0, s1) = (self.it.scratch.xmm(0), self.it.scratch.xmm(1));
                let [of_a, of_b] =
                    [a, b].map(|k| self.it.nodes[k].value.expect("values of factors are kept"));
                self.load_place(s0, own.at)?;
                self.by(self.f.div, s0, At::Value(of_b))?;
                let by_a = self.new_adjoint(s0)?;
                if self.is_active(b) {
                    self.load_place(s1, At::Value(of_a))?;
                    self.by(self.f.div, s1, At::Value(of_b))?;
                    self.by(self.f.div, s1, At::Value(of_b))?;
                    if own.at != At::One {
                        self.by(self.f.mul, s1, own.at)?;
                    }
                    let by_b = self.new_adjoint(s1)?;
                    self.contribute(
                        b,
                        Partial { at: At::Adjoint(by_b), is_negative: !own.is_negative },
                    )?;
                }
                self.contribute(a, Partial { at: At::Adjoint(by_a), is_negative: own.is_negative })
            }
            What::Root(a) => {
                let (s0, s1) = (self.it.scratch.xmm(0), self.it.scratch.xmm(1));
                let of_a = self.it.nodes[a].value.expect("values of factors are kept");
                self.load_place(s1, At::Value(of_a))?;
                self.by(self.f.sqrt, s1, At::Value(of_a))?;
                let twice = if self.f.is_vex {
                    Instruction::with3(self.f.add, s1, s1, s1)?
                } else {
                    Instruction::with2(self.f.add, s1, s1)?
                };
                self.a.code.add_instruction(twice)?;
                self.load_place(s0, own.at)?;
                let over = if self.f.is_vex {
                    Instruction::with3(self.f.div, s0, s0, s1)?
                } else {
                    Instruction::with2(self.f.div, s0, s1)?
                };
                self.a.code.add_instruction(over)?;
                let at = At::Adjoint(self.new_adjoint(s0)?);
                self.contribute(a, Partial { at, ..own })
            }
        }
    }

    pub(super) fn product(&mut self, own: Partial, a: Id, b: Id) -> Result<(), IcedError> {
        for (operand, factor) in [(a, b), (b, a)] {
            if !self.is_active(operand) {
                continue;
            }
            let factor =
                At::Value(self.it.nodes[factor].value.expect("values of factors are kept"));
            let at = if own.at == At::One {
                factor
            } else {
                let s0 = self.it.scratch.xmm(0);
                self.load_place(s0, own.at)?;
                self.by(self.f.mul, s0, factor)?;
                At::Adjoint(self.new_adjoint(s0)?)
            };
            self.contribute(operand, Partial { at, ..own })?;
        }
        Ok(())
    }

    pub(super) fn contribute(&mut self, to: Id, more: Partial) -> Result<(), IcedError> {
        if !self.is_active(to) {
            return Ok(());
        }
        let sum = match self.partials[to] {
            None => more,
            Some(p) => {
                let s0 = self.it.scratch.xmm(0);
                self.load_place(s0, p.at)?;
                self.by(
                    if p.is_negative == more.is_negative { self.f.add } else { self.f.sub },
                    s0,
                    more.at,
                )?;
                Partial { at: At::Adjoint(self.new_adjoint(s0)?), ..p }
            }
        };
        self.partials[to] = Some(sum);
        Ok(())
    }
}
