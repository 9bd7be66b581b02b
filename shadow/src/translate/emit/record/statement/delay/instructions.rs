//! What goes beside instructions: nodes for loads, copies and operations, and what is settled for
//! all others.

use iced_x86::{Code, EncodingKind, IcedError, Instruction, OpKind, Register};

use super::{
    Above, InRegister, MOST_ADDED, MOST_LEAVES, MOST_NODES, MOST_OPERATIONS, MOST_SHARED,
    REGISTERS, slot,
};
use crate::{
    machine::state::{LEAVES, VALUES},
    translate::emit::{
        Done, Emitter,
        family::{self, Family, Operation},
        fused::Fused,
        record::statement::{Id, LeafPlace, What, leaf_at, value_at},
        scratch::{self, Width, of_state},
        vector::Operand,
    },
};

/// Whether a number is loaded to the lowest eight bytes of a register, and zeros above.
fn is_load(i: &Instruction) -> bool {
    matches!(
        i.code(),
        Code::Movsd_xmm_xmmm64
            | Code::Movq_xmm_xmmm64
            | Code::VEX_Vmovsd_xmm_m64
            | Code::VEX_Vmovq_xmm_xmmm64
    ) && i.op1_kind() == OpKind::Memory
}

fn is_store(i: &Instruction) -> bool {
    use Code::*;
    matches!(
        i.code(),
        Movsd_xmmm64_xmm
            | Movlpd_m64_xmm
            | Movlps_m64_xmm
            | Movq_xmmm64_xmm
            | VEX_Vmovsd_m64_xmm
            | VEX_Vmovlpd_m64_xmm
            | VEX_Vmovq_xmmm64_xmm
    ) && i.op0_kind() == OpKind::Memory
}

fn is_copy(i: &Instruction) -> bool {
    use Code::*;
    let all = [
        Movapd_xmm_xmmm128, Movaps_xmm_xmmm128, Movdqa_xmm_xmmm128, Movupd_xmm_xmmm128,
        Movups_xmm_xmmm128, VEX_Vmovapd_xmm_xmmm128, VEX_Vmovaps_xmm_xmmm128,
        VEX_Vmovdqa_xmm_xmmm128, VEX_Vmovupd_xmm_xmmm128, VEX_Vmovups_xmm_xmmm128,
    ];
    all.contains(&i.code()) && i.op1_kind() == OpKind::Register
}

