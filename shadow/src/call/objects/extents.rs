//! How long objects are.

use std::{
    ffi::c_void,
    ops::Range,
    sync::{Mutex, MutexGuard},
};

use super::layout::{self, Declared};
use crate::{
    Error,
    machine::word,
    memory::{heap, stack},
    process::modules::{self, Symbol},
    translate::code_memory,
};

/// A variable that the compiler described.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Where it is.
    pub primal: Range<u64>,
    /// From there to its shadow; none if it is constant.
    pub distance: Option<u64>,
    /// Whether a library may have kept a pointer to it.
    pub may_be_captured: bool,
    /// What it holds.
    pub declared: Option<Declared>,
    /// Whether nothing is known but where it is: it may be an object, or the shadow of one.
    pub is_bare: bool,
}

impl Variable {
    /// A null shadow, or one that is the variable itself, says that it is constant.
    pub fn new(primal: u64, shadow: u64, bytes: u64) -> Self {
        let distance = (shadow != 0 && shadow != primal).then(|| shadow.wrapping_sub(primal));
        Self {
            primal: primal..primal + bytes,
            distance,
            may_be_captured: false,
            declared: None,
            is_bare: false,
        }
    }

    /// Memory of which only the extent is known.
    pub fn bare(start: u64, bytes: u64) -> Self {
        Self { is_bare: true, ..Self::new(start, 0, bytes) }
    }

    /// A variable, with the layout declared for the next one.
    pub fn declared(primal: u64, shadow: u64, bytes: u64) -> Self {
        Self { declared: layout::take(), ..Self::new(primal, shadow, bytes) }
    }

    fn shadow(&self) -> Option<Range<u64>> {
        self.distance.map(|d| self.primal.start.wrapping_add(d)..self.primal.end.wrapping_add(d))
    }
}

/// Which code gets at a variable of the program, as the compiler knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Whoever can name it: libraries if it is exported, else code of its module.
    Named,
    /// Its address has left the file that it is used in: besides, whoever retains that address.
    Escaped,
    /// Nothing but code that is differentiated, or that no library calls.
    Hidden,
}

/// Variables of the whole program.
pub struct Globals {
    /// Those with shadows that a library may name, or to which it may have a pointer, or what a
    /// constructor states.
    pub exported: Vec<Variable>,
    /// Others, which only code of their module can name.
    pub own: Vec<Variable>,
    /// Those that no code gets at which runs under the translator.
    hidden: Vec<Variable>,
    /// Where that code is: modules with such variables.
    modules: Vec<Range<u64>>,
}

static GLOBALS: Mutex<Globals> = Mutex::new(Globals {
    exported: Vec::new(),
    own: Vec::new(),
    hidden: Vec::new(),
    modules: Vec::new(),
});

/// A variable that libraries may have a pointer to comes with each call if it is no longer than
/// this. Larger ones are poisoned unless a pointer is found.
pub const MOST_BROUGHT: u64 = 1 << 16;

