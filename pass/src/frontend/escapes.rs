//! Variables that foreign code may read and write: functions that exist only as machine code, those
//! of other files that adcc compiled among them.
//!
//! Foreign code reaches a variable of this module in three ways: by its name, by its address, or by
//! a function of this module that it calls. So a variable is *hidden* from it iff
//! - (a) its linkage is internal or private; and
//! - (b) its address does not leave the module: it is loaded from and stored to, copied, passed to
//!   functions of this module that keep it to themselves and to functions of the C library that a
//!   rule names; it is not stored, but in a stack variable whose own address goes nowhere, not
//!   returned, not made an integer, not in the initialiser of another variable; and
//! - (c) no function accesses it that foreign code may call: one that other modules see (but the
//!   main program, which no function calls) or whose address is taken, nor what such a function calls.
//!
//! All others are shared: the analyses let them share memory with the one variable that stands for
//! all memory of foreign code (`Memory::is_outside` of the points-to analysis). Constants are neither.

use crate::{
    annotations::{
        requests,
        visibility::{ADDRESS_ESCAPES, FROM_UNIT, HIDDEN, HIDDEN_IN_UNIT, KEPT_IN_UNIT},
    },
    canon,
    codegen::prebuilt::is_kept_name,
    frontend::request::{self},
    llvm::{Function, Module, Opcode, Value},
};
use adir::{
    Callee,
    hashed::{HashMap, HashSet},
    library,
};

/// Functions that nothing but the start of the program calls.
const MAIN: &[&str] = &["main", "_QQmain", "MAIN__"];
/// How the names of others begin that run before it: C++'s initialisers of variables.
const STARTERS: &[&str] = &["_GLOBAL__sub_I_", "__cxx_global_var_init"];

/// Marks the variables of the module.
pub fn mark(module: Module) {
    let (from_units, own): (Vec<Value>, Vec<Value>) =
        variables(module).partition(|g| g.has_mark(FROM_UNIT));
    // Of a unit there is only a part here: the rest may hand on the address, as far as the unit does
    // not say.
    for g in from_units {
        if g.has_mark(HIDDEN_IN_UNIT) {
            g.set_mark(HIDDEN);
        } else if !g.has_mark(KEPT_IN_UNIT) {
            g.set_mark(ADDRESS_ESCAPES);
        }
    }
    for (g, reached) in reached(module, own) {
        match reached {
            Reached::Escapes => g.set_mark(ADDRESS_ESCAPES),
            Reached::Hidden => g.set_mark(HIDDEN),
            Reached::Kept => {}
        }
    }
}

/// Marks what is internal to the module as a unit of links.
pub fn mark_unit(module: Module) {
    let internal = variables(module).filter(|g| g.is_private_global()).collect();
    for (g, reached) in reached(module, internal) {
        match reached {
            Reached::Escapes => {}
            Reached::Kept => g.set_mark(KEPT_IN_UNIT),
            Reached::Hidden => {
                g.set_mark(KEPT_IN_UNIT);
                g.set_mark(HIDDEN_IN_UNIT);
            }
        }
    }
}

/// How foreign code may reach a variable.
#[derive(Clone, Copy)]
enum Reached {
    /// By its address.
    Escapes,
    /// By its name or by functions of the module.
    Kept,
    Hidden,
}

fn variables(module: Module) -> impl Iterator<Item = Value> {
    module.globals().into_iter().filter(|g| !g.is_global_constant() && !is_ours(&g.name()))
}

fn reached(module: Module, variables: Vec<Value>) -> Vec<(Value, Reached)> {
    if variables.is_empty() {
        return vec![];
    }
    let called = callable(module);
    let mut escapes = Escapes::default();
    let mut of = |g: Value| match () {
        () if escapes.leave(g) => Reached::Escapes,
        () if g.is_private_global() && users(g).iter().all(|f| !called.contains(f)) => {
            Reached::Hidden
        }
        () => Reached::Kept,
    };
    variables.into_iter().map(|g| (g, of(g))).collect()
}

