//! A case: an instance of a form, what it touches, and the code around it.

use std::ops::Range;

use iced_x86::{
    Code, Instruction, InstructionInfoFactory, MemoryOperand, Mnemonic, OpAccess,
    OpCodeOperandKind, OpKind, Register,
};

use super::{
    frame::{MEMORY, STATUS},
    instances::{INDEX, written},
    machine::{memory, place},
    table::{Row, name},
};

pub struct Case {
    pub i: Instruction,
    pub row: &'static Row,
    /// The number of its function; the next one is the same where flags are dead.
    pub function: usize,
    /// Whether other instructions are around it.
    pub is_wrapped: bool,
    pub touched: Vec<Touched>,
    /// Where results are, if that is not the first operand.
    pub result: Option<Range<usize>>,
}

/// A register or memory that an instruction touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    pub place: Range<usize>,
    pub is_written: bool,
    /// Part of an address: not to be changed.
    pub is_address: bool,
}

impl Case {
    pub fn new(i: Instruction, row: &'static Row, function: usize) -> Self {
        let mut factory = InstructionInfoFactory::new();
        let (registers, writes_memory) = written(&i);
        let mut touched: Vec<Touched> = Vec::new();
        for used in factory.info(&i).used_registers() {
            let register = used.register();
            let Some(place) = place(register) else { continue };
            let is_written = registers.contains(&register);
            let is_operand = (0..i.op_count()).any(|k| {
                i.op_register(k).full_register() == register.full_register()
                    && i.op_kind(k) == OpKind::Register
            });
            let is_address = i.mnemonic() != Mnemonic::Lea
                && !is_operand
                && [i.memory_base(), i.memory_index()]
                    .iter()
                    .any(|r| r.full_register() == register.full_register());
            let moves_pointers =
                is_string(&i) && [Register::RSI, Register::RCX].contains(&register.full_register());
            let is_address = is_address
                || moves_pointers
                || [Register::RSP, Register::RDI].contains(&register.full_register());
            match touched.iter_mut().find(|t| t.place == place) {
                Some(t) => {
                    (t.is_written, t.is_address) =
                        (t.is_written || is_written, t.is_address && is_address)
                }
                None => touched.push(Touched { place, is_written, is_address }),
            }
        }
        if is_string(&i) {
            for place in [Register::RSI, Register::RCX].into_iter().filter_map(place) {
                touched.retain(|t| t.place != place);
                touched.push(Touched { place, is_written: true, is_address: true });
            }
        }
        let is_multimedia = has_multimedia(&i);
        if is_multimedia || !factory.info(&i).used_memory().is_empty() {
            touched.push(Touched {
                place: memory(),
                is_written: is_multimedia || writes_memory,
                is_address: false,
            });
        }
        let is_wrapped = wrapped(&i).len() > 1;
        Self { i, row, function, is_wrapped, touched, result: None }
    }

    pub fn form(&self) -> Code {
        self.i.code()
    }

    /// Where an operand lies; none of one that is no data. Where XMM0 is not written it is the
    /// third.
    pub fn operand(&self, k: usize) -> Option<Range<usize>> {
        use Mnemonic::{Blendvpd, Blendvps, Pblendvb, Sha256rnds2};
        if k == 2 && matches!(self.i.mnemonic(), Blendvps | Blendvpd | Pblendvb | Sha256rnds2) {
            return place(Register::XMM0);
        }
        if k >= self.i.op_count() as usize {
            return None;
        }
        match self.i.op_kind(k as u32) {
            OpKind::Register if self.i.op_register(k as u32).is_mm() => {
                Some(slot(self.i.op_register(k as u32)))
            }
            OpKind::Register => place(self.i.op_register(k as u32)),
            OpKind::Memory if self.i.mnemonic() == Mnemonic::Lea => None,
            OpKind::Memory => Some(MEMORY..MEMORY + self.i.memory_size().size().max(1)),
            _ => None,
        }
    }

    /// Operands that hold data, by number.
    pub fn operands(&self) -> Vec<usize> {
        (0..3.max(self.i.op_count() as usize)).filter(|&k| self.operand(k).is_some()).collect()
    }

    /// Whether the first operand is only written, where it is written at all.
    pub fn overwrites(&self) -> bool {
        let mut i = self.i;
        i.set_op_mask(Register::None);
        i.set_zeroing_masking(false);
        let is_of_one = ["sqrt", "rcp", "round"].iter().any(|n| name(i.mnemonic()).contains(n));
        is_of_one || InstructionInfoFactory::new().info(&i).op0_access() == OpAccess::Write
    }

