//! The call that a thread is in, from `begin` to `leave`: what it reaches, and what is known beyond
//! it.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashSet},
    mem::take,
    ops::Range,
};

use super::{
    abi::{
        code::{Arguments, Reals, Results},
        structs::Struct,
    },
    exported,
    library::{
        allocations::Allocation,
        earlier::{self, Origin, Reached},
        lending::{self, Lent},
        stale_pointers,
    },
    lifetime::{
        captures::{self, Look},
        constants,
        retained::{self, Retained},
        shared_memory,
    },
    objects::{
        blocks::{self, OfBlock},
        extents::{self, Variable},
        layout::Layout,
        reach::{Pointer, Reach, eight_bytes, is_address, is_real},
    },
    recorded::{self, Recorded},
    sanitizers, thread,
    traps::fault,
    workers::{self, Watch},
};
use crate::{
    Error,
    machine::{
        running,
        state::UNKNOWN,
        word::{self, BYTES},
    },
    memory::{
        self,
        heap::{self, Owner},
        objects::{Policy, ScalarKind},
        registry::{self, Registry},
        space::{self, DISTANCE},
        stack, trap_pointers,
    },
    process::modules,
    recording::evaluation,
    translate::{Mode, engine, host},
};

/// A call, from `begin` to `leave`.
pub struct Call {
    function: u64,
    mode: u32,
    /// What a recording has of it.
    pub(super) recorded: Option<Recorded>,
    pub(super) stack_bytes: u64,
    pub(super) reals: Reals,
    pub(super) pointers: Vec<Pointer>,
    /// What is known of where some of them lead, by their numbers.
    pub(super) layouts: Vec<(usize, Layout)>,
    /// Structs that are passed or returned in memory.
    pub(super) structs: Vec<Struct>,
    /// Shadows of registers and of stack arguments.
    pub(super) captured: Option<(Arguments, Vec<u8>)>,
    /// What `Reach` says of it.
    watched: Vec<(Range<u64>, u64, Vec<u64>)>,
    doubtful: Vec<u64>,
    library_pointers: Vec<u64>,
    /// What was lent when it began.
    lent: Vec<Lent>,
    places: Vec<(u64, &'static str)>,
    constants: Vec<u64>,
    /// Where its objects with shadows start and end.
    active: BTreeMap<u64, u64>,
    /// Whether it is looked for pointers that it keeps.
    look: Option<Look>,
    /// Whether threads of libraries run.
    watch: Option<Watch>,
    pub(super) is_entered: bool,
}

/// A thread's side of the call boundary.
pub struct Boundary {
    pub(super) registry: Registry,
    pub(super) variables: Vec<Variable>,
    pub(super) retained: BTreeMap<u64, Retained>,
    pub(super) lent: Vec<Lent>,
    pub(super) call: Option<Call>,
    pub(super) mode: u32,
    pub(super) results: Results,
    /// Calls that were recorded and not reversed.
    pub(super) recorded: Vec<Recorded>,
    /// The one that is reversed.
    pub(super) reversed: Option<Recorded>,
    is_prepared: bool,
    /// Whether the evaluation is one of recordings, as far as that was said.
    pub(super) records: bool,
    /// Whether code compiled here was called by a library: its variables come with each call.
    pub(super) calls_back: bool,
    /// Heap objects and variables of the last call, in case that it returns a pointer.
    pub(super) last: Vec<Retained>,
    /// Blocks of libraries with shadows of their own.
    pub(super) allocations: Vec<Allocation>,
    /// Pointers that the derivative is asked for with, and their shadows; what they lead to, once
    /// somebody needs it.
    pub(super) requested: Vec<(u64, u64)>,
    pub(super) reached: OnceCell<Reached>,
    /// The shadows of blocks that the program allocated before the request, where it asks for them.
    pub(super) blocks: Option<OfBlock>,
    /// Where those begin that the program has come to.
    pub(super) touched: HashSet<u64>,
}

impl Default for Boundary {
    fn default() -> Self {
        let mut registry = Registry::with_foreign(shadow_of_library);
        registry.poison_between_calls();
        Self {
            registry,
            variables: Vec::new(),
            retained: BTreeMap::new(),
            lent: Vec::new(),
            call: None,
            mode: 0,
            results: Results::default(),
            recorded: Vec::new(),
            reversed: None,
            is_prepared: false,
            records: false,
            calls_back: false,
            last: Vec::new(),
            allocations: Vec::new(),
            requested: Vec::new(),
            reached: OnceCell::new(),
            blocks: None,
            touched: HashSet::new(),
        }
    }
}

/// The shadow of a pointer to memory of libraries: of blocks that they allocated, of their
/// variables; code has none.
fn shadow_of_library(pointer: u64) -> Option<u64> {
    if is_of_library(pointer) {
        stale_pointers::note(pointer);
        return Some(pointer.wrapping_add(DISTANCE));
    }
    modules::is_in_module(pointer).then_some(0)
}

/// The same in a recording: generated code must not use it.
fn no_shadow_of_library(pointer: u64) -> Option<u64> {
    if is_of_library(pointer) {
        fault::given(pointer);
        return Some(trap_pointers::of(pointer));
    }
    modules::is_in_module(pointer).then_some(0)
}

fn is_of_library(pointer: u64) -> bool {
    heap::find(pointer).is_some_and(|b| b.owner == Owner::Library)
}

/// Whether a pointer that a variable holds leads to memory of libraries: a block that one
/// allocated, or one's variables.
pub(super) fn leads_to_library(pointer: u64) -> bool {
    is_of_library(pointer) || extents::is_of_library(pointer, 0)
}

/// Whether the call is part of a transfer of flang's. What its first argument leads to is the
/// runtime's own, and holds numbers as text only.
fn is_transfer() -> bool {
    running::function_name().is_some_and(|name| name.starts_with("_FortranAio"))
}

/// Gives shadow memory of words another value, where it has this one: who takes a pointer for a
/// real finds that it is unknown.
fn mark(words: &[u64], from: usize, to: usize) {
    for at in words {
        let place = space::of(*at) as *mut usize;
        // SAFETY: shadow memory of an object of the call.
        unsafe {
            if place.read_unaligned() == from {
                place.write_unaligned(to);
            }
        }
    }
}

/// The places in objects of unknown content that the library has left active: on i386 half of a
/// real may look like an address, and is no pointer.
fn active_words(watched: &[(Range<u64>, u64, Vec<u64>)]) -> HashSet<u64> {
    if word::IS_64 {
        return HashSet::new();
    }
    let all = watched.iter().flat_map(|(range, ..)| range.clone().step_by(BYTES));
    // SAFETY: shadow memory of an object of the call.
    all.filter(|at| unsafe { word::at(space::of(*at)) } != 0).collect()
}

impl Call {
    /// One that begins.
    pub(super) fn new(
        function: u64,
        mode: u32,
        stack_bytes: u64,
        recorded: Option<Recorded>,
    ) -> Self {
        Self {
            function,
            mode,
            recorded,
            stack_bytes,
            reals: Reals::default(),
            pointers: Vec::new(),
            layouts: Vec::new(),
            structs: Vec::new(),
            captured: None,
            watched: Vec::new(),
            doubtful: Vec::new(),
            library_pointers: Vec::new(),
            lent: Vec::new(),
            places: Vec::new(),
            constants: Vec::new(),
            active: BTreeMap::new(),
            look: None,
            watch: None,
            is_entered: false,
        }
    }
}

/// Variables of the whole program with shadows, and how far away those are; all of them, or those
/// that a library can name.
fn globals(all: bool) -> Vec<(u64, u64)> {
    let globals = extents::globals();
    let own = globals.own.iter().filter(|_| all);
    globals.exported.iter().chain(own).filter_map(|v| Some((v.primal.start, v.distance?))).collect()
}

impl Boundary {
    pub(super) fn all_variables(&self) -> Vec<Variable> {
        extents::globals().all().chain(&self.variables).cloned().collect()
    }

