//! The slow path: shadows of one instruction, or of one library call, in Rust, with all registers
//! saved.
//!
//! **In:** a [`site`], which is what is known of the instruction since its translation, and the
//! state with the program's registers, before the instruction runs.
//!
//! **Out:** shadows of all that the instruction writes; in a recording, entries. Or an error that
//! names the instruction and its library.
//!
//! - `operands`: registers and memory of an instruction. `places`: instructions that touch more than
//!   operands. `masked`: memory of which a mask leaves out parts. `saved`: instructions that save all
//!   registers. `unit`: the x87 unit. `uses`: what a result is used for.
//! - [`parts`]: bytes of reals; `unaligned`: where reals lie that are not aligned.
//! - [`mod@record`]: instructions and library models that Rust code records. [`statement`]: statements
//!   that inline code did not record.
//! - [`equality`]: checks of comparisons that find active numbers equal.
//! - [`library_calls`]: calls of functions with a library model.
//!
//! **What must hold:** what meets nothing active has shadow zero in all that it writes. Otherwise the
//! rule of its form ([`rules`]) says what its result's shadow is, or why there is
//! none. What general registers compute of active bits is unknown: a shadow that is NaN to whoever
//! takes it for a dot.

pub mod equality;
pub mod library_calls;
mod masked;
pub(crate) mod operands;
pub mod parts;
mod places;
pub mod record;
mod saved;
pub mod site;
pub mod statement;
mod unaligned;
pub(crate) mod unit;
mod uses;

use iced_x86::{Code, EncodingKind, Instruction, Mnemonic, OpKind, Register};

use super::{
    Mode,
    instruction::{is_address, is_double_store, is_second_byte, reads, writes},
};
use crate::{
    Error,
    machine::{
        general_mask::number,
        registers,
        state::{State, UNKNOWN, Vector},
        word,
    },
    memory::{space::DISTANCE, unknown},
    recording::evaluation,
    rules::{
        self, Element, Rule, X87,
        bits::Word,
        integer, is_constant,
        native::{self, OPERANDS, WIDTH},
        power::{Cuts, DOUBLE, Dots, FLOAT, How, UPPER},
        tangent::{self, Operand},
    },
};
use {
    operands::{base_or_register, part_of, place, register_operand, set_register},
    record::Indices,
    site::{Asks, By, Details, Site},
};

/// A call begins.
pub fn begin_call() {
    unknown::begin_call();
    parts::forget();
}

/// Does what the instruction of a site does to shadows; it has not been executed yet. `library`
/// names the file that an address is in.
pub fn shadows(
    site: &'static Site,
    state: &mut State,
    mode: Mode,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    let (i, details) = (&site.instruction, site.details());
    let touching = |why: String| {
        let operand = "what it reads or writes".into();
        Error::Active {
            library: library(i.ip()),
            address: i.ip(),
            instruction: i.to_string(),
            operand,
            why,
        }
    };
    match details.asks {
        Asks::Bits => equality::bits::look(i, state, library)?,
        Asks::Lanes => equality::look_at_lanes(i, state, mode, library)?,
        Asks::Nothing => {}
    }
    match details.by {
        By::Zero => {
            state.vectors[..16].fill(Vector::default());
            Ok(())
        }
        By::Saved => saved::shadows(i, state),
        By::Equality => equality::look(site, state, mode, library),
        By::Unit => {
            if details.rule == Rule::X87(X87::Compare) {
                let (operands, at) = unit::compared(i, state, mode).map_err(touching)?;
                equality::look_in_unit(site, operands, at, mode, library)?;
            }
            unit::shadows(site, details.rule, state, mode).map_err(touching)
        }
        By::Places
            if i.mnemonic() == Mnemonic::Xchg
                && i.op0_kind() == OpKind::Memory
                && evaluation::are_several()
                && active_operand(i, details, state)?.is_some() =>
        {
            Err(touching(BETWEEN.into()))
        }
        By::Places => places::shadows(i, details.rule, state, mode).map_err(touching),
        By::Atomic if evaluation::are_several() && active_operand(i, details, state)?.is_some() => {
            Err(touching(BETWEEN.into()))
        }
        By::Atomic if is_done_inline(i) => Ok(()),
        By::Atomic => of_rule(site, details, state, mode, library),
        By::Parts => parts::shadows(i, details, state, mode).map_err(touching),
        By::Masked => {
            let done = by_rule(site, state, mode);
            // What no rule knows does nothing to what is inactive.
            let is_register = i.op0_kind() == OpKind::Register;
            if done.is_err() && is_register && matches!(active_operand(i, details, state), Ok(None))
            {
                set_register(i.op0_register(), &[0; WIDTH], state);
                return Ok(());
            }
            done.map_err(touching)
        }
        By::Rule => {
            if cleared_part(site, state, mode).is_some() {
                return Ok(());
            }
            let before = narrow(i).map(|(n, part)| (n, part, state.general[n] & !part));
            let done = of_rule(site, details, state, mode, library);
            // An index of which a part was left, or that a part came to, would be another's; of a
            // dot it is unknown what was left.
            if let Some((n, part, rest)) = before
                && (rest != 0 || state.general[n] & part != 0)
            {
                state.general[n] |= !part;
            }
            done
        }
    }
}

