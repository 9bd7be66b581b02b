//! The order of requests of which some differentiate code that makes others.
//!
//! What a request makes is ordinary code for the requests around it. So requests are answered in
//! waves: those first that differentiate nothing that makes requests, then those around them.

use crate::{
    frontend::request,
    llvm::{Function, Module, Value},
};
use adir::hashed::{HashMap, HashSet};

/// The order of the requests of a module.
pub struct Waves {
    /// Requests by wave; the last one may have none, for heads.
    pub waves: Vec<Vec<Value>>,
    /// Those that stand in code which others, or heads, differentiate.
    pub inner: HashSet<Value>,
    /// Those that differentiate the function which makes them.
    pub circular: Vec<Value>,
}

/// How references to functions are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    /// Through tables of functions as well.
    Tables,
    /// Those of instructions alone.
    Code,
}

/// Puts requests in order; heads, which differentiate `heads`, come last.
pub fn waves(module: Module, calls: &[Value], heads: &[Function]) -> Waves {
    let by = |follow| order(&references(module, follow), calls, heads);
    let all = by(Follow::Tables);
    // A table may hold functions that the code which refers to it does not call.
    if all.circular.is_empty() { all } else { by(Follow::Code) }
}

/// By function: those that it refers to.
fn references(module: Module, follow: Follow) -> HashMap<Function, Vec<Function>> {
    let mut all: HashMap<Function, Vec<Function>> = HashMap::default();
    for f in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let mut seen = HashSet::default();
        let mut work = vec![f.value()];
        while let Some(v) = work.pop() {
            for user in v.users() {
                if user.is_instruction() {
                    let by = all.entry(user.block().function()).or_default();
                    if by.last() != Some(&f) {
                        by.push(f);
                    }
                } else if (follow == Follow::Tables || !user.is_global_variable())
                    && seen.insert(user)
                {
                    work.push(user);
                }
            }
        }
    }
    all
}

fn order(
    references: &HashMap<Function, Vec<Function>>,
    calls: &[Value],
    heads: &[Function],
) -> Waves {
    // By request: those in the code that it differentiates.
    let within = |f: Function| -> Vec<usize> {
        let reached = reached(references, f);
        let is_there = |&i: &usize| reached.contains(&calls[i].block().function());
        (0..calls.len()).filter(is_there).collect()
    };
    let inside: Vec<Vec<usize>> =
        calls.iter().map(|&c| request::subject(c).map(within).unwrap_or_default()).collect();
    let of_heads: Vec<usize> = heads.iter().flat_map(|&f| within(f)).collect();
    // The longest ways through requests.
    let mut levels = vec![0; calls.len()];
    for _ in 0..calls.len() {
        let before = levels.clone();
        for i in 0..calls.len() {
            levels[i] = inside[i].iter().map(|&k| before[k] + 1).max().unwrap_or(0);
        }
        if levels == before {
            break;
        }
    }
    let circular: Vec<usize> = (0..calls.len()).filter(|&i| levels[i] >= calls.len()).collect();
    let level_of_heads = of_heads.iter().map(|&i| levels[i] + 1).max();
    let is_sound = |i: &usize| !circular.contains(i);
    let most = (0..calls.len()).filter(is_sound).map(|i| levels[i]);
    let most = most.chain(level_of_heads).filter(|&l| l <= calls.len()).max().unwrap_or(0);
    let mut waves = vec![vec![]; most + 1];
    for i in (0..calls.len()).filter(is_sound) {
        waves[levels[i]].push(calls[i]);
    }
    Waves {
        waves,
        inner: inside.iter().flatten().chain(&of_heads).map(|&i| calls[i]).collect(),
        circular: circular.into_iter().map(|i| calls[i]).collect(),
    }
}

/// The functions that `f` may call, itself among them.
fn reached(references: &HashMap<Function, Vec<Function>>, f: Function) -> HashSet<Function> {
    let mut seen = HashSet::from_iter([f]);
    let mut work = vec![f];
    while let Some(f) = work.pop() {
        let next = references.get(&f).into_iter().flatten();
        work.extend(next.copied().filter(|g| seen.insert(*g)).collect::<Vec<_>>());
    }
    seen
}
