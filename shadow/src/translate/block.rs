//! Blocks of the program's machine code: from where control comes in to where it surely goes
//! elsewhere.

use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction};

use super::{emit::scratch::Used, instruction::is_system_call};
use crate::machine::word;

/// Instructions of one block at most.
const MOST: usize = 64;

/// A stretch of instructions, one behind the other. Conditional branches may leave it anywhere.
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// All of them. The last one may be a jump, call or return.
    pub instructions: Vec<Instruction>,
    /// The vector registers that they use.
    pub used: Used,
    /// The code around it.
    pub code: Range<u64>,
}

impl Block {
    /// Address behind the last instruction.
    pub fn end(&self) -> u64 {
        self.instructions.last().map_or(self.start, Instruction::next_ip)
    }
}

/// Whether control may come to the instruction behind this one within a block.
fn goes_on(instruction: &Instruction) -> bool {
    if is_system_call(instruction) {
        return true;
    }
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::ConditionalBranch => true,
        FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::Call
        | FlowControl::IndirectCall
        | FlowControl::Return
        | FlowControl::Interrupt
        | FlowControl::XbeginXabortXend
        | FlowControl::Exception => false,
    }
}

/// What the kernel's own code for system calls means, in 32-bit processes: `int 0x80; ret`. As it
/// is, it may use instructions from which the kernel comes back to a place of its own.
const KERNEL_ENTRY: &[u8] = &[0xcd, 0x80, 0xc3];

fn is_kernel_entry(address: u64) -> bool {
    const AT_SYSINFO: libc::c_ulong = 32;
    // SAFETY: no preconditions.
    !word::IS_64 && unsafe { libc::getauxval(AT_SYSINFO) } as u64 == address
}

/// Decodes the block at an address.
///
/// # Safety
/// There is code in this range, and all of it may be read.
pub unsafe fn decode(start: u64, code: Range<u64>) -> Block {
    let bytes = if is_kernel_entry(start) {
        KERNEL_ENTRY
    } else {
        // SAFETY: the caller says that the range can be read; code of loaded modules stays.
        unsafe { std::slice::from_raw_parts(start as *const u8, (code.end - start) as usize) }
    };
    let mut decoder = Decoder::with_ip(word::BITS, bytes, start, DecoderOptions::NONE);
    let mut instructions = Vec::new();
    let mut used = Used::default();
    while decoder.can_decode() && instructions.len() < MOST {
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            break;
        }
        // Shadow code needs some registers for itself.
        let Some(more) = used.with(&instruction) else { break };
        used = more;
        instructions.push(instruction);
        if !goes_on(&instruction) {
            break;
        }
    }
    Block { start, instructions, used, code }
}