/// Why atomic instructions are refused.
const BETWEEN: &str = "the instruction is atomic, and another thread computes a derivative: that \
    thread may change the value before its derivative is updated; compute derivatives in one \
    thread at a time";

/// Whether code of [`super::emit`] does what an atomic comparison and exchange does to shadows.
fn is_done_inline(i: &Instruction) -> bool {
    let uses_rax =
        [i.memory_base(), i.memory_index()].iter().any(|r| r.full_register() == Register::RAX);
    i.mnemonic() == Mnemonic::Cmpxchg
        && i.op0_kind() == OpKind::Memory
        && i.op1_register().size() >= 4
        && !uses_rax
        && i.segment_prefix() == Register::None
}

/// A general register of which an instruction writes a part, and that part's bits.
fn narrow(i: &Instruction) -> Option<(usize, u64)> {
    let register = i.op0_register();
    let is_narrow = i.op0_kind() == OpKind::Register && register.is_gpr() && register.size() < 4;
    is_narrow.then(|| (number(register), part_of(register)))
}

/// Whether what was written to a part of a register, beside what is left of a real, is inactive: a
/// recording leaves such a shadow, which no real has.
fn is_own_part(register: Register, state: &State) -> bool {
    register.size() < 4 && state.general[number(register)] == !part_of(register)
}

/// Whether an `and` keeps no more of a register than such a part.
fn keeps_own_part(i: &Instruction, state: &State) -> bool {
    let left = [Register::AL, Register::AH, Register::AX].map(|part| !part_of(part));
    let is_and = i.mnemonic() == Mnemonic::And
        && i.op0_kind() == OpKind::Register
        && i.op0_register().size() >= 4;
    is_and
        && i.try_immediate(1).is_ok_and(|mask| {
            left.iter().any(|l| state.general[number(i.op0_register())] == *l && mask & l == 0)
        })
}

/// By its rule, if it reads anything active.
fn of_rule(
    site: &'static Site,
    details: &Details,
    state: &mut State,
    mode: Mode,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    let i = &site.instruction;
    if compares_only(i, details) {
        return inactive(i, details, state, mode);
    }
    let Some(active) = active_operand(i, details, state)?.filter(|_| !keeps_own_part(i, state))
    else {
        return inactive(i, details, state, mode);
    };
    match by_rule(site, state, mode) {
        Err(_) if is_integer(i) => {
            let at = |k: u32| i.virtual_address(k, 0, |r, _, _| base_or_register(r, state));
            let memory = (i.op0_kind() == OpKind::Memory).then(|| at(0)).flatten();
            set_unknown(i, details, memory, state, mode);
            unknown::made_by(&site.instruction);
            Ok(())
        }
        Err(why) => Err(Error::Active {
            library: library(i.ip()),
            address: i.ip(),
            instruction: i.to_string(),
            operand: active.name(),
            why,
        }),
        Ok(()) => Ok(()),
    }
}

