//! Shadow code of integer arithmetic in general registers: what it computes of active bits is
//! unknown, unless rules know better.

use iced_x86::{Code, IcedError, Instruction, Mnemonic, OpAccess, OpKind, Register};

use super::{Done, Emitter, general::put_memory, scratch::of_state};
use crate::{
    machine::{general_mask::number, word},
    rules::{self, Rule},
    translate::{assembler::member, instruction::is_second_byte},
};

impl Emitter<'_> {
    /// Everything else: registers that it writes are unknown if one that it reads is active, and
    /// zero otherwise.
    pub(super) fn integer(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let info = self.info.info(i).clone();
        // The operand of `lea` is no access.
        let touches = info.used_memory().iter().any(|m| m.access() != OpAccess::NoMemAccess);
        let memory_reads = info.used_memory().iter().any(|m| {
            matches!(
                m.access(),
                OpAccess::Read | OpAccess::ReadWrite | OpAccess::CondRead | OpAccess::ReadCondWrite
            )
        });
        let string = i.is_string_instruction();
        // What an instruction touches without an operand for it: string instructions, `pushfq`,
        // `enter`.
        if string || touches && !has_memory(i) {
            return Ok(Done::SlowPath);
        }
        let mut read: Vec<Register> = Vec::new();
        let mut written: Vec<Register> = Vec::new();
        let addresses = |r: Register| {
            touches
                && [i.memory_base(), i.memory_index()].map(Register::full_register).contains(&r)
                && !is_operand(i, r)
        };
        for used in info.used_registers() {
            let register = used.register();
            if !register.is_gpr() {
                continue;
            }
            match used.access() {
                OpAccess::Read | OpAccess::CondRead if !addresses(register.full_register()) => {
                    read.push(register)
                }
                OpAccess::ReadWrite | OpAccess::ReadCondWrite | OpAccess::CondWrite => {
                    read.push(register);
                    written.push(register);
                }
                OpAccess::Write => {
                    // A part that is written leaves the rest as it was.
                    if register.size() < 4 {
                        read.push(register);
                    }
                    written.push(register);
                }
                _ => {}
            }
        }
        let tested = memory_reads
            && has_memory(i)
            && self.test_load(i, i.memory_size().size(), |test| put_memory(i, test, 0))?;
        let is_clean = !read.iter().any(|r| self.active.has(*r)) && (!memory_reads || tested);
        // Bits of reals that are selected, put together or moved may be reals again.
        let may_be_real =
            matches!(rules::rule(i.code()), Rule::Logic(..) | Rule::Shift(..) | Rule::Move(_))
                || matches!(
                    i.mnemonic(),
                    Mnemonic::Bzhi
                        | Mnemonic::Bextr
                        | Mnemonic::Add
                        | Mnemonic::Sub
                        | Mnemonic::Lea
                );
        if !is_clean && !is_zeroing(i) && may_be_real {
            return Ok(Done::SlowPath);
        }
        let writes_memory = info
            .used_memory()
            .iter()
            .any(|m| matches!(m.access(), OpAccess::Write | OpAccess::CondWrite))
            && has_memory(i);
        if writes_memory {
            if i.memory_size().size() > 8 {
                return Ok(Done::SlowPath);
            }
            self.clear_memory(i)?;
        }
        if is_clean || is_zeroing(i) {
            written.iter().try_for_each(|r| self.clear(*r))?;
            return Ok(Done::Before);
        }
        if written.is_empty() && !touches_with_write(&info) {
            return Ok(Done::Before);
        }
        // All that is read, in one register: unknown where anything of it is active.
        let s0 = self.scratch.xmm(0);
        self.a.code.add_instruction(Instruction::with2(Code::Pxor_xmm_xmmm128, s0, s0)?)?;
        if memory_reads && has_memory(i) {
            let (bytes, s1) = (i.memory_size().size(), self.scratch.xmm(1));
            let code = match bytes {
                8 => Code::Movq_xmm_xmmm64,
                4 => Code::Movd_xmm_rm32,
                _ => return Ok(Done::SlowPath),
            };
            let mut load = Instruction::with2(code, s1, of_state(self.a, 0))?;
            put_memory(i, &mut load, 1);
            self.in_shadow(load)?;
            self.a.code.add_instruction(Instruction::with2(Code::Por_xmm_xmmm128, s0, s1)?)?;
        }
        for register in read.iter().filter(|r| self.active.has(**r)) {
            let place = of_state(self.a, member!(general) + 8 * number(*register));
            let s1 = self.scratch.xmm(1);
            let load =
                if register.size() == 8 { Code::Movq_xmm_xmmm64 } else { Code::Movd_xmm_rm32 };
            self.a.code.add_instruction(Instruction::with2(load, s1, place)?)?;
            self.a.code.add_instruction(Instruction::with2(Code::Por_xmm_xmmm128, s0, s1)?)?;
        }
        self.unknown_where_active()?;
        for register in written {
            self.keep_lane(register)?;
        }
        if is_set(i) && i.op0_kind() == OpKind::Register {
            // The byte itself is a condition.
            let place = of_state(
                self.a,
                member!(general)
                    + 8 * number(i.op0_register())
                    + usize::from(is_second_byte(i.op0_register())),
            );
            self.a.code.add_instruction(Instruction::with2(Code::Mov_rm8_imm8, place, 0)?)?;
        }
        if touches_with_write(&info) && has_memory(i) && memory_reads {
            let code = match i.memory_size().size() {
                8 => Code::Movq_xmmm64_xmm,
                4 => Code::Movd_rm32_xmm,
                _ => return Ok(Done::Before),
            };
            let mut store = Instruction::with2(code, of_state(self.a, 0), self.scratch.xmm(0))?;
            put_memory(i, &mut store, 0);
            self.in_shadow(store)?;
        }
        Ok(Done::Before)
    }

    /// RCX becomes zero if no register is active.
    pub fn any_active(&mut self) -> Result<(), IcedError> {
        let (s0, s1) = (self.scratch.xmm(0), self.scratch.xmm(1));
        self.a.code.add_instruction(Instruction::with2(Code::Pxor_xmm_xmmm128, s0, s0)?)?;
        for register in word::ALL.map(Register::from) {
            if self.active.has(register) {
                let place = of_state(self.a, member!(general) + 8 * number(register));
                self.a.code.add_instruction(Instruction::with2(
                    Code::Movq_xmm_xmmm64,
                    s1,
                    place,
                )?)?;
                self.a.code.add_instruction(Instruction::with2(Code::Por_xmm_xmmm128, s0, s1)?)?;
            }
        }
        self.a.code.add_instruction(Instruction::with2(word::FROM_VECTOR, word::C, s0)?)
    }

    /// The first borrowed register's lane: unknown where it is not zero.
    pub fn unknown_where_active(&mut self) -> Result<(), IcedError> {
        let (s0, s1) = (self.scratch.xmm(0), self.scratch.xmm(1));
        let unknown = of_state(self.a, member!(unknown));
        // A negative zero is one, too.
        self.a.code.add_instruction(Instruction::with2(Code::Pslld_xmm_imm8, s0, 1u32)?)?;
        // Words that are zero, copied so that either word decides for both.
        self.a.code.add_instruction(Instruction::with2(Code::Pxor_xmm_xmmm128, s1, s1)?)?;
        self.a.code.add_instruction(Instruction::with2(Code::Pcmpeqd_xmm_xmmm128, s1, s0)?)?;
        self.a.code.add_instruction(Instruction::with3(
            Code::Pshufd_xmm_xmmm128_imm8,
            s0,
            s1,
            0b1110_0001_u32,
        )?)?;
        self.a.code.add_instruction(Instruction::with2(Code::Pand_xmm_xmmm128, s0, s1)?)?;
        self.a.code.add_instruction(Instruction::with2(Code::Pandn_xmm_xmmm128, s0, unknown)?)
    }
}

