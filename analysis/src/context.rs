//! What a caller knows that matters inside a function: the top-down half of the interprocedural
//! analyses.
//!
//! A request knows only what its arguments and markers state ([`Context::of_request`]). A call from
//! differentiated code knows more; its context is read off the caller's analyses
//! ([`super::calls`]), and each context gets a derivative of its own, up to a limit. Memory is
//! distinguished by parameter or global variable, and by whether pointers in memory have to be
//! followed.
//!
//! A context also lists the global variables that have shadows: the same ones for all functions
//! that a request reaches (globals.rs). What a global variable that is not listed holds is
//! constant.

use super::{
    activity::Param,
    points_to::{Object, PointsTo},
};
use adir::{ValueId, foreign};
use std::{collections::BTreeMap, rc::Rc};

/// Global variables that have shadows, by symbol: what is known of their own memory, then of all
/// memory behind pointers in it.
pub type Globals = BTreeMap<Rc<str>, [Entry; 2]>;

/// Memory that one parameter leads to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// What it holds at the entry may depend on the independents.
    pub varied: bool,
    /// What it holds at the exit may influence the dependents.
    pub useful: bool,
    /// It is not overwritten from the exit on until the reverse sweep is done.
    pub stable: bool,
    /// What it holds at the exit is used by the caller.
    pub live: bool,
    /// Its shadow belongs to the derivative, not to the user.
    pub own: bool,
}

impl Entry {
    /// Nothing is known.
    pub const ANY: Entry =
        Entry { varied: true, useful: true, stable: false, live: true, own: false };
    /// Of a global variable at a request: what it holds at the entry is constant, and nobody asks
    /// for derivatives of what it holds at the exit.
    const OUTSIDE: Entry =
        Entry { varied: false, useful: false, stable: true, live: true, own: false };
}

/// Two entries, as (parameter, level) pairs.
pub type Pair = ((u32, u32), (u32, u32));

/// What pointers in memory from before a request may lead to.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pointed {
    /// Global variables by symbol, with shadows and without. The function, or what it calls, uses
    /// them by their names as well.
    pub variables: Vec<Rc<str>>,
    /// Those whose own pointers no code reads when the request starts: their type does not say
    /// where any are.
    pub unfollowed: Vec<Rc<str>>,
    /// Pointers in variables with shadows may lead to blocks of the heap, which get a shadow where
    /// they are touched first.
    pub leads_to_blocks: bool,
}

/// What a function may rely on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Context {
    /// Per parameter: its own memory, then all memory behind pointers in it.
    entries: Vec<[Entry; 2]>,
    /// Per parameter: only this function can make its address known to functions of which there is
    /// no body.
    private: Vec<bool>,
    /// Memory that no parameter leads to is not overwritten before the reverse sweep is done.
    pub rest_stable: bool,
    /// Shadows of memory that no parameter leads to belong to the derivative, not to the user.
    pub rest_own: bool,
    /// The caller uses the primal result.
    pub result_live: bool,
    /// The result may influence the dependents.
    pub result_useful: bool,
    /// Entries that do not overlap, as (parameter, level) pairs in order.
    disjoint: Vec<Pair>,
    globals: Rc<Globals>,
    /// What pointers from before the request may lead to.
    pointed: Rc<Pointed>,
    /// Per parameter: pointers in its memory, or in memory behind those, may be from before the
    /// request. Without elements: all may be.
    outside: Vec<bool>,
    /// Any global variable may get a shadow: it is being found out which ones need one.
    pub is_open: bool,
    /// Threads of a team run the function, or what calls it: others access the same memory meanwhile.
    pub is_parallel: bool,
    /// Of a request, where that is being found out: parameters whose memory no foreign code knows.
    /// None where nothing is known.
    pub hidden: Vec<bool>,
}

