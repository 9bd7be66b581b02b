//! From a block of the program to code that does the same, and comes back where the block ends.
//!
//! Instructions are copied as they are, in the program's own registers, so that every instruction set of the processor works and results are the
//! same bits. What depends on where code lies is written anew: addresses relative to the instruction, and all that
//! leaves the block. Calls put the program's own return address on the stack: whoever walks the stack finds the program.

use iced_x86::{
    BlockEncoderOptions, Code, ConditionCode, FlowControl, IcedError, Instruction, MemoryOperand, Mnemonic, OpKind, Register,
    code_asm::{CodeLabel, dword_ptr, qword_ptr, rsp},
};

use crate::{
    Error,
    assembler::{Assembler, member},
    block::Block,
    memory::Memory,
    stubs::{self, Flags, Target},
};

/// Bytes that the translation of a block takes at most.
const MOST: u64 = 32 << 10;

/// A conditional exit: where it was left, and where it leads.
struct Exit {
    label: CodeLabel,
    target: u64,
}

/// Translates a block; returns where its code begins. `known` says of an address where its translation is, if there is one.
pub fn translate(block: &Block, memory: &mut Memory, state: i32, known: impl Fn(u64) -> Option<u64>) -> Result<u64, Error> {
    let at = memory.reserve(block.start, MOST)?;
    let mut assembler = Assembler::new(state).map_err(|e| failed(&block.instructions[0], &e))?;
    let mut slots = || memory.slot(block.start);
    let mut it = Translator { a: &mut assembler, block, slots: &mut slots, known: &known, exits: Vec::new(), links: Vec::new() };
    it.run()?;
    let links = it.links;
    let code = assembler.code.assemble_options(at, BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS);
    let code = code.map_err(|e| failed(&block.instructions[0], &e))?;
    for (slot, asks) in links {
        let asks = code.label_ip(&asks).map_err(|e| failed(&block.instructions[0], &e))?;
        // SAFETY: the slot is new, eight bytes, and nobody else's.
        unsafe { (slot as *mut u64).write(asks) };
    }
    memory.commit(at, &code.inner.code_buffer);
    Ok(at)
}

struct Translator<'a> {
    a: &'a mut Assembler,
    block: &'a Block,
    slots: &'a mut dyn FnMut() -> Result<u64, Error>,
    known: &'a dyn Fn(u64) -> Option<u64>,
    exits: Vec<Exit>,
    /// Slots of jumps, and where each leads at first: to code that asks.
    links: Vec<(u64, CodeLabel)>,
}

fn failed(instruction: &Instruction, why: &IcedError) -> Error {
    refused(instruction, &why.to_string())
}