/// Whether all that an instruction writes is what it found out, in registers that it names itself:
/// where strings differ, for one. How much of them it reads is not known before.
fn compares_only(i: &Instruction, details: &Details) -> bool {
    let is_operand = |r: Register| {
        (0..i.op_count()).any(|k| {
            i.op_kind(k) == OpKind::Register
                && i.op_register(k).full_register() == r.full_register()
        })
    };
    details.rule == Rule::Compare
        && details.memory.iter().all(|m| !writes(m.access()))
        && details
            .registers
            .iter()
            .filter(|u| writes(u.access()))
            .all(|u| !is_operand(u.register()))
}

/// The lowest bytes of a register become zero, by which compilers take the last digits of a number
/// away: as the `and` with the bits that are kept.
fn cleared_part(site: &'static Site, state: &mut State, mode: Mode) -> Option<()> {
    let i = &site.instruction;
    let (n, part) = narrow(i)?;
    let is_zero =
        is_constant(i) || i.mnemonic() == Mnemonic::Mov && i.try_immediate(1).is_ok_and(|n| n == 0);
    if !is_zero
        || is_second_byte(i.op0_register())
        || !tangent::is_active(&(state.general[n]).to_le_bytes())
    {
        return None;
    }
    let whole = if word::IS_64 {
        i.op0_register().full_register()
    } else {
        i.op0_register().full_register32()
    };
    let and = if word::IS_64 {
        Instruction::with2(Code::And_r64_rm64, whole, Register::RCX).ok()?
    } else {
        Instruction::with2(Code::And_r32_rm32, whole, Register::ECX).ok()?
    };
    let mut mask = Operand::default();
    mask.value[..8].copy_from_slice(&(!part).to_le_bytes());
    let operands = [register_operand(whole, state), mask];
    let cuts = site.cuts();
    let done = shadow(&and, &operands, u64::MAX, (state, mode), &cuts);
    site.keep_cuts(&cuts);
    match done {
        Ok(dots) => set_register(whole, &dots, state),
        Err(_) => {
            state.general[n] = UNKNOWN & !part;
            unknown::made_by(&site.instruction);
        }
    }
    Some(())
}

/// Records what code of `emit::record` left over; it goes on with the results.
pub fn record(
    site: &'static Site,
    state: &mut State,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    shadows(site, state, Mode::Recording, library)?;
    state.record.results = state.vectors[site.instruction.op0_register().number()];
    Ok(())
}

/// All that an instruction writes becomes inactive.
fn inactive(
    i: &Instruction,
    details: &Details,
    state: &mut State,
    mode: Mode,
) -> Result<(), Error> {
    for used in details.registers.iter().filter(|u| writes(u.access())) {
        let register = used.register();
        if register.is_vector_register() {
            let words = if i.encoding() == EncodingKind::Legacy { ..2 } else { ..8 };
            state.vectors[register.number()].0[words].fill(0);
        } else if register.is_gpr() && register.size() >= 4 {
            state.general[number(register)] = 0;
        } else if register.is_gpr() {
            // The rest of the register stays as it is.
            let part = if register.size() == 2 { 0xffff } else { 0xff }
                << if is_second_byte(register) { 8 } else { 0 };
            state.general[number(register)] &= !part;
        } else if register.is_mm() {
            state.x87[register.number()] = [0; 16];
        }
    }
    for memory in details.memory.iter().filter(|m| writes(m.access())) {
        let (at, bytes) = place(i, memory, state)?;
        match (bytes, mode) {
            (..4, _) => {
                parts::clear(at, bytes, mode);
                continue;
            }
            (4, Mode::Recording) if is_integer(i) => {
                parts::clear_half(at);
                continue;
            }
            _ => {}
        }
        // SAFETY: the instruction writes this memory; its shadow is mapped.
        unsafe { std::ptr::write_bytes(at.wrapping_add(DISTANCE) as *mut u8, 0, bytes) };
    }
    Ok(())
}

/// Whether an instruction computes with general registers and memory alone.
fn is_integer(i: &Instruction) -> bool {
    let general = |k: u32| i.op_kind(k) != OpKind::Register || i.op_register(k).is_gpr();
    (0..i.op_count()).all(general)
        && (i.op0_kind() == OpKind::Register || i.op0_kind() == OpKind::Memory)
}

