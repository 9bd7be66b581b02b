//! The x87 unit: dots of 80 bits, one for each of its registers.
//!
//! Dots lie by the numbers that registers have in the unit, so that instructions that turn its
//! stack move none. A register that is popped becomes inactive.
//!
//! Eight bytes are also moved by the unit as an integer, which it holds exactly: so gcc reads and
//! writes an atomic double on i386. The register keeps their shadow for who stores them again
//! (`stack::BITS`), and is unknown to all others.

mod memory;
mod stack;

use iced_x86::{Code, FlowControl, Instruction, Mnemonic, OpKind, Register};

use super::{parts, record, site::Site};
use crate::{
    machine::state::State,
    recording::scales,
    rules::{
        self, Rule, X87,
        extended::{self, Dual, Extended, Results},
        whole,
    },
    translate::Mode,
};
use memory::{Memory, UNKNOWN, load, memory_of, store_shadow};
use stack::{COUNT, Stack, top};
pub use stack::{number, register, set, shadow};

/// Where `fnsave` has the status word, and registers from the top of the stack on.
const SAVED_STATUS: u64 = 4;
const SAVED_REGISTERS: u64 = 28;
const SAVED_BYTES: usize = 108;
/// What `fnstenv` writes.
const ENVIRONMENT_BYTES: usize = 28;

/// Whether an instruction is one of the unit's, and not of MMX.
pub fn is_of(i: &Instruction) -> bool {
    matches!(rules::rule(i.code()), Rule::X87(_))
        || matches!(
            i.mnemonic(),
            Mnemonic::Fsave | Mnemonic::Fnsave | Mnemonic::Frstor | Mnemonic::Emms
        )
}

/// How often an instruction pops behind itself.
fn pops(m: Mnemonic) -> usize {
    use Mnemonic::*;
    match m {
        Fcompp | Fucompp => 2,
        Fstp | Fstpnce | Fistp | Fisttp | Fbstp | Faddp | Fsubp | Fsubrp | Fmulp | Fdivp
        | Fdivrp | Fcomp | Fucomp | Fcomip | Fucomip | Ficomp | Ffreep | Fpatan | Fyl2x
        | Fyl2xp1 => 1,
        _ => 0,
    }
}

fn depth(register: Register) -> usize {
    register.number()
}

/// What a comparison compares, and where the second is, if that is in memory.
pub fn compared(
    i: &Instruction,
    state: &mut State,
    mode: Mode,
) -> Result<([Dual; 2], Option<u64>), String> {
    let memory = memory_of(i, state, mode)?;
    let at_top = top(state);
    let stack = Stack { state, top: at_top };
    let at = memory.as_ref().map(|m| m.at);
    let second = match (i.mnemonic(), memory) {
        (Mnemonic::Ftst | Mnemonic::Fxam, _) => Dual::default(),
        (m, Some(mut memory)) => {
            let is_integer = matches!(m, Mnemonic::Ficom | Mnemonic::Ficomp);
            // Whatever its shadow is, it has one.
            memory
                .dual(is_integer)
                .unwrap_or_else(|_| Dual { x: load(memory.value()), dot: UNKNOWN })
        }
        (_, None) if i.op_count() == 2 => stack.get(depth(i.op1_register())),
        (_, None) => stack.get(1),
    };
    Ok(([stack.get(0), second], at))
}