/// Whether what an argument of a request leads to was known to no foreign code before: a variable,
/// or what an allocator has just returned, whose address does not leave the module.
pub fn is_argument_hidden(argument: Value) -> bool {
    let mut at = argument;
    loop {
        if at.is_global_variable() {
            return at.is_private_global() && !Escapes::default().leave(at);
        }
        if !at.is_instruction() {
            return false;
        }
        match at.opcode() {
            Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast => at = at.operand(0),
            Opcode::LLVMAlloca => return !Escapes::default().leave(at),
            Opcode::LLVMCall if is_allocation(at) => return !Escapes::default().leave(at),
            // Of code at -O0: a pointer in a stack variable.
            Opcode::LLVMLoad => {
                let slot = at.operand(0);
                if !slot.is_instruction() || slot.opcode() != Opcode::LLVMAlloca {
                    return false;
                }
                let Some(loads) = loads_of(slot) else { return false };
                let stored: Vec<Value> = slot
                    .users()
                    .into_iter()
                    .filter(|u| u.opcode() == Opcode::LLVMStore)
                    .map(|u| u.operand(0))
                    .collect();
                let [one] = stored[..] else { return false };
                if !loads.contains(&at) || one == at {
                    return false;
                }
                at = one;
            }
            _ => return false,
        }
    }
}

fn is_ours(name: &str) -> bool {
    name.starts_with("__adcc.") || is_kept_name(name)
}

fn is_allocation(call: Value) -> bool {
    let classified = call.called().as_function().and_then(|f| library::classify(&f.name()));
    matches!(classified, Some(Callee::Allocate(_)))
}

/// The functions that name a variable, directly or by constants.
fn users(variable: Value) -> HashSet<Function> {
    let (mut found, mut work) = (HashSet::default(), vec![variable]);
    while let Some(v) = work.pop() {
        for user in v.users() {
            if user.is_instruction() {
                found.insert(user.block().function());
            } else {
                work.push(user);
            }
        }
    }
    found
}

/// Functions of the module that foreign code may call, and what they call.
fn callable(module: Module) -> HashSet<Function> {
    let (mut found, mut work) = (HashSet::default(), vec![]);
    for f in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let name = f.name();
        if MAIN.contains(&name.as_str()) || STARTERS.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        if !f.is_private() || f.value().users().into_iter().any(|u| takes_address(f, u)) {
            work.push(f);
        }
    }
    while let Some(f) = work.pop() {
        if !found.insert(f) {
            continue;
        }
        for call in f.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call()) {
            let called = call.called().as_function().into_iter();
            // What a request differentiates, it calls.
            let asked = (0..call.argument_count()).filter_map(|i| call.operand(i).as_function());
            work.extend(called.chain(asked).filter(|f| !f.is_declaration()));
        }
    }
    found
}

/// Whether a use of a function makes its address known to others than requests.
fn takes_address(f: Function, user: Value) -> bool {
    if !user.is_instruction() || !user.is_call() {
        return true;
    }
    let is_argument = (0..user.argument_count()).any(|i| user.operand(i) == f.value());
    is_argument && !user.called().as_function().is_some_and(requests::is_request)
}

/// The loads of a stack variable that holds a pointer, if nothing else is done with its address but
/// stores to it.
fn loads_of(slot: Value) -> Option<Vec<Value>> {
    let mut loads = vec![];
    for user in slot.users() {
        match user.is_instruction().then(|| user.opcode())? {
            Opcode::LLVMLoad => loads.push(user),
            Opcode::LLVMStore if user.operand(0) != slot => {}
            Opcode::LLVMCall
                if user.intrinsic().is_some_and(|i| i.is_lifetime() || i.is_debug()) => {}
            _ => return None,
        }
    }
    Some(loads)
}