/// All that an instruction writes is unknown.
fn set_unknown(
    i: &Instruction,
    details: &Details,
    memory: Option<u64>,
    state: &mut State,
    mode: Mode,
) {
    for register in details
        .registers
        .iter()
        .filter(|u| writes(u.access()))
        .map(|u| u.register())
        .filter(|r| r.is_gpr())
    {
        state.general[number(register)] = UNKNOWN;
    }
    let bytes = i.memory_size().size();
    if let Some(at) = memory.filter(|_| bytes < 4) {
        parts::lose(at, bytes, mode);
    } else if let Some(at) = memory {
        // SAFETY: the instruction writes this memory, or at least reads it; its shadow is mapped.
        unsafe {
            std::ptr::write_bytes(
                at.wrapping_add(DISTANCE) as *mut u8,
                0xff,
                i.memory_size().size(),
            )
        };
    }
}

/// Something that an instruction reads and that is active.
enum Active {
    Register(Register),
    Memory(u64),
}

impl Active {
    fn name(&self) -> String {
        match self {
            Active::Register(register) => format!("its {}", format!("{register:?}").to_lowercase()),
            Active::Memory(at) => format!("its operand in memory at {at:#x}"),
        }
    }
}

/// What an instruction reads that is active, if anything is.
fn active_operand(
    i: &Instruction,
    details: &Details,
    state: &State,
) -> Result<Option<Active>, Error> {
    if is_constant(i) {
        return Ok(None);
    }
    for register in details.registers.iter().filter(|u| reads(u.access())).map(|u| u.register()) {
        let is_active = match register {
            r if r.is_vector_register() => {
                state.vectors[r.number()].0.iter().any(|w| tangent::is_active(&w.to_le_bytes()))
            }
            r if r.is_gpr() => {
                tangent::is_active(&state.general[number(r)].to_le_bytes())
                    && !is_address(i, r)
                    && !is_own_part(r, state)
            }
            r if r.is_mm() => state.x87[r.number()] != [0; 16],
            _ => false,
        };
        if is_active {
            return Ok(Some(Active::Register(register)));
        }
    }
    for memory in details.memory.iter().filter(|m| reads(m.access())) {
        let (at, bytes) = place(i, memory, state)?;
        if bytes < 4 {
            if parts::are_active(at, bytes) {
                return Ok(Some(Active::Memory(at)));
            }
            continue;
        }
        // SAFETY: the instruction reads this memory; its shadow is mapped.
        let shadow =
            unsafe { std::slice::from_raw_parts(at.wrapping_add(DISTANCE) as *const u8, bytes) };
        if tangent::is_active(shadow) {
            return Ok(Some(Active::Memory(at)));
        }
    }
    Ok(None)
}

