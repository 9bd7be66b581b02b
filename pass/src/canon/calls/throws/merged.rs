//! Throws that LLVM has merged, as those of an `if` with two of them, are taken apart: each throws one
//! kind of objects.

use super::calls_of;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Value};
use adir::{hashed::HashMap, library::THROW};

/// Gives each path to a throw of what is chosen there a throw of its own.
pub fn take_apart(module: Module, function: Function) {
    let is_chosen = |call: &Value| {
        (0..3).any(|i| {
            let operand = call.operand(i);
            is_phi(operand) && operand.block() == call.block()
        })
    };
    let merged: Vec<Block> =
        calls_of(function, THROW).filter(is_chosen).map(Value::block).filter(is_own).collect();
    let b = Builder::new(module.context());
    for &block in &merged {
        let phi = *block.instructions().first().expect("it has a phi");
        let mut before: Vec<Block> = vec![];
        for (_, from) in phi.incoming() {
            if !before.contains(&from) {
                before.push(from);
            }
        }
        before.into_iter().for_each(|from| copy(&b, function, block, from));
    }
    if !merged.is_empty() {
        function.drop_unreachable();
    }
}

fn is_phi(v: Value) -> bool {
    v.is_instruction() && v.opcode() == Opcode::LLVMPHI
}

/// Whether what a block computes is used there only.
fn is_own(block: &Block) -> bool {
    let mut users = block.instructions().into_iter().flat_map(Value::users);
    users.all(|user| user.is_instruction() && user.block() == *block)
}

/// Has control come from `from` to a copy of a block of its own.
fn copy(b: &Builder, function: Function, block: Block, from: Block) {
    let own = function.append_block("ad.throw");
    let mut known: HashMap<Value, Value> = HashMap::default();
    b.position_at_end(own);
    for i in block.instructions() {
        if is_phi(i) {
            let incoming = i.incoming().into_iter().find(|(_, at)| *at == from);
            known.insert(i, incoming.expect("it has a value from there").0);
            continue;
        }
        let new = i.clone_instruction();
        let count = if i.is_call() { i.argument_count() } else { i.operand_count() };
        for k in 0..count {
            if let Some(&value) = known.get(&i.operand(k)) {
                new.set_operand(k, value);
            }
        }
        b.insert(new);
        known.insert(i, new);
    }
    let end = block.terminator().expect("it has an end");
    for to in end.successors() {
        for phi in to.instructions().into_iter().filter(|&i| is_phi(i)) {
            let incoming = phi.incoming().into_iter().find(|(_, at)| *at == block);
            incoming.into_iter().for_each(|(value, _)| phi.add_incoming(value, own));
        }
    }
    let last = from.terminator().expect("it has an end");
    let to: Vec<Block> =
        last.successors().into_iter().map(|s| if s == block { own } else { s }).collect();
    last.set_successors(&to);
}
