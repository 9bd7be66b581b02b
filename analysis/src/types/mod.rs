//! What the bytes behind pointers hold, from the accesses that name a type.
//!
//! Evidence for an object: a load or store of a real or a pointer at an offset; an integer load
//! that feeds more than copies, and not the bits of a real; the type of a stack variable; the types
//! that address arithmetic steps over. A query for a byte range of some objects collects what
//! overlaps it. No evidence is no answer: the caller decides whether it can do without.
//!
//! There are three kinds, and a query is answered by the first that can:
//! - *own*: accesses of this function and of those that it calls;
//! - *carried*: what copies carry from there to further objects, as copied bytes are the same on
//!   both sides;
//! - *callers'*: what each caller knows of the memory that it passes on; all callers must give the
//!   same answer.
//!
//! Source: DESIGN, section 3; byte offsets modulo a stride stand for array elements.

mod access;
mod brought;
mod callers;
mod collect;
mod content;
mod copied;
mod copies;
mod either;
mod entry;
mod evidence;
mod flows;
mod known;
mod layout;
mod listing;
mod members;
mod passed;
mod reach;
#[cfg(test)]
mod tests;
mod text;
mod uses;

pub use adir::{Field, ScalarKind};
pub use callers::{Call, Node, hand_down};
pub use copied::is_covered;
pub use copies::{Copy, Half};
pub use entry::{Claim, Entry, Sure};
pub use evidence::{Evidence, Pointee};
pub use layout::{Layout, Length};
use uses::Uses;
pub use uses::{is_copy, is_only_copied, is_passed_on};

use super::points_to::{Binding, Object, PointsTo, Targets};
use adir::{
    Body, ValueId,
    hashed::{HashMap, HashSet},
    target,
};
use flows::Flows;

/// The evidence of one function.
#[derive(Clone, Default)]
pub struct Types {
    own: Evidence,
    /// The types of stack variables that are only copied to and from.
    scratch: Evidence,
    /// What does not come from callers, and those types, carried by copies: asked where nothing
    /// else is known. `None`: there are none.
    with_scratch: Option<Evidence>,
    /// The same without what copies make doubtful; `None`: nothing.
    settled: Option<Evidence>,
    /// The same and what copies carry; `None`: nothing more.
    carried: Option<Evidence>,
    /// The same and what a caller knows, for each that knows something else.
    callers: Vec<Evidence>,
    /// There are more of those than are distinguished.
    has_more_callers: bool,
    /// Objects between which this function, and those that it calls, copy bytes.
    flows: Flows,
    /// Of these, those of which a step is the load and the store of an integer, and those that
    /// called functions make.
    words: Flows,
    words_of_callees: Flows,
    /// Copies of this function and of those that it calls, but for text and for integers.
    moved: Vec<Copy>,
    /// Whether `copies` has all of them.
    has_all_copies: bool,
    /// Of these in one step, those by copies that carry evidence to known places, and those of
    /// which no copy says more.
    exact: Vec<Copy>,
    vague: Flows,
    /// The other copies, this function's and those that called functions make.
    partial: Vec<Copy>,
    /// What callers see of them: copies, and flows of which no copy says more.
    steps: Vec<Copy>,
    open: Flows,
    /// The copies of this function, and of those that it calls; what they store that they are
    /// given, and return that they have loaded.
    copies: Vec<Copy>,
    halves: Vec<Half>,
    /// Loads of which the source says that they are of reals.
    reals: HashSet<ValueId>,
    /// Members of what a copy moves, as the source declares them.
    spelled: HashMap<ValueId, Vec<Field>>,
    /// The elements of copies, and of memory that is set, as the source accesses them.
    elements: HashMap<ValueId, ScalarKind>,
    /// What the function does with integers.
    uses: Uses,
    /// What was asked of accesses since the evidence is complete.
    found: access::Found,
}

