//! What each head differentiates and which symbol it generates, before anything is generated: a head
//! may name what another one generates.

use super::{Asked, Head, named};
use crate::{
    annotations::config::Config,
    diagnostics::names::{fortran_name, symbol_in_unit},
    llvm::{Function, Module},
};
use adir::hashed::HashMap;

/// A head of the command line.
#[derive(Debug)]
pub struct Planned {
    /// What it asks for.
    pub asked: Asked,
    /// What it names.
    pub subject: Subject,
    /// What it generates, if it names something.
    pub symbol: Option<String>,
}

/// What a head names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A function that is there.
    Function(Function),
    /// What the head of that number generates.
    Head(usize),
    /// Neither.
    Unknown,
}

/// The heads of the command line, in order.
pub fn plan(module: Module, config: &Config) -> Vec<Planned> {
    let fortran = module.is_fortran();
    let of = |asked: &Asked| {
        let named =
            Head::parse(&asked.text).ok().and_then(|head| named::find(module, &head.function));
        let subject = named.map_or(Subject::Unknown, Subject::Function);
        let symbol = named.map(|f| symbol(&f.name(), asked, fortran));
        Planned { asked: asked.clone(), subject, symbol }
    };
    let mut all: Vec<Planned> = config.heads.iter().map(of).collect();
    // Each round finds those that name what is known since the one before.
    while resolve(module, &mut all, fortran) {}
    all
}

/// Whether a head was found to name what another one generates.
fn resolve(module: Module, all: &mut [Planned], fortran: bool) -> bool {
    for i in 0..all.len() {
        let Planned { subject: Subject::Unknown, ref asked, .. } = all[i] else { continue };
        let Ok(head) = Head::parse(&asked.text) else { continue };
        // A name that fits several functions is refused for that.
        if !named::candidates(module, &head.function).is_empty() {
            continue;
        }
        let Some(k) = (0..all.len()).find(|&k| generates(module, all, k, &head.function)) else {
            continue;
        };
        all[i].symbol = all[k].symbol.as_ref().map(|s| self::symbol(s, asked, fortran));
        all[i].subject = Subject::Head(k);
        return true;
    }
    false
}

/// Whether `name` is that of what head `k` generates: its own name, or that of the function which the
/// head names with the suffix (`physics%step_b`).
fn generates(module: Module, all: &[Planned], k: usize, name: &str) -> bool {
    let Some(symbol) = &all[k].symbol else { return false };
    let own = fortran_name(symbol).filter(|_| module.is_fortran());
    if name == symbol || own.is_some_and(|own| own.eq_ignore_ascii_case(name.trim())) {
        return true;
    }
    let suffix = all[k].asked.suffix();
    let base = name.trim().len().checked_sub(suffix.len());
    let base = base.and_then(|at| name.trim().split_at_checked(at));
    let base = base.filter(|(_, end)| end.eq_ignore_ascii_case(suffix));
    base.is_some_and(|(base, _)| match all[k].subject {
        Subject::Function(f) => named::candidates(module, base).contains(&f),
        Subject::Head(of) => generates(module, all, of, base),
        Subject::Unknown => false,
    })
}

/// By symbol that heads generate: the function of the source that these differentiate in the end.
pub fn generated(module: Module, config: &Config) -> HashMap<String, Function> {
    let all = plan(module, config);
    let known = |at: usize| Some((all[at].symbol.clone()?, source(&all, at)?));
    (0..all.len()).filter_map(known).collect()
}

/// The function of the source that a head differentiates in the end.
pub fn source(all: &[Planned], at: usize) -> Option<Function> {
    match all[at].subject {
        Subject::Function(f) => Some(f),
        Subject::Head(of) => source(all, of),
        Subject::Unknown => None,
    }
}

/// What a head on the function of symbol `name` generates: `f` -> `f_b`; `f_` -> `f_b_` and
/// `_QMmodPf` -> `f_b_` for Fortran.
pub(super) fn symbol(name: &str, asked: &Asked, fortran: bool) -> String {
    let suffix = asked.suffix();
    // At a link, what is internal to a unit has its mark.
    let name = symbol_in_unit(name);
    if !fortran {
        if !name.starts_with("_Z") {
            return format!("{name}{suffix}");
        }
        // A C++ derivative has C linkage: the name without its scopes and its mangled parameters.
        let own = named::own_name(name);
        let is_word = own.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        return format!("{}{suffix}", if is_word { &own } else { name });
    }
    let procedure = match name.strip_prefix("_Q").and_then(|r| r.rsplit_once('P')) {
        Some((_, p)) => p,
        None => match name.strip_suffix('_') {
            Some(p) => p,
            None => return format!("{name}{suffix}"),
        },
    };
    format!("{procedure}{suffix}_")
}