impl Context {
    /// Nothing is known.
    pub fn unknown(params: usize) -> Context {
        Context {
            entries: vec![[Entry::ANY; 2]; params],
            private: vec![false; params],
            rest_stable: false,
            rest_own: false,
            result_live: true,
            result_useful: true,
            disjoint: vec![],
            globals: Rc::default(),
            pointed: Rc::default(),
            outside: vec![],
            is_open: false,
            is_parallel: false,
            hidden: vec![],
        }
    }
    /// A request: both sweeps run at once, so nobody else writes memory in between. `unneeded`
    /// marks parameters whose primal memory no code reads afterwards.
    pub fn of_request(unneeded: &[bool]) -> Context {
        let entry = |&unneeded: &bool| {
            [
                Entry { stable: true, live: !unneeded, ..Entry::ANY },
                Entry { stable: true, ..Entry::ANY },
            ]
        };
        let private = vec![true; unneeded.len()];
        Context {
            entries: unneeded.iter().map(entry).collect(),
            private,
            rest_stable: true,
            ..Context::unknown(0)
        }
    }
    /// From its parts; `disjoint` in any order.
    pub fn new(entries: Vec<[Entry; 2]>, rest_stable: bool, mut disjoint: Vec<Pair>) -> Context {
        disjoint.sort_unstable();
        disjoint.dedup();
        let private = vec![false; entries.len()];
        Context { entries, private, rest_stable, disjoint, ..Context::unknown(0) }
    }
    /// The same, where what these parameters lead to is known to nobody else.
    pub fn with_private(self, private: Vec<bool>) -> Context {
        Context { private, ..self }
    }
    /// A request's, with these global variables that have shadows.
    pub fn with_globals<'s>(self, symbols: impl IntoIterator<Item = &'s Rc<str>>) -> Context {
        let globals = symbols.into_iter().map(|s| (s.clone(), [Entry::OUTSIDE; 2])).collect();
        Context { globals: Rc::new(globals), ..self }
    }
    /// The same, where pointers in memory from before the request may lead to these global
    /// variables.
    pub fn with_pointed(self, pointed: Rc<Pointed>) -> Context {
        Context { pointed, ..self }
    }
    /// A call's, where pointers in the memory of these parameters may be from before the request.
    pub fn with_outside(self, outside: Vec<bool>) -> Context {
        Context { outside, ..self }
    }
    /// A request's, where all memory that no parameter leads to may be the derivative's own.
    pub fn with_own_rest(mut self, rest_own: bool) -> Context {
        self.entries.iter_mut().flatten().for_each(|e| e.own = false);
        Context { rest_own, ..self }
    }
    /// Global variables to which pointers in memory from before the request may lead.
    pub fn pointed(&self) -> &Rc<Pointed> {
        &self.pointed
    }
    /// Whether a pointer that lay in memory before the request may lead to an object. Arguments do
    /// not count, nor do variables that are used by their names.
    pub fn is_behind_outside(&self, memory: &PointsTo, object: usize) -> bool {
        match memory.objects[object] {
            Object::Local(_) | Object::Global(_) | Object::Param(_) | Object::Text => false,
            Object::Unknown | Object::Returned(_) => true,
            Object::Behind(_) => match memory.entry(object) {
                Some((param, _)) => self.outside.get(param as usize).is_none_or(|is| *is),
                // Pointers in variables themselves are looked at when the request starts
                // (globals.rs).
                None => memory.root(object).is_some_and(|(variable, steps)| {
                    steps > 1
                        || memory
                            .symbol(variable)
                            .is_some_and(|s| self.pointed.unfollowed.contains(s))
                }),
            },
        }
    }
    /// The same, of a function that each thread of a team runs.
    pub fn in_parallel(self) -> Context {
        Context { is_parallel: true, ..self }
    }
    /// Whether other threads may access what a pointer leads to at the same time.
    pub fn is_shared_target(&self, memory: &PointsTo, pointer: ValueId) -> bool {
        let is_own = |o: usize| matches!(memory.objects[o], Object::Local(_)) && !memory.escapes(o);
        self.is_parallel && !memory.points_to(pointer).all(is_own)
    }
    /// A request's, where no foreign code knows what these parameters lead to.
    pub fn with_hidden(self, hidden: Vec<bool>) -> Context {
        Context { hidden, ..self }
    }
    /// The same, where these pairs of entries do not overlap.
    pub fn with_apart(&self, pairs: &[Pair]) -> Context {
        let mut disjoint = self.disjoint.clone();
        disjoint.extend(pairs.iter().map(|&(p, q)| (p.min(q), p.max(q))));
        disjoint.sort_unstable();
        disjoint.dedup();
        Context { disjoint, ..self.clone() }
    }
    /// Pairs of entries that do not overlap.
    pub fn apart(&self) -> &[Pair] {
        &self.disjoint
    }
    /// The same, for a call.
    pub fn with_entries(self, globals: Globals) -> Context {
        Context { globals: Rc::new(globals), ..self }
    }
    /// The same, where nothing is overwritten from the exit on until the reverse sweep is done, and
    /// all memory is used afterwards.
    pub fn undisturbed(mut self) -> Context {
        let still = |e: &mut Entry| *e = Entry { stable: true, live: true, ..*e };
        self.entries.iter_mut().flatten().for_each(still);
        Rc::make_mut(&mut self.globals).values_mut().flatten().for_each(still);
        Context { rest_stable: true, result_live: true, ..self }
    }
    /// Whether no memory that is accessed is overwritten from the exit on until the reverse sweep
    /// is done.
    pub fn is_stable_throughout(&self) -> bool {
        self.rest_stable
            && self.entries.iter().chain(self.globals.values()).flatten().all(|e| e.stable)
    }
    /// The context that claims nothing, with the same global variables.
    pub fn without_claims(&self) -> Context {
        Context { is_open: self.is_open, ..self.of_unknown_call(self.entries.len()) }
    }
    /// That of a call of which the caller knows nothing. Memory is the derivative's own where only
    /// arrays that a request names are not.
    pub fn of_unknown_call(&self, params: usize) -> Context {
        let any = Entry { own: self.rest_own, ..Entry::ANY };
        let globals = self.globals.keys().map(|s| (s.clone(), [Entry::ANY; 2])).collect();
        Context {
            entries: vec![[any; 2]; params],
            rest_own: self.rest_own,
            globals: Rc::new(globals),
            pointed: self.pointed.clone(),
            is_parallel: self.is_parallel,
            ..Context::unknown(params)
        }
    }
    /// Global variables that have shadows.
    pub fn globals(&self) -> &Globals {
        &self.globals
    }
    /// Whether an object is a global variable that has a shadow, or stands for other ranks.
    pub fn has_shadow(&self, memory: &PointsTo, object: usize) -> bool {
        memory.ranks() == Some(object)
            || matches!(memory.objects[object], Object::Global(_))
                && memory.symbol(object).is_some_and(|s| self.globals.contains_key(s))
    }

    /// What is known of an object; `None` for what no parameter leads to.
    pub fn entry(&self, memory: &PointsTo, object: usize) -> Option<Entry> {
        // What other ranks do is not known.
        if memory.ranks() == Some(object) {
            return Some(Entry::ANY);
        }
        if let Some((global, steps)) = memory.root(object) {
            return self.globals.get(memory.symbol(global)?).map(|e| e[steps.min(1) as usize]);
        }
        let (param, steps) = memory.entry(object)?;
        self.entries.get(param as usize).map(|e| e[steps.min(1) as usize])
    }
    /// Whether derivatives go through functions that exist as machine code.
    pub fn calls_prebuilt(&self) -> bool {
        self.globals.contains_key(foreign::LIBRARY)
    }
    /// Whether it is known which calls of foreign code matter.
    pub fn knows_outside(&self) -> bool {
        self.globals.keys().any(|s| foreign::is_memory(s))
    }
    /// Whether foreign code may know memory that a parameter leads to and that is varied at the
    /// entry.
    pub fn is_varied_outside(&self, params: &[Param]) -> bool {
        self.is_open
            && self
                .hidden
                .iter()
                .zip(params)
                .any(|(hidden, param)| !hidden && *param == Param::Shadowed)
    }
    /// Whether no function without body knows an object's address, nor that of memory in which it
    /// lies.
    pub fn is_private(&self, memory: &PointsTo, object: usize) -> bool {
        if memory.escapes(object) {
            return false;
        }
        match memory.objects[object] {
            Object::Param(i) => self.private.get(i as usize).is_some_and(|p| *p),
            Object::Behind(_) => {
                memory.holder(object).is_some_and(|holder| self.is_private(memory, holder))
            }
            Object::Local(_) => true,
            Object::Global(_) => memory.is_hidden(object),
            Object::Unknown | Object::Text | Object::Returned(_) => false,
        }
    }
    /// The same of all that a pointer may lead to. Such a function may leave any pointer where it
    /// can write; what it cannot reach it leaves as it is.
    pub fn is_private_target(&self, memory: &PointsTo, pointer: ValueId) -> bool {
        let (named, rest): (Vec<usize>, Vec<usize>) =
            memory.points_to(pointer).partition(|o| memory.objects[*o] != Object::Unknown);
        if named.is_empty() {
            rest.is_empty()
        } else {
            named.into_iter().all(|o| self.is_private(memory, o))
        }
    }
    /// Whether two objects share no byte for this caller.
    pub fn are_disjoint(&self, memory: &PointsTo, a: usize, b: usize) -> bool {
        let is_hidden = |o: usize| {
            memory.entry(o).is_some_and(|(i, steps)| {
                steps == 0 && self.hidden.get(i as usize).is_some_and(|h| *h)
            })
        };
        if memory.is_outside(a) && is_hidden(b) || memory.is_outside(b) && is_hidden(a) {
            return true;
        }
        let (Some((i, k)), Some((j, l))) = (memory.entry(a), memory.entry(b)) else { return false };
        let (a, b) = ((i, k.min(1)), (j, l.min(1)));
        self.disjoint.binary_search(&(a.min(b), a.max(b))).is_ok()
    }
    /// Whether what an object holds stays as it is from the exit on until the reverse sweep is
    /// done.
    pub fn is_stable(&self, memory: &PointsTo, object: usize) -> bool {
        match memory.objects[object] {
            // What is on the heap may have been handed on, and be overwritten by who has it.
            Object::Local(_) if memory.is_heap(object) && memory.escapes(object) => {
                self.rest_stable
            }
            Object::Local(_) => true,
            _ => self.entry(memory, object).map_or(self.rest_stable, |e| e.stable),
        }
    }
    /// Whether what an object holds at the exit is used by the caller. Local objects are gone,
    /// but for blocks that the caller sees.
    pub fn is_live(&self, memory: &PointsTo, object: usize) -> bool {
        match memory.objects[object] {
            Object::Local(_) => memory.is_visible(object),
            _ => self.entry(memory, object).is_none_or(|e| e.live),
        }
    }
    /// Whether what an object holds at the entry may be varied, for parameters of that activity.
    pub fn is_varied(&self, memory: &PointsTo, params: &[Param], object: usize) -> bool {
        self.has_derivative(memory, params, object, |e| e.varied)
    }
    /// Whether what an object holds at the exit may be useful, for parameters of that activity.
    pub fn is_useful(&self, memory: &PointsTo, params: &[Param], object: usize) -> bool {
        self.has_derivative(memory, params, object, |e| e.useful)
    }

    fn has_derivative(
        &self,
        memory: &PointsTo,
        params: &[Param],
        object: usize,
        is: impl Fn(Entry) -> bool,
    ) -> bool {
        match memory.objects[object] {
            Object::Local(_) | Object::Text => false,
            Object::Unknown | Object::Returned(_) => true,
            Object::Param(_) | Object::Behind(_) | Object::Global(_) => {
                match memory.entry(object) {
                    Some((i, _)) => {
                        params[i as usize] == Param::Shadowed
                            && self.entry(memory, object).is_some_and(is)
                    }
                    // A global variable, or behind a pointer in one: constant, unless it has a shadow.
                    None => self.entry(memory, object).is_some_and(is),
                }
            }
        }
    }
}
