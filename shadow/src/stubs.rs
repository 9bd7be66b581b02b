//! Code that is the same for all programs: how translated code calls Rust code, and how it finds the target of an indirect jump.

use iced_x86::{IcedError, code_asm::*};

use crate::{
    assembler::{Assembler, member},
    general_mask::Mask,
    state::{Reason, TABLE},
};

/// Components that `xsave64` saves: x87, SSE, AVX, and the three of AVX-512.
const COMPONENTS: i32 = 0b1110_0111;
/// Room for them.
const AREA: i32 = 2816;
/// MXCSR as the ABI has it at the start of a program.
const MXCSR: i32 = 0x1f80;

const REGISTERS: [AsmRegister64; 16] = [rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15];

/// Saves the program's registers, calls `dispatch` with the state, brings the registers back and jumps where the state says.
///
/// Below the stack pointer are 128 bytes that a leaf function may use.
pub fn call_rust(a: &mut Assembler, dispatch: u64) -> Result<(), IcedError> {
    for (number, register) in REGISTERS.into_iter().enumerate() {
        let place = a.gpr(number);
        a.code.mov(place, register)?;
    }
    a.code.lea(rsp, qword_ptr(rsp - 128))?;
    a.code.pushfq()?;
    let flags = a.of_state(member!(flags));
    a.code.pop(flags)?;
    a.code.cld()?;
    a.code.and(rsp, -64)?;
    a.code.sub(rsp, AREA)?;
    a.code.xor(eax, eax)?;
    for word in 0..8 {
        a.code.mov(qword_ptr(rsp + (512 + 8 * word)), rax)?;
    }
    a.code.mov(eax, COMPONENTS)?;
    a.code.xor(edx, edx)?;
    a.code.xsave64(ptr(rsp))?;
    a.code.fninit()?;
    a.code.mov(dword_ptr(rsp + (AREA - 8)), MXCSR)?;
    a.code.ldmxcsr(dword_ptr(rsp + (AREA - 8)))?;
    a.code.mov(rbx, rsp)?;
    let area = a.of_state(member!(area));
    a.code.mov(area, rsp)?;
    // The thread pointer is in the first word of what it points to.
    a.code.mov(rdi, qword_ptr(0).fs())?;
    let offset = a.state();
    a.code.lea(rdi, qword_ptr(rdi + offset))?;
    a.code.mov(rax, dispatch)?;
    a.code.call(rax)?;
    a.code.mov(rsp, rbx)?;
    a.code.mov(eax, COMPONENTS)?;
    a.code.xor(edx, edx)?;
    a.code.xrstor64(ptr(rsp))?;
    a.code.push(flags)?;
    a.code.popfq()?;
    for (number, register) in REGISTERS.into_iter().enumerate() {
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
pub fn look_up(a: &mut Assembler, target: Target, flags: Flags, context: Mask) -> Result<(), IcedError> {
    let kept = [a.kept(0), a.kept(1), a.kept(2), a.kept(3)];
    let mut miss = a.code.create_label();
    let restore = |a: &mut Assembler| -> Result<(), IcedError> {
        if flags == Flags::Live {
            a.code.mov(rax, kept[3])?;
            a.code.add(al, 0x7f)?;
            a.code.sahf()?;
            a.code.mov(rax, kept[2])?;
        }
        a.code.mov(rcx, kept[0])?;
        a.code.mov(rdx, kept[1])
    };
    match target {
        Target::Load(load) => {
            a.code.mov(kept[0], rcx)?;
            a.code.mov(kept[1], rdx)?;
            a.code.add_instruction(load)?;
        }
        Target::Return(more) => {
            a.code.mov(kept[0], rcx)?;
            a.code.mov(kept[1], rdx)?;
            a.code.mov(rcx, qword_ptr(rsp))?;
            a.code.lea(rsp, qword_ptr(rsp + (8 + more)))?;
        }
        Target::Kept => {
            let next = a.of_state(member!(next));
            a.code.mov(kept[0], rcx)?;
            a.code.mov(kept[1], rdx)?;
            a.code.mov(rcx, next)?;
        }
    }
    if flags == Flags::Live {
        a.code.mov(kept[2], rax)?;
        a.code.lahf()?;
        a.code.seto(al)?;
        a.code.mov(kept[3], rax)?;
    }
    a.code.mov(edx, ecx)?;
    a.code.shr(edx, 4)?;
    a.code.xor(edx, ecx)?;
    a.code.and(edx, TABLE as i32 - 1)?;
    a.code.shl(edx, 4)?;
    let (table, next) = (a.of_state(member!(table)), a.of_state(member!(next)));
    a.code.add(rdx, table)?;
    a.code.mov(next, rcx)?;
    if !context.is_empty() {
        // The context's bits, above the address.
        a.code.rol(rcx, 16)?;
        a.code.xor(cx, i32::from(context.bits()))?;
        a.code.ror(rcx, 16)?;
    }
    a.code.cmp(rcx, qword_ptr(rdx))?;
    a.code.jne(miss)?;
    a.code.mov(rdx, qword_ptr(rdx + 8))?;
    let jump = a.of_state(member!(jump));
    a.code.mov(jump, rdx)?;
    restore(a)?;
    a.code.jmp(jump)?;
    a.code.set_label(&mut miss)?;
    restore(a)?;
    a.set(member!(link), 0)?;
    a.set(member!(context), context.bits().into())?;
    let dispatch = a.of_state(member!(dispatch));
    a.code.jmp(dispatch)
}

/// Runs a function as it is: it sees a return address of ours, the program's waits aside. R11 is nobody's at the start of a function and at
/// its end.
fn run(a: &mut Assembler, function: u64) -> Result<(), IcedError> {
    let returns = a.of_state(member!(returns));
    a.code.mov(r11, returns)?;
    a.code.pop(qword_ptr(r11))?;
    a.code.lea(r11, qword_ptr(r11 + 8))?;
    a.code.mov(returns, r11)?;
    a.code.mov(r11, function)?;
    a.code.call(r11)?;
    a.code.mov(r11, returns)?;
    a.code.lea(r11, qword_ptr(r11 - 8))?;
    a.code.mov(returns, r11)?;
    a.code.push(qword_ptr(r11))
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
pub fn call_known(a: &mut Assembler, function: u64, slots: [u64; 2], context: Mask) -> Result<[CodeLabel; 2], IcedError> {
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