/// The shadow of what the instruction computes, by the rule of its form; or why there is none.
fn by_rule(site: &'static Site, state: &mut State, mode: Mode) -> Result<(), String> {
    let i = &site.instruction;
    let mask = match i.op_mask() {
        Register::None => u64::MAX,
        // SAFETY: the stub saved the registers for this call.
        register => unsafe { registers::mask(state, register.number()) },
    };
    if i.mnemonic() == Mnemonic::Lea {
        let dots = dots(site, &[register_operand(i.op0_register(), state)], mask, state, mode)?;
        set_register(i.op0_register(), &dots, state);
        return Ok(());
    }
    if i.memory_index().is_vector_register() {
        return masked::scattered(i, mask, state);
    }
    let mut all = [Operand::default(); OPERANDS];
    let mut count = i.op_count() as usize;
    for (k, operand) in all[..count].iter_mut().enumerate() {
        *operand = register_operand(i.op_register(k as u32), state);
    }
    if native::has_hidden_mask(i) {
        all[count] = register_operand(Register::XMM0, state);
        count += 1;
    }
    // What is written only has an old shadow, which may be unknown. Instructions before AVX leave
    // some of it.
    let is_read = |r: Register| {
        site.details().registers.iter().any(|u| u.register() == r && reads(u.access()))
    };
    let is_whole = matches!(i.encoding(), EncodingKind::VEX | EncodingKind::EVEX);
    if is_whole && i.op0_kind() == OpKind::Register && !is_read(i.op0_register()) {
        all[0].dot = [0; WIDTH];
    }
    let operands = &mut all[..count];
    let Some(k) = (0..i.op_count()).find(|&k| i.op_kind(k) == OpKind::Memory) else {
        let dots = dots(site, operands, mask, state, mode)?;
        set_register(i.op0_register(), &dots, state);
        return Ok(());
    };
    let at = i
        .virtual_address(k, 0, |r, _, _| base_or_register(r, state))
        .ok_or("its address is not known before it runs")?;
    let touched = masked::touched(i, k, mask, operands);
    operands[k as usize] =
        Operand { value: touched.read(at), dot: touched.read(at.wrapping_add(DISTANCE)) };
    let dots = dots(site, operands, mask, state, mode)?;
    let bytes = i.memory_size().size();
    if k == 0 && bytes < 4 {
        // Only what is inactive as a whole leaves no part of a real.
        if dots[..bytes].iter().all(|b| *b == 0) {
            parts::clear(at, bytes, mode)
        } else {
            parts::lose(at, bytes, mode)
        }
    } else if k == 0 {
        let overlaps = parts::overlaps(at, &dots[..bytes.min(WIDTH)]);
        touched.write(at.wrapping_add(DISTANCE), &dots);
        let element = if is_double_store(i) || bytes == 8 && at & 3 != 0 {
            8
        } else {
            i.memory_size().element_size().clamp(4, 8)
        };
        if !overlaps {
            parts::stored(at, bytes, element as u64);
        }
    } else {
        set_register(i.op0_register(), &dots, state);
    }
    Ok(())
}

/// `bzhi`, by which compilers take the sign of a real away, as the `and` with the bits that it
/// keeps.
fn as_and(i: &Instruction, operands: &[Operand]) -> Option<(Instruction, Vec<Operand>)> {
    if i.mnemonic() != Mnemonic::Bzhi || operands[2].dot[0] != 0 {
        return None;
    }
    let (bits, count) = (8 * i.op0_register().size() as u32, u32::from(operands[2].value[0]));
    let kept = if count < bits { (1u64 << count) - 1 } else { u64::MAX };
    let and = match bits {
        64 => Instruction::with2(Code::And_r64_rm64, Register::RAX, Register::RCX),
        _ => Instruction::with2(Code::And_r32_rm32, Register::EAX, Register::ECX),
    };
    let mut mask = Operand::default();
    mask.value[..8].copy_from_slice(&kept.to_le_bytes());
    Some((and.ok()?, vec![operands[1], mask]))
}

fn dots(
    site: &'static Site,
    operands: &[Operand],
    mask: u64,
    state: &mut State,
    mode: Mode,
) -> Result<[u8; WIDTH], String> {
    let cuts = site.cuts();
    let mut done = shadow(&site.instruction, operands, mask, (state, mode), &cuts);
    let is_unknown = |done: &Result<[u8; WIDTH], String>| {
        done.as_ref().map_or(true, |bytes| bytes.chunks_exact(4).any(|c| c == [0xff; 4]))
    };
    let rule = rules::rule(site.instruction.code());
    let is_of_numbers = matches!(rule, Rule::Logic(..) | Rule::AddInteger(_) | Rule::SubInteger(_));
    // Two readings that differ: what is done with the result may tell.
    if is_of_numbers
        && is_unknown(&done)
        && let Some(element) = site.used_as()
    {
        let formats: &[usize] = if element == Element::F32 { &[FLOAT] } else { &[DOUBLE, UPPER] };
        formats.iter().for_each(|&f| cuts.is_format(f));
        done = shadow(&site.instruction, operands, mask, (state, mode), &cuts);
    }
    site.keep_cuts(&cuts);
    if done.is_ok()
        && (is_of_numbers || matches!(rule, Rule::Integer | Rule::Shift(..) | Rule::ToInteger))
        && is_unknown(&done)
    {
        unknown::made_by(&site.instruction);
    }
    done
}

