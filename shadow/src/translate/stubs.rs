//! Code that is the same for all programs: how translated code calls Rust code, and how it finds
//! the target of an indirect jump.

use iced_x86::{
    IcedError,
    code_asm::{CodeLabel, al, cx, dword_ptr, eax, ecx, edx, ptr},
};

use super::assembler::{Assembler, member};
use crate::machine::{
    general_mask::Mask,
    state::{Entry, Reason, TABLE},
    word::{self, word_ptr},
};

/// Components that `xsave64` saves: x87, SSE, AVX, and the three of AVX-512.
const COMPONENTS: i32 = 0b1110_0111;
/// Room for them.
const AREA: i32 = 2816;
/// MXCSR as the ABI has it at the start of a program.
const MXCSR: i32 = 0x1f80;

/// Saves the program's registers, calls `dispatch` with the state, brings the registers back and
/// jumps where the state says.
///
/// Below the stack pointer may be bytes that a leaf function uses.
pub fn call_rust(a: &mut Assembler, dispatch: u64) -> Result<(), IcedError> {
    let (sp, flags) = (word::sp, a.of_state(member!(flags)));
    for (number, register) in word::ALL.into_iter().enumerate() {
        let place = a.gpr(number);
        a.code.mov(place, register)?;
    }
    a.code.lea(sp, word_ptr(sp - word::RED_ZONE as i32))?;
    word::push_flags(&mut a.code)?;
    a.code.pop(flags)?;
    a.code.cld()?;
    a.code.and(sp, -64)?;
    a.code.sub(sp, AREA)?;
    a.code.xor(eax, eax)?;
    for at in (512..576).step_by(word::BYTES) {
        a.code.mov(word_ptr(sp + at), word::a)?;
    }
    a.code.mov(eax, COMPONENTS)?;
    a.code.xor(edx, edx)?;
    word::save(&mut a.code, ptr(sp))?;
    a.code.fninit()?;
    a.code.mov(dword_ptr(sp + (AREA - 8)), MXCSR)?;
    a.code.ldmxcsr(dword_ptr(sp + (AREA - 8)))?;
    a.code.mov(word::b, sp)?;
    let area = a.of_state(member!(area));
    a.code.mov(area, sp)?;
    // The thread pointer is in the first word of what it points to.
    a.code.mov(word::di, word::of_thread(word_ptr(0)))?;
    let offset = a.state();
    a.code.lea(word::di, word_ptr(word::di + offset))?;
    if !word::IS_64 {
        // Arguments are on the stack there, which is aligned as the ABI wants.
        a.code.sub(sp, 64)?;
        a.code.mov(word_ptr(sp), word::di)?;
    }
    a.code.mov(word::a, dispatch as word::Immediate)?;
    a.code.call(word::a)?;
    a.code.mov(sp, word::b)?;
    a.code.mov(eax, COMPONENTS)?;
    a.code.xor(edx, edx)?;
    word::restore(&mut a.code, ptr(sp))?;
    a.code.push(flags)?;
    word::pop_flags(&mut a.code)?;
    for (number, register) in word::ALL.into_iter().enumerate() {
        let place = a.gpr(number);
        a.code.mov(register, place)?;
    }
    let jump = a.of_state(member!(jump));
    a.code.jmp(jump)
}

/// Whether an indirect jump may be followed by code that looks at the flags.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flags {
    /// Calls and returns: the ABI says that flags do not live across.
    Dead,
    /// Other jumps.
    Live,
}

/// Where an indirect jump leads.
pub enum Target {
    /// To what an instruction's operand says: the instruction that loads it to RCX.
    Load(iced_x86::Instruction),
    /// To the address on the stack, which is taken off, with so many bytes more.
    Return(i32),
    /// To the address that the state's first kept word holds.
    Kept,
}

