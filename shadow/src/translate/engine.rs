//! The engine: which code of the program has been translated, and what becomes of a jump to code
//! that has not.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use iced_x86::{BlockEncoderOptions, IcedError};

use super::{
    Mode,
    assembler::{Assembler, member},
    block,
    code_memory::Memory,
    emit::record::{
        self, direct,
        statement::{
            Statement,
            variant::{self, Active},
        },
        stubs::Shape,
    },
    host, natives,
    slow_path::{self, library_calls, site::Site, statement},
    stubs, translation,
};
use crate::{
    Error,
    machine::{
        general_mask::Mask,
        running,
        state::{self, Entry, Reason, STUBS, State, Table},
        word,
    },
    models::{Model, checked_calls, resolve, threads},
    process::modules::{self, Module},
    recording,
};

/// All threads share one.
struct Engine {
    memory: Memory,
    modules: Vec<Module>,
    /// Where translations are, by address of the program's and context.
    translations: HashMap<(u64, Mask), u64>,
    /// For how many contexts, by address.
    contexts: HashMap<u64, usize>,
    mode: Mode,
    /// Code that enters the translation of a function.
    entries: HashMap<u64, u64>,
    /// Where control goes back to code that was compiled here.
    exits: HashSet<u64>,
    /// Functions whose derivatives are known, if there are shadows.
    models: HashMap<u64, Model>,
    /// Functions that run as they are.
    natives: HashSet<u64>,
    /// Functions that may hand work to other threads.
    threads: HashMap<u64, threads::Hands>,
    /// Functions whose calls are checked, if there are shadows.
    checked_calls: HashMap<u64, checked_calls::CheckedCall>,
    /// Modules that had been unloaded when the translations were begun.
    unloads: u64,
    state: i32,
    /// The code that calls `dispatch`.
    call_rust: u64,
    /// Code that appends entries to a recording, by [`Shape::place`].
    recorders: [u64; STUBS],
    /// Where that returns to, and for which instruction it was called.
    sites: HashMap<u64, &'static Site>,
    /// Statements of recordings, by number, and for which leaves each has code.
    statements: Vec<Arc<Statement>>,
    variants: HashMap<usize, Variants>,
}

/// Codes of a statement, and the link where the next one goes.
struct Variants {
    known: Vec<Active>,
    link: u64,
}

