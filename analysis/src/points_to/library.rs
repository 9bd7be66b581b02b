//! What functions of the library do to pointers.
//!
//! Those of the C library return and store pointers into what they are given, or into what they keep
//! themselves (`library::pointers`). Those on text (`library::strings`) store more:
//!
//! A string gets the address of other characters: of a block that the library allocates, all of
//! which are one object ([`super::Object::Text`]), of the block of another string, or of its own bytes for
//! short texts. A stream, and what its pointers lead to, may get any address of these. No other
//! memory gets any, and nothing is kept: as far as the program has no streams of its own, whose
//! functions the library would call.

use super::{
    Move,
    calls::Source,
    flow::{ALL, Aliases, Flow, TEXT, UNKNOWN, join, unique},
    offset::{Offset, overlap},
    state::{Contents, Targets},
};
use crate::dataflow::{Facts, Lattice};
use adir::{
    Callee, Op, Ty, ValueId, foreign,
    library::{
        self,
        pointers::{self, Leads},
        strings::{self, Argument},
    },
    target,
};
use std::rc::Rc;

/// Where a call may store addresses.
struct Given {
    strings: Targets,
    /// With all that their pointers lead to.
    streams: Targets,
}

impl Flow<'_> {
    /// Runs a call of a function on text; where the pointer leads that it returns. `None`: it is no
    /// such function, or nothing is known of what it is given.
    pub fn text_call(
        &self,
        call: ValueId,
        state: &mut Contents,
        facts: &Facts<Targets>,
    ) -> Option<Targets> {
        let given = self.given_text(call, state, facts)?;
        let body = self.body;
        let symbol = body[call].symbol.as_deref()?;
        let first = body[call].operands.first().map_or(Targets::NONE, |&o| facts.get(o).clone());
        for m in moves(&given) {
            self.store_text(&m.to, m.bytes, state);
        }
        if strings::keeps_characters(symbol) {
            let mut others = Aliases::default();
            let kept = facts.get(body.operand(call, 1)).clone();
            self.store(&first, &unique(kept), false, state, &mut others);
            self.store_aliases(&mut others, state);
        }
        if body[call].ty != Ty::Ptr {
            return Some(Targets::NONE);
        }
        if library::returns_first(symbol) {
            return Some(first);
        }
        let mut returned = Targets::within(TEXT);
        if strings::allocates(symbol) {
            return Some(returned);
        }
        if strings::is_member(symbol) {
            returned.join(&self.loaded(&first, state));
            returned.join(&first.at(Offset::ANY));
        } else {
            returned.join(&Targets::within(UNKNOWN));
            returned.join(&given.streams);
            returned.join(&given.strings);
        }
        Some(returned)
    }

    /// The addresses that a call of a function of the library stores, as moves.
    pub fn moved_by_library(
        &self,
        call: ValueId,
        state: &Contents,
        facts: &Facts<Targets>,
    ) -> Vec<Move> {
        if let Some(given) = self.given_text(call, state, facts) {
            return moves(&given).collect();
        }
        let stores = foreign::keeps_nothing(self.body, call)
            || pointers::stored(self.symbol(call)).is_some();
        let given = self.given_memory(call, facts).filter(|to| !stores && !to.objects.is_empty());
        let unknown = |to| Move {
            to,
            from: Source::Bits,
            bytes: ALL,
            is_integer: false,
            is_of_numbers: false,
        };
        given.map(unknown).into_iter().collect()
    }

    fn symbol(&self, call: ValueId) -> &str {
        self.body[call].symbol.as_deref().unwrap_or_default()
    }

    /// The memory that a function is given which accesses no other; `None`: it may.
    pub fn given_memory(&self, call: ValueId, facts: &Facts<Targets>) -> Option<Targets> {
        if !self.tracks() || !foreign::accesses_arguments_only(self.body, call) {
            return None;
        }
        let mut all = Targets::NONE;
        for &o in self.body[call].operands.iter().filter(|o| self.body[**o].ty == Ty::Ptr) {
            all.join(facts.get(o));
        }
        Some(all.at(Offset::ANY))
    }

    /// Stores the pointer that a function of the library stores; whether it is one that does.
    pub fn library_stores(
        &self,
        call: ValueId,
        state: &mut Contents,
        facts: &Facts<Targets>,
    ) -> bool {
        let Some((at, into)) = pointers::stored(self.symbol(call)) else { return false };
        let Some(stored) = self.lead(into, call, state, facts) else { return false };
        let mut others = Aliases::default();
        let address = facts.get(self.body.operand(call, at)).clone();
        self.store(&address, &unique(stored), false, state, &mut others);
        self.store_aliases(&mut others, state);
        true
    }

    /// Where a pointer leads that a function of the library returns.
    pub fn library_returns(
        &self,
        call: ValueId,
        state: &Contents,
        facts: &Facts<Targets>,
    ) -> Targets {
        pointers::returned(self.symbol(call))
            .and_then(|into| self.lead(into, call, state, facts))
            .unwrap_or_else(|| Targets::within(UNKNOWN))
    }

    fn lead(
        &self,
        leads: Leads,
        call: ValueId,
        state: &Contents,
        facts: &Facts<Targets>,
    ) -> Option<Targets> {
        let operand = |i: usize| self.body[call].operands.get(i).map(|&o| facts.get(o).clone());
        match leads {
            Leads::Argument(i) => Some(operand(i)?.at(Offset::ANY)),
            Leads::Behind(i) => Some(self.loaded(&operand(i)?, state).at(Offset::ANY)),
            Leads::Library => Some(Targets::within(TEXT)),
        }
    }

    /// Whether a call keeps no address of what it is given, but in the strings and streams among it, or
    /// where it says that it stopped.
    pub fn keeps_text(&self, call: ValueId, state: &Contents, facts: &Facts<Targets>) -> bool {
        pointers::reads_number(self.symbol(call)) || self.given_text(call, state, facts).is_some()
    }

    /// All memory that a call of a function on text reads or writes; `None`: it is no such function, or
    /// nothing is known of what it is given.
    pub fn touched_by_text(
        &self,
        call: ValueId,
        state: &Contents,
        facts: &Facts<Targets>,
    ) -> Option<Targets> {
        let given = self.given_text(call, state, facts)?;
        let mut all = Targets::within(TEXT);
        all.join(&given.streams);
        for &o in self.body[call].operands.iter().filter(|o| self.body[**o].ty == Ty::Ptr) {
            all.join(facts.get(o));
            all.join(&self.held_in(facts.get(o), strings::bytes(), state));
        }
        Some(all.at(Offset::ANY))
    }

    /// The characters of the strings that a call of a function on text is given, but for short ones,
    /// which lie in these.
    pub fn characters(
        &self,
        call: ValueId,
        state: &Contents,
        facts: &Facts<Targets>,
    ) -> Option<Targets> {
        let given = self.given_text(call, state, facts)?;
        let mut all = Targets::within(TEXT);
        all.join(&self.held_in(&given.strings, target::pointer(), state));
        all.retain(|o| !given.strings.objects.contains(&o));
        Some(all)
    }

    /// Where the pointers lead that lie in so many bytes at some places.
    fn held_in(&self, places: &Targets, bytes: u64, state: &Contents) -> Targets {
        let universe = self.universe.borrow();
        let mut all = Targets::NONE;
        for (object, at) in places.each() {
            for &slot in universe.slots_of(object) {
                let here = universe.slots[slot as usize].offset;
                if overlap(at, bytes, here, target::pointer()) {
                    all.join(&universe.held(slot, state));
                }
            }
        }
        all
    }

    fn given_text(&self, call: ValueId, state: &Contents, facts: &Facts<Targets>) -> Option<Given> {
        let body = self.body;
        let symbol = body[call].symbol.as_deref().filter(|s| library::is_text(s))?;
        if !self.tracks() || !matches!(body[call].op, Op::Call(Callee::Passive)) {
            return None;
        }
        let mut given = Given { strings: Targets::NONE, streams: Targets::NONE };
        for (i, &o) in
            body[call].operands.iter().enumerate().filter(|(_, o)| body[**o].ty == Ty::Ptr)
        {
            match strings::argument(symbol, i) {
                Argument::String => _ = given.strings.join(facts.get(o)),
                // The library calls the program's functions.
                Argument::Stream if body.has_own_streams => return None,
                Argument::Stream => _ = given.streams.join(facts.get(o)),
                Argument::Read | Argument::Other => {}
            }
        }
        // Where in an object a string lies has to be known: other pointers lie beside it.
        let tells = |at: Offset| at.is_exact() || at.modulus >= strings::bytes();
        let is_known = given.strings.each().all(|(o, at)| o != UNKNOWN && tells(at));
        if !is_known || given.streams.is_anywhere() {
            return None;
        }
        given.streams = self.reached(&given.streams, state);
        Some(given)
    }

    /// Objects, and all to which pointers in them lead.
    fn reached(&self, from: &Targets, state: &Contents) -> Targets {
        let universe = self.universe.borrow();
        let (mut work, mut found) = (from.objects.clone(), Targets::NONE);
        while let Some(object) = work.pop() {
            if object == UNKNOWN || object == TEXT || !found.join(&Targets::within(object)) {
                continue;
            }
            for &slot in universe.slots_of(object) {
                work.extend(universe.held(slot, state).objects);
            }
        }
        found
    }

    /// Stores addresses of characters in the strings, or streams, to which pointers lead.
    pub fn store_text(&self, to: &Targets, bytes: u64, state: &mut Contents) {
        if to.is_anywhere() {
            self.store_anywhere(state);
            return;
        }
        let is_string = bytes != ALL;
        let all = if is_string { to.clone() } else { self.reached(to, state) };
        if is_string {
            // Callers see there that its pointer changes.
            let mut universe = self.universe.borrow_mut();
            all.each().filter(|&(o, _)| o != TEXT).for_each(|(o, at)| _ = universe.slot(o, at));
        }
        let universe = &*self.universe.borrow();
        let slots_in = |object: u32, at: Offset| {
            let is_in = move |slot: &&u32| {
                overlap(at, bytes, universe.slots[**slot as usize].offset, target::pointer())
            };
            universe.slots_of(object).iter().filter(is_in).copied().collect::<Vec<u32>>()
        };
        // Characters of one may become those of another, but for short ones, which are in itself.
        let mut stored = unique(Targets::within(TEXT));
        if is_string {
            for (object, at) in all.each() {
                for slot in slots_in(object, at) {
                    let mut held = universe.held(slot, state);
                    held.retain(|o| !all.objects.contains(&o));
                    join(&mut stored, &unique(held));
                }
            }
        } else {
            join(&mut stored, &unique(all.clone()));
        }
        for (object, at) in all.each().filter(|&(o, _)| o != TEXT) {
            let mut here: Rc<Targets> = stored.clone();
            if is_string {
                let short = at.plus(Offset::new(strings::short_text(), 0));
                join(&mut here, &unique(Targets::new(vec![object], short)));
            }
            slots_in(object, at).into_iter().for_each(|slot| state.add(slot, &here));
        }
        let unknown = unique(Targets::within(UNKNOWN));
        let aliased = universe.aliased(&all.objects);
        for (_, slots) in universe.by_object().filter(|(o, _)| aliased[*o as usize]) {
            slots.iter().for_each(|&slot| state.add_aliased(slot, &unknown));
        }
    }
}

/// The moves by which callers hear of what a call stores.
fn moves(given: &Given) -> impl Iterator<Item = Move> {
    let all = [(&given.strings, strings::bytes()), (&given.streams, ALL)];
    all.into_iter().filter(|(to, _)| !to.objects.is_empty()).map(|(to, bytes)| Move {
        to: to.clone(),
        from: Source::Text,
        bytes,
        is_integer: false,
        is_of_numbers: false,
    })
}