/// Jumps to the translation of a target: through the thread's table, or by asking.
pub fn look_up(
    a: &mut Assembler,
    target: Target,
    flags: Flags,
    context: Mask,
) -> Result<(), IcedError> {
    let saved = [a.saved(0), a.saved(1), a.saved(2), a.saved(3)];
    let mut miss = a.code.create_label();
    let restore = |a: &mut Assembler| -> Result<(), IcedError> {
        if flags == Flags::Live {
            a.code.mov(word::a, saved[3])?;
            a.code.add(al, 0x7f)?;
            a.code.sahf()?;
            a.code.mov(word::a, saved[2])?;
        }
        a.code.mov(word::c, saved[0])?;
        a.code.mov(word::d, saved[1])
    };
    match target {
        Target::Load(load) => {
            a.code.mov(saved[0], word::c)?;
            a.code.mov(saved[1], word::d)?;
            a.code.add_instruction(load)?;
        }
        Target::Return(more) => {
            a.code.mov(saved[0], word::c)?;
            a.code.mov(saved[1], word::d)?;
            a.code.mov(word::c, word_ptr(word::sp))?;
            a.code.lea(word::sp, word_ptr(word::sp + (word::BYTES as i32 + more)))?;
        }
        Target::Kept => {
            let next = a.of_state(member!(next));
            a.code.mov(saved[0], word::c)?;
            a.code.mov(saved[1], word::d)?;
            a.code.mov(word::c, next)?;
        }
    }
    if flags == Flags::Live {
        a.code.mov(saved[2], word::a)?;
        a.code.lahf()?;
        a.code.seto(al)?;
        a.code.mov(saved[3], word::a)?;
    }
    a.code.mov(edx, ecx)?;
    a.code.shr(edx, 4)?;
    a.code.xor(edx, ecx)?;
    a.code.and(edx, TABLE as i32 - 1)?;
    const { assert!(size_of::<Entry>() == 16) };
    a.code.shl(edx, 4)?;
    let (table, next) = (a.of_state(member!(table)), a.of_state(member!(next)));
    a.code.add(word::d, table)?;
    a.code.mov(next, word::c)?;
    if word::IS_64 && !context.is_empty() {
        // The context's bits, above the address.
        a.code.rol(word::c, 16)?;
        a.code.xor(cx, i32::from(context.bits()))?;
        a.code.ror(word::c, 16)?;
    }
    a.code.cmp(word::c, word_ptr(word::d))?;
    a.code.jne(miss)?;
    if !word::IS_64 {
        a.code.cmp(dword_ptr(edx + 4), i32::from(context.bits()) << 16)?;
        a.code.jne(miss)?;
    }
    a.code.mov(word::d, word_ptr(word::d + 8))?;
    let jump = a.of_state(member!(jump));
    a.code.mov(jump, word::d)?;
    restore(a)?;
    a.code.jmp(jump)?;
    a.code.set_label(&mut miss)?;
    restore(a)?;
    a.set(member!(link), 0)?;
    a.set(member!(context), context.bits().into())?;
    let dispatch = a.of_state(member!(dispatch));
    a.code.jmp(dispatch)
}

/// Runs a function as it is: it sees a return address of ours, the program's waits aside. The spare
/// register is nobody's at the start of a function and at its end.
fn run(a: &mut Assembler, function: u64) -> Result<(), IcedError> {
    let (returns, spare) = (a.of_state(member!(returns)), word::spare);
    a.code.mov(spare, returns)?;
    a.code.pop(word_ptr(spare))?;
    a.code.lea(spare, word_ptr(spare + 8))?;
    a.code.mov(returns, spare)?;
    a.code.mov(spare, function as word::Immediate)?;
    a.code.call(spare)?;
    a.code.mov(spare, returns)?;
    a.code.lea(spare, word_ptr(spare - 8))?;
    a.code.mov(returns, spare)?;
    a.code.push(word_ptr(spare))
}

/// Calls a function as it is, and goes on where it was called from.
pub fn call_native(a: &mut Assembler, function: u64, context: Mask) -> Result<(), IcedError> {
    run(a, function)?;
    // Results are no reals.
    for number in [0, 2] {
        a.set(member!(general) + 8 * number, 0)?;
    }
    look_up(a, Target::Return(0), Flags::Dead, context)
}

/// The same with Rust code before the call and behind it; returns where each of the two goes on.
pub fn call_model(
    a: &mut Assembler,
    function: u64,
    slots: [u64; 2],
    context: Mask,
) -> Result<[CodeLabel; 2], IcedError> {
    let dispatch = a.of_state(member!(dispatch));
    let ask = |a: &mut Assembler, reason: Reason, slot: u64| -> Result<CodeLabel, IcedError> {
        let mut resume = a.code.create_label();
        a.set(member!(instruction), function)?;
        a.set(member!(reason), reason as u64)?;
        a.set(member!(link), slot)?;
        a.code.jmp(dispatch)?;
        a.code.set_label(&mut resume)?;
        a.code.zero_bytes()?;
        Ok(resume)
    };
    let before = ask(a, Reason::Before, slots[0])?;
    run(a, function)?;
    let after = ask(a, Reason::After, slots[1])?;
    look_up(a, Target::Return(0), Flags::Dead, context)?;
    Ok([before, after])
}