/// `bextr`, by which compilers take an exponent, as a shift and an `and`.
fn as_shift(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    how: (&mut State, Mode),
    cuts: &Cuts,
) -> Option<Result<[u8; WIDTH], String>> {
    if i.mnemonic() != Mnemonic::Bextr || operands[2].dot[..2] != [0; 2] {
        return None;
    }
    let bits = 8 * i.op0_register().size() as u32;
    let (start, count) =
        (u32::from(operands[2].value[0]).min(bits), u32::from(operands[2].value[1]));
    let kept = if count < bits { (1u64 << count) - 1 } else { u64::MAX };
    let (shift, and) = match bits {
        64 => (
            Instruction::with2(Code::Shr_rm64_imm8, Register::RAX, start.min(63)),
            Instruction::with2(Code::And_r64_rm64, Register::RAX, Register::RCX),
        ),
        _ => (
            Instruction::with2(Code::Shr_rm32_imm8, Register::EAX, start.min(31)),
            Instruction::with2(Code::And_r32_rm32, Register::EAX, Register::ECX),
        ),
    };
    let (state, mode) = how;
    let word =
        |bytes: &[u8; WIDTH]| u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"));
    let value = word(&operands[1].value) & (u64::MAX >> (64 - bits));
    let (mut shifted, mut of_mask) = (Operand::default(), Operand::default());
    shifted.value[..8].copy_from_slice(&value.checked_shr(start).unwrap_or(0).to_le_bytes());
    of_mask.value[..8].copy_from_slice(&kept.to_le_bytes());
    let by = Operand::default();
    Some(shadow(&shift.ok()?, &[operands[1], by], mask, (state, mode), cuts).and_then(|dot| {
        shifted.dot = dot;
        shadow(&and.map_err(|e| e.to_string())?, &[shifted, of_mask], mask, (state, mode), cuts)
    }))
}

fn shadow(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    (state, mode): (&mut State, Mode),
    cuts: &Cuts,
) -> Result<[u8; WIDTH], String> {
    if let Some((and, operands)) = as_and(i, operands) {
        return shadow(&and, &operands, mask, (state, mode), cuts);
    }
    if let Some(done) = as_shift(i, operands, mask, (state, mode), cuts) {
        return done;
    }
    if i.mnemonic() == Mnemonic::Lea {
        return address(i, operands, state, mode, cuts);
    }
    match mode {
        Mode::Recording => record::shadow(i, operands, mask, state, cuts),
        Mode::Plain | Mode::Tangent => {
            tangent::shadow(i, operands, mask, How { scale: &Dots, cuts })
                .map_err(|refusal| format!("{refusal:?}"))
        }
    }
}

/// `lea`, by which compilers add integers.
fn address(
    i: &Instruction,
    operands: &[Operand],
    state: &mut State,
    mode: Mode,
    cuts: &Cuts,
) -> Result<[u8; WIDTH], String> {
    let part = |r: Register| {
        if r.is_gpr() {
            Word { value: state.gpr[number(r)], dot: state.general[number(r)] }
        } else {
            Word::default()
        }
    };
    let (mut base, mut index) = (part(i.memory_base()), part(i.memory_index()));
    let scale = u64::from(i.memory_index_scale());
    if scale != 1 && tangent::is_active(&index.dot.to_le_bytes()) {
        return Err("a multiple of it is an integer".into());
    }
    index.value = index.value.wrapping_mul(scale);
    // The displacement belongs to what is inactive.
    let other = if tangent::is_active(&base.dot.to_le_bytes()) { &mut index } else { &mut base };
    other.value = other.value.wrapping_add(i.memory_displacement64());
    let bytes = i.op0_register().size();
    let why = |refusal| format!("{refusal:?}");
    let mut all = operands[0].dot;
    let dot = match mode {
        Mode::Recording => {
            integer::sum_of(base, index, bytes, How { scale: &Indices::new(state), cuts })
        }
        Mode::Plain | Mode::Tangent => {
            integer::sum_of(base, index, bytes, How { scale: &Dots, cuts })
        }
    };
    all[..8].copy_from_slice(&dot.map_err(why)?.to_le_bytes());
    match mode {
        Mode::Recording => record::signs(all, state),
        Mode::Plain | Mode::Tangent => Ok(all),
    }
}