/// What called functions move, in their caller's names.
#[derive(Clone, Default)]
pub struct Called {
    copies: Vec<Copy>,
    halves: Vec<(ValueId, Half)>,
    /// Objects between which they copy bytes.
    flows: Flows,
    /// The same in one step: copies, and flows of which no copy says more.
    steps: Vec<Copy>,
    open: Flows,
    /// Of the flows, those of which a step is the load and the store of an integer, as far as
    /// `copies` does not say it.
    words: Flows,
}

impl Called {
    /// Adds what `callee` moves in a call in `body`, between memory that its caller names, or the
    /// caller's own values. A recursion may shift its arguments again and again (`is_recursive`): where
    /// it copies, is not known then.
    pub fn add(
        &mut self,
        body: &Body,
        call: ValueId,
        callee: &Types,
        binding: &Binding,
        is_recursive: bool,
    ) {
        let of = |o: usize| binding.get(o).map_or(&[][..], |t| &t.objects);
        self.flows.add_translated(&callee.flows, of);
        self.open.add_translated(&callee.open, of);
        for step in &callee.steps {
            let (to, from) = (binding.translated(&step.to), binding.translated(&step.from));
            let is_known = !is_recursive && !to.is_anywhere() && !from.is_anywhere();
            if is_known && !to.objects.is_empty() && !from.objects.is_empty() {
                let step = Copy { to, from, ..step.called(body, call) };
                if !self.steps.contains(&step) {
                    self.steps.push(step);
                }
            } else {
                self.open.add_translated(&step.pairs().into_iter().collect(), of);
            }
        }
        let mut has_places = !is_recursive && callee.has_all_copies;
        if !is_recursive {
            let mut translated = |at: &Targets| {
                let places = binding.translated(at);
                has_places &= !places.is_anywhere();
                Some(places).filter(|at| !at.objects.is_empty() && !at.is_anywhere())
            };
            self.copies.extend(callee.copies.iter().filter_map(|c| {
                Some(Copy {
                    to: translated(&c.to)?,
                    from: translated(&c.from)?,
                    ..c.called(body, call)
                })
            }));
            self.halves.extend(
                callee
                    .halves
                    .iter()
                    .filter_map(|h| Some((call, Half { at: translated(&h.at)?, ..*h }))),
            );
        }
        if !has_places {
            self.words.add_translated(&callee.words, of);
        }
    }
}

impl Types {
    /// Notes what a called function does with its parameters; whether that was news.
    pub fn note_call(&mut self, call: ValueId, callee: &Types) -> bool {
        self.uses.note_call(call, &callee.uses)
    }
    /// Finds out what the function, and those that it calls, do with its parameters; whether that was
    /// news.
    pub fn note_parameters(&mut self, body: &Body) -> bool {
        self.uses.note_parameters(body)
    }

    /// Whether an argument is an integer, as the called function computes with it and does nothing
    /// else.
    pub fn is_integer_in(&self, body: &Body, call: ValueId, argument: ValueId) -> bool {
        self.uses.is_integer_in(body, call, argument)
    }
    /// The same of parameter `i` in this function.
    pub fn is_integer_parameter(&self, i: usize) -> bool {
        self.uses.is_integer_parameter(i)
    }
    /// Whether what is done with an integer, here and in called functions, leaves open that its bits
    /// are those of a real.
    pub fn may_be_real(&self, body: &Body, v: ValueId) -> bool {
        uses::may_be_real(body, v, &self.uses)
    }

    /// Notes that no other function calls this one.
    pub fn complete(&mut self) {
        self.own.complete();
    }

    /// Takes over what a called function knows of the memory that it shares with this one.
    /// `recursive`: this function may call itself through it, and shift its arguments again and
    /// again. `is_single`: an object of this function is one variable, or what a parameter leads
    /// to. Whether that was news.
    pub fn learn(
        &mut self,
        binding: &Binding,
        callee: &Types,
        recursive: bool,
        is_single: &dyn Fn(usize) -> bool,
    ) -> bool {
        self.own.learn(binding, &callee.own, recursive, is_single)
    }