    pub(super) fn bring_globals(&mut self) -> Result<(), Error> {
        self.calls_back = true;
        let variables = self.all_variables();
        let mut reach = Reach::new(&variables, self.mode == 1).with_blocks(self.blocks);
        // SAFETY: variables of the program, whose library has not come to them.
        unsafe {
            for (primal, distance) in globals(true) {
                reach.add(primal, distance, ScalarKind::Unknown)?;
            }
            let Some(call) = &mut self.call else { return Ok(()) };
            match &mut call.recorded {
                None => drop(self.registry.extend(&reach.objects, registry::Mode::Tangent)?),
                Some(recorded) => {
                    recorded.keep(&reach.found);
                    let mut fresh = recorded::fresh();
                    recorded.read.extend(
                        self.registry
                            .extend(&reach.objects, registry::Mode::Recording(&mut fresh))?,
                    );
                }
            }
            call.watched.append(&mut reach.watched);
            mark(&reach.doubtful, 0, UNKNOWN as usize);
            call.doubtful.append(&mut reach.doubtful);
        }
        Ok(())
    }

    pub(super) fn prepare(&mut self) -> Result<(), Error> {
        if !self.is_prepared {
            exported::keep();
            if let Some(name) = sanitizers::present() {
                return Err(Error::Sanitizer { name });
            }
            if !heap::sees_all() {
                return Err(Error::Allocator);
            }
            space::install_on_thread()?;
            space::covers_program()?;
            heap::set_shadow_memory();
            fault::install();
            self.is_prepared = true;
        }
        Ok(())
    }

