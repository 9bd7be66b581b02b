//! The x87 unit: dots of 80 bits, one for each of its registers.
//!
//! Dots lie by the numbers that registers have in the unit, so that instructions that turn its
//! stack move none. A register that is popped becomes inactive.
//!
//! Eight bytes are also moved by the unit as an integer, which it holds exactly: so gcc reads and
//! writes an atomic double on i386. The register keeps their shadow for who stores them again
//! ([`BITS`]), and is unknown to all others.

use iced_x86::{Code, FlowControl, Instruction, Mnemonic, OpKind, Register};

use super::{operands::base_or_register, parts, record, site::Site};
use crate::{
    machine::{registers, state::State},
    memory::{
        indices::{self, powers},
        space::DISTANCE,
        unknown,
    },
    recording::scales,
    rules::{
        self, Rule, X87,
        extended::{self, Dual, Extended, Results},
        whole,
    },
    translate::Mode,
};

/// Why a `long double` is refused.
const UNTYPED: &str = "it is a long double in an object of unknown type: its words have indices of \
    doubles; state the layout of the object (adshadow_layout)";
/// Why an argument is refused.
const FAR: &str = "it is a long double by value outside the range of double: its adjoint, which is \
    stored as a double, may be outside too; pass it in memory";
/// The shadow of what was made of active bits.
const UNKNOWN: Extended = Extended::all_set();
/// Where a register's shadow says that it is that of eight bytes, in its first eight.
const BITS: usize = 10;
/// Registers of the unit.
const COUNT: usize = 8;
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

/// The value of a register, by its number in the unit.
pub fn register(state: &State, number: usize) -> [u8; 10] {
    let depth = (number + COUNT - top(state)) % COUNT;
    // SAFETY: the stub saved the registers for this call.
    unsafe { registers::x87(state, depth) }
}

/// The number of a register in the unit, by its depth in the stack.
pub fn number(state: &State, depth: usize) -> usize {
    (top(state) + depth) % COUNT
}

/// The shadow of a register, by its number in the unit, for who takes it for that of a real.
pub fn shadow(state: &State, number: usize) -> [u8; 16] {
    let mut shadow = state.x87[number];
    if shadow[BITS] != 0 {
        shadow[BITS] = 0;
        shadow[..BITS].fill(0xff);
    }
    shadow
}

/// Gives a register a shadow.
pub fn set(state: &mut State, number: usize, dot: [u8; 16]) {
    state.x87[number] = dot;
    state.x87_active = u64::from(state.x87.iter().any(|d| *d != [0; 16]));
}

fn top(state: &State) -> usize {
    // SAFETY: the stub saved the registers of the unit for this call.
    usize::from(unsafe { registers::x87_status(state) } >> 11 & 7)
}

/// The stack as it is before an instruction.
struct Stack<'a> {
    state: &'a mut State,
    top: usize,
}

impl Stack<'_> {
    fn number(&self, depth: usize) -> usize {
        (self.top + depth) % COUNT
    }
    fn get(&self, depth: usize) -> Dual {
        // SAFETY: the stub saved the registers for this call.
        let x = Extended::load(&unsafe { registers::x87(self.state, depth) });
        Dual { x, dot: Extended::load(&shadow(self.state, self.number(depth))) }
    }
    /// The shadow of eight bytes that the register holds as an integer, if they are active.
    fn bits(&self, depth: usize) -> Option<[u8; 8]> {
        let shadow = &self.state.x87[self.number(depth)];
        (shadow[BITS] != 0).then(|| std::array::from_fn(|k| shadow[k]))
    }
    fn set_bits(&mut self, depth: usize, bits: [u8; 8]) {
        let mut shadow = [0; 16];
        shadow[..8].copy_from_slice(&bits);
        shadow[BITS] = 1;
        let number = self.number(depth);
        set(self.state, number, shadow);
    }
    fn set(&mut self, depth: usize, dot: Extended) {
        let mut bytes = [0; 16];
        bytes[..10].copy_from_slice(dot.bytes());
        let number = self.number(depth);
        set(self.state, number, bytes);
    }
    fn push(&mut self, dot: Extended) {
        self.top = (self.top + COUNT - 1) % COUNT;
        self.set(0, dot);
    }
    fn pop(&mut self) {
        self.set(0, Extended::ZERO);
        self.top = (self.top + 1) % COUNT;
    }
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

