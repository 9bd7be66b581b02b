//! Vector registers that a block does not use: shadow code borrows them, from the block's start to
//! each of its ends.

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use crate::{
    machine::{state::Vector, word},
    translate::assembler::{Assembler, member},
};

/// Those that code of all encodings can name.
const VECTORS: u32 = if word::IS_64 { 0xffff } else { 0xff };
/// Registers that are borrowed.
pub const BORROWED: usize = 3;

/// How vector registers are saved and loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 16 bytes, by SSE: the upper parts of a register stay.
    Xmm,
    /// 32 bytes, by AVX.
    Ymm,
    /// 64 bytes, by AVX-512.
    Zmm,
}

impl Width {
    /// As wide as a register.
    pub fn of(register: Register) -> Self {
        match register.size() {
            64 => Width::Zmm,
            32 => Width::Ymm,
            _ => Width::Xmm,
        }
    }

    /// As wide as registers are here.
    pub fn widest() -> Self {
        if std::is_x86_feature_detected!("avx512f") {
            Width::Zmm
        } else if std::is_x86_feature_detected!("avx") {
            Width::Ymm
        } else {
            Width::Xmm
        }
    }
}

/// The registers, and how they are saved.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// Their numbers.
    pub numbers: [u32; BORROWED],
    /// How they are saved.
    pub width: Width,
}

/// Vector registers of a block, by number.
#[derive(Clone, Copy, Default)]
pub struct Used(u32);

impl Used {
    /// With those of one more instruction; `None` if too few would be left.
    pub fn with(self, i: &Instruction) -> Option<Self> {
        let mut all = self.0;
        for k in 0..i.op_count() {
            let register = i.op_register(k);
            if register.is_vector_register() {
                all |= 1 << register.number();
            }
        }
        // Indices of gathers and scatters.
        if i.memory_index().is_vector_register() {
            all |= 1 << i.memory_index().number();
        }
        // Implicit operands: blendv and sha256rnds2 read the first.
        all |= 1;
        ((!all & VECTORS).count_ones() as usize >= BORROWED).then_some(Used(all))
    }
}

impl Scratch {
    /// For a block that uses these registers. `is_wide` where it has instructions of AVX.
    pub fn new(used: Used, is_wide: bool) -> Self {
        let mut free = (0..VECTORS.count_ones()).rev().filter(|n| used.0 & 1 << n == 0);
        let numbers = [(); BORROWED].map(|()| free.next().expect("`Used` leaves some"));
        Self { numbers, width: if is_wide { Width::widest() } else { Width::Xmm } }
    }

    /// A borrowed register.
    pub fn xmm(&self, k: usize) -> Register {
        Register::XMM0 + self.numbers[k]
    }

    /// Saves what the program has in the registers.
    pub fn borrow_all(&self, a: &mut Assembler) -> Result<(), IcedError> {
        (0..BORROWED).try_for_each(|k| {
            store(a, self.width, self.numbers[k], member!(scratch) + k * size_of::<Vector>())
        })
    }

    /// Gives them back.
    pub fn give_back(&self, a: &mut Assembler) -> Result<(), IcedError> {
        (0..BORROWED).try_for_each(|k| {
            load(a, self.width, self.numbers[k], member!(scratch) + k * size_of::<Vector>())
        })
    }
}

/// An operand in the state.
pub fn of_state(a: &Assembler, offset: usize) -> MemoryOperand {
    MemoryOperand::new(
        Register::None,
        Register::None,
        1,
        a.at(offset),
        word::BYTES as u32,
        false,
        word::THREAD,
    )
}

/// Loads a vector register from the state.
pub fn load(a: &mut Assembler, width: Width, number: u32, offset: usize) -> Result<(), IcedError> {
    load_as(a, width, false, number, offset)
}

/// Stores one to the state.
pub fn store(a: &mut Assembler, width: Width, number: u32, offset: usize) -> Result<(), IcedError> {
    store_as(a, width, false, number, offset)
}

/// Loads as code of AVX does, or as that of SSE where 16 bytes are meant and the upper parts of a
/// register stay.
pub fn load_as(
    a: &mut Assembler,
    width: Width,
    is_vex: bool,
    number: u32,
    offset: usize,
) -> Result<(), IcedError> {
    let at = of_state(a, offset);
    let load = match (width, is_vex) {
        (Width::Xmm, false) => {
            Instruction::with2(Code::Movups_xmm_xmmm128, Register::XMM0 + number, at)?
        }
        (Width::Xmm, true) => {
            Instruction::with2(Code::VEX_Vmovups_xmm_xmmm128, Register::XMM0 + number, at)?
        }
        (Width::Ymm, _) => {
            Instruction::with2(Code::VEX_Vmovups_ymm_ymmm256, Register::YMM0 + number, at)?
        }
        (Width::Zmm, _) => {
            Instruction::with2(Code::EVEX_Vmovups_zmm_k1z_zmmm512, Register::ZMM0 + number, at)?
        }
    };
    a.code.add_instruction(load)
}

/// Stores likewise.
pub fn store_as(
    a: &mut Assembler,
    width: Width,
    is_vex: bool,
    number: u32,
    offset: usize,
) -> Result<(), IcedError> {
    let at = of_state(a, offset);
    let store = match (width, is_vex) {
        (Width::Xmm, false) => {
            Instruction::with2(Code::Movups_xmmm128_xmm, at, Register::XMM0 + number)?
        }
        (Width::Xmm, true) => {
            Instruction::with2(Code::VEX_Vmovups_xmmm128_xmm, at, Register::XMM0 + number)?
        }
        (Width::Ymm, _) => {
            Instruction::with2(Code::VEX_Vmovups_ymmm256_ymm, at, Register::YMM0 + number)?
        }
        (Width::Zmm, _) => {
            Instruction::with2(Code::EVEX_Vmovups_zmmm512_k1z_zmm, at, Register::ZMM0 + number)?
        }
    };
    a.code.add_instruction(store)
}