    /// Lets copies carry evidence, this function's and what `learned` has from those that it calls,
    /// which move what `called` says. Whether that was news.
    pub fn carry(
        &mut self,
        body: &Body,
        memory: &PointsTo,
        learned: &Evidence,
        called: Called,
    ) -> bool {
        let own = copies::of_memory(body, memory, &self.spelled);
        let mut all = self.known().clone();
        let mut grew = all.join(learned);
        let passed = copies::of_calls(body, memory, &called.halves);
        let with_members: Vec<Copy> =
            own.iter().cloned().chain(copies::of_members(body, memory)).collect();
        let others = called.copies.into_iter().chain(passed.copies);
        let (grown, has_all) = copies::extend(&mut self.copies, &with_members, others, memory);
        grew |= grown;
        grew |= passed.halves != self.halves;
        self.halves = passed.halves;
        for (places, scalar) in passed.reals {
            let sure = if places.objects.len() > 1 { Sure::Perhaps } else { Sure::Access };
            for (object, offset) in places.each() {
                grew |= all.add(
                    object as usize,
                    Entry {
                        offset,
                        bytes: scalar.bytes(),
                        scalar,
                        declared: false,
                        sure,
                        claim: Claim::Proven,
                        least: i64::MIN,
                    },
                );
            }
        }
        grew |= all.spread(memory, &self.copies);
        let is_text = |c: &&Copy| {
            c.is_text
                && ![&c.from, &c.to].into_iter().any(|at| text::takes_others(&all, at, c.bytes))
        };
        let is_exact = |c: &&Copy| {
            c.bytes.is_some()
                && [&c.from, &c.to].into_iter().all(|at| at.each().all(|(_, at)| at.is_exact()))
        };
        let mut steps: Vec<Copy> = own.iter().filter(|c| !is_text(c)).cloned().collect();
        let most = steps.len() + copies::MOST;
        steps.extend(called.steps);
        let mut vague = called.open;
        for step in steps.split_off(steps.len().min(most)) {
            vague.extend(step.pairs());
        }
        let (exact, partial): (Vec<&Copy>, Vec<&Copy>) = steps.iter().partition(is_exact);
        // An integer, or what the source calls a member that is one, is a pointer only where one is
        // known to lie, and none if it is smaller.
        let may_hold_pointer = |c: &Copy| {
            c.bytes.is_none_or(|bytes| {
                let is_part = c.is_word && bytes < target::pointer();
                let is_integer = c.is_member || c.is_word && all.holds_integer(&c.from, bytes);
                !is_part && (!is_integer || all.holds_pointer(&c.from, bytes))
            })
        };
        let moved = self.copies.iter().filter(|c| !is_text(c) && may_hold_pointer(c)).cloned();
        let moved: Vec<Copy> = moved.collect();
        let by_words = moved.iter().filter(|c| c.is_word).flat_map(Copy::pairs);
        let mut words: Flows = by_words.collect();
        words.join(&called.words);
        let exact: Vec<Copy> = exact.into_iter().cloned().collect();
        let partial: Vec<Copy> = partial.into_iter().cloned().collect();
        grew |= exact != self.exact || partial != self.partial || vague != self.vague;
        (self.exact, self.partial, self.vague) = (exact, partial, vague);
        let mut all_steps: Flows = steps.iter().flat_map(Copy::pairs).collect();
        all_steps.join(&self.vague);
        let mut flows = all_steps.clone();
        flows.join(&called.flows);
        let flows = flows.closed();
        // Callers do not see this function's variables. What goes by way of them is known if each way
        // is; else no copy says it.
        let is_hidden = |o: usize| !memory.is_visible(o);
        let touches_hidden = |to: usize, from: usize| is_hidden(to) || is_hidden(from);
        let mut open = self.vague.clone();
        let is_told = !self.vague.iter().any(|(to, from)| touches_hidden(to, from));
        match copies::between_visible(&steps, &is_hidden).filter(|_| is_told) {
            Some(visible) => steps = visible,
            None => {
                open.join(&all_steps.filtered(touches_hidden).closed());
                steps.retain(|step| {
                    !step.pairs().iter().any(|&(to, from)| touches_hidden(to, from))
                });
            }
        }
        for step in steps.split_off(steps.len().min(copies::MOST)) {
            open.extend(step.pairs());
        }
        let open = open.filtered(|to, from| to != from && !touches_hidden(to, from));
        grew |= steps != self.steps || open != self.open;
        (self.steps, self.open) = (steps, open);
        let words = flows.through(&words);
        let has_all = has_all && called.words.is_empty();
        grew |= flows != self.flows || words != self.words || has_all != self.has_all_copies;
        (self.moved, self.words) = (moved, words);
        (self.words_of_callees, self.has_all_copies) = (called.words, has_all);
        grew |= all.expose_along(memory, &flows);
        self.flows = flows;
        if grew {
            all.copy_in(&Evidence::default(), &self.vague, &self.partial, &self.exact);
            self.with_scratch = (self.scratch != Evidence::default()).then(|| {
                let mut with_scratch = all.clone();
                with_scratch.join(&self.scratch);
                with_scratch.spread(memory, &self.copies);
                with_scratch
            });
            self.settled = self.own.exposed_as(&all);
            self.carried = Some(all);
        }
        grew
    }
    /// What accesses of this function, and of those that it calls, prove.
    fn accesses(&self) -> &Evidence {
        self.settled.as_ref().unwrap_or(&self.own)
    }
    /// What does not come from callers.
    pub fn known(&self) -> &Evidence {
        self.carried.as_ref().unwrap_or(&self.own)
    }

