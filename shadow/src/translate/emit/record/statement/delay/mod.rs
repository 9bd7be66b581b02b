//! The nodes of a block while it is translated, and the code that goes beside its instructions.

mod instructions;

use std::{ops::Range, rc::Rc};

use iced_x86::{
    Code, IcedError, Instruction, InstructionInfoFactory, MemoryOperand, Mnemonic, Register,
    code_asm::*,
};

use super::{
    FLAGS, Id, LeafPlace, Node, RAX, RCX, Statement, What, ask, leaf_at,
    live::{self, Uses},
    saved,
};
use crate::{
    machine::state::{LEAVES, UNKNOWN},
    translate::{
        emit::{
            Emitter, conversion,
            scratch::{self, Width},
            vector,
        },
        instruction::touches_all_vectors,
    },
};

/// Leaves of one statement at most.
const MOST_LEAVES: u32 = 10;
/// Operations of one statement at most.
const MOST_OPERATIONS: u32 = 20;
/// A value that is used again, and has more leaves, gets its own entry.
const MOST_SHARED: u32 = 3;
/// Nodes of a block at most: one more bit each.
const MOST_NODES: usize = 60;
/// Leaves and values that one instruction adds at most: three operands, and what of them is
/// recorded first.
const MOST_ADDED: usize = 10;
/// Registers that hold nodes.
const REGISTERS: usize = 16;

/// What a register's shadow is beyond its lowest eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Above {
    /// As its place in the state has it.
    Kept,
    /// Zero up to the 16th byte, which its place does not know yet.
    Zero,
    /// Zero to the end, likewise.
    AllZero,
    /// Up to the 16th byte that of a register which the block does not write any more, then zero,
    /// likewise.
    Like(usize),
}

/// The lowest number of a vector register.
#[derive(Clone, Copy, Debug)]
struct InRegister {
    node: Id,
    above: Above,
    /// Whether the register's shadow is in its place.
    is_settled: bool,
}

/// A statement whose code was written, but not what it asks Rust code by.
pub struct Waiting {
    /// The statement; addresses are not known yet.
    pub statement: Statement,
    /// Which it is.
    pub id: usize,
    /// The link to its variants.
    pub slot: u64,
    /// Where it leads at first.
    pub ask: CodeLabel,
    /// Where Rust code returns to, if it has recorded the statement, and if it has written a
    /// variant.
    pub resume: CodeLabel,
    /// See above.
    pub again: CodeLabel,
    /// Where a variant does.
    pub back: CodeLabel,
}

/// What is delayed, at some place of a block.
pub struct Delay<'a> {
    nodes: Vec<Node>,
    registers: [Option<InRegister>; REGISTERS],
    leaves: usize,
    values: usize,
    /// Vector registers that the block's instructions use, and which of them is translated now.
    uses: Rc<[Uses]>,
    at: usize,
    asks: bool,
    is_vex: bool,
    first: usize,
    slots: &'a dyn Fn() -> u64,
    code: Range<u64>,
    /// Statements so far.
    pub waiting: Vec<Waiting>,
}

impl<'a> Delay<'a> {
    /// At the start of a block. The first statement's number, and where links come from; `code` is
    /// what is around the block.
    pub fn new(
        instructions: &[Instruction],
        is_vex: bool,
        first: usize,
        slots: &'a dyn Fn() -> u64,
        code: Range<u64>,
    ) -> Self {
        let mut factory = InstructionInfoFactory::new();
        let uses = instructions.iter().map(|i| Uses::of(i, &mut factory)).collect();
        Self {
            nodes: Vec::new(),
            registers: [None; REGISTERS],
            leaves: 0,
            values: 0,
            uses,
            at: 0,
            asks: false,
            is_vex,
            first,
            slots,
            code,
            waiting: Vec::new(),
        }
    }

    /// The instruction that comes next, and whether shadows of what it compares are looked at.
    pub fn goes_to(&mut self, at: usize, asks: bool) {
        (self.at, self.asks) = (at, asks);
    }

