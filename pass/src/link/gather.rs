//! What a link takes in of its units: the open requests, and all that they reach.

use super::{
    addresses::{self, Reached},
    internal,
    list::{List, ListedHead, say},
    open::LEFT,
    packing::{self, Packed},
    suffix,
};
use crate::{
    annotations::{config::Config, visibility::FROM_UNIT},
    codegen::prebuilt::MachineCode,
    frontend::heads::Head,
    llvm::{Function, Linkage, Module, Said, Value},
};
use adir::hashed::HashSet;
use std::{collections::BTreeSet, fs};

/// What machine code costs.
const COST: &str = "derivatives run its machine code, which takes 100 to 1,000 times as long";

/// Takes open requests into an empty module, and what they reach. What has no IR stays declared.
/// Whether there is a list to go by.
pub fn gather(module: Module, config: &Config) -> bool {
    let Some(list) = List::of(module, config) else { return false };
    let registers = list.units.iter().flat_map(|unit| &unit.registers);
    list.open.iter().chain(registers).for_each(|symbol| module.want(symbol));
    let heads = list.heads.iter().filter(|head| !head.is_optional);
    heads.for_each(|head| want(module, &list, head));
    let mut asked: HashSet<String> = HashSet::default();
    let mut reached = Reached::default();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    loop {
        // What heads generate, which code calls.
        for head in list.heads.iter().filter(|head| head.is_optional) {
            let called = head.generated.as_deref().and_then(|symbol| module.function(symbol));
            if called.is_some_and(|f| f.is_declaration()) {
                want(module, &list, head);
            }
        }
        // Units with symbols that are still missing.
        let missing: Vec<String> =
            declared(module).into_iter().filter(|s| !asked.contains(s)).collect();
        let units: BTreeSet<usize> =
            missing.iter().filter_map(|s| list.units_of.get(s)).flatten().copied().collect();
        asked.extend(missing);
        taken.extend(&units);
        for &unit in &units {
            if let Err(e) = take(module, &list, unit) {
                say(module, &format!("the IR of '{}': {e}", list.units[unit].source));
            }
        }
        internal::complete(module, &list);
        let is_complete = declared(module).iter().all(|symbol| asked.contains(symbol));
        if is_complete && units.is_empty() && !reached.grow(module, &list) {
            break;
        }
    }
    drop_initialisers(module, &list);
    note_taken(module, config, &taken);
    reached.keep(module);
    for g in defined(module) {
        match g.as_function() {
            Some(f) => f.add_attribute_string(FROM_UNIT, &g.name()),
            None if g.is_global_variable() => g.set_mark(FROM_UNIT),
            // Derivatives make no aliases.
            None => {}
        }
    }
    true
}

/// Wants the function that a head differentiates in the end.
fn want(module: Module, list: &List, head: &ListedHead) {
    let Ok(parsed) = Head::parse(&head.asked.text) else { return };
    let makes = |other: &&ListedHead| other.generated.as_ref() == Some(&parsed.function);
    match list.heads.iter().find(makes) {
        Some(other) => want(module, list, other),
        None => module.want(&parsed.function),
    }
}

/// How the function that initialises a thread's variable is called, and the variable.
const INITIALISER: &str = "_ZTH";
const VARIABLE: &str = "_Z";

/// A thread's variable of this link has such a function only if an object defines it: else nothing is called.
fn drop_initialisers(module: Module, list: &List) {
    for f in module.functions().into_iter().filter(|f| f.is_declaration()) {
        let name = f.name();
        let Some(rest) = name.strip_prefix(INITIALISER) else { continue };
        let is_here = list.defined.contains(&format!("{VARIABLE}{rest}"));
        if is_here && !list.defined.contains(&name) {
            f.value().replace_uses(module.context().ptr().zero());
        }
    }
}