    pub(super) fn call(&mut self) -> Result<&mut Call, Error> {
        self.call.as_mut().ok_or(Error::Order("there is no call that was begun"))
    }

    pub(super) fn abandon(&mut self) -> Result<(), Error> {
        running::leave_library();
        match &self.call {
            Some(call) if call.is_entered => self.leave(true),
            _ => self.call.take().and_then(|c| c.recorded).map_or(Ok(()), Recorded::forget),
        }
    }

    pub(super) fn enter(&mut self) -> Result<u64, Error> {
        let mut call = self.call.take().ok_or(Error::Order("there is no call that was begun"))?;
        if call.recorded.is_none() {
            // A recording that begins in another thread would make shadow memory zero, with the
            // dots of this call, and those that libraries keep.
            evaluation::hold_dots()?;
        }
        constants::forget_changed();
        let mut variables = self.all_variables();
        variables.extend(
            call.structs
                .iter()
                .filter_map(|s| s.variable(&call.pointers, &variables))
                .collect::<Vec<_>>(),
        );
        let mut reach = Reach::new(&variables, call.mode == 1).with_blocks(self.blocks);
        let (pointers, mode) = (&call.pointers, call.mode);
        self.registry.set_foreign(if mode == 0 { shadow_of_library } else { no_shadow_of_library });
        // SAFETY: pointers of the program's, as generated code gave them.
        unsafe {
            // What is known goes first: of the same object, others say less.
            for (k, layout) in &call.layouts {
                pointers.get(*k).map_or(Ok(()), |pointer| reach.follow(*pointer, Some(layout)))?;
            }
            for pointer in pointers {
                reach.follow(*pointer, None)?;
            }
            let may_store = !reach.library_pointers.is_empty()
                || pointers.iter().any(|p| p.primal != 0 && !(is_real(p.kind) && p.is_sure))
                || captures::keeps(call.function);
            call.lent = self.lent.clone();
            let mut lent = take(&mut self.lent);
            for (primal, shadow) in lending::take_back(
                &reach.library_pointers.clone(),
                &mut lent,
                &variables,
                |pointer| self.known(pointer),
            ) {
                let pointer = Pointer {
                    primal,
                    shadow,
                    kind: ScalarKind::Unknown,
                    is_sure: true,
                    name: "a pointer in library memory",
                    is_found: true,
                };
                reach.follow(pointer, None)?;
            }
            let given: Vec<_> =
                reach.found.iter().map(|(start, f)| (*start..f.end, f.distance, f.kind)).collect();
            self.last = given
                .into_iter()
                .map(|(range, distance, kind)| Retained::new(range, distance, kind))
                .collect();
            if may_store {
                self.retain_last();
            } else {
                call.look = Look::new(call.function, &self.last_ranges());
            }
            self.retained.retain(|_, kept| kept.is_there());
            let kept: Vec<_> =
                self.retained.values().map(|k| (k.range.start, k.distance, k.kind)).collect();
            let variables = self
                .variables
                .iter()
                .filter(|v| v.may_be_captured)
                .filter_map(|v| Some((v.primal.start, v.distance?)));
            // Code of the program's own module can name what libraries cannot.
            let all = self.calls_back || extents::globals().are_named_at(call.function);
            let variables = variables
                .chain(globals(all))
                .map(|(primal, distance)| (primal, distance, ScalarKind::Unknown));
            let named: BTreeSet<u64> = reach.found.keys().copied().collect();
            for (primal, distance, kind) in kept.into_iter().chain(variables.collect::<Vec<_>>()) {
                reach.add(primal, distance, kind)?;
            }
            // What these lead to is poisoned after the call like all else, and may be freed.
            let others = reach.found.keys().filter(|start| !named.contains(start));
            others.for_each(|start| _ = retained::give(*start));
            for pointer in pointers.iter().skip(usize::from(is_transfer())) {
                reach.constant(*pointer);
            }
            match &mut call.recorded {
                None => drop(self.registry.enter(
                    &reach.objects,
                    Policy::Refuse,
                    registry::Mode::Tangent,
                )?),
                Some(recorded) => {
                    recorded.keep(&reach.found);
                    recorded.pointers = pointers.clone();
                    let mut fresh = recorded::fresh();
                    recorded.read = self.registry.enter(
                        &reach.objects,
                        Policy::Refuse,
                        registry::Mode::Recording(&mut fresh),
                    )?;
                }
            }
        }
        mark(&reach.doubtful, 0, UNKNOWN as usize);
        call.doubtful = reach.doubtful;
        let active = reach.found.iter().map(|(start, f)| (*start, f.end)).collect();
        (call.watched, call.library_pointers, call.places, call.constants, call.active) =
            (reach.watched, reach.library_pointers, reach.places, reach.constants, active);
        call.is_entered = true;
        call.watch = workers::watch()?;
        host::set(&thread::HOST);
        let entry =
            engine::entry(call.function, if mode == 0 { Mode::Tangent } else { Mode::Recording })?;
        self.call = Some(call);
        Ok(entry)
    }