    fn is_written_later(&self, register: usize) -> bool {
        self.uses[self.at..].iter().any(|u| u.writes >> register & 1 == 1)
    }

    /// Whether a register that holds a node is read behind this instruction.
    fn is_used_again(&self, node: Id) -> bool {
        let holds = |r: &usize| {
            self.registers[*r].is_some_and(|h| h.node == node)
                && self.uses[self.at].writes >> *r & 1 == 0
        };
        (0..REGISTERS).filter(holds).any(|r| {
            let next = self.uses[self.at + 1..].iter().find(|u| (u.reads | u.kills) >> r & 1 == 1);
            next.is_some_and(|u| u.reads >> r & 1 == 1)
        })
    }

    fn is_leaf(&self, id: Id) -> bool {
        self.nodes[id].shadow.is_some()
    }

    fn add(
        &mut self,
        what: What,
        shadow: Option<LeafPlace>,
        instruction: Instruction,
        numbers: [u32; 3],
    ) -> Id {
        self.nodes.push(Node { what, shadow, value: None, instruction, numbers });
        self.nodes.len() - 1
    }

    fn new_leaf(&mut self) -> usize {
        self.leaves += 1;
        assert!(self.leaves <= LEAVES, "there was room before the instruction");
        self.leaves - 1
    }

    /// The leaves and the operations that each node is made of, as bits.
    fn parts(&self) -> Vec<(u64, u64)> {
        let mut all: Vec<(u64, u64)> = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            let with = |(l, o): (u64, u64), k: Id| (l | all[k].0, o | all[k].1);
            let own = if node.shadow.is_some() {
                (1 << id, 0)
            } else {
                node.what.operands().fold((0, 1 << id), with)
            };
            all.push(own);
        }
        all
    }
}