/// The variables of the whole program.
pub fn globals() -> MutexGuard<'static, Globals> {
    // Nothing panics while it is locked.
    GLOBALS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Globals {
    /// One more, unless it is known.
    pub fn add(&mut self, variable: Variable, access: Access) {
        let is_known =
            |v: &Variable| v.primal == variable.primal && v.distance == variable.distance;
        if self.all().any(is_known) {
            return;
        }
        if access == Access::Hidden {
            self.hidden.push(variable);
            return;
        }
        let is_small = variable.primal.end - variable.primal.start <= MOST_BROUGHT;
        if access == Access::Escaped && is_small || symbol(variable.primal.start).is_some() {
            self.exported.push(variable);
            return;
        }
        if !self.modules.iter().any(|m| m.contains(&variable.primal.start)) {
            let holds = |m: &modules::Module| {
                m.segments.iter().any(|(from, to, _)| (*from..*to).contains(&variable.primal.start))
            };
            let module = modules::loaded().into_iter().find(holds);
            self.modules.extend(module.and_then(|m| {
                Some(m.segments.iter().map(|s| s.0).min()?..m.segments.iter().map(|s| s.1).max()?)
            }));
        }
        self.own.push(variable);
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Variable> {
        self.exported.iter().chain(&self.own).chain(&self.hidden)
    }

    /// Whether code at an address may name variables that no library can.
    pub fn are_named_at(&self, address: u64) -> bool {
        self.modules.iter().any(|m| m.contains(&address))
    }
}

/// Where the object is that an address leads to, as an object or as a shadow. The address may lie
/// right behind it.
pub fn of(address: u64, variables: &[Variable]) -> Option<Range<u64>> {
    containing(address, variables).or_else(|| of_variables(variables).find(|r| r.end == address))
}

/// The same, but the address lies within it: of what is only known to be constant, another object
/// may end there, or its shadow.
pub fn containing(address: u64, variables: &[Variable]) -> Option<Range<u64>> {
    let block =
        || if modules::is_in_module(address) { None } else { heap::find(address).map(|b| b.range) };
    of_variables(variables)
        .find(|r| r.contains(&address))
        .or_else(|| symbol(address))
        .or_else(block)
}

/// The variables and their shadows, from the last one on.
fn of_variables(variables: &[Variable]) -> impl Iterator<Item = Range<u64>> {
    variables.iter().rev().flat_map(|v| [Some(v.primal.clone()), v.shadow()]).flatten()
}

/// The part around an address that both the object and its shadow have: of the object.
pub fn common(
    name: &'static str,
    primal: u64,
    shadow: u64,
    variables: &[Variable],
) -> Result<Range<u64>, Error> {
    let distance = Some(shadow.wrapping_sub(primal));
    if let Some(v) =
        variables.iter().rev().find(|v| v.distance == distance && v.primal.contains(&primal))
    {
        return Ok(v.primal.clone());
    }
    let unknown = |at: u64, what: &'static str| Error::ExtentUnknown { name, what, at };
    let object = of(primal, variables).ok_or_else(|| unknown(primal, "the object"))?;
    let beside = of(shadow, variables).ok_or_else(|| unknown(shadow, "its shadow"))?;
    let before = (primal - object.start).min(shadow - beside.start);
    let behind = (object.end - primal).min(beside.end - shadow);
    Ok(primal - before..primal + behind)
}

/// A variable that a loaded module exports.
pub fn symbol(address: u64) -> Option<Range<u64>> {
    unsafe extern "C" {
        fn dladdr1(
            address: *const c_void,
            info: *mut libc::Dl_info,
            extra: *mut *mut c_void,
            flags: libc::c_int,
        ) -> libc::c_int;
    }
    const WITH_SYMBOL: libc::c_int = 1;
    let mut found: *const Symbol = std::ptr::null();
    // SAFETY: plain data that `dladdr1` fills; any address may be asked for.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `dladdr1` takes any address, and fills both variables; a symbol's entry is the
    // loader's, and stays.
    let symbol = unsafe {
        if dladdr1(address as *const c_void, &mut info, (&raw mut found).cast(), WITH_SYMBOL) == 0
            || found.is_null()
        {
            return None;
        }
        &*found
    };
    let start = info.dli_saddr as u64;
    let range = start..start + symbol.size as u64;
    (symbol.is_variable() && range.contains(&address)).then_some(range)
}

/// Whether an address is of a variable or table of a library's: of a loaded module without code
/// compiled here, as far as is known. `ours` is an address in a module with such code.
pub fn is_of_library(address: u64, ours: u64) -> bool {
    let base = |address: u64| {
        // SAFETY: plain data that `dladdr` fills; any address may be asked for.
        unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            (libc::dladdr(address as *const c_void, &mut info) != 0)
                .then_some(info.dli_fbase as u64)
        }
    };
    let module = base(address);
    module.is_some()
        && module != base(ours)
        && module != base(is_of_library as *const () as u64)
        && !globals().are_named_at(address)
}

/// Whether a pointer that was found in memory, and leads to no known object, is left over: objects
/// hold pointers that no code set, or whose object is gone. It leads to free memory of the heap, to
/// frames of the stack that are dead, to no real, to nothing; or to memory of modules, as free
/// blocks do: their variables are known if they have shadows; or to translated code, as blocks do
/// that were ours.
pub fn is_left_over(address: u64) -> bool {
    let here = 0u8;
    // SAFETY: zero asks for the end of the heap.
    let end_of_heap = unsafe { libc::sbrk(0) } as u64;
    // The executable lies before the heap, as far away as the kernel likes, and nothing else.
    const FARTHEST: u64 = if word::IS_64 { 1 << 40 } else { 1 << 30 };
    let in_heap = address < end_of_heap && end_of_heap - address < FARTHEST;
    if in_heap
        || !address.is_multiple_of(4)
        || code_memory::is_code(address)
        || modules::is_in_module(address)
        || stack::is_dead(address, &raw const here as u64)
    {
        return true;
    }
    let mut state = 0u8;
    // SAFETY: asks about one page.
    unsafe { libc::mincore((address & !4095) as *mut c_void, 1, &mut state) != 0 }
}
