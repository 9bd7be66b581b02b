//! From a block of the program to code that does the same, and comes back where the block ends.
//!
//! Instructions are copied as they are, in the program's own registers, so that every instruction
//! set of the processor works and results are the same bits. What depends on where code lies is
//! written anew: addresses relative to the instruction, and all that leaves the block. Calls put
//! the program's own return address on the stack: whoever walks the stack finds the program. Except
//! in plain mode each instruction has its shadow code before it ([`super::emit`]).

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use iced_x86::{
    BlockEncoderOptions, Code, ConditionCode, EncodingKind, FlowControl, IcedError, Instruction,
    Mnemonic, OpKind, RflagsBits,
    code_asm::{CodeLabel, dword_ptr},
};

use super::{
    Mode,
    assembler::{Assembler, member},
    block::Block,
    code_memory::Memory,
    emit::{
        Cold, Done, Emitter, Scratch, above, equality,
        record::statement::{
            Statement,
            delay::{Delay, Snapshot, Waiting},
        },
        vex,
    },
    instruction::{is_system_call, touches_all_vectors},
    slow_path::site::Site,
    stubs::{self, Flags, Target},
};
use crate::{
    Error,
    machine::{
        general_mask::Mask,
        state::Reason,
        word::{self, word_ptr},
    },
};

/// Bytes that the translation of a block takes at most.
const MOST: u64 = 64 << 10;

/// A conditional exit: where it was left, where it leads, and which registers may be active there.
struct Exit {
    label: CodeLabel,
    target: u64,
    active: Mask,
    /// What is delayed there, and what becomes of it: of registers that are live, and of those that
    /// are not.
    delayed: Option<(Snapshot, (u16, u16))>,
    /// Where the block begins, if it is this one, and shadow registers whose upper parts are zero
    /// there.
    start: Option<(CodeLabel, u32)>,
}

