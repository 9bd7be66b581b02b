//! Calls of library models: the function runs as it is, Rust code comes before it and behind it.

use std::cell::RefCell;

use super::{equality, parts, record, unit};
use crate::{
    Error,
    machine::{
        registers,
        state::{State, UNKNOWN},
        word,
    },
    memory::space::DISTANCE,
    models::{
        CALLER_SAVED, Model, arguments,
        eval::{self, Frame, Value},
        memory::{Action, Call},
        number::{Format, Real},
        stack_argument,
        table::{Function, Target, ValuePlace},
        text,
    },
    recording::{self, entry::Term, scales},
    rules::{extended::Extended, whole},
    translate::Mode,
};

const RSP: usize = 4;
const RAX: usize = 0;

/// A call that is under way.
struct Pending {
    /// Registers that hold arguments.
    call: Call,
    /// Of each lane: its arguments, and their dots.
    lanes: Vec<(Vec<Value>, Vec<Real>)>,
    /// Shadows that were put aside.
    set_aside: Vec<u8>,
    /// Text is made of something active.
    makes_text: bool,
}

thread_local! {
    /// Calls under way in this thread; several where one calls back.
    static PENDING: RefCell<Vec<Pending>> = const { RefCell::new(Vec::new()) };
}

/// The program's registers and memory.
struct Primal<'a>(&'a State);
/// Their shadows.
struct Shadow<'a>(&'a State);

impl Frame for Primal<'_> {
    fn read(&self, place: ValuePlace, bytes: &mut [u8]) {
        let n = bytes.len();
        match place {
            ValuePlace::Vector(register, at) => {
                // SAFETY: the stub saved the registers for this call.
                let saved = unsafe { registers::vector(self.0, register) };
                bytes.copy_from_slice(&saved[at..at + n]);
            }
            ValuePlace::General(register) => {
                bytes.copy_from_slice(&self.0.gpr[register].to_le_bytes()[..n])
            }
            ValuePlace::Stack(at) => self.read_memory(stack_argument(self.0, at), bytes),
            // SAFETY: the stub saved the registers of the unit for this call.
            ValuePlace::X87(depth) => bytes.copy_from_slice(
                &unsafe { registers::x87(self.0, depth) }[..n.min(10)]
                    .iter()
                    .copied()
                    .chain([0; 6])
                    .take(n)
                    .collect::<Vec<_>>(),
            ),
        }
    }
    fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        // SAFETY: the function reads or has written this memory.
        unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), bytes.len())
        };
    }
}

impl Frame for Shadow<'_> {
    fn read(&self, place: ValuePlace, bytes: &mut [u8]) {
        let n = bytes.len();
        match place {
            ValuePlace::Vector(register, at) => {
                let all: Vec<u8> =
                    self.0.vectors[register].0.iter().flat_map(|w| w.to_le_bytes()).collect();
                bytes.copy_from_slice(&all[at..at + n]);
            }
            ValuePlace::General(register) => {
                bytes.copy_from_slice(&self.0.general[register].to_le_bytes()[..n])
            }
            ValuePlace::Stack(at) => self.read_memory(stack_argument(self.0, at), bytes),
            ValuePlace::X87(depth) => {
                bytes.fill(0);
                let n = n.min(10);
                bytes[..n].copy_from_slice(&unit::shadow(self.0, unit::number(self.0, depth))[..n]);
            }
        }
    }
    fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        // SAFETY: shadow memory of memory that the function reads or has written.
        unsafe {
            std::ptr::copy_nonoverlapping(
                address.wrapping_add(DISTANCE) as *const u8,
                bytes.as_mut_ptr(),
                bytes.len(),
            )
        };
    }
}

/// Before a function with a library model: what its derivative needs of the arguments.
pub fn before(model: &Model, state: &mut State, mode: Mode) {
    let call = Call { args: arguments(state), result: 0 };
    let mut pending = Pending { call, lanes: Vec::new(), set_aside: Vec::new(), makes_text: false };
    match model {
        Model::Function(f) => {
            let lanes = f
                .lanes
                .iter()
                .map(|lane| (lane.arguments(&Primal(state)), lane.reals(&Shadow(state))));
            pending.lanes = lanes.collect();
        }
        Model::Memory(m) => {
            pending.makes_text = text::is_made(m.name, &call, state);
            // SAFETY: the call comes next.
            unsafe { m.before(&call) }
                .into_iter()
                .for_each(|action| act(action, &mut pending.set_aside, mode));
        }
    }
    PENDING.with_borrow_mut(|all| all.push(pending));
}