fn refused(instruction: &Instruction, why: &str) -> Error {
    Error::Instruction { address: instruction.ip(), instruction: instruction.to_string(), why: why.to_string() }
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), Error> {
        let mut start = self.a.code.create_label();
        self.a.code.set_label(&mut start).map_err(|e| failed(&self.block.instructions[0], &e))?;
        for instruction in &self.block.instructions {
            self.instruction(instruction, start).map_err(|e| failed(instruction, &e))??;
        }
        let last = self.block.instructions.last().expect("a block has instructions");
        let end = match last.flow_control() {
            FlowControl::Next | FlowControl::ConditionalBranch => Some(self.block.end()),
            _ if last.mnemonic() == Mnemonic::Syscall => Some(self.block.end()),
            _ => None,
        };
        if let Some(target) = end {
            self.leave(target).map_err(|e| failed(last, &e))??;
        }
        for Exit { mut label, target } in std::mem::take(&mut self.exits) {
            self.a.code.set_label(&mut label).map_err(|e| failed(last, &e))?;
            self.leave(target).map_err(|e| failed(last, &e))??;
        }
        Ok(())
    }

    fn instruction(&mut self, i: &Instruction, start: CodeLabel) -> Result<Result<(), Error>, IcedError> {
        match i.flow_control() {
            FlowControl::Next => self.copy(i)?,
            _ if i.mnemonic() == Mnemonic::Syscall => self.copy(i)?,
            FlowControl::ConditionalBranch => self.branch(i, start)?,
            FlowControl::UnconditionalBranch => return self.leave(i.near_branch_target()),
            FlowControl::IndirectBranch => stubs::look_up(self.a, Target::Load(load_target(i)?), Flags::Live)?,
            FlowControl::Call if i.op0_kind() == OpKind::NearBranch64 => {
                self.push(i.next_ip())?;
                return self.leave(i.near_branch_target());
            }
            FlowControl::IndirectCall => {
                // The operand may be relative to the stack pointer.
                let (kept, next) = (self.a.kept(0), self.a.of_state(member!(next)));
                self.a.code.mov(kept, iced_x86::code_asm::rcx)?;
                self.a.code.add_instruction(load_target(i)?)?;
                self.a.code.mov(next, iced_x86::code_asm::rcx)?;
                self.a.code.mov(iced_x86::code_asm::rcx, kept)?;
                self.push(i.next_ip())?;
                stubs::look_up(self.a, Target::Kept, Flags::Dead)?;
            }
            FlowControl::Return => match i.code() {
                Code::Retnq => stubs::look_up(self.a, Target::Return(0), Flags::Dead)?,
                Code::Retnq_imm16 => stubs::look_up(self.a, Target::Return(i.immediate16().into()), Flags::Dead)?,
                _ => return Ok(Err(refused(i, "a return of this kind"))),
            },
            FlowControl::Interrupt | FlowControl::Exception => self.copy(i)?,
            _ => return Ok(Err(refused(i, "control may go on in more than one place"))),
        }
        Ok(Ok(()))
    }

    /// An instruction as it is. The address of something near becomes a constant, for the copy may be too far away.
    fn copy(&mut self, i: &Instruction) -> Result<(), IcedError> {
        if i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand() {
            let constant = match i.op0_register().size() {
                8 => Instruction::with2(Code::Mov_r64_imm64, i.op0_register(), i.memory_displacement64())?,
                4 => Instruction::with2(Code::Mov_r32_imm32, i.op0_register(), i.memory_displacement64() as u32)?,
                _ => *i,
            };
            return self.a.code.add_instruction(constant);
        }
        self.a.code.add_instruction(*i)
    }

    /// Leaves the block if the branch is taken.
    fn branch(&mut self, i: &Instruction, start: CodeLabel) -> Result<(), IcedError> {
        let target = i.near_branch_target();
        let label = if target == self.block.start {
            start
        } else {
            let label = self.a.code.create_label();
            self.exits.push(Exit { label, target });
            label
        };
        jump_if(self.a, i, label)
    }

    /// Puts a return address on the stack, without touching flags.
    fn push(&mut self, address: u64) -> Result<(), IcedError> {
        self.a.code.lea(rsp, qword_ptr(rsp - 8))?;
        self.a.code.mov(dword_ptr(rsp), address as u32 as i32)?;
        self.a.code.mov(dword_ptr(rsp + 4), (address >> 32) as u32 as i32)
    }

    /// Goes on at an address of the program: by a slot that the engine fills with where its translation is.
    fn leave(&mut self, target: u64) -> Result<Result<(), Error>, IcedError> {
        if let Some(code) = (self.known)(target) {
            self.a.code.jmp(code)?;
            return Ok(Ok(()));
        }
        let slot = match (self.slots)() {
            Ok(slot) => slot,
            Err(e) => return Ok(Err(e)),
        };
        let mut ask = self.a.code.create_label();
        self.a.code.add_instruction(Instruction::with1(
            Code::Jmp_rm64,
            MemoryOperand::with_base_displ(Register::RIP, slot as i64),
        )?)?;
        self.a.code.set_label(&mut ask)?;
        self.a.set(member!(next), target)?;
        self.a.set(member!(link), slot)?;
        let dispatch = self.a.of_state(member!(dispatch));
        self.a.code.jmp(dispatch)?;
        self.links.push((slot, ask));
        Ok(Ok(()))
    }
}

/// The jump of a conditional branch, to a label.
fn jump_if(a: &mut Assembler, i: &Instruction, to: CodeLabel) -> Result<(), IcedError> {
    let code = &mut a.code;
    match i.mnemonic() {
        Mnemonic::Loop => code.loop_(to),
        Mnemonic::Loope => code.loope(to),
        Mnemonic::Loopne => code.loopne(to),
        Mnemonic::Jrcxz => code.jrcxz(to),
        Mnemonic::Jecxz => code.jecxz(to),
        _ => match i.condition_code() {
            ConditionCode::o => code.jo(to),
            ConditionCode::no => code.jno(to),
            ConditionCode::b => code.jb(to),
            ConditionCode::ae => code.jae(to),
            ConditionCode::e => code.je(to),
            ConditionCode::ne => code.jne(to),
            ConditionCode::be => code.jbe(to),
            ConditionCode::a => code.ja(to),
            ConditionCode::s => code.js(to),
            ConditionCode::ns => code.jns(to),
            ConditionCode::p => code.jp(to),
            ConditionCode::np => code.jnp(to),
            ConditionCode::l => code.jl(to),
            ConditionCode::ge => code.jge(to),
            ConditionCode::le => code.jle(to),
            ConditionCode::g => code.jg(to),
            // There is no other conditional branch; a new one would stop the program here.
            ConditionCode::None => code.ud2(),
        },
    }
}

/// The instruction that loads the target of an indirect jump or call to RCX.
fn load_target(i: &Instruction) -> Result<Instruction, IcedError> {
    match i.op0_kind() {
        OpKind::Register => Instruction::with2(Code::Mov_r64_rm64, Register::RCX, i.op0_register()),
        _ => {
            let mut load = *i;
            load.set_code(Code::Mov_r64_rm64);
            load.set_op0_kind(OpKind::Register);
            load.set_op0_register(Register::RCX);
            load.set_op1_kind(OpKind::Memory);
            load.set_has_repne_prefix(false);
            Ok(load)
        }
    }
}