/// Translates a block that is entered with this knowledge; returns where its code begins. `known`
/// says of an address where its translation is, if there is one. `sites` gets where stubs that
/// record return to, and for which instruction; `statements` those of the block.
pub fn translate(
    block: &Block,
    (mode, active): (Mode, Mask),
    memory: &mut Memory,
    state: i32,
    known: &dyn Fn(u64, Mask) -> Option<u64>,
    (sites, statements): (&mut HashMap<u64, &'static Site>, &mut Vec<Arc<Statement>>),
) -> Result<u64, Error> {
    let at = memory.reserve(block.start, MOST)?;
    let first = &block.instructions[0];
    let mut assembler = Assembler::new(state).map_err(|e| failed(first, &e))?;
    let is_wide = block.instructions.iter().any(|i| i.encoding() != EncodingKind::Legacy);
    let memory = RefCell::new(memory);
    // There is room for all that a block may need: it was reserved.
    let slot = || memory.borrow_mut().slot(block.start).expect("room was reserved");
    let mut emitter = Emitter::new(
        &mut assembler,
        mode,
        Scratch::new(block.used, is_wide),
        active,
        &block.instructions,
    );
    if mode == Mode::Recording && word::IS_64 {
        emitter.delayed = Some(Delay::new(
            &block.instructions,
            is_wide,
            statements.len(),
            &slot,
            block.code.clone(),
        ));
    }
    let mut slots = || memory.borrow_mut().slot(block.start);
    let mut it = Translator {
        emitter,
        mode,
        block,
        slots: &mut slots,
        known,
        exits: Vec::new(),
        links: Vec::new(),
        waiting: Vec::new(),
        slow_path: Vec::new(),
        clean: None,
        early: 0,
    };
    it.run()?;
    let (links, slow_path, asking, waiting) =
        (it.links, it.slow_path, it.emitter.sites, it.waiting);
    if is_wide {
        vex::encode(&mut assembler).map_err(|e| failed(first, &e))?;
    }
    let code =
        assembler.code.assemble_options(at, BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS);
    let code = code.map_err(|e| failed(first, &e))?;
    for (slot, asks) in links {
        let asks = code.label_ip(&asks).map_err(|e| failed(first, &e))?;
        // SAFETY: the slot is new, eight bytes, and nobody else's.
        unsafe { (slot as *mut u64).write(asks) };
    }
    for (site, resume) in slow_path {
        site.set_resume(code.label_ip(&resume).map_err(|e| failed(first, &e))?);
    }
    for (label, address) in asking {
        let instruction =
            block.instructions.iter().find(|i| i.ip() == address).expect("one of the block's");
        sites
            .insert(code.label_ip(&label).map_err(|e| failed(first, &e))?, Site::leak(instruction));
    }
    for Waiting { statement, slot, ask, resume, again, back, .. } in waiting {
        let ip = |label| code.label_ip(&label).map_err(|e| failed(first, &e));
        let ask = ip(ask)?;
        // SAFETY: the slot is new, eight bytes, and nobody else's.
        unsafe { (slot as *mut u64).write(ask) };
        statements.push(Arc::new(Statement {
            back: ip(back)?,
            resume: ip(resume)?,
            again: ip(again)?,
            ..statement
        }));
    }
    memory.into_inner().commit(at, &code.inner.code_buffer);
    Ok(at)
}

struct Translator<'a> {
    emitter: Emitter<'a>,
    mode: Mode,
    block: &'a Block,
    slots: &'a mut dyn FnMut() -> Result<u64, Error>,
    known: &'a dyn Fn(u64, Mask) -> Option<u64>,
    exits: Vec<Exit>,
    /// Slots of jumps, and where each leads at first: to code that asks.
    links: Vec<(u64, CodeLabel)>,
    /// Statements of the block.
    waiting: Vec<Waiting>,
    /// Where the slow path is asked, and where each goes on.
    slow_path: Vec<(&'static Site, CodeLabel)>,
    /// Where a block is left at once that is entered with nothing active after all.
    clean: Option<CodeLabel>,
    /// Shadow registers whose upper parts are zero from the start on.
    early: u32,
}

fn failed(instruction: &Instruction, why: &IcedError) -> Error {
    refused(instruction, &why.to_string())
}

fn refused(instruction: &Instruction, why: &str) -> Error {
    Error::Instruction {
        address: instruction.ip(),
        instruction: instruction.to_string(),
        why: why.to_string(),
    }
}

impl Translator<'_> {
    fn a(&mut self) -> &mut Assembler {
        self.emitter.a
    }

    fn run(&mut self) -> Result<(), Error> {
        let (first, last) = (
            self.block.instructions[0],
            *self.block.instructions.last().expect("a block has instructions"),
        );
        let entered_with = self.emitter.active;
        let start = self.begin().map_err(|e| failed(&first, &e))?;
        for (k, instruction) in self.block.instructions.iter().enumerate() {
            self.emitter.flags_live = flags_live(&self.block.instructions[k..]);
            let asks = self.mode.has_shadows()
                && equality::asks_for_equality(&self.block.instructions[k..]);
            if let Some(delayed) = &mut self.emitter.delayed {
                delayed.goes_to(k, asks);
            }
            self.instruction(instruction, (start, entered_with))
                .map_err(|e| failed(instruction, &e))??;
            if asks {
                self.emitter.test_equality(instruction).map_err(|e| failed(instruction, &e))?;
            }
        }
        let goes_on =
            matches!(last.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch)
                || is_system_call(&last);
        if goes_on {
            // Flags behind the block's end may be looked at.
            self.emitter.flags_live = true;
            self.settle(Some(self.block.end())).map_err(|e| failed(&last, &e))?;
            self.emitter.active = self.emitter.active.at_end();
            self.leave(self.block.end()).map_err(|e| failed(&last, &e))??;
        }
        for cold in std::mem::take(&mut self.emitter.cold) {
            self.cold(cold).map_err(|e| failed(&last, &e))?;
        }
        for (label, target, delayed) in std::mem::take(&mut self.emitter.tests) {
            let delayed = delayed.map(|d| (d, (u16::MAX, 0)));
            self.exits.push(Exit {
                label,
                target,
                active: Mask::default().carrying(),
                delayed,
                start: None,
            });
        }
        if let Some(mut label) = self.clean.take() {
            let saved = self.a().saved(3);
            let code = &mut self.a().code;
            code.set_label(&mut label)
                .and_then(|()| code.mov(word::c, saved))
                .map_err(|e| failed(&last, &e))?;
            self.emitter.active = Mask::default();
            self.leave(self.block.start).map_err(|e| failed(&last, &e))??;
        }
        for Exit { mut label, target, active, delayed, start } in std::mem::take(&mut self.exits) {
            self.a().code.set_label(&mut label).map_err(|e| failed(&last, &e))?;
            if let Some((delayed, registers)) = delayed {
                self.a().code.zero_bytes().map_err(|e| failed(&last, &e))?;
                self.emitter.restore(delayed);
                self.emitter.flags_live = start.is_none() || flags_live(&self.block.instructions);
                self.emitter.settle_some(registers).map_err(|e| failed(&last, &e))?;
            }
            if let Some((start, above)) = start {
                self.emitter.clear_above(above).map_err(|e| failed(&last, &e))?;
                self.a().code.jmp(start).map_err(|e| failed(&last, &e))?;
                continue;
            }
            self.emitter.active = active;
            self.leave(target).map_err(|e| failed(&last, &e))??;
        }
        self.waiting = self.emitter.ask_for_statements().map_err(|e| failed(&last, &e))?;
        Ok(())
    }

    /// Borrows registers; where a loop of one block comes back to.
    fn begin(&mut self) -> Result<CodeLabel, IcedError> {
        if self.mode.has_shadows() {
            let scratch = self.emitter.scratch;
            scratch.borrow_all(self.a())?;
            self.look_again()?;
        }
        let mut start = self.a().code.create_label();
        if self.mode.has_shadows() {
            self.early = above::early(&self.block.instructions, self.block.start);
            self.emitter.clear_above(self.early)?;
            self.emitter.zero_above = self.early;
        }
        // A label needs an instruction of its own: one without bytes.
        self.a().code.set_label(&mut start)?;
        self.a().code.zero_bytes()?;
        Ok(start)
    }

    /// Where registers may be active but none is, code goes on that knows it.
    fn look_again(&mut self) -> Result<(), IcedError> {
        let active = self.emitter.active;
        if !active.is_any_active() || active == Mask::ALL {
            return Ok(());
        }
        let saved = self.a().saved(3);
        self.a().code.mov(saved, word::c)?;
        self.emitter.any_active()?;
        let label = self.a().code.create_label();
        word::jump_if_none(&mut self.a().code, label)?;
        self.a().code.mov(word::c, saved)?;
        self.clean = Some(label);
        Ok(())
    }

    /// What is delayed and may be needed where control goes on: at an address, or anywhere.
    fn settle(&mut self, to: Option<u64>) -> Result<(), IcedError> {
        let registers = self.emitter.leaving(to);
        self.emitter.settle_some(registers)
    }

    /// What is borrowed goes back.
    fn end(&mut self) -> Result<(), IcedError> {
        if self.mode.has_shadows() {
            let scratch = self.emitter.scratch;
            scratch.give_back(self.a())?;
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        i: &Instruction,
        start: (CodeLabel, Mask),
    ) -> Result<Result<(), Error>, IcedError> {
        match i.flow_control() {
            FlowControl::Next => return self.with_shadows(i),
            _ if is_system_call(i) => return self.with_shadows(i),
            FlowControl::ConditionalBranch => self.branch(i, start)?,
            FlowControl::UnconditionalBranch => {
                self.settle(Some(i.near_branch_target()))?;
                self.emitter.active = self.emitter.active.at_end();
                return self.leave(i.near_branch_target());
            }
            FlowControl::IndirectBranch => {
                self.settle(None)?;
                self.end()?;
                let active = self.emitter.active.at_end();
                stubs::look_up(self.a(), Target::Load(load_target(i)?), Flags::Live, active)?;
            }
            FlowControl::Call
                if matches!(i.op0_kind(), OpKind::NearBranch64 | OpKind::NearBranch32) =>
            {
                self.settle(None)?;
                self.emitter.active = self.emitter.active.at_end();
                self.push(i.next_ip())?;
                return self.leave(i.near_branch_target());
            }
            FlowControl::IndirectCall => {
                self.settle(None)?;
                self.emitter.active = self.emitter.active.at_end();
                self.end()?;
                // The operand may be relative to the stack pointer.
                let (saved, next, active) =
                    (self.a().saved(0), self.a().of_state(member!(next)), self.emitter.active);
                self.a().code.mov(saved, word::c)?;
                self.a().code.add_instruction(load_target(i)?)?;
                self.a().code.mov(next, word::c)?;
                self.a().code.mov(word::c, saved)?;
                self.push(i.next_ip())?;
                stubs::look_up(self.a(), Target::Kept, Flags::Dead, active)?;
            }
            FlowControl::Return => {
                let more = match i.code() {
                    Code::Retnq | Code::Retnd => 0,
                    Code::Retnq_imm16 | Code::Retnd_imm16 => i.immediate16().into(),
                    _ => return Ok(Err(refused(i, "a return of this kind"))),
                };
                let registers = self.emitter.returning();
                self.emitter.settle_some(registers)?;
                self.end()?;
                let active = self.emitter.active.at_end();
                stubs::look_up(self.a(), Target::Return(more), Flags::Dead, active)?;
            }
            FlowControl::Interrupt | FlowControl::Exception => self.copy(i)?,
            _ => return Ok(Err(refused(i, "control may go on in more than one place"))),
        }
        Ok(Ok(()))
    }

    /// An instruction that goes on behind itself, with its shadow code.
    fn with_shadows(&mut self, i: &Instruction) -> Result<Result<(), Error>, IcedError> {
        if self.mode.has_shadows() {
            match self.emitter.instruction(i)? {
                Done::Before => {}
                Done::Whole => return Ok(Ok(())),
                Done::SlowPath => self.slow_path(i)?,
            }
        }
        if self.mode == Mode::Tangent && touches_all_vectors(i.mnemonic()) {
            // With what the program has in the borrowed registers, and may have afterwards.
            self.end()?;
            self.copy(i)?;
            let scratch = self.emitter.scratch;
            scratch.borrow_all(self.a())?;
            return Ok(Ok(()));
        }
        self.copy(i)?;
        if self.mode.has_shadows() && is_system_call(i) {
            // What the kernel wrote is known behind it.
            self.slow_path(i)?;
        }
        Ok(Ok(()))
    }

    /// Out of line: the slow path, unless the inline code is right after all.
    fn cold(&mut self, mut cold: Cold) -> Result<(), IcedError> {
        self.a().code.set_label(&mut cold.label)?;
        self.a().code.zero_bytes()?;
        self.emitter.filter(&cold)?;
        self.emitter.filter_equality(&cold)?;
        self.emitter.filter_store(&cold)?;
        self.ask(&cold.instruction)?;
        if cold.runs {
            // Two instructions of one place confuse the assembler.
            let mut copy = cold.instruction;
            copy.set_ip(0);
            self.copy(&copy)?;
        }
        self.a().code.jmp(cold.resume)
    }

    /// Has Rust code compute the shadows of an instruction.
    fn slow_path(&mut self, i: &Instruction) -> Result<(), IcedError> {
        self.ask(i)?;
        self.emitter.forget_written(i);
        Ok(())
    }

    fn ask(&mut self, i: &Instruction) -> Result<(), IcedError> {
        let site = Site::leak(i);
        self.end()?;
        let mut resume = self.a().code.create_label();
        self.a().set(member!(instruction), std::ptr::from_ref(site) as u64)?;
        self.a().set(member!(reason), Reason::Shadows as u64)?;
        let dispatch = self.a().of_state(member!(dispatch));
        self.a().code.jmp(dispatch)?;
        self.a().code.set_label(&mut resume)?;
        self.a().code.zero_bytes()?;
        self.slow_path.push((site, resume));
        let scratch = self.emitter.scratch;
        scratch.borrow_all(self.a())
    }

    /// An instruction as it is. The address of something near becomes a constant, for the copy may
    /// be too far away.
    fn copy(&mut self, i: &Instruction) -> Result<(), IcedError> {
        if i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand() {
            let constant = match i.op0_register().size() {
                8 => Instruction::with2(
                    Code::Mov_r64_imm64,
                    i.op0_register(),
                    i.memory_displacement64(),
                )?,
                4 => Instruction::with2(
                    Code::Mov_r32_imm32,
                    i.op0_register(),
                    i.memory_displacement64() as u32,
                )?,
                _ => *i,
            };
            return self.a().code.add_instruction(constant);
        }
        self.a().code.add_instruction(*i)
    }

    /// Leaves the block if the branch is taken.
    fn branch(
        &mut self,
        i: &Instruction,
        (start, entered_with): (CodeLabel, Mask),
    ) -> Result<(), IcedError> {
        let (target, active) = (i.near_branch_target(), self.emitter.active.at_end());
        let registers = self.emitter.leaving(Some(target));
        let is_start = target == self.block.start && active.is_in(entered_with);
        // What was zero at the start and is not known to be so any more.
        let above = self.early & !self.emitter.zero_above;
        let label = if is_start && registers == (0, 0) && above == 0 {
            start
        } else {
            let label = self.a().code.create_label();
            let delayed = if registers == (0, 0) {
                None
            } else {
                self.emitter.snapshot().map(|d| (d, registers))
            };
            self.exits.push(Exit {
                label,
                target,
                active,
                delayed,
                start: is_start.then_some((start, above)),
            });
            label
        };
        jump_if(self.a(), i, label)
    }

    /// Puts a return address on the stack, without touching flags.
    fn push(&mut self, address: u64) -> Result<(), IcedError> {
        let has_shadows = self.mode.has_shadows();
        let code = &mut self.a().code;
        code.lea(word::sp, word_ptr(word::sp - word::BYTES as i32))?;
        code.mov(dword_ptr(word::sp), address as u32 as i32)?;
        if word::IS_64 {
            code.mov(dword_ptr(word::sp + 4), (address >> 32) as u32 as i32)?;
        }
        if has_shadows {
            code.mov(word::in_shadow(word_ptr(word::sp)), 0)?;
        }
        Ok(())
    }

    /// Goes on at an address of the program: by a slot that the engine fills with where its
    /// translation is.
    fn leave(&mut self, target: u64) -> Result<Result<(), Error>, IcedError> {
        self.end()?;
        let active = self.emitter.active;
        if let Some(code) = (self.known)(target, active) {
            self.a().code.jmp(code)?;
            return Ok(Ok(()));
        }
        let slot = match (self.slots)() {
            Ok(slot) => slot,
            Err(e) => return Ok(Err(e)),
        };
        let a = self.a();
        let mut ask = a.code.create_label();
        a.code.add_instruction(word::jump_through(slot)?)?;
        a.code.set_label(&mut ask)?;
        a.set(member!(next), target)?;
        a.set(member!(link), slot)?;
        a.set(member!(context), active.bits().into())?;
        let dispatch = a.of_state(member!(dispatch));
        a.code.jmp(dispatch)?;
        self.links.push((slot, ask));
        Ok(Ok(()))
    }
}

/// Whether flags before the first instruction may be looked at by it or another behind it, as far
/// as these say.
fn flags_live(from: &[Instruction]) -> bool {
    const STATUS: u32 = RflagsBits::OF
        | RflagsBits::SF
        | RflagsBits::ZF
        | RflagsBits::AF
        | RflagsBits::CF
        | RflagsBits::PF;
    let mut left = STATUS;
    for i in from {
        if i.rflags_read() & left != 0 {
            return true;
        }
        left &= !i.rflags_modified();
        if left == 0
            || matches!(
                i.flow_control(),
                FlowControl::Call | FlowControl::IndirectCall | FlowControl::Return
            )
        {
            return false;
        }
        if i.flow_control() != FlowControl::Next {
            return true;
        }
    }
    true
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
        OpKind::Register => Instruction::with2(word::LOAD, word::C, i.op0_register()),
        _ => {
            let mut load = *i;
            load.set_code(word::LOAD);
            load.set_op0_kind(OpKind::Register);
            load.set_op0_register(word::C);
            load.set_op1_kind(OpKind::Memory);
            load.set_has_repne_prefix(false);
            Ok(load)
        }
    }
}
