//! Memory of which an instruction touches parts only, as a mask says; gathers and scatters.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::operands::{base_or_register, register_operand, set_register};
use crate::{
    machine::{
        registers,
        state::{State, Vector},
    },
    memory::space::DISTANCE,
    rules::{
        self,
        native::WIDTH,
        tangent::{self, Operand},
    },
};

/// Whether what an instruction leaves out must be asked of its mask.
pub fn is_of(i: &Instruction) -> bool {
    i.has_op_mask() || i.memory_index().is_vector_register() || is_mask_move(i)
}

fn is_mask_move(i: &Instruction) -> bool {
    use Mnemonic::*;
    matches!(i.mnemonic(), Vmaskmovpd | Vmaskmovps | Vpmaskmovd | Vpmaskmovq)
}

/// The bytes of an operand in memory that an instruction touches.
pub struct Touched {
    bytes: usize,
    which: u64,
}

const PAGE: u64 = 4096;

/// Of operand `k`; `operands` are the registers.
pub fn touched(i: &Instruction, k: u32, mask: u64, operands: &[Operand]) -> Touched {
    use Mnemonic::*;
    let bytes = i.memory_size().size().min(WIDTH);
    let element = i.memory_size().element_size().clamp(1, WIDTH);
    let all = u64::MAX >> (64 - bytes.max(1));
    let of_lanes = |lanes: u64| {
        (0..bytes).filter(|b| lanes >> (b / element) & 1 == 1).fold(0, |which, b| which | 1 << b)
    };
    let which = match i.mnemonic() {
        Vmaskmovpd | Vmaskmovps | Vpmaskmovd | Vpmaskmovq => {
            let size = if matches!(i.mnemonic(), Vmaskmovpd | Vpmaskmovq) { 8 } else { 4 };
            let steers = &operands[1].value;
            let is_on = |b: &usize| steers[b / size * size + size - 1] >= 0x80;
            (0..bytes).filter(is_on).fold(0, |which, b| which | 1 << b)
        }
        Vcompresspd | Vcompressps | Vpcompressb | Vpcompressw | Vpcompressd | Vpcompressq
        | Vexpandpd | Vexpandps | Vpexpandb | Vpexpandw | Vpexpandd | Vpexpandq => {
            let lanes = (bytes / element) as u32;
            let count = (mask & u64::MAX >> (64 - lanes)).count_ones();
            of_lanes(u64::MAX.checked_shr(64 - count).unwrap_or(0))
        }
        _ if !i.has_op_mask() || i.is_broadcast() => all,
        // What is permuted or copied to many places is read whole.
        _ if k > 0 && !is_lane_by_lane(i) => all,
        _ => of_lanes(mask),
    };
    Touched { bytes, which }
}

/// Whether each lane of a result is made of the same lane of memory.
fn is_lane_by_lane(i: &Instruction) -> bool {
    use Mnemonic::*;
    let is_move = matches!(
        i.mnemonic(),
        Vmovaps
            | Vmovapd
            | Vmovups
            | Vmovupd
            | Vmovdqa32
            | Vmovdqa64
            | Vmovdqu8
            | Vmovdqu16
            | Vmovdqu32
            | Vmovdqu64
    );
    let is_scalar = matches!(i.mnemonic(), Vmovss | Vmovsd);
    let is_as_wide = i.memory_size().size() == i.op0_register().size();
    is_scalar || is_as_wide && (is_move || rules::rule(i.code()).form().is_some())
}

impl Touched {
    /// What is there: all, unless that may be memory that is not.
    pub fn read(&self, at: u64) -> [u8; WIDTH] {
        let mut to = [0; WIDTH];
        let is_one_page = at / PAGE == (at + self.bytes.max(1) as u64 - 1) / PAGE;
        for b in
            (0..self.bytes).filter(|b| is_one_page && self.which != 0 || self.which >> b & 1 == 1)
        {
            // SAFETY: the instruction is about to touch this byte, or another one of its page;
            // shadows are mapped likewise.
            to[b] = unsafe { *((at + b as u64) as *const u8) };
        }
        to
    }

    /// Writes the bytes that the instruction touches.
    pub fn write(&self, at: u64, from: &[u8; WIDTH]) {
        for b in (0..self.bytes).filter(|b| self.which >> b & 1 == 1) {
            // SAFETY: the instruction writes this byte; its shadow is mapped.
            unsafe { *((at + b as u64) as *mut u8) = from[b] };
        }
    }
}

/// Gathers and scatters: on shadows.
pub fn scattered(i: &Instruction, mask: u64, state: &mut State) -> Result<(), String> {
    let operands: Vec<Operand> =
        (0..i.op_count()).map(|k| register_operand(i.op_register(k), state)).collect();
    let base = base_or_register(i.memory_base(), state)
        .unwrap_or(0)
        .wrapping_add(i.memory_displacement64());
    // SAFETY: the stub saved the registers for this call.
    let index = unsafe { registers::vector(state, i.memory_index().number()) };
    // SAFETY: the instruction is about to touch these places.
    let dots =
        unsafe { tangent::dots_in_memory(i, &operands, mask, &index, base.wrapping_add(DISTANCE)) }
            .map_err(|why| format!("{why:?}"))?;
    if i.op0_kind() == OpKind::Register && i.op0_register().is_vector_register() {
        let mut dots = dots;
        dots[i.op0_register().size()..].fill(0);
        set_register(i.op0_register(), &dots, state);
    }
    // The mask of the older form is used up.
    if i.op_count() == 3 && i.op2_kind() == OpKind::Register && i.op_mask() == Register::None {
        state.vectors[i.op2_register().number()] = Vector::default();
    }
    Ok(())
}
