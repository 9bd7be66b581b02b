//! The engine: which code of the program has been translated, and what becomes of a jump to code that has not.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, OnceLock},
};

use crate::{
    Error,
    assembler::{Assembler, member},
    block,
    memory::Memory,
    modules::{self, Module},
    natives,
    state::{self, Entry, Reason, State, Table},
    stubs, translate,
};

/// All threads share one.
struct Engine {
    memory: Memory,
    modules: Vec<Module>,
    /// Where translations are, by address of the program's.
    translations: HashMap<u64, u64>,
    /// Code that enters the translation of a function.
    entries: HashMap<u64, u64>,
    /// Where control goes back to code that was compiled here.
    exits: HashSet<u64>,
    /// Functions that run as they are.
    natives: HashSet<u64>,
    state: i32,
    /// The code that calls `dispatch`.
    call_rust: u64,
}

static ENGINE: OnceLock<Mutex<Engine>> = OnceLock::new();

fn engine() -> Result<MutexGuard<'static, Engine>, Error> {
    if ENGINE.get().is_none() {
        let made = Mutex::new(Engine::new()?);
        // Another thread may have been first; both are the same.
        let _ = ENGINE.set(made);
    }
    let engine = ENGINE.get().expect("was set above");
    // A panic while it was locked left a translation out, nothing half done.
    Ok(engine.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// Code that may be called in place of a function, with its signature: it runs the function's translation on this thread.
pub fn entry(function: u64) -> Result<u64, Error> {
    let mut engine = engine()?;
    engine.prepare_thread();
    if let Some(entry) = engine.entries.get(&function) {
        return Ok(*entry);
    }
    let entry = engine.make_entry(function)?;
    engine.entries.insert(function, entry);
    Ok(entry)
}

impl Engine {
    fn new() -> Result<Self, Error> {
        let mut it = Self {
            memory: Memory::default(),
            modules: modules::loaded(),
            translations: HashMap::new(),
            entries: HashMap::new(),
            exits: HashSet::new(),
            natives: natives::addresses().into_iter().collect(),
            state: state::offset(),
            call_rust: 0,
        };
        let near = dispatch as *const () as u64;
        it.call_rust = it.emit(near, |a| stubs::call_rust(a, near))?;
        Ok(it)
    }

    fn emit(&mut self, near: u64, write: impl FnOnce(&mut Assembler) -> Result<(), iced_x86::IcedError>) -> Result<u64, Error> {
        let at = self.memory.reserve(near, 4096)?;
        let code = Assembler::new(self.state).and_then(|mut a| {
            write(&mut a)?;
            a.code.assemble(at)
        });
        let code = code.map_err(|e| Error::Instruction { address: near, instruction: "a stub".into(), why: e.to_string() })?;
        self.memory.commit(at, &code);
        Ok(at)
    }

    /// Gives the thread's state its table, once.
    fn prepare_thread(&self) {
        // SAFETY: this thread's own.
        let state = unsafe { &mut *state::of_thread() };
        if state.table.is_null() {
            let table = Box::new(Table { entries: [state::Entry::default(); state::TABLE] });
            state.table = Box::into_raw(table);
            let returns = Box::new([0u64; state::RETURNS]);
            state.returns = Box::into_raw(returns).cast();
            state.dispatch = self.call_rust;
        }
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

    /// Bytes of code from an address on.
    fn readable(&mut self, address: u64) -> Option<usize> {
        let of = |modules: &[Module]| {
            let segments = modules.iter().flat_map(|m| &m.segments);
            let (_, to, _) = segments.filter(|s| s.2).find(|(from, to, _)| (*from..*to).contains(&address))?;
            Some((to - address) as usize)
        };
        of(&self.modules).or_else(|| {
            self.modules = modules::loaded();
            of(&self.modules)
        })
    }

    /// Where the processor goes on for an address of the program's.
    fn find(&mut self, address: u64) -> Result<u64, Error> {
        if self.exits.contains(&address) {
            return Ok(address);
        }
        if let Some(code) = self.translations.get(&address) {
            return Ok(*code);
        }
        if self.natives.contains(&address) {
            let code = self.emit(address, |a| stubs::call_native(a, address))?;
            self.translations.insert(address, code);
            return Ok(code);
        }
        let readable = self.readable(address).ok_or(Error::NoCode { address })?;
        // SAFETY: so many bytes of a loaded segment.
        let block = unsafe { block::decode(address, readable) };
        if block.instructions.is_empty() {
            return Err(Error::NoCode { address });
        }
        let (translations, exits) = (&self.translations, &self.exits);
        let known = |target: u64| if exits.contains(&target) { None } else { translations.get(&target).copied() };
        let code = translate::translate(&block, &mut self.memory, self.state, known)?;
        self.translations.insert(address, code);
        Ok(code)
    }

    fn go_on(&mut self, state: &mut State) -> Result<(), Error> {
        if std::mem::replace(&mut state.reason, Reason::Jump as u64) == Reason::Enter as u64 {
            // SAFETY: at the start of a function the return address is on the stack.
            let back = unsafe { *(state.gpr[RSP] as *const u64) };
            self.exits.insert(back);
        }
        let code = self.find(state.next)?;
        if state.link != 0 {
            // SAFETY: a slot that `translate` made; other threads read it as one word.
            unsafe { std::sync::atomic::AtomicU64::from_ptr(state.link as *mut u64) }
                .store(code, std::sync::atomic::Ordering::Release);
        } else {
            // SAFETY: the thread's own table, made when it entered.
            unsafe { (*state.table).entries[Table::index(state.next)] = Entry { address: state.next, code } };
        }
        state.jump = code;
        Ok(())
    }
}

const RSP: usize = 4;

/// Called by translated code: finds where the program goes on.
extern "C" fn dispatch(state: *mut State) {
    // SAFETY: the stub hands over this thread's state.
    let state = unsafe { &mut *state };
    let done = engine().and_then(|mut engine| engine.go_on(state));
    if let Err(e) = done {
        eprintln!("{e}");
        std::process::abort();
    }
}