    /// What holds data: operands, and registers that the form names itself.
    pub fn parts(&self) -> Vec<Range<usize>> {
        let mut all: Vec<_> = self.operands().into_iter().filter_map(|k| self.operand(k)).collect();
        let named = self
            .touched
            .iter()
            .filter(|t| !t.is_address && t.place != memory())
            .map(|t| t.place.clone());
        for place in named.collect::<Vec<_>>() {
            if !all.contains(&place) {
                all.push(place);
            }
        }
        all
    }

    pub fn results(&self) -> Vec<Range<usize>> {
        self.touched.iter().filter(|t| t.is_written).map(|t| t.place.clone()).collect()
    }

    /// Flags that it leaves the same in all runs.
    pub fn flags(&self) -> u64 {
        use iced_x86::RflagsBits as R;
        let bits =
            [(R::CF, 1), (R::PF, 4), (R::AF, 0x10), (R::ZF, 0x40), (R::SF, 0x80), (R::OF, 0x800)];
        let undefined: u64 =
            bits.iter().filter(|(r, _)| self.i.rflags_undefined() & r != 0).map(|(_, b)| b).sum();
        STATUS & !undefined
    }
}

pub fn has_multimedia(i: &Instruction) -> bool {
    (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Register && i.op_register(k).is_mm())
}

fn is_string(i: &Instruction) -> bool {
    use OpCodeOperandKind as K;
    i.code().op_code().op_kinds().iter().any(|k| matches!(k, K::seg_rSI | K::es_rDI))
}

/// Where a register of MMX has its number before and behind.
fn slot(register: Register) -> Range<usize> {
    let at = MEMORY + 128 + 8 * (register as usize - Register::MM0 as usize);
    at..at + 8
}

/// The instruction with what it needs around it: pointers of its own, registers of MMX.
pub fn wrapped(i: &Instruction) -> Vec<Instruction> {
    let at = |displacement: i64| MemoryOperand::with_base_displ(Register::RDI, displacement);
    let made = |i: Result<Instruction, iced_x86::IcedError>| i.expect("an instruction");
    let mut all = vec![*i];
    if i.code().op_code().op_kinds().contains(&OpCodeOperandKind::seg_rDI) {
        let by = |n: i64| made(Instruction::with2(Code::Lea_r64_m, Register::RDI, at(n)));
        all = vec![by(MEMORY as i64), *i, by(-(MEMORY as i64))];
    }
    if is_string(i) {
        // Pointers of its own, few elements, and nothing of that is left.
        let lea =
            |to: Register, n: usize| made(Instruction::with2(Code::Lea_r64_m, to, at(n as i64)));
        let set = |to: Register, n: u64| made(Instruction::with2(Code::Mov_r64_imm64, to, n));
        all = vec![
            made(Instruction::with1(Code::Push_r64, Register::RDI)),
            lea(Register::RSI, MEMORY),
            lea(Register::RDI, MEMORY + 96),
            set(Register::RCX, 3),
        ];
        all.push(*i);
        all.extend([
            made(Instruction::with1(Code::Pop_r64, Register::RDI)),
            set(Register::RSI, 0),
            set(Register::RCX, 0),
        ]);
    }
    if has_multimedia(i) {
        let registers: Vec<Register> =
            (0..i.op_count()).map(|k| i.op_register(k)).filter(|r| r.is_mm()).collect();
        let slot = |r: Register| at(slot(r).start as i64);
        let loads =
            registers.iter().map(|&r| made(Instruction::with2(Code::Movq_mm_mmm64, r, slot(r))));
        all = loads.chain(all).collect();
        all.extend(
            registers.iter().map(|&r| made(Instruction::with2(Code::Movq_mmm64_mm, slot(r), r))),
        );
        all.push(Instruction::with(Code::Emms));
    }
    all
}

/// Indices of a gather or scatter in a frame: places that differ, all within memory.
pub fn put_indices(i: &Instruction, vectors: &mut [[u8; 64]; 32]) {
    if !i.memory_index().is_vector_register() {
        return;
    }
    use OpCodeOperandKind as K;
    let is_wide = i
        .code()
        .op_code()
        .op_kinds()
        .iter()
        .any(|k| matches!(k, K::mem_vsib64x | K::mem_vsib64y | K::mem_vsib64z));
    let count = 256 / i.memory_index_scale();
    let index = |k: u32| (k * 13 + 5) % count;
    let to = &mut vectors[INDEX as usize];
    if is_wide {
        to.chunks_exact_mut(8)
            .zip(0..)
            .for_each(|(c, k)| c.copy_from_slice(&u64::from(index(k)).to_le_bytes()));
    } else {
        to.chunks_exact_mut(4)
            .zip(0..)
            .for_each(|(c, k)| c.copy_from_slice(&index(k).to_le_bytes()));
    }
}