/// Does what an instruction of the unit does to shadows.
pub fn shadows(site: &Site, rule: Rule, state: &mut State, mode: Mode) -> Result<(), String> {
    let i = &site.instruction;
    let mut memory = memory_of(i, state, mode)?;
    let at_top = top(state);
    let mut stack = Stack { state, top: at_top };
    match i.mnemonic() {
        Mnemonic::Fsave | Mnemonic::Fnsave => return saved(&mut stack, memory, false, mode),
        Mnemonic::Frstor => return saved(&mut stack, memory, true, mode),
        Mnemonic::Emms => {
            (stack.state.x87, stack.state.x87_active) = ([[0; 16]; 8], 0);
            return Ok(());
        }
        _ => {}
    }
    let Rule::X87(operation) = rule else {
        return Err("it is not an instruction of the x87 unit".into());
    };
    // Whether the result goes below the top: the top is popped.
    let mut below = false;
    match operation {
        X87::Load => {
            let dot = match &mut memory {
                Some(memory) => memory.dual(false)?.dot,
                None => stack.get(depth(i.op_register(i.op_count() - 1))).dot,
            };
            stack.push(dot);
        }
        X87::Constant => stack.push(Extended::ZERO),
        X87::FromInteger => {
            let memory = memory.as_mut().ok_or("an integer without memory")?;
            let dot = memory.dual(true)?.dot;
            stack.push(dot);
            if let Ok(bits) = <[u8; 8]>::try_from(&*memory.shadow())
                && !dot.is_zero()
            {
                stack.set_bits(0, bits);
            }
        }
        X87::Store => {
            let dot = stack.get(0).dot;
            match &mut memory {
                Some(memory) => {
                    store_shadow(dot, memory.shadow(), stack.state, mode)?;
                    parts::stored(memory.at, memory.bytes, memory.bytes as u64);
                }
                None => stack.set(depth(i.op0_register()), dot),
            }
        }
        X87::ToInteger => to_integer(&stack, memory.as_mut().ok_or("an integer without memory")?),
        X87::Add | X87::Sub | X87::SubReversed | X87::Mul | X87::Div | X87::DivReversed => {
            arithmetic(site, operation, &mut stack, memory, mode)?;
        }
        X87::Exchange => {
            let k = depth(i.op_register(i.op_count() - 1));
            let (a, b) = (stack.get(0).dot, stack.get(k).dot);
            stack.set(0, b);
            stack.set(k, a);
        }
        X87::MoveIf => {
            if is_met(i, stack.state.flags) {
                let dot = stack.get(depth(i.op1_register())).dot;
                stack.set(0, dot);
            }
        }
        X87::Compare => {}
        X87::Control => control(i, &mut stack, memory),
        X87::Initialize => (stack.state.x87, stack.state.x87_active) = ([[0; 16]; 8], 0),
        X87::Round
        | X87::Sqrt
        | X87::Abs
        | X87::Negate
        | X87::Remainder
        | X87::RemainderNearest
        | X87::Sin
        | X87::Cos
        | X87::SinCos
        | X87::Tan
        | X87::Atan
        | X87::Exp2m1
        | X87::Log2
        | X87::Log2p1
        | X87::Scale
        | X87::Extract => {
            let dots = computed(operation, stack.get(0), stack.get(1), stack.state, mode)?;
            below = matches!(operation, X87::Atan | X87::Log2 | X87::Log2p1);
            stack.set(usize::from(below), dots.result);
            if let Some(dot) = dots.pushed {
                stack.push(dot);
            }
        }
    }
    debug_assert!(!below || pops(i.mnemonic()) == 1);
    (0..pops(i.mnemonic())).for_each(|_| stack.pop());
    Ok(())
}

/// The top is stored as an integer.
fn to_integer(stack: &Stack, memory: &mut Memory) {
    match stack.bits(0) {
        Some(bits) if memory.bytes == bits.len() => memory.shadow().copy_from_slice(&bits),
        Some(_) => memory.lose(),
        None if stack.get(0).dot == UNKNOWN => memory.lose(),
        None if !stack.get(0).dot.is_zero() && whole::is_of_extended(stack.get(0).x) => {
            memory.lose()
        }
        // A real becomes an integer.
        None => memory.clear(),
    }
}

/// Sums, products and quotients of two numbers, of which one may be in memory.
fn arithmetic(
    site: &Site,
    operation: X87,
    stack: &mut Stack,
    memory: Option<Memory>,
    mode: Mode,
) -> Result<(), String> {
    let i = &site.instruction;
    let is_integer = matches!(
        i.mnemonic(),
        Mnemonic::Fiadd
            | Mnemonic::Fisub
            | Mnemonic::Fisubr
            | Mnemonic::Fimul
            | Mnemonic::Fidiv
            | Mnemonic::Fidivr
    );
    let (to, source) = match memory {
        Some(mut memory) => (0, memory.dual(is_integer)?),
        None => (depth(i.op0_register()), stack.get(depth(i.op1_register()))),
    };
    let first = stack.get(to);
    let is_sum = matches!(operation, X87::Add | X87::Sub | X87::SubReversed);
    if is_sum
        && extended::rounds_when_stored(first, source)
        && !is_stored_next(site.behind(), to - pops(i.mnemonic()).min(to))
    {
        return Err(
            "the sum serves to round when it is stored as a double, but the next instruction does not store it"
                .into(),
        );
    }
    let dots = computed(operation, first, source, stack.state, mode)?;
    stack.set(to, dots.result);
    Ok(())
}

/// Instructions that read or write the state of the unit.
fn control(i: &Instruction, stack: &mut Stack, memory: Option<Memory>) {
    match (i.mnemonic(), memory) {
        (Mnemonic::Ffree | Mnemonic::Ffreep, _) => {
            stack.set(depth(i.op0_register()), Extended::ZERO)
        }
        (Mnemonic::Fstenv | Mnemonic::Fnstenv, Some(mut memory)) => {
            memory.bytes = ENVIRONMENT_BYTES;
            memory.shadow().fill(0);
        }
        (
            Mnemonic::Fnstcw | Mnemonic::Fstcw | Mnemonic::Fnstsw | Mnemonic::Fstsw,
            Some(mut memory),
        ) => memory.clear(),
        _ => {}
    }
}