/// A number in memory: of 4, 8 or 10 bytes.
fn load(bytes: &[u8]) -> Extended {
    match *bytes {
        [a, b, c, d] => Extended::from(f64::from(f32::from_le_bytes([a, b, c, d]))),
        [a, b, c, d, e, f, g, h] => Extended::from(f64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => Extended::load(bytes),
    }
}

/// The shadow of a number in memory, as the unit's registers have it: in a recording a double's.
fn load_shadow(bytes: &[u8], value: &[u8], mode: Mode) -> Result<Extended, String> {
    if mode != Mode::Recording {
        return Ok(load(bytes));
    }
    let mut own = [0; 10];
    let index = record::index(bytes, bytes.len())?;
    if bytes.len() == 10 && indices::is_index_of_untyped(index) {
        return Err(UNTYPED.into());
    }
    if bytes.len() == 10 && index != 0 && powers::is_far_argument(index, load(value)) {
        return Err(FAR.into());
    }
    record::put(index, &mut own, 8);
    Ok(Extended::load(&own))
}

fn store_shadow(
    shadow: Extended,
    to: &mut [u8],
    state: &mut State,
    mode: Mode,
) -> Result<(), String> {
    if mode != Mode::Recording {
        store(shadow, to);
        return Ok(());
    }
    let mut index = record::index(shadow.bytes(), 8)?;
    if to.len() != 10 {
        index = scales::plain(state, index)?;
    }
    to.fill(0);
    let size = to.len();
    record::put(index, to, size);
    Ok(())
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

fn store(dot: Extended, to: &mut [u8]) {
    match to.len() {
        // A zero dot has no sign.
        4 => to.copy_from_slice(&(dot.to_f32() + 0.0).to_le_bytes()),
        8 => to.copy_from_slice(&(dot.to_f64() + 0.0).to_le_bytes()),
        _ => to.copy_from_slice(dot.bytes()),
    }
}

/// Memory that an instruction touches, and its shadow.
struct Memory {
    at: u64,
    bytes: usize,
    mode: Mode,
}

impl Memory {
    fn value(&self) -> &[u8] {
        // SAFETY: the instruction reads this memory.
        unsafe { std::slice::from_raw_parts(self.at as *const u8, self.bytes) }
    }
    fn shadow(&mut self) -> &mut [u8] {
        // SAFETY: the instruction touches this memory; its shadow is mapped, and nobody else has
        // it.
        unsafe {
            std::slice::from_raw_parts_mut(self.at.wrapping_add(DISTANCE) as *mut u8, self.bytes)
        }
    }
    /// The shadow of a long double with what lies between it and the next, as far as that is of the
    /// same four bytes.
    fn with_padding(&mut self) -> Vec<u8> {
        let mut all = self.shadow().to_vec();
        if self.at.is_multiple_of(4) {
            // SAFETY: shadow memory of the cell that the last two bytes are of.
            let cell = unsafe { (self.at.wrapping_add(8 + DISTANCE) as *const [u8; 4]).read() };
            all.extend(&cell[2..]);
        }
        all
    }
    /// It gets an integer.
    fn clear(&mut self) {
        if self.bytes < 4 {
            parts::clear(self.at, self.bytes, self.mode)
        } else {
            self.shadow().fill(0)
        }
    }
    /// It gets what is made of active bits.
    fn lose(&mut self) {
        if self.bytes < 4 {
            parts::lose(self.at, self.bytes, self.mode)
        } else {
            self.shadow().fill(0xff)
        }
    }
    /// Integers made of active bits are unknown: no number.
    fn dual(&mut self, is_integer: bool) -> Result<Dual, String> {
        if !is_integer {
            let mode = self.mode;
            if mode == Mode::Recording && self.bytes == 10 && indices::is_untyped(self.at) {
                return Err(UNTYPED.into());
            }
            let dot = self.shadow().to_vec();
            if mode == Mode::Tangent
                && self.bytes == 10
                && (unknown::is_extended(&self.with_padding()) || unknown::is_torn(&dot))
            {
                return Ok(Dual { x: load(self.value()), dot: UNKNOWN });
            }
            return Ok(Dual { x: load(self.value()), dot: load_shadow(&dot, self.value(), mode)? });
        }
        let mut wide = [if self.value()[self.bytes - 1] >= 0x80 { 0xff } else { 0 }; 8];
        wide[..self.bytes.min(8)].copy_from_slice(&self.value()[..self.bytes.min(8)]);
        let is_active = if self.bytes < 4 {
            parts::are_active(self.at, self.bytes)
        } else {
            self.shadow().iter().any(|b| *b != 0)
        };
        let dot = if is_active { UNKNOWN } else { Extended::ZERO };
        // Operands of arithmetic have 32 bits at most, which a double holds.
        Ok(Dual { x: Extended::from(i64::from_le_bytes(wide) as f64), dot })
    }
}

fn depth(register: Register) -> usize {
    register.number()
}

/// What an instruction has in memory.
fn memory_of(i: &Instruction, state: &State, mode: Mode) -> Result<Option<Memory>, String> {
    if i.op_count() == 0 || i.op0_kind() != OpKind::Memory {
        return Ok(None);
    }
    let at = i
        .virtual_address(0, 0, |r, _, _| base_or_register(r, state))
        .ok_or("its address is not known before it runs")?;
    Ok(Some(Memory { at, bytes: i.memory_size().size(), mode }))
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
    let Rule::X87(operation) = rule else { return Err("it is none of the unit's".into()) };
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
        X87::ToInteger => {
            let memory = memory.as_mut().ok_or("an integer without memory")?;
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
        X87::Add | X87::Sub | X87::SubReversed | X87::Mul | X87::Div | X87::DivReversed => {
            let is_integer = matches!(
                i.mnemonic(),
                Mnemonic::Fiadd
                    | Mnemonic::Fisub
                    | Mnemonic::Fisubr
                    | Mnemonic::Fimul
                    | Mnemonic::Fidiv
                    | Mnemonic::Fidivr
            );
            let (to, source) = match &mut memory {
                Some(memory) => (0, memory.dual(is_integer)?),
                None => (depth(i.op0_register()), stack.get(depth(i.op1_register()))),
            };
            let first = stack.get(to);
            let is_sum = matches!(operation, X87::Add | X87::Sub | X87::SubReversed);
            if is_sum
                && extended::rounds_when_stored(first, source)
                && !is_stored_next(site.behind(), to - pops(i.mnemonic()).min(to))
            {
                return Err("the sum is made to round when it is stored as a double, which does not come next".into());
            }
            let dots = computed(operation, first, source, stack.state, mode)?;
            stack.set(to, dots.result);
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
        X87::Control => match (i.mnemonic(), &mut memory) {
            (Mnemonic::Ffree | Mnemonic::Ffreep, _) => {
                stack.set(depth(i.op0_register()), Extended::ZERO)
            }
            (Mnemonic::Fstenv | Mnemonic::Fnstenv, Some(memory)) => {
                memory.bytes = ENVIRONMENT_BYTES;
                memory.shadow().fill(0);
            }
            (
                Mnemonic::Fnstcw | Mnemonic::Fstcw | Mnemonic::Fnstsw | Mnemonic::Fstsw,
                Some(memory),
            ) => memory.clear(),
            _ => {}
        },
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