impl Emitter<'_> {
    /// Delays what an instruction does to shadows, if it can; else all is settled that the
    /// instruction needs.
    pub fn delay(&mut self, i: &Instruction) -> Result<Option<Done>, IcedError> {
        let Some(d) = &self.delayed else { return Ok(None) };
        if d.nodes.len() + 4 > MOST_NODES
            || d.leaves + MOST_ADDED + REGISTERS > LEAVES
            || d.values + MOST_ADDED > VALUES
        {
            self.settle_all()?;
            self.forget_nodes();
        }
        let is_plain = i.segment_prefix() == Register::None && i.encoding() != EncodingKind::EVEX;
        if is_plain && self.delay_plain(i)? {
            return Ok(Some(Done::Before));
        }
        self.settle_for(i, is_plain)?;
        Ok(None)
    }

    fn delay_plain(&mut self, i: &Instruction) -> Result<bool, IcedError> {
        let is_vex = i.encoding() == EncodingKind::VEX;
        if is_load(i) {
            let node = self.leaf_in_memory(i, 1)?;
            let above = if is_vex { Above::AllZero } else { Above::Zero };
            self.hold(i.op0_register().number(), InRegister { node, above, is_settled: false });
            return Ok(true);
        }
        if is_store(i) {
            let Some(in_register) = self.in_register(i.op1_register().number()) else {
                return Ok(false);
            };
            self.record_node(in_register.node)?;
            self.load_shadow(in_register.node)?;
            let cold = self.test_aligned(i, Some(i.op1_register().number()))?;
            if cold.is_some() {
                // Where out of line code comes back to.
                self.load_shadow(in_register.node)?;
            }
            let (f, s0) = (family::scalar(is_vex, true), self.scratch.xmm(0));
            let mut store = Instruction::with2(f.store, of_state(self.a, 0), s0)?;
            Operand::of(i, 0).of_shadow().put(&mut store, 0);
            self.a.code.add_instruction(store)?;
            if let Some(cold) = cold {
                self.resume(cold)?;
            }
            return Ok(true);
        }
        if is_copy(i) {
            let Some(in_register) = self.in_register(i.op1_register().number()) else {
                return Ok(false);
            };
            let to = i.op0_register().number();
            if to == i.op1_register().number() {
                return Ok(!is_vex);
            }
            if matches!(in_register.above, Above::Like(_)) && !is_vex {
                // It says more than the copy does.
                self.settle(i.op1_register().number())?;
            }
            let above = match self
                .in_register(i.op1_register().number())
                .map_or(Above::Kept, |h| h.above)
            {
                Above::Kept => {
                    self.copy_above(i.op0_register(), i.op1_register(), is_vex)?;
                    Above::Kept
                }
                Above::Like(r) => Above::Like(r),
                _ if is_vex => Above::AllZero,
                _ => Above::Zero,
            };
            self.hold(to, InRegister { node: in_register.node, above, is_settled: false });
            return Ok(true);
        }
        let scalar = family::scalar(is_vex, true);
        if let Some((f, operation)) = family::of(i.code()).filter(|(f, _)| *f == scalar) {
            return self.delay_operation(i, f, operation);
        }
        match Fused::of(i).filter(|it| *it.family == *scalar) {
            Some(it) => {
                let [a, b, c] = it.operands;
                let factors = [self.operand(i, a, true)?, self.operand(i, b, true)?];
                let addend = self.operand(i, c, false)?;
                let what =
                    What::Fused { factors, addend, negates: it.negates, subtracts: it.subtracts };
                self.result(i, what, it.operands, i.op0_register())?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn delay_operation(
        &mut self,
        i: &Instruction,
        f: &'static Family,
        operation: Operation,
    ) -> Result<bool, IcedError> {
        let last = i.op_count() - 1;
        let first = if f.is_vex { 1 } else { 0 };
        let what = match operation {
            Operation::Sum => What::Sum {
                a: self.operand(i, first, false)?,
                b: self.operand(i, last, false)?,
                subtracts: i.code() == f.sub,
            },
            Operation::Product => {
                What::Product(self.operand(i, first, true)?, self.operand(i, last, true)?)
            }
            Operation::Quotient => {
                What::Quotient(self.operand(i, first, true)?, self.operand(i, last, true)?)
            }
            Operation::Root => What::Root(self.operand(i, last, true)?),
            Operation::Least | Operation::Greatest => return Ok(false),
        };
        let numbers = if operation == Operation::Root { [last, 0, 0] } else { [first, last, 0] };
        self.result(i, what, numbers, i.op_register(first))?;
        Ok(true)
    }

    /// The node of an operand, with its value where a statement finds it if that is a factor, or a
    /// leaf.
    fn operand(&mut self, i: &Instruction, k: u32, is_factor: bool) -> Result<Id, IcedError> {
        if i.op_kind(k) != OpKind::Register {
            let node = self.leaf_in_memory(i, k)?;
            let (f, s0) =
                (family::scalar(i.encoding() == EncodingKind::VEX, true), self.scratch.xmm(0));
            self.load(f, s0, Operand::of(i, k))?;
            self.save_value(node, s0)?;
            return Ok(node);
        }
        let register = i.op_register(k).number();
        let node = self.node_of(register)?;
        let d = self.waits();
        if d.nodes[node].value.is_none() && (is_factor || d.is_leaf(node)) {
            if d.is_written_later(register) {
                self.save_value(node, Register::XMM0 + register as u32)?;
            } else {
                d.nodes[node].value = Some(LeafPlace::Register(register));
            }
        }
        Ok(node)
    }

    fn save_value(&mut self, node: Id, from: Register) -> Result<(), IcedError> {
        let d = self.waits();
        d.nodes[node].value = Some(LeafPlace::Buffer(d.values));
        d.values += 1;
        let at = value_at(d.values - 1);
        self.store_lowest(from, at)
    }

    pub(super) fn store_lowest(&mut self, from: Register, at: usize) -> Result<(), IcedError> {
        let at = of_state(self.a, at);
        self.a.code.add_instruction(Instruction::with2(Code::Movsd_xmmm64_xmm, at, from)?)
    }

    pub(super) fn load_lowest(&mut self, at: usize) -> Result<(), IcedError> {
        let at = of_state(self.a, at);
        self.a.code.add_instruction(Instruction::with2(
            Code::Movsd_xmm_xmmm64,
            self.scratch.xmm(0),
            at,
        )?)
    }

    /// A number in memory: its shadow is kept aside.
    fn leaf_in_memory(&mut self, i: &Instruction, k: u32) -> Result<Id, IcedError> {
        let (f, s0) =
            (family::scalar(i.encoding() == EncodingKind::VEX, true), self.scratch.xmm(0));
        self.load(f, s0, Operand::of(i, k).of_shadow())?;
        let d = self.waits();
        let place = d.new_leaf();
        let node = d.add(What::Given, Some(LeafPlace::Buffer(place)), *i, [0; 3]);
        self.store_lowest(s0, leaf_at(place))?;
        Ok(node)
    }

    /// What a register holds.
    fn node_of(&mut self, register: usize) -> Result<Id, IcedError> {
        let d = self.waits();
        if let Some(in_register) = d.registers[register] {
            return Ok(in_register.node);
        }
        let place = if d.is_written_later(register) {
            LeafPlace::Buffer(d.new_leaf())
        } else {
            LeafPlace::Register(register)
        };
        let node = d.add(What::Given, Some(place), Instruction::default(), [0; 3]);
        d.registers[register] = Some(InRegister { node, above: Above::Kept, is_settled: true });
        if let LeafPlace::Buffer(k) = place {
            self.load_lowest(slot(register))?;
            self.store_lowest(self.scratch.xmm(0), leaf_at(k))?;
        }
        Ok(node)
    }

    /// A result, beside which is what was in a register.
    fn result(
        &mut self,
        i: &Instruction,
        what: What,
        numbers: [u32; 3],
        beside: Register,
    ) -> Result<(), IcedError> {
        self.limit_operands(what)?;
        let is_vex = i.encoding() == EncodingKind::VEX;
        let to = i.op0_register();
        let d = self.waits();
        let above = match d.registers[beside.number()].map_or(Above::Kept, |h| h.above) {
            Above::Kept if is_vex && !d.is_written_later(beside.number()) => {
                Above::Like(beside.number())
            }
            Above::Kept if is_vex => {
                self.copy_above(to, beside, true)?;
                Above::Kept
            }
            Above::Like(r) => Above::Like(r),
            above if !is_vex => above,
            _ => Above::AllZero,
        };
        let node = self.waits().add(what, None, *i, numbers);
        self.hold(to.number(), InRegister { node, above, is_settled: false });
        Ok(())
    }

    /// Operands get their own entries where the expression would be too large, or where it would be
    /// written several times.
    fn limit_operands(&mut self, what: What) -> Result<(), IcedError> {
        let shared: Vec<Id> = {
            let d = self.waits();
            let parts = d.parts();
            let is_large = |id: &Id| parts[*id].1 != 0 && parts[*id].0.count_ones() > MOST_SHARED;
            what.operands().filter(is_large).filter(|id| d.is_used_again(*id)).collect()
        };
        for id in shared {
            self.record_node(id)?;
        }
        loop {
            let parts = self.waits().parts();
            let (leaves, operations) =
                what.operands().fold((0u64, 0u64), |(l, o), k| (l | parts[k].0, o | parts[k].1));
            if leaves.count_ones() <= MOST_LEAVES && operations.count_ones() < MOST_OPERATIONS {
                return Ok(());
            }
            let largest = what
                .operands()
                .filter(|id| parts[*id].1 != 0)
                .max_by_key(|id| parts[*id].0.count_ones());
            let Some(largest) = largest else { return Ok(()) };
            self.record_node(largest)?;
        }
    }

    /// Of a register's shadow what is beyond its lowest eight bytes becomes another's.
    fn copy_above(&mut self, to: Register, from: Register, is_vex: bool) -> Result<(), IcedError> {
        if is_vex {
            scratch::load_as(self.a, Width::Xmm, true, self.scratch.numbers[0], Self::slot(from))?;
            return self.put_whole(to, 0);
        }
        if to.number() == from.number() {
            return Ok(());
        }
        self.load_lowest(Self::slot(from) + 8)?;
        self.store_lowest(self.scratch.xmm(0), Self::slot(to) + 8)
    }
}