/// Behind it: the shadows of its results.
pub fn after(model: &Model, state: &mut State, mode: Mode, library: &str) -> Result<(), Error> {
    let Pending { mut call, lanes, mut set_aside, makes_text } =
        PENDING.with_borrow_mut(Vec::pop).expect("a call was begun");
    call.result = state.gpr[RAX];
    CALLER_SAVED.iter().for_each(|&n| state.general[n] = 0);
    // Code for i386 may keep numbers there while the loader allocates for it: see
    // `memory::heap::preserving`.
    let keeps = !word::IS_64 && matches!(model, Model::Memory(_));
    if !keeps {
        state.vectors.fill(Default::default());
        (state.x87, state.x87_active) = ([[0; 16]; 8], 0);
    }
    match model {
        Model::Memory(m) if matches!(m.name, "memcmp" | "bcmp") && call.result as u32 == 0 => {
            // SAFETY: the return address is there.
            let back = unsafe { word::at(state.gpr[RSP]) };
            equality::look_at_bytes(
                m.name,
                [call.args[0], call.args[1]],
                call.args[2],
                (back, library),
            )?;
        }
        Model::Memory(m) => {
            // SAFETY: the call has returned.
            unsafe { m.after(&call) }
                .into_iter()
                .for_each(|action| act(action, &mut set_aside, mode));
            if makes_text {
                text::make(m.name, &call);
            }
        }
        Model::Function(f) => {
            if matches!(f.rule.name, "lround" | "llround" | "lrint" | "llrint")
                && let Some((args, dots)) = lanes.first()
                && let (Some(Value::Real(x)), Some(dot)) = (args.first(), dots.first())
                && !dot.is_zero()
                && takes_all(x)
            {
                state.general[RAX] = UNKNOWN;
            }
            if matches!(f.rule.name, "floor" | "ceil" | "trunc" | "round" | "roundeven" | "rint" | "nearbyint")
                && lanes.iter().any(|(args, dots)| matches!((args.first(), dots.first()), (Some(Value::Real(x)), Some(dot)) if !dot.is_zero() && takes_all(x)))
            {
                let why = "it rounds an active number that is already whole, as code that separates digits does".into();
                return Err(Error::Call { function: f.name.clone(), library: library.into(), why });
            }
            for (lane, (args, dots)) in f.lanes.iter().zip(&lanes) {
                let results = lane.results(&Primal(state), args);
                for &(pointer, bytes) in &lane.integers {
                    if let Value::Pointer(at) = args[pointer] {
                        act(Action::Clear { at, n: bytes as u64 }, &mut set_aside, mode);
                    }
                }
                for (k, output) in lane.outputs.iter().enumerate() {
                    let refused = |why: String| Error::Call {
                        function: f.name.clone(),
                        library: library.into(),
                        why,
                    };
                    let dot = match mode {
                        Mode::Recording => {
                            recorded(f, k, args, &results, dots, state).map_err(refused)?
                        }
                        Mode::Plain | Mode::Tangent => eval::tangent(f, k, args, &results, dots)
                            .map_err(|why| refused(why.into()))?,
                    };
                    let (bytes, n) = dot.bytes();
                    match output.at {
                        Target::ValuePlace(ValuePlace::Vector(register, at)) => {
                            put(&mut state.vectors[register].0, at, &bytes[..n])
                        }
                        Target::ValuePlace(ValuePlace::X87(depth)) => {
                            let mut all = [0; 16];
                            all[..n.min(10)].copy_from_slice(&bytes[..n.min(10)]);
                            unit::set(state, unit::number(state, depth), all);
                        }
                        Target::ValuePlace(ValuePlace::General(register)) => {
                            state.general[register] =
                                u64::from_le_bytes(bytes[..8].try_into().expect("eight of sixteen"))
                        }
                        Target::ValuePlace(place @ ValuePlace::Stack(_)) => {
                            unreachable!("{place:?} is no place of a result")
                        }
                        Target::Pointee(pointer) => {
                            if let Value::Pointer(at) = args[pointer] {
                                write(at, &bytes[..n]);
                            }
                        }
                        Target::Returned(at) => write(call.result + at as u64, &bytes[..n]),
                    }
                }
            }
        }
    }
    Ok(())
}

