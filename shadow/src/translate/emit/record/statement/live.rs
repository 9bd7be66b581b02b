//! Which vector registers are live where a block is left: found by reading on.
//!
//! A register is dead if on all paths from there its lowest eight bytes are overwritten before
//! anything reads them. Errs towards live: where control goes to what is not known, or too far.
//! Behind a return all is dead but what the ABI returns results in; whoever has other conventions
//! meets an unknown shadow, which is refused, not an old one.

use std::{collections::HashMap, ops::Range};

use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, FlowControl, Instruction, InstructionInfoFactory,
    Mnemonic, OpAccess, OpKind,
};

use crate::{
    machine::word,
    translate::{
        emit::vector,
        instruction::{reads, writes},
    },
};

/// Instructions that are looked at.
const MOST: usize = 200;
/// Registers that may hold results of a function.
pub const RESULTS: u16 = 0b1111;

/// The first sixteen vector registers that an instruction uses, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uses {
    /// It may read these.
    pub reads: u16,
    /// It may write these.
    pub writes: u16,
    /// It writes all of these, and does not read them.
    pub kills: u16,
}

/// Instructions before AVX that write all of a register, whatever was in it.
fn is_whole(i: &Instruction) -> bool {
    use Mnemonic::*;
    let is_load = i.op1_kind() != OpKind::Register;
    match i.mnemonic() {
        Movsd | Movss => is_load,
        Movq | Movd | Movapd | Movaps | Movupd | Movups | Movdqa | Movdqu | Lddqu | Movddup
        | Pshufd | Cvtdq2pd | Cvtps2pd | Cvtdq2ps | Sqrtpd => true,
        _ => i.op_count() > 1 && vector::is_cleared(i),
    }
}

impl Uses {
    /// Of one instruction.
    pub fn of(i: &Instruction, factory: &mut InstructionInfoFactory) -> Self {
        let mut it = Uses::default();
        // It leaves the lowest sixteen bytes as they are.
        if i.mnemonic() == Mnemonic::Vzeroupper {
            return it;
        }
        for used in factory.info(i).used_registers() {
            let r = used.register();
            if r.is_vector_register() && r.number() < 16 {
                let bit = 1 << r.number();
                it.reads |= if reads(used.access()) { bit } else { 0 };
                it.writes |= if writes(used.access()) { bit } else { 0 };
            }
        }
        if i.op_count() > 1 && vector::is_cleared(i) {
            it.reads = 0;
        }
        if i.op_count() > 0
            && i.op0_kind() == OpKind::Register
            && i.op0_register().is_vector_register()
            && i.op0_register().number() < 16
        {
            let bit = 1 << i.op0_register().number();
            let is_whole = if i.encoding() == EncodingKind::Legacy {
                is_whole(i)
            } else {
                i.encoding() == EncodingKind::VEX
            };
            let is_written = factory.info(i).op0_access() == OpAccess::Write || it.reads & bit == 0;
            if is_whole && is_written && it.reads & bit == 0 && it.writes & bit != 0 {
                it.kills = bit;
            }
        }
        it
    }
}

/// Of these registers: which may be live at an address, and which are dead by the ABI only. `code`
/// is the code around it.
pub fn live(at: u64, code: &Range<u64>, registers: u16) -> (u16, u16) {
    let (mut live, mut by_abi, mut left) = (0, 0, MOST);
    let mut factory = InstructionInfoFactory::new();
    let mut seen: HashMap<u64, u16> = HashMap::new();
    let mut paths = vec![(at, registers)];
    while let Some((at, mut undecided)) = paths.pop() {
        let known = seen.entry(at).or_default();
        undecided &= !*known & !live;
        *known |= undecided;
        if undecided == 0 {
            continue;
        }
        if !code.contains(&at) {
            live |= undecided;
            continue;
        }
        // SAFETY: code of a loaded segment.
        let bytes =
            unsafe { std::slice::from_raw_parts(at as *const u8, (code.end - at) as usize) };
        let mut decoder = Decoder::with_ip(word::BITS, bytes, at, DecoderOptions::NONE);
        while undecided != 0 {
            if left == 0 || !decoder.can_decode() {
                live |= undecided;
                break;
            }
            left -= 1;
            let i = decoder.decode();
            let uses = Uses::of(&i, &mut factory);
            live |= undecided & uses.reads;
            undecided &= !uses.reads & !uses.kills;
            match i.flow_control() {
                _ if i.is_invalid() || i.mnemonic() == Mnemonic::Syscall => live |= undecided,
                FlowControl::Next => continue,
                FlowControl::ConditionalBranch => {
                    paths.push((i.near_branch_target(), undecided));
                    continue;
                }
                FlowControl::UnconditionalBranch => paths.push((i.near_branch_target(), undecided)),
                FlowControl::Return => {
                    live |= undecided & RESULTS;
                    by_abi |= undecided & !RESULTS;
                }
                _ => live |= undecided,
            }
            break;
        }
    }
    (live, by_abi & !live)
}