/// One per mode.
static ENGINES: [OnceLock<Mutex<Engine>>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
/// Translations of one address for different contexts; then one is made for all.
const MOST_CONTEXTS: usize = 4;
/// Codes of one statement, for different leaves; then one is made for all.
const MOST_VARIANTS: usize = 4;

fn engine(mode: Mode) -> Result<MutexGuard<'static, Engine>, Error> {
    let place = &ENGINES[mode as usize];
    if place.get().is_none() {
        let made = Mutex::new(Engine::new(mode)?);
        // Another thread may have been first; both are the same.
        let _ = place.set(made);
    }
    let engine = place.get().expect("was set above");
    // A panic while it was locked left a translation out, nothing half done.
    Ok(engine.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

thread_local! {
    /// How many modules had been unloaded when the thread's table was empty.
    static UNLOADS: Cell<u64> = const { Cell::new(0) };
}

/// Code that may be called in place of a function, with its signature: it runs the function's
/// translation on this thread.
pub fn entry(function: u64, mode: Mode) -> Result<u64, Error> {
    let mut engine = engine(mode)?;
    engine.forget_unloaded();
    engine.prepare_thread()?;
    if let Some(entry) = engine.entries.get(&function) {
        return Ok(*entry);
    }
    let entry = engine.make_entry(function)?;
    engine.entries.insert(function, entry);
    Ok(entry)
}

impl Engine {
    fn new(mode: Mode) -> Result<Self, Error> {
        let mut it = Self {
            memory: Memory::default(),
            modules: modules::loaded(),
            translations: HashMap::new(),
            contexts: HashMap::new(),
            mode,
            entries: HashMap::new(),
            exits: HashSet::new(),
            models: if mode.has_shadows() { resolve::addresses() } else { HashMap::new() },
            natives: natives::addresses().into_iter().chain((host::get().interface)()).collect(),
            threads: threads::addresses(),
            checked_calls: if mode.has_shadows() {
                checked_calls::addresses()
            } else {
                HashMap::new()
            },
            unloads: modules::unloads(),
            state: state::offset(),
            call_rust: 0,
            recorders: [0; STUBS],
            sites: HashMap::new(),
            statements: Vec::new(),
            variants: HashMap::new(),
        };
        let near = match mode {
            Mode::Plain => dispatch_plain as *const () as u64,
            Mode::Tangent => dispatch_tangent as *const () as u64,
            Mode::Recording => dispatch_recording as *const () as u64,
        };
        it.call_rust = it.emit(near, |a| stubs::call_rust(a, near))?;
        if mode == Mode::Recording && word::IS_64 {
            for shape in Shape::all() {
                it.recorders[shape.place()] = it.emit(near, |a| record::stubs::stub(a, shape))?;
            }
        }
        Ok(it)
    }

    fn emit(
        &mut self,
        near: u64,
        write: impl FnOnce(&mut Assembler) -> Result<(), iced_x86::IcedError>,
    ) -> Result<u64, Error> {
        let at = self.memory.reserve(near, 16384)?;
        let code = Assembler::new(self.state).and_then(|mut a| {
            write(&mut a)?;
            a.code.assemble(at)
        });
        let code = code.map_err(|e| Error::Instruction {
            address: near,
            instruction: "a stub".into(),
            why: e.to_string(),
        })?;
        self.memory.commit(at, &code);
        Ok(at)
    }

    /// Finds the functions whose calls are checked.
    fn ask(&mut self) {
        if self.mode.has_shadows() {
            self.checked_calls = checked_calls::addresses();
        }
    }

    /// Begins anew where a module was unloaded: another one may be in its place, with other code at
    /// the same addresses. Translations that still run stay where they are.
    fn forget_unloaded(&mut self) {
        let unloads = modules::unloads();
        if unloads != self.unloads {
            self.unloads = unloads;
            self.modules = modules::loaded();
            self.threads = threads::addresses();
            self.ask();
            self.translations.clear();
            self.contexts.clear();
        }
    }

    /// Gives the thread's state its table, once; an old one is emptied.
    fn prepare_thread(&self) -> Result<(), Error> {
        // SAFETY: this thread's own.
        let state = unsafe { &mut *state::of_thread() };
        if state.dispatch != self.call_rust {
            // Tables are left behind where modes change: rare, and other code may still look at
            // them.
            let table = Box::new(Table { entries: [state::Entry::default(); state::TABLE] });
            state.table = Box::into_raw(table);
            state.unknown = [state::UNKNOWN; 2];
            state.limits = state::LIMITS;
            state.record.constants = direct::CONSTANTS;
            let returns = Box::new([0u64; state::RETURNS]);
            state.returns = Box::into_raw(returns).cast();
            state.dispatch = self.call_rust;
            if self.mode == Mode::Recording {
                state.record.stubs = self.recorders;
                state.record.bias = (1023 - 127) << 52;
                state.record.one = 1.0;
                recording::prepare_thread(state)?;
            }
        }
        if UNLOADS.replace(self.unloads) != self.unloads {
            // SAFETY: this thread's own table.
            unsafe { (*state.table).entries.fill(state::Entry::default()) };
        }
        Ok(())
    }

    /// Code of a statement for the leaves that are active now, if it is one of few; then for any.
    /// Says whether it was written.
    fn make_variant(&mut self, id: usize, active: u64, link: u64) -> Result<bool, Error> {
        let it = self.statements[id].clone();
        let variants = self.variants.entry(id).or_insert(Variants { known: Vec::new(), link });
        let active =
            if variants.known.len() < MOST_VARIANTS { Active::These(active) } else { Active::Any };
        // Another thread may have been first.
        if variants.known.contains(&active) {
            return Ok(false);
        }
        variants.known.push(active);
        // The last one: another thread may have written what the asking one missed.
        let link = variants.link;
        let next = match active {
            Active::These(_) => {
                let slot = self.memory.slot(it.back)?;
                let asks = self.emit(it.back, |a| variant::write_ask(a, &it, id, slot))?;
                // SAFETY: the slot is new, eight bytes, and nobody else's.
                unsafe { (slot as *mut u64).write(asks) };
                self.variants.entry(id).and_modify(|v| v.link = slot);
                Some(slot)
            }
            Active::Any => None,
        };
        let code = self.emit(it.back, |a| variant::write(a, &it, active, (id, next)))?;
        // SAFETY: a slot that `translate` or this made; other threads read it as one word.
        unsafe { AtomicU64::from_ptr(link as *mut u64) }.store(code, Ordering::Release);
        Ok(true)
    }

    /// Code for a call of a function with a library model.
    fn make_model(&mut self, function: u64, active: Mask) -> Result<u64, Error> {
        let slots = [self.memory.slot(function)?, self.memory.slot(function)?];
        let at = self.memory.reserve(function, 4096)?;
        let refused = |e: IcedError| Error::Instruction {
            address: function,
            instruction: "a stub".into(),
            why: e.to_string(),
        };
        let mut a = Assembler::new(self.state).map_err(refused)?;
        let returned = self
            .models
            .get(&function)
            .into_iter()
            .flat_map(Model::general_results)
            .fold(0, |bits, number| bits | 1 << number);
        let after = if returned == 0 {
            active
        } else {
            Mask::from_bits(active.bits() | returned).carrying()
        };
        let resumes = stubs::call_model(&mut a, function, slots, after).map_err(refused)?;
        let code = a
            .code
            .assemble_options(at, BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS)
            .map_err(refused)?;
        for (slot, resume) in slots.into_iter().zip(resumes) {
            // SAFETY: the slot is new, eight bytes, and nobody else's.
            unsafe { (slot as *mut u64).write(code.label_ip(&resume).map_err(refused)?) };
        }
        self.memory.commit(at, &code.inner.code_buffer);
        Ok(at)
    }

    fn make_entry(&mut self, function: u64) -> Result<u64, Error> {
        self.emit(function, |a| {
            a.set(member!(next), function)?;
            a.set(member!(link), 0)?;
            a.set(member!(reason), Reason::Enter as u64)?;
            let dispatch = a.of_state(member!(dispatch));
            a.code.jmp(dispatch)
        })
    }

    /// The code around an address.
    fn readable(&mut self, address: u64) -> Option<Range<u64>> {
        modules::code_around(&self.modules, address).or_else(|| {
            self.modules = modules::loaded();
            self.threads = threads::addresses();
            self.ask();
            modules::code_around(&self.modules, address)
        })
    }

    /// Where the processor goes on for an address of the program's.
    fn find(&mut self, address: u64, active: Mask) -> Result<u64, Error> {
        if self.exits.contains(&address) {
            return Ok(address);
        }
        if let Some(code) = self.translated(address, active) {
            return Ok(code);
        }
        let count = self.contexts.entry(address).or_default();
        *count += 1;
        let active = if *count > MOST_CONTEXTS { Mask::ALL } else { active };
        let code = if self.models.contains_key(&address) {
            self.make_model(address, active)?
        } else if self.natives.contains(&address) {
            self.emit(address, |a| stubs::call_native(a, address, active))?
        } else {
            let readable = self.readable(address).ok_or(Error::NoCode { address })?;
            // SAFETY: a loaded segment.
            let block = unsafe { block::decode(address, readable) };
            if block.instructions.is_empty() {
                return Err(Error::NoCode { address });
            }
            let (translations, exits, threads, checked) =
                (&self.translations, &self.exits, &self.threads, &self.checked_calls);
            let known = |target: u64, active: Mask| match exits.contains(&target)
                || threads.contains_key(&target)
                || checked.contains_key(&target)
            {
                true => None,
                false => translations
                    .get(&(target, active))
                    .or_else(|| translations.get(&(target, Mask::ALL)))
                    .copied(),
            };
            running::outside(|| {
                translation::translate(
                    &block,
                    (self.mode, active),
                    &mut self.memory,
                    self.state,
                    &known,
                    (&mut self.sites, &mut self.statements),
                )
            })?
        };
        self.translations.insert((address, active), code);
        Ok(code)
    }

    fn translated(&self, address: u64, active: Mask) -> Option<u64> {
        self.translations
            .get(&(address, active))
            .or_else(|| self.translations.get(&(address, Mask::ALL)))
            .copied()
    }

    /// The file that holds code at an address.
    fn library(&self, address: u64) -> String {
        let holds = self.modules.iter().find(|m| m.has_code(address));
        holds
            .map_or("unknown code", |m| if m.path.is_empty() { "the executable" } else { m.name() })
            .into()
    }

    fn go_on(&mut self, state: &mut State, reason: Reason) -> Result<(), Error> {
        if reason == Reason::Enter {
            slow_path::begin_call();
            if self.mode == Mode::Tangent {
                recording::tangent_begins()?;
            }
            let back = top_of_stack(state);
            self.exits.insert(back);
            state.general = [0; 16];
            (state.x87, state.x87_active) = ([[0; 16]; 8], 0);
            let active = (host::get().enter)(state);
            state.context = active.unwrap_or_default().bits().into();
        } else if (host::get().leaves)(state.next, state.gpr[RSP])? {
            // Code that the call came from goes on as it is, wherever: a function may be left by an
            // exception or longjmp.
            state.jump = state.next;
            return Ok(());
        } else {
            (host::get().calls_back)(state.next)?;
        }
        let code = self.find(state.next, Mask::from_bits(state.context as u16))?;
        let hands = self.threads.get(&state.next).copied();
        if let Some(hands) = hands.filter(|h| h.has_others(third_argument(state))) {
            return Err(Error::Threads { function: hands.name, library: self.library(state.next) });
        }
        let checked = self.checked_calls.get(&state.next).copied();
        if let Some(checked) = checked {
            let from = top_of_stack(state);
            checked.check(state, &|| self.library(from))?;
        }
        if hands.is_some() || checked.is_some() {
            // It is checked again at the next call.
        } else if state.link != 0 {
            // SAFETY: a slot that `translate` made; other threads read it as one word.
            unsafe { AtomicU64::from_ptr(state.link as *mut u64) }.store(code, Ordering::Release);
        } else {
            let entry = Entry { key: Table::key(state.next, state.context), code };
            // SAFETY: the thread's own table, made when it entered.
            unsafe { (*state.table).entries[Table::index(state.next)] = entry };
        }
        state.jump = code;
        Ok(())
    }
}

const RDX: usize = 2;
const RSP: usize = 4;

/// The third argument of a function that is entered.
fn third_argument(state: &State) -> u64 {
    if word::IS_64 {
        return state.gpr[RDX];
    }
    // SAFETY: arguments are behind the return address.
    unsafe { word::at(state.gpr[RSP] + 3 * word::BYTES as u64) }
}

/// Where a function that is entered or left was called from.
fn top_of_stack(state: &State) -> u64 {
    // SAFETY: the return address is there.
    unsafe { word::at(state.gpr[RSP]) }
}

extern "C" fn dispatch_plain(state: *mut State) {
    // SAFETY: the stub hands over this thread's state.
    dispatch(unsafe { &mut *state }, Mode::Plain);
}

extern "C" fn dispatch_tangent(state: *mut State) {
    // SAFETY: the stub hands over this thread's state.
    dispatch(unsafe { &mut *state }, Mode::Tangent);
}

extern "C" fn dispatch_recording(state: *mut State) {
    // SAFETY: the stub hands over this thread's state.
    dispatch(unsafe { &mut *state }, Mode::Recording);
}

/// Called by translated code: finds where the program goes on.
fn dispatch(state: &mut State, mode: Mode) {
    let reason = match std::mem::replace(&mut state.reason, Reason::Jump as u64) {
        r if r == Reason::Enter as u64 => Reason::Enter,
        r if r == Reason::Shadows as u64 => Reason::Shadows,
        r if r == Reason::Before as u64 => Reason::Before,
        r if r == Reason::After as u64 => Reason::After,
        r if r == Reason::Record as u64 => Reason::Record,
        r if r == Reason::Statement as u64 => Reason::Statement,
        _ => Reason::Jump,
    };
    let library = |address: u64| {
        engine(mode).map_or_else(|_| "unknown code".into(), |engine| engine.library(address))
    };
    let done = match reason {
        Reason::Jump | Reason::Enter => {
            engine(mode).and_then(|mut engine| engine.go_on(state, reason))
        }
        Reason::Shadows => {
            // SAFETY: translated code put there the address of one that stays.
            let site: &'static Site = unsafe { &*(state.instruction as *const Site) };
            state.jump = site.resume();
            slow_path::shadows(site, state, mode, &library)
        }
        Reason::Before | Reason::After => library_call(state, mode, reason),
        Reason::Statement => delayed(state, mode, &library),
        Reason::Record => left_over(state, mode, &library),
    };
    if let Err(e) = done {
        crate::error::stop(&e);
    }
}

/// Before a function with a library model, or behind it.
fn library_call(state: &mut State, mode: Mode, reason: Reason) -> Result<(), Error> {
    let (library, model) = {
        let engine = engine(mode)?;
        let model = engine.models.get(&state.instruction).cloned();
        (
            engine.library(top_of_stack(state)),
            model.ok_or(Error::NoCode { address: state.instruction })?,
        )
    };
    // SAFETY: the slot holds where the translation goes on.
    state.jump = unsafe { AtomicU64::from_ptr(state.link as *mut u64) }.load(Ordering::Acquire);
    match reason {
        Reason::Before => {
            library_calls::before(&model, state, mode);
            Ok(())
        }
        _ => library_calls::after(&model, state, mode, &library),
    }
}

/// A statement without code, or that its code cannot do.
fn delayed(state: &mut State, mode: Mode, library: &dyn Fn(u64) -> String) -> Result<(), Error> {
    let id = state.instruction as usize;
    let it = {
        let mut engine = engine(mode)?;
        let it = engine.statements[id].clone();
        // The variant records it, so that all calls have the same bits.
        if state.link != 0
            && running::outside(|| {
                engine.make_variant(id, statement::active(&it, state), state.link)
            })?
        {
            state.jump = it.again;
            return Ok(());
        }
        it
    };
    state.jump = it.resume;
    statement::record(&it, state, library)
}

/// What code that records left to Rust code.
fn left_over(state: &mut State, mode: Mode, library: &dyn Fn(u64) -> String) -> Result<(), Error> {
    let back = top_of_stack(state);
    let site = engine(mode)?.sites.get(&back).copied().ok_or(Error::NoCode { address: back })?;
    // As a return: the stub's caller goes on, and finds the results.
    state.jump = back;
    state.gpr[RSP] += 8;
    // The red zone, which the stub's caller has left out.
    state.gpr[RSP] += word::RED_ZONE;
    let done = slow_path::record(site, state, library);
    state.gpr[RSP] -= word::RED_ZONE;
    done
}