/// Writes the numbers of the units that the module has IR of, beside the list: links with these make
/// the same.
fn note_taken(module: Module, config: &Config, taken: &BTreeSet<usize>) {
    let Some(path) = config.link.as_deref() else { return };
    let lines: String = taken.iter().map(|unit| format!("{unit}\n")).collect();
    let file = format!("{path}.taken");
    if let Err(e) = fs::write(&file, lines) {
        say(module, &format!("{file}: {e}"));
    }
}

/// Leaves declarations of what came from units and has machine code or memory in the objects. The
/// rest is of this module alone, but for the open requests.
pub fn leave_out(module: Module, config: &Config) {
    let Some(list) = List::of(module, config) else { return };
    addresses::forget(module);
    let changed = changed(module);
    for g in defined(module) {
        let name = g.name();
        if g.as_function().is_some_and(|f| f.attribute_string(LEFT).is_some()) {
            g.undefine();
            continue;
        }
        let is_from_unit = match g.as_function() {
            // Clones have the attribute, too.
            Some(f) => f.attribute_string(FROM_UNIT).is_some_and(|symbol| symbol == name),
            None => g.aliased().is_some() || g.has_mark(FROM_UNIT),
        };
        if !is_from_unit || list.open.contains(&name) {
            continue;
        }
        if let Some(f) = g.as_function().filter(|f| changed.contains(f)) {
            f.keep_own();
        } else if list.defined.contains(&name) {
            g.undefine();
        } else if let Some(f) = g.as_function() {
            f.set_linkage(Linkage::Internal);
        } else if g.is_global_variable() && !name.starts_with("llvm.") {
            g.set_open(false);
        }
    }
}

/// How functions of the runtimes begin.
const RUNTIMES: [&str; 2] = ["adrt_", "adshadow_"];

/// Functions that were made to tell the runtimes something, and those that call them: their machine
/// code does not.
fn changed(module: Module) -> HashSet<Function> {
    let runtime =
        module.functions().into_iter().filter(|f| RUNTIMES.iter().any(|r| f.name().starts_with(r)));
    let mut next: Vec<Function> = runtime.filter(|f| f.is_declaration()).collect();
    let mut found = HashSet::default();
    while let Some(callee) = next.pop() {
        for user in callee.value().users().into_iter().filter(|u| u.is_instruction()) {
            let caller = user.block().function();
            if caller.attribute_string(FROM_UNIT).is_some() && found.insert(caller) {
                next.push(caller);
            }
        }
    }
    found
}

fn take(module: Module, list: &List, number: usize) -> Result<(), String> {
    let unit = &list.units[number];
    let bytes = fs::read(&unit.file).map_err(|e| e.to_string())?;
    let bitcode = packing::unpack(Packed { coding: unit.coding, bytes }, unit.size)?;
    module.gather(&bitcode, &suffix(&unit.name), &list.wrapped, &|symbol: &str| match () {
        () if unit.lost.contains(symbol) => Said::Lost,
        () if unit.registers.iter().any(|r| r == symbol) => Said::Register,
        () if list.defined.contains(symbol) => Said::Defined,
        () => Said::Absent,
    })
}

/// Says which functions derivatives of the link run machine code of.
pub fn note_machine_code(used: &[MachineCode]) {
    for MachineCode { function, at } in used {
        let at = at.as_ref().map(|at| format!(" [called at {at}]")).unwrap_or_default();
        // As the driver says it; front ends print no note by itself.
        eprintln!("adcc: note: no object of this link has the IR of '{function}'{at}: {COST}");
    }
}

/// Functions, variables and aliases with a definition.
fn defined(module: Module) -> Vec<Value> {
    let functions = module.functions().into_iter().filter(|f| !f.is_declaration());
    let variables = module.globals().into_iter().filter(|g| g.initializer().is_some());
    functions.map(|f| f.value()).chain(variables).chain(module.aliases()).collect()
}

/// Symbols without a definition.
fn declared(module: Module) -> Vec<String> {
    let functions = module.functions().into_iter().filter(|f| f.is_declaration());
    let variables = module.globals().into_iter().filter(|g| g.initializer().is_none());
    functions.map(|f| f.value()).chain(variables).map(Value::name).collect()
}
