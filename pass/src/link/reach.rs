//! What a request reaches beyond its unit: whether a link that has other units can say more of it.

use crate::{
    annotations::{config::Config, policy::Policy},
    codegen::prebuilt,
    llvm::{Function, Opcode, Value},
};
use adir::hashed::{HashMap, HashSet};
use serde::Serialize;
use std::collections::BTreeSet;

/// What other units may define.
#[derive(Clone, Default, Serialize)]
pub struct Reach {
    /// Functions without body and without rule.
    pub missing: BTreeSet<String>,
    /// Functions with a body here, and aliases, in the place of which the linker may take others.
    pub replaceable: BTreeSet<String>,
    /// Types of functions that are called through pointers, as LLVM writes them.
    pub called: BTreeSet<String>,
}

impl Reach {
    /// Whether nothing beyond the unit matters.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.replaceable.is_empty() && self.called.is_empty()
    }
}

/// What a function reaches, by calls and by addresses; and by calls of what heads generate, of which
/// `generated` says what they differentiate.
pub fn of(
    function: Function,
    config: &Config,
    generated: &HashMap<String, Function>,
) -> (Reach, HashSet<Function>) {
    let mut reach = Reach::default();
    let mut functions = HashSet::default();
    let (mut seen, mut next) = (HashSet::default(), vec![function.value()]);
    while let Some(value) = next.pop() {
        if !seen.insert(value) {
            continue;
        }
        let Some(f) = value.as_function() else {
            // A variable, an alias, or an expression of such.
            if value.aliased().is_some() && value.is_interposable_global() {
                reach.replaceable.insert(value.name());
            }
            next.extend(value.initializer().into_iter().chain(constants_of(value)));
            continue;
        };
        let source = generated.get(&f.name()).filter(|_| f.is_declaration());
        if let Some(source) = source {
            next.push(source.value());
            continue;
        }
        if prebuilt::is_unknown(f) {
            if config.prebuilt.of(&f.name()) != Policy::Inactive {
                reach.missing.insert(f.name());
            }
        } else if f.is_declaration() {
            continue;
        } else if f.is_interposable() {
            reach.replaceable.insert(f.name());
        }
        functions.insert(f);
        for inst in f.blocks().into_iter().flat_map(|b| b.instructions()) {
            next.extend(constants_of(inst));
            let is_call = matches!(inst.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
            if is_call && inst.called().as_function().is_none() && !inst.is_assembly() {
                reach.called.insert(inst.called_type().to_string());
            }
        }
    }
    (reach, functions)
}

/// The operands of a value that may lead to functions.
fn constants_of(value: Value) -> impl Iterator<Item = Value> {
    let is_constant = |v: &Value| v.is_constant() && !v.is_metadata();
    (0..value.operand_count()).map(move |i| value.operand(i)).filter(is_constant)
}
