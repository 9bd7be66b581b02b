//! Reductions whose variables a function combines that is not inlined.
//!
//! Between `adrt_team_join` and `adrt_team_give`, a thread adds its part to the variables of a reduction. Derivatives
//! look at the loads there (codegen/reductions.rs). What a called function loads they do not see: such a section
//! becomes one like a critical section, in which threads may hand on anything.

use crate::llvm::{Block, Function, Module, Value};

const JOIN: &str = "adrt_team_join";
const TAKE: &str = "adrt_team_take";
const GIVE: &str = "adrt_team_give";

/// Rewrites such sections.
pub fn separate(module: Module, function: Function) {
    let Some(join) = module.function(JOIN) else { return };
    let is_here = |u: &Value| u.is_instruction() && u.block().function() == function;
    for begin in join.value().users().into_iter().filter(is_here) {
        if calls_functions(begin) {
            let take = module.declare(TAKE, join.ty());
            begin.set_called(take);
        }
    }
}

/// Whether anything with a body is called before the section ends.
fn calls_functions(begin: Value) -> bool {
    let block = begin.block();
    let rest = block.instructions().into_iter().skip_while(|i| *i != begin).skip(1).collect();
    let (mut seen, mut work): (Vec<Block>, Vec<Vec<Value>>) = (vec![], vec![rest]);
    while let Some(instructions) = work.pop() {
        let mut ends = false;
        for call in instructions.iter().filter(|i| i.is_call()) {
            match call.called().as_function() {
                Some(f) if &*f.name() == GIVE => ends = true,
                Some(f) if f.is_declaration() => continue,
                _ => return true,
            }
            if ends {
                break;
            }
        }
        let last = instructions.last().filter(|_| !ends);
        for next in last.map(|last| last.successors()).into_iter().flatten() {
            if !seen.contains(&next) {
                seen.push(next);
                work.push(next.instructions());
            }
        }
    }
    false
}