    pub(super) fn leave(&mut self, is_abandoned: bool) -> Result<(), Error> {
        let mut call = self.call.take().expect("the caller saw it");
        let entered = thread::take_entered();
        call.watch.take().map_or(Ok(()), Watch::end)?;
        let of_library =
            if call.recorded.is_none() { shadow_of_library } else { no_shadow_of_library };
        // SAFETY: what the call reached is there until it is left.
        unsafe {
            for (at, name) in &call.places {
                if eight_bytes(space::of(*at)) != 0 {
                    return Err(memory::Error::WrittenToConstant { name, at: *at }.into());
                }
            }
            // Blocks that the library has freed are nobody's to look at.
            let is_gone = |kept: &&Retained| !kept.is_there();
            let gone: Vec<_> =
                self.retained.values().filter(is_gone).map(|k| k.range.clone()).collect();
            gone.iter().for_each(|range| self.registry.forget_in_call(range.clone()));
            call.watched.retain(|(range, ..)| !gone.iter().any(|g| g.contains(&range.start)));
            mark(&call.doubtful, UNKNOWN as usize, 0);
            let active = active_words(&call.watched);
            let may_be_pointer = |at: u64| !active.contains(&at);
            let written = self.registry.leave()?;
            let given = call.active.iter().map(|(start, end)| *start..*end);
            shared_memory::check(given.chain(self.retained.values().map(|k| k.range.clone())))?;
            if let Some(recorded) = &mut call.recorded {
                recorded.written = written;
            }
            for (range, distance, words) in &call.watched {
                for (k, at) in range.clone().step_by(word::BYTES).enumerate() {
                    let (new, shadow) = (word::at(at), at.wrapping_add(*distance));
                    // Among reals whatever is an address is a pointer, if it cannot be half of one.
                    if words.get(k) != Some(&new)
                        && is_address(new)
                        && word::at(shadow) == 0
                        && may_be_pointer(at)
                        && let Some(to) = self.shadow_of(new).flatten().or_else(|| of_library(new))
                        && to != 0
                    {
                        word::set(shadow, to);
                    }
                }
            }
        }
        if let Some(look) = call.look.take()
            && look.finds(&self.last_ranges())
        {
            self.retain_last();
        }
        constants::keep(&call.constants, |at| {
            call.active.range(..=at).next_back().is_some_and(|(_, end)| at < *end)
        });
        if entered != 0 {
            space::clear(entered..entered + BYTES as u64 + call.stack_bytes)?;
            stack::clear_below(entered);
        }
        match call.recorded {
            None => {
                evaluation::release_dots();
                let mut lent = take(&mut self.lent);
                lending::lend_again(&call.lent, &mut lent, |pointer| self.known(pointer));
                self.lent = lent;
                self.lend(&call.library_pointers);
            }
            Some(recorded) if is_abandoned => recorded.forget()?,
            Some(mut recorded) => {
                recorded.end()?;
                self.recorded.push(recorded);
            }
        }
        Ok(())
    }