/// Shadows of what an instruction computes of two numbers.
fn computed(
    operation: X87,
    first: Dual,
    second: Dual,
    state: &mut State,
    mode: Mode,
) -> Result<Results, String> {
    let refused = |why| format!("{why:?}");
    if mode != Mode::Recording {
        return extended::dots(operation, first, second).map_err(refused);
    }
    let (one, zero) = (Extended::from(1.0), Extended::ZERO);
    let indices = [record::index(first.dot.bytes(), 8)?, record::index(second.dot.bytes(), 8)?];
    let (mut of_result, mut of_pushed) = (Vec::new(), Vec::new());
    let mut pushes = false;
    // Dots that a dot of one in either makes. A sum of two that are active is not made to round.
    for (k, index) in indices.into_iter().enumerate() {
        let is_sum = matches!(operation, X87::Add | X87::Sub | X87::SubReversed);
        let of = |d: Dual, own: usize| Dual {
            x: if is_sum && k != own && index != 0 && indices[own] != 0 { zero } else { d.x },
            dot: if k == own { one } else { zero },
        };
        let dots = extended::dots(operation, of(first, 0), of(second, 1)).map_err(refused)?;
        pushes = dots.pushed.is_some();
        let add = |to: &mut Vec<(u32, Extended)>, dot: Extended| {
            if index != 0 && !dot.is_zero() {
                to.push((index, dot));
            }
        };
        add(&mut of_result, dots.result);
        if let Some(dot) = dots.pushed {
            add(&mut of_pushed, dot);
        }
    }
    let mut shadow = |terms: &[(u32, Extended)], value: Option<i32>| -> Result<Extended, String> {
        let mut own = [0; 10];
        record::put(scales::record(state, terms, value)?, &mut own, 8);
        Ok(Extended::load(&own))
    };
    let value = extended::value(operation, first.x, second.x).and_then(Extended::power);
    let result = shadow(&of_result, value)?;
    let pushed = if pushes { Some(shadow(&of_pushed, None)?) } else { None };
    Ok(Results { result, pushed })
}

/// Whether the result, so deep in the stack, is stored as a double before anything else becomes of
/// it, by the code behind.
fn is_stored_next(behind: &[Instruction], mut depth: usize) -> bool {
    for next in behind {
        if next.flow_control() != FlowControl::Next {
            return false;
        }
        match rules::rule(next.code()) {
            Rule::X87(X87::Store) if depth == 0 => {
                return matches!(next.code(), Code::Fst_m64fp | Code::Fstp_m64fp);
            }
            Rule::X87(X87::Store) if next.op0_kind() == OpKind::Memory => {
                depth -= pops(next.mnemonic())
            }
            Rule::X87(X87::Load | X87::Constant)
                if next.op0_kind() == OpKind::Memory || next.op_count() == 0 =>
            {
                depth += 1
            }
            Rule::X87(X87::Exchange) => {
                let other = next.op_register(next.op_count() - 1).number();
                depth = if depth == 0 {
                    other
                } else if depth == other {
                    0
                } else {
                    depth
                };
            }
            Rule::X87(_) => return false,
            _ => {}
        }
    }
    false
}

/// `fnsave` and `frstor`: the whole unit to memory or from there, registers in the order of the
/// stack.
fn saved(
    stack: &mut Stack,
    memory: Option<Memory>,
    restores: bool,
    mode: Mode,
) -> Result<(), String> {
    let Memory { at, .. } = memory.ok_or("no memory")?;
    let registers = Memory { at: at + SAVED_REGISTERS, bytes: 10 * COUNT, mode };
    if restores {
        // SAFETY: the instruction reads this memory.
        let status = unsafe { ((at + SAVED_STATUS) as *const u16).read_unaligned() };
        stack.top = usize::from(status >> 11 & 7);
        let dots = { registers }.shadow().to_vec();
        dots.chunks_exact(10).enumerate().for_each(|(k, dot)| stack.set(k, Extended::load(dot)));
        return Ok(());
    }
    let dots: Vec<u8> = (0..COUNT).flat_map(|k| stack.get(k).dot.bytes().to_vec()).collect();
    Memory { at, bytes: SAVED_BYTES, mode }.shadow().fill(0);
    { registers }.shadow().copy_from_slice(&dots);
    (stack.state.x87, stack.state.x87_active) = ([[0; 16]; 8], 0);
    Ok(())
}

/// Whether the flags say that `fcmov` moves.
fn is_met(i: &Instruction, flags: u64) -> bool {
    let (carry, parity, zero) = (flags & 1 != 0, flags & 4 != 0, flags & 0x40 != 0);
    match i.code() {
        Code::Fcmovb_st0_sti => carry,
        Code::Fcmovnb_st0_sti => !carry,
        Code::Fcmove_st0_sti => zero,
        Code::Fcmovne_st0_sti => !zero,
        Code::Fcmovbe_st0_sti => carry || zero,
        Code::Fcmovnbe_st0_sti => !carry && !zero,
        Code::Fcmovu_st0_sti => parity,
        _ => !parity,
    }
}