/// Whether a number becomes an integer that has all of it.
fn takes_all(x: &Real) -> bool {
    match x {
        Real::F32(x) => whole::is_of_float(*x),
        Real::F64(x) => whole::is_of_double(*x),
        Real::F80(_) | Real::F128(_) => {
            whole::is_of_extended(Extended::load(&x.to_extended().bytes()))
        }
    }
}

/// The shadow of an output in a recording; `shadows` are those of the arguments.
fn recorded(
    f: &Function,
    k: usize,
    args: &[Value],
    results: &[Real],
    shadows: &[Real],
    state: &mut State,
) -> Result<Real, String> {
    let format = f.lanes[0].outputs[k].format;
    let is_real = |i: usize| matches!(args[i], Value::Real(_));
    let mut indices = Vec::new();
    for (i, shadow) in shadows.iter().enumerate().filter(|(i, _)| is_real(*i)) {
        let (bytes, n) = shadow.bytes();
        let is_active = bytes[..n].iter().any(|b| *b != 0);
        if is_active {
            indices.push((i, record::index(&bytes, n)?));
        }
    }
    if indices.is_empty() {
        return Ok(Real::zero(format));
    }
    let partials = eval::partials(f, k, args, results)?;
    let term = |&(i, index): &(usize, u32)| {
        let partial = partials[i].filter(|p| !p.is_zero())?;
        Some((index, partial))
    };
    let terms: Vec<(u32, Real)> = indices.iter().filter_map(term).collect();
    let is_long =
        format == Format::F80 || shadows.iter().any(|shadow| shadow.format() == Format::F80);
    let index = if is_long {
        let extended = |x: &Real| Extended::load(&x.to_extended().bytes());
        let terms: Vec<(u32, Extended)> =
            terms.iter().map(|(index, partial)| (*index, extended(partial))).collect();
        let index = scales::record(state, &terms, extended(&results[k]).power())?;
        if format == Format::F80 { index } else { scales::plain(state, index)? }
    } else {
        let terms: Vec<Term> = terms
            .iter()
            .map(|(index, partial)| Term { index: *index, partial: partial.to_f64() })
            .collect();
        recording::entry::record(state, &terms).map_err(|e| e.to_string())?
    };
    let mut bytes = [0; 16];
    record::put(index, &mut bytes, format.bytes());
    Ok(Real::from_bytes(format, &bytes))
}

fn put(words: &mut [u64; 8], at: usize, bytes: &[u8]) {
    let mut all = [0; 64];
    for (to, word) in all.chunks_exact_mut(8).zip(words.iter()) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    all[at..at + bytes.len()].copy_from_slice(bytes);
    for (word, from) in words.iter_mut().zip(all.chunks_exact(8)) {
        *word = u64::from_le_bytes(from.try_into().expect("eight bytes"));
    }
}

/// Writes shadow memory.
fn write(address: u64, bytes: &[u8]) {
    // SAFETY: the shadow of memory that the function wrote.
    unsafe {
        std::ptr::copy_nonoverlapping(
            bytes.as_ptr(),
            address.wrapping_add(DISTANCE) as *mut u8,
            bytes.len(),
        )
    };
}

/// Does what is to be done to shadow memory; what is held waits in `set_aside`.
pub fn act(action: Action, set_aside: &mut Vec<u8>, mode: Mode) {
    let shadow = |address: u64| address.wrapping_add(DISTANCE) as *mut u8;
    match action {
        Action::Copy { to, from, n } => {
            parts::copy(from, to, n, mode);
            text::copy(from, to, n);
        }
        Action::Clear { at, n } => parts::clear_all(at, n, mode),
        Action::Hold { from, n } => {
            // SAFETY: the shadow of a block that is there until the call.
            *set_aside = unsafe { std::slice::from_raw_parts(shadow(from), n as usize) }.to_vec();
        }
        Action::Release { to, n } => {
            let n = set_aside.len().min(n as usize);
            // SAFETY: the shadow of a block that the call returned, as large as that.
            unsafe { std::ptr::copy_nonoverlapping(set_aside.as_ptr(), shadow(to), n) };
        }
    }
}