    pub(super) fn lend(&mut self, from: &[u64]) {
        let mut lent = take(&mut self.lent);
        lending::lend(from, &mut lent, |pointer| self.known(pointer));
        self.lent = lent;
    }

    /// What is known of a pointer that lies in memory of libraries, or that a call returned. A block
    /// that the program allocated before the request has the shadow that it has on first touch.
    pub(super) fn known(&self, pointer: u64) -> Origin {
        match self.known_apart(pointer) {
            Origin::Library => {
                blocks::shadow(self.blocks, pointer).map_or(Origin::Library, Origin::Shadow)
            }
            known => known,
        }
    }

    /// The same, where blocks from before the request are nobody's.
    pub(super) fn known_apart(&self, pointer: u64) -> Origin {
        match self.shadow_of(pointer) {
            Some(Some(shadow)) => Origin::Shadow(shadow),
            Some(None) => Origin::Constant,
            None if earlier::block(pointer).is_none() => Origin::Library,
            None => self
                .reached
                .get_or_init(|| {
                    Reached::new(
                        [globals(true), self.requested.clone()].concat(),
                        &self.all_variables(),
                    )
                })
                .known(pointer),
        }
    }

    /// The shadow of a pointer into a known object; `Some(None)` if that is constant.
    pub(super) fn shadow_of(&self, pointer: u64) -> Option<Option<u64>> {
        let of = |distance: u64| Some(pointer.wrapping_add(distance));
        if let Some(variable) =
            self.variables.iter().rev().find(|v| !v.is_bare && v.primal.contains(&pointer))
        {
            return Some(variable.distance.and_then(of));
        }
        if let Some(variable) = extents::globals().all().find(|v| v.primal.contains(&pointer)) {
            return Some(variable.distance.and_then(of));
        }
        let (_, kept) = self.retained.range(..=pointer).next_back()?;
        let is_in = kept.range.contains(&pointer) && kept.is_there();
        is_in.then(|| of(kept.distance))
    }
}