/// Which addresses leave the module.
#[derive(Default)]
struct Escapes {
    /// Of parameters of functions: whether what they lead to leaves. While it is being found out,
    /// it does.
    params: HashMap<(Function, usize), bool>,
}

impl Escapes {
    /// Whether an address leaves.
    fn leave(&mut self, address: Value) -> bool {
        let (mut seen, mut work) = (HashSet::from_iter([address]), vec![address]);
        while let Some(v) = work.pop() {
            for user in v.users() {
                let Some(same) = self.passes(v, user) else { return true };
                work.extend(same.into_iter().filter(|s| seen.insert(*s)));
            }
        }
        false
    }

    /// Values that are the same address where `user` uses it; `None` where it leaves.
    fn passes(&mut self, v: Value, user: Value) -> Option<Vec<Value>> {
        let opcode = match user.const_opcode() {
            Some(opcode) => opcode,
            None if user.is_instruction() => user.opcode(),
            None => return None,
        };
        match opcode {
            Opcode::LLVMLoad | Opcode::LLVMICmp => Some(vec![]),
            Opcode::LLVMStore if user.operand(0) != v => Some(vec![]),
            Opcode::LLVMStore => {
                let slot = user.operand(1);
                let is_slot = slot.is_instruction()
                    && slot.opcode() == Opcode::LLVMAlloca
                    && slot.allocated_type().is_pointer();
                if is_slot { loads_of(slot) } else { None }
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                let is_address =
                    user.operand(0) == v && (1..user.operand_count()).all(|i| user.operand(i) != v);
                is_address.then(Vec::new)
            }
            Opcode::LLVMGetElementPtr
            | Opcode::LLVMBitCast
            | Opcode::LLVMAddrSpaceCast
            | Opcode::LLVMPHI
            | Opcode::LLVMSelect
            | Opcode::LLVMFreeze => Some(vec![user]),
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.passes_call(v, user),
            _ => None,
        }
    }

    fn passes_call(&mut self, v: Value, call: Value) -> Option<Vec<Value>> {
        let f = call.called().as_function()?;
        let name = f.name();
        let same = || if call.ty().is_pointer() { vec![call] } else { vec![] };
        if requests::is_request(f) {
            // What it differentiates may make the address known.
            let subject = request::subject(call)?;
            let is_kept = !subject.is_declaration()
                && (0..subject.params().len()).all(|i| !self.param_leaves(subject, i));
            return is_kept.then(Vec::new);
        }
        if is_kept_name(&name)
            || library::classify(&name).is_some()
            || canon::models::is_modelled(&name)
        {
            return Some(same());
        }
        if f.is_declaration() || f.is_interposable() || f.is_variadic() {
            return None;
        }
        let given: Vec<usize> =
            (0..call.argument_count()).filter(|&i| call.operand(i) == v).collect();
        if given.iter().any(|&i| self.param_leaves(f, i)) {
            return None;
        }
        Some(same())
    }

    fn param_leaves(&mut self, f: Function, i: usize) -> bool {
        if let Some(&known) = self.params.get(&(f, i)) {
            return known;
        }
        self.params.insert((f, i), true);
        let leaves = match f.params().get(i) {
            Some(&param) if param.ty().is_pointer() => self.leave_but_returned(param),
            Some(_) => false,
            None => true,
        };
        self.params.insert((f, i), leaves);
        leaves
    }

    /// The same as `leave`, but that a caller follows what is returned.
    fn leave_but_returned(&mut self, param: Value) -> bool {
        let (mut seen, mut work) = (HashSet::from_iter([param]), vec![param]);
        while let Some(v) = work.pop() {
            for user in v
                .users()
                .into_iter()
                .filter(|u| !u.is_instruction() || u.opcode() != Opcode::LLVMRet)
            {
                let Some(same) = self.passes(v, user) else { return true };
                work.extend(same.into_iter().filter(|s| seen.insert(*s)));
            }
        }
        false
    }
}