/// Whether an instruction makes a byte of flags.
pub(super) fn is_set(i: &Instruction) -> bool {
    use Mnemonic::*;
    matches!(
        i.mnemonic(),
        Seta | Setae
            | Setb
            | Setbe
            | Sete
            | Setg
            | Setge
            | Setl
            | Setle
            | Setne
            | Setno
            | Setnp
            | Setns
            | Seto
            | Setp
            | Sets
    )
}

/// Whether it has an operand in memory.
pub(super) fn has_memory(i: &Instruction) -> bool {
    (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory)
}

fn is_operand(i: &Instruction, register: Register) -> bool {
    (0..i.op_count())
        .any(|k| i.op_kind(k) == OpKind::Register && i.op_register(k).full_register() == register)
}

fn is_zeroing(i: &Instruction) -> bool {
    let same = i.op0_kind() == OpKind::Register
        && i.op1_kind() == OpKind::Register
        && i.op0_register() == i.op1_register();
    matches!(i.mnemonic(), Mnemonic::Xor | Mnemonic::Sub) && same && i.op0_register().size() >= 4
}

fn touches_with_write(info: &iced_x86::InstructionInfo) -> bool {
    info.used_memory()
        .iter()
        .any(|m| matches!(m.access(), OpAccess::ReadWrite | OpAccess::ReadCondWrite))
}
