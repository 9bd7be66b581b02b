//! Operands of instructions that shadow code writes.

use iced_x86::{Instruction, OpKind, Register};

use crate::translate::{assembler::Assembler, emit::scratch::of_state};

/// The last operand of an instruction that shadow code writes.
#[derive(Clone, Copy)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// As in this instruction.
    Memory(Instruction),
    /// Of the state, by displacement.
    State(u64),
}

impl Operand {
    /// Operand `k` of an instruction.
    pub fn of(i: &Instruction, k: u32) -> Self {
        match i.op_kind(k) {
            OpKind::Register => Operand::Register(i.op_register(k)),
            _ => Operand::Memory(*i),
        }
    }

    /// Something in the state.
    pub fn state(a: &Assembler, offset: usize) -> Self {
        Operand::State(of_state(a, offset).displacement as u64)
    }

    /// The same memory's shadow.
    pub fn of_shadow(self) -> Self {
        match self {
            Operand::Memory(mut i) => {
                i.set_segment_prefix(Register::GS);
                Operand::Memory(i)
            }
            other => other,
        }
    }

    /// As operand `k` of an instruction.
    pub fn put(self, it: &mut Instruction, k: u32) {
        match self {
            Operand::Register(register) => {
                it.set_op_kind(k, OpKind::Register);
                // In the class that the instruction wants.
                let like = if it.op_register(0).is_vector_register() {
                    it.op_register(0)
                } else {
                    it.op_register(1)
                };
                it.set_op_register(k, class_of(like.size()) + register.number() as u32);
            }
            Operand::Memory(from) => {
                it.set_op_kind(k, OpKind::Memory);
                it.set_memory_base(from.memory_base());
                it.set_memory_index(from.memory_index());
                it.set_memory_index_scale(from.memory_index_scale());
                it.set_memory_displacement64(from.memory_displacement64());
                it.set_memory_displ_size(from.memory_displ_size());
                it.set_segment_prefix(from.segment_prefix());
                it.set_is_broadcast(from.is_broadcast());
            }
            Operand::State(displacement) => {
                it.set_op_kind(k, OpKind::Memory);
                it.set_memory_base(Register::None);
                it.set_memory_index(Register::None);
                it.set_memory_index_scale(1);
                it.set_memory_displacement64(displacement);
                it.set_memory_displ_size(8);
                it.set_segment_prefix(Register::FS);
            }
        }
    }
}

/// The first register of so many bytes.
pub fn class_of(bytes: usize) -> Register {
    match bytes {
        64 => Register::ZMM0,
        32 => Register::YMM0,
        _ => Register::XMM0,
    }
}