    /// What the callee of a call knows from here, in each view: `binding` says what its names stand
    /// for, if that is known.
    pub fn passed_on(&self, memory: &PointsTo, binding: Option<&Binding>) -> Vec<Evidence> {
        let views = if self.callers.is_empty() {
            std::slice::from_ref(self.known())
        } else {
            &self.callers
        };
        views
            .iter()
            .map(|all| binding.map_or_else(Evidence::default, |b| all.passed_on(memory, b)))
            .collect()
    }
    /// Whether nothing that was found relies on callers that know other than `passed`.
    pub fn suits(&self, memory: &PointsTo, passed: &[Evidence]) -> bool {
        // A caller that knows nothing leaves no answers to rely on.
        let relies = !self.callers.is_empty() && !self.callers.contains(self.known());
        !relies || passed.iter().all(|view| self.callers.contains(&self.seen_with(memory, view)))
    }
    /// Whether nothing relies on callers that make no number of what the function returns, or this one, in
    /// the body of `caller`, makes none.
    pub fn suits_call(&self, body: &Body, call: ValueId, caller: &Types) -> bool {
        self.uses.returns_number() || !caller.uses.makes_number(body, call)
    }
    /// All that is known with one view. Of what it allocates itself, the function knows best: to
    /// its callers, one block may be as good as another.
    fn seen_with(&self, memory: &PointsTo, view: &Evidence) -> Evidence {
        let mut all = self.known().clone();
        let is_own = |o: usize| {
            matches!(memory.objects.get(o), Some(Object::Local(_)))
                && self.known().of(o).next().is_some()
        };
        all.join(&view.without(is_own));
        all.spread(memory, &self.copies);
        all.copy_in(self.known(), &self.vague, &self.partial, &self.exact);
        all
    }

    /// The answer of the first kind of evidence that has one.
    fn answer<T: PartialEq>(&self, ask: impl Fn(&Evidence) -> Option<T>) -> Option<T> {
        ask(self.accesses()).or_else(|| ask(self.carried.as_ref()?)).or_else(|| {
            let (first, rest) = self.callers.split_first()?;
            ask(first).filter(|answer| rest.iter().all(|r| ask(r).as_ref() == Some(answer)))
        })
    }
}