impl<'a> Emitter<'a> {
    fn waits(&mut self) -> &mut Delay<'a> {
        self.delayed.as_mut().expect("asked before")
    }

    fn hold(&mut self, register: usize, in_register: InRegister) {
        self.waits().registers[register] = Some(in_register);
    }

    /// What a register holds, if that is delayed.
    fn in_register(&self, register: usize) -> Option<InRegister> {
        self.delayed.as_ref()?.registers.get(register).copied().flatten()
    }

    /// The shadow of a node that is recorded, in the first borrowed register.
    fn load_shadow(&mut self, node: Id) -> Result<(), IcedError> {
        match self.waits().nodes[node].shadow {
            Some(LeafPlace::Register(r)) => self.load_lowest(slot(r)),
            Some(LeafPlace::Buffer(k)) => self.load_lowest(leaf_at(k)),
            None => unreachable!("it was recorded"),
        }
    }

    /// A register's place in the state gets its shadow.
    fn settle(&mut self, register: usize) -> Result<(), IcedError> {
        let Some(in_register) = self.in_register(register).filter(|h| !h.is_settled) else {
            return Ok(());
        };
        self.record_node(in_register.node)?;
        self.load_shadow(in_register.node)?;
        match in_register.above {
            Above::Kept => self.store_lowest(self.scratch.xmm(0), slot(register))?,
            Above::Zero => {
                scratch::store(self.a, Width::Xmm, self.scratch.numbers[0], slot(register))?
            }
            Above::AllZero => self.put_whole(Register::XMM0 + register as u32, 0)?,
            Above::Like(r) => {
                let [s0, s1] = [self.scratch.xmm(0), self.scratch.xmm(1)];
                scratch::load_as(self.a, Width::Xmm, true, self.scratch.numbers[1], slot(r))?;
                self.a.code.add_instruction(Instruction::with3(
                    Code::VEX_Vmovsd_xmm_xmm_xmm,
                    s1,
                    s1,
                    s0,
                )?)?;
                self.put_whole(Register::XMM0 + register as u32, 1)?;
            }
        }
        self.hold(register, InRegister { above: Above::Kept, is_settled: true, ..in_register });
        Ok(())
    }

    /// All registers' places do.
    pub fn settle_all(&mut self) -> Result<(), IcedError> {
        if self.delayed.is_none() {
            return Ok(());
        }
        (0..REGISTERS).try_for_each(|r| self.settle(r))
    }

    fn forget_nodes(&mut self) {
        let d = self.waits();
        d.nodes.clear();
        (d.registers, d.leaves, d.values) = ([None; REGISTERS], 0, 0);
    }

    /// Before an instruction that has no code here.
    fn settle_for(&mut self, i: &Instruction, is_plain: bool) -> Result<(), IcedError> {
        if touches_all_vectors(i.mnemonic()) && i.mnemonic() != Mnemonic::Vzeroupper {
            self.settle_all()?;
            self.forget_nodes();
            return Ok(());
        }
        let carries = self.active.carries();
        let d = self.waits();
        let uses = d.uses[d.at];
        // Comparisons and the like look at values only, if nobody asks for equality.
        let looks_only = vector::has_no_real_result(i.mnemonic())
            && !(carries && conversion::is_any(i.mnemonic()));
        let reads = if is_plain && !d.asks && looks_only { 0 } else { uses.reads };
        for r in 0..REGISTERS {
            if (reads | uses.writes & !uses.kills) >> r & 1 == 1 {
                self.settle(r)?;
            }
            if uses.writes >> r & 1 == 1 {
                self.waits().registers[r] = None;
            }
        }
        Ok(())
    }

    fn unsettled(&self) -> u16 {
        (0..REGISTERS)
            .filter(|&r| self.in_register(r).is_some_and(|h| !h.is_settled))
            .fold(0, |bits, r| bits | 1 << r)
    }

    /// Registers that are to be settled where control goes on at an address, and those that are to
    /// become unknown there. Without address all.
    pub fn leaving(&self, to: Option<u64>) -> (u16, u16) {
        let unsettled = self.unsettled();
        let (Some(d), Some(to), true) = (&self.delayed, to, unsettled != 0) else {
            return (unsettled, 0);
        };
        live::live(to, &d.code, unsettled)
    }

    /// The same where a function returns.
    pub fn returning(&self) -> (u16, u16) {
        let unsettled = self.unsettled();
        (unsettled & live::RESULTS, unsettled & !live::RESULTS)
    }

    /// Settles some registers; others become unknown.
    pub fn settle_some(&mut self, (live, dead): (u16, u16)) -> Result<(), IcedError> {
        for r in 0..REGISTERS {
            let is_leaf = self
                .in_register(r)
                .zip(self.delayed.as_ref())
                .is_some_and(|(h, d)| d.is_leaf(h.node));
            if live >> r & 1 == 1 || dead >> r & 1 == 1 && is_leaf {
                self.settle(r)?;
            } else if dead >> r & 1 == 1 {
                let place = self.a.of_state(slot(r));
                self.a.code.mov(place, UNKNOWN as i32)?;
            }
        }
        Ok(())
    }

    /// What is delayed at this place, for code out of line that leaves the block from here.
    pub fn snapshot(&self) -> Option<Snapshot> {
        let d = self.delayed.as_ref().filter(|_| self.unsettled() != 0)?;
        Some(Snapshot {
            nodes: d.nodes.clone(),
            registers: d.registers,
            leaves: d.leaves,
            values: d.values,
            at: d.at,
        })
    }

    /// Goes on as from that place.
    pub fn restore(&mut self, s: Snapshot) {
        let d = self.waits();
        (d.nodes, d.registers, d.leaves, d.values, d.at) =
            (s.nodes, s.registers, s.leaves, s.values, s.at);
        (self.flags_live, self.zero_above, self.cleared_above) = (true, 0, 0);
    }

    /// Writes the code that records a node, which is a leaf from then on.
    fn record_node(&mut self, root: Id) -> Result<(), IcedError> {
        if self.waits().is_leaf(root) {
            return Ok(());
        }
        let (scratch, flags_live) = (self.scratch, self.flags_live);
        let slot = (self.waits().slots)();
        let [ask, resume, again, mut back] = [(); 4].map(|()| self.a.code.create_label());
        let d = self.waits();
        let bits = d.parts()[root].0;
        let leaves: Vec<Id> = (0..d.nodes.len()).filter(|id| bits >> id & 1 == 1).collect();
        let result = d.new_leaf();
        let id = d.first + d.waiting.len();
        let statement = Statement {
            nodes: d.nodes[..=root].to_vec(),
            root,
            leaves: leaves.clone(),
            result,
            scratch,
            is_vex: d.is_vex,
            back: 0,
            resume: 0,
            again: 0,
        };
        let (rcx_saved, rax_saved, flags) =
            (saved(self.a, RCX), saved(self.a, RAX), saved(self.a, FLAGS));
        if flags_live {
            self.a.code.mov(rax_saved, rax)?;
            self.a.code.lahf()?;
            self.a.code.seto(al)?;
            self.a.code.mov(flags, rax)?;
            self.a.code.mov(rax, rax_saved)?;
        }
        self.a.code.mov(rcx_saved, rcx)?;
        for (k, leaf) in leaves.iter().enumerate() {
            let place = self.a.of_state(statement.shadow_at(*leaf));
            if k == 0 { self.a.code.mov(rcx, place)? } else { self.a.code.or(rcx, place)? }
        }
        if leaves.len() == 1 {
            self.a.code.test(rcx, rcx)?;
        }
        // If no leaf is active this is the result's.
        let place = self.a.of_state(leaf_at(result));
        self.a.code.mov(place, rcx)?;
        self.a.code.jz(back)?;
        let through = MemoryOperand::with_base_displ(Register::RIP, slot as i64);
        self.a.code.add_instruction(Instruction::with1(Code::Jmp_rm64, through)?)?;
        self.a.code.set_label(&mut back)?;
        self.waits().waiting.push(Waiting { statement, id, slot, ask, resume, again, back });
        self.a.code.mov(rcx, rcx_saved)?;
        if flags_live {
            self.a.code.mov(rax_saved, rax)?;
            self.a.code.mov(rax, flags)?;
            self.a.code.add(al, 0x7f)?;
            self.a.code.sahf()?;
            self.a.code.mov(rax, rax_saved)?;
        }
        self.waits().nodes[root].shadow = Some(LeafPlace::Buffer(result));
        Ok(())
    }

    /// Out of line: what statements ask Rust code by.
    pub fn ask_for_statements(&mut self) -> Result<Vec<Waiting>, IcedError> {
        let Some(d) = &mut self.delayed else { return Ok(Vec::new()) };
        let mut all = std::mem::take(&mut d.waiting);
        for w in &mut all {
            self.a.code.set_label(&mut w.ask)?;
            self.a.code.zero_bytes()?;
            ask(self.a, self.scratch, w.id, w.slot)?;
            self.a.code.set_label(&mut w.resume)?;
            self.a.code.zero_bytes()?;
            self.scratch.borrow_all(self.a)?;
            self.a.code.jmp(w.back)?;
            // RCX is as it was asked with.
            self.a.code.set_label(&mut w.again)?;
            self.a.code.zero_bytes()?;
            self.scratch.borrow_all(self.a)?;
            let through = MemoryOperand::with_base_displ(Register::RIP, w.slot as i64);
            self.a.code.add_instruction(Instruction::with1(Code::Jmp_rm64, through)?)?;
        }
        Ok(all)
    }
}

/// What is delayed at some place of a block.
pub struct Snapshot {
    nodes: Vec<Node>,
    registers: [Option<InRegister>; REGISTERS],
    leaves: usize,
    values: usize,
    at: usize,
}

fn slot(register: usize) -> usize {
    Emitter::slot(Register::XMM0 + register as u32)
}
