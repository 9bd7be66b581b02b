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
//! - *callers'*: what each caller knows of the memory that it hands on; all callers must give the
//!   same answer.
//!
//! Source: DESIGN, section 3; byte offsets modulo a stride stand for array elements.

mod callers;
mod copies;
mod evidence;
mod layout;
#[cfg(test)]
mod tests;
mod text;
mod uses;

pub use adir::{Field, ScalarKind};
pub use callers::{Node, hand_down};
pub use copies::{Copy, Half};
pub use evidence::{Claim, Entry, Evidence, Flows, Pointee, Sure};
pub use layout::{Layout, Length};
pub use uses::{is_copy, is_handed_on, is_only_copied, may_be_real};

use super::{
    affine::Address,
    bits::decisions,
    points_to::{Binding, Object, Offset, PointsTo, Targets, gcd, overlap},
};
use adir::{Body, Callee, Op, Ty, ValueData, ValueId, target};
use bitvec::prelude::*;
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};
use uses::{
    becomes_real, bits_of_real, is_bits_of_real, is_computed, is_computed_with, is_index,
    is_masked, is_scratch, leaves_open, seen_as_real,
};

/// Words of a copy that are looked at one by one for pointers.
const MOST_WORDS: u64 = 64;

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
    /// There are more of those than are told apart.
    has_more_callers: bool,
    /// Objects between which this function, and those that it calls, copy bytes.
    flows: Flows,
    /// Of these in one step, those by copies that carry evidence to known places, and all others.
    exact: Flows,
    vague: Flows,
    /// The copies of this function, and of those that it calls; what they store that they are
    /// given, and return that they have loaded.
    copies: Vec<Copy>,
    halves: Vec<Half>,
    /// Loads of which the source says that they are of reals.
    reals: HashSet<ValueId>,
    /// Members of what a copy moves, as the source declares them.
    spelled: HashMap<ValueId, Vec<Field>>,
    /// Integers that only decide.
    decisions: BitVec,
}

/// What called functions move, in their caller's names.
#[derive(Clone, Default)]
pub struct Called {
    copies: Vec<Copy>,
    halves: Vec<(ValueId, Half)>,
}

impl Called {
    /// What others move as well.
    pub fn extend(&mut self, other: Called) {
        self.copies.extend(other.copies);
        self.halves.extend(other.halves);
    }
}

impl Types {
    /// Collects evidence from `body`. `declared` gives the fields of the type that an alloca
    /// allocates, that address arithmetic steps over, that a copy moves or that an access has, and
    /// the stride with which they repeat.
    pub fn compute(
        body: &Body,
        memory: &PointsTo,
        declared: impl Fn(ValueId) -> Option<(Vec<Field>, u64)>,
    ) -> Types {
        let mut types = Types { decisions: decisions::compute(body), ..Types::default() };
        // What the source says that the bits of an integer access are.
        let said = |v| declared(v).and_then(|(fields, _)| fields.first().map(|f| f.1));
        let variables = body.value_ids().filter(|&v| matches!(body[v].op, Op::Global(_)));
        for v in body.params.iter().copied().chain(variables).chain(body.insts()) {
            let data = &body[v];
            match &data.op {
                Op::Load | Op::Update(_) => {
                    if said(v).is_some_and(ScalarKind::is_real) {
                        types.reals.insert(v);
                    }
                    let may_be_real =
                        || said(v).is_some_and(ScalarKind::is_real) || may_be_real(body, v);
                    // Where the source has an integer and sees it as a real, a real lies.
                    let seen = seen_as_real(body, v).filter(|_| data.is_integer);
                    let int = matches!(data.ty, Ty::Int(_)) && (data.is_integer || !may_be_real());
                    let other = || if int { seen.or(Some(ScalarKind::Int)) } else { said(v) };
                    let claim = match () {
                        () if !matches!(data.ty, Ty::Int(_)) => Claim::Proven,
                        () if is_index(body, v) => Claim::Index,
                        () if data.is_member || is_computed_with(body, v) => Claim::Proven,
                        () => Claim::Said,
                    };
                    types.add_value(
                        memory,
                        data.operands[0],
                        data.alignment,
                        data,
                        data.is_member.then_some(body),
                        claim,
                        other,
                    );
                }
                Op::Store => {
                    let value = &body[data.operands[0]];
                    let computed = matches!(
                        value.op,
                        Op::IntBinary(_) | Op::Cast(_) | Op::ICmp | Op::Param(_)
                    ) && !is_masked(body, data.operands[0], false);
                    let computed = computed || is_computed(body, data.operands[0]);
                    let int =
                        data.is_integer || (computed && !is_bits_of_real(body, data.operands[0]));
                    let seen = bits_of_real(body, data.operands[0]);
                    let other = || {
                        if matches!(value.ty, Ty::Int(_)) && int {
                            seen.or(Some(ScalarKind::Int))
                        } else {
                            said(v)
                        }
                    };
                    let claim = if data.is_member || is_computed(body, data.operands[0]) {
                        Claim::Proven
                    } else {
                        Claim::Said
                    };
                    types.add_value(
                        memory,
                        data.operands[1],
                        data.alignment,
                        value,
                        data.is_member.then_some(body),
                        claim,
                        other,
                    );
                }
                Op::Call(Callee::MemCpy | Callee::MemMove) => {
                    let fields = declared(v).unwrap_or_default().0;
                    let claim = Claim::of_type(&fields);
                    for &(at, scalar) in &fields {
                        for &p in &data.operands[..2] {
                            // What is copied through a pointer to one of several objects lies in
                            // that one.
                            let several = memory.points_to(p).nth(1).is_some();
                            let sure = if several { Sure::Perhaps } else { Sure::Access };
                            add_declared(
                                &mut types.own,
                                memory,
                                p,
                                Offset::new(at as i64, 0),
                                scalar,
                                sure,
                                claim,
                            );
                        }
                    }
                    types.spelled.insert(v, fields);
                }
                Op::Alloca(_) | Op::Param(_) | Op::Global(_) | Op::Gep(..) => {
                    let base = if matches!(data.op, Op::Gep(..)) { data.operands[0] } else { v };
                    let (fields, stride) = declared(v).unwrap_or_default();
                    // A variable of less than two bytes, as an object of an empty class, holds no
                    // part of a real.
                    let is_tiny = || data.allocated_bytes.is_some_and(|bytes| bytes < 2);
                    let claim = if matches!(data.op, Op::Alloca(_)) && is_tiny() {
                        Claim::Proven
                    } else {
                        Claim::of_type(&fields)
                    };
                    let to =
                        if is_scratch(body, base) { &mut types.scratch } else { &mut types.own };
                    for (at, scalar) in fields {
                        add_declared(
                            to,
                            memory,
                            base,
                            Offset::new(at as i64, stride),
                            scalar,
                            Sure::Access,
                            claim,
                        );
                    }
                }
                Op::Call(Callee::Rule(rule, precision)) => {
                    let scalar = match precision {
                        adrules::Precision::F32 => ScalarKind::F32,
                        adrules::Precision::F64 => ScalarKind::F64,
                        adrules::Precision::F80 => ScalarKind::F80,
                    };
                    for &p in &rule.float_pointees {
                        types.add(
                            memory,
                            data.operands[p],
                            1,
                            (0, scalar.bytes(), scalar),
                            Sure::Access,
                            Claim::Proven,
                        );
                    }
                }
                // Without its code, nobody sees what such a function does to what it is given.
                Op::Call(
                    Callee::Unknown | Callee::Indirect | Callee::Assembly | Callee::Custom,
                ) => {
                    let pointers = data.operands.iter().filter(|&&o| body[o].ty == Ty::Ptr);
                    pointers.flat_map(|&o| memory.points_to(o)).for_each(|o| types.own.expose(o));
                }
                _ => {}
            }
        }
        types
    }

    /// Notes that no other function calls this one.
    pub fn complete(&mut self) {
        self.own.complete();
    }

    /// What an access moves: the reals and pointers of its value's type; what `other` says of one
    /// that has none, and how sure that is. `said`: the source has an integer beside other members
    /// there.
    fn add_value(
        &mut self,
        memory: &PointsTo,
        pointer: ValueId,
        alignment: u32,
        value: &ValueData,
        said: Option<&Body>,
        claim: Claim,
        other: impl Fn() -> Option<ScalarKind>,
    ) {
        let several = memory.points_to(pointer).nth(1).is_some();
        let sure = if several { Sure::Perhaps } else { Sure::Access };
        for &(at, scalar) in &value.fields {
            self.add(memory, pointer, alignment, (at, scalar.bytes(), scalar), sure, Claim::Proven);
        }
        if let (true, Some(scalar)) = (value.fields.is_empty(), other()) {
            let is_one = |body: &Body| {
                memory.places(pointer).all(|(o, at)| memory.is_single(body, o) && at.is_exact())
            };
            let is_said = scalar == ScalarKind::Int && !several && said.is_some_and(is_one);
            let sure = if is_said { Sure::Source } else { sure };
            let claim = if scalar == ScalarKind::Int { claim } else { Claim::Proven };
            self.add(memory, pointer, alignment, (0, value.bytes, scalar), sure, claim);
        }
    }

    fn add(
        &mut self,
        memory: &PointsTo,
        pointer: ValueId,
        alignment: u32,
        (at, bytes, scalar): (u64, u64, ScalarKind),
        sure: Sure,
        claim: Claim,
    ) {
        for (object, base) in memory.places(pointer) {
            // Objects are aligned as their accesses are: where nothing else is known of the offset,
            // that is.
            let base = if base.modulus == 1 {
                Offset { constant: 0, modulus: u64::from(alignment.max(1)) }
            } else {
                base
            };
            let offset = base.shifted(at as i64, std::iter::empty());
            self.own.add(object, Entry { offset, bytes, scalar, declared: false, sure, claim });
        }
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
    /// which copy along `flows`; `called` is what they move as far as the places are known. Whether
    /// that was news.
    pub fn carry(
        &mut self,
        body: &Body,
        memory: &PointsTo,
        learned: &Evidence,
        flows: Flows,
        called: Called,
    ) -> bool {
        let own = copies::of_memory(body, memory);
        let mut all = self.known().clone();
        let mut grew = all.join(learned);
        let passed = copies::of_calls(body, memory, &called.halves);
        let with_members: Vec<Copy> =
            own.iter().cloned().chain(copies::of_members(body, memory)).collect();
        grew |= copies::extend(
            &mut self.copies,
            &with_members,
            called.copies.into_iter().chain(passed.copies),
            memory,
        );
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
        let pairs = |c: &Copy| {
            let of = |at: &Targets| at.objects.iter().map(|&o| o as usize).collect::<Vec<_>>();
            let from = of(&c.from);
            of(&c.to)
                .into_iter()
                .flat_map(|to| from.iter().map(move |&from| (to, from)).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        let (exact, vague): (Vec<&Copy>, Vec<&Copy>) =
            own.iter().filter(|c| !is_text(c)).partition(is_exact);
        self.exact = exact.into_iter().flat_map(pairs).collect();
        self.vague = vague.into_iter().flat_map(pairs).chain(flows).collect();
        let flows = closed(self.exact.union(&self.vague).copied().collect());
        grew |= flows != self.flows;
        grew |= all.expose_along(memory, &flows);
        self.flows = flows;
        if grew {
            all.bring(&self.vague, &self.exact);
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
    /// Where a call of this function copies bytes, as its caller names the objects.
    pub fn flows_at(&self, binding: &Binding) -> Flows {
        let of = |o: usize| binding.get(o).map_or(&[][..], |t| &t.objects);
        let pairs = |&(to, from): &(usize, usize)| {
            of(to)
                .iter()
                .flat_map(move |&t| of(from).iter().map(move |&f| (t as usize, f as usize)))
        };
        self.flows.iter().flat_map(pairs).collect()
    }
    /// What a call of this function moves between memory that its caller names, or the caller's own
    /// values.
    pub fn moved_at(&self, call: ValueId, binding: &Binding) -> Called {
        let translated = |at: &Targets| {
            Some(binding.translated(at)).filter(|at| !at.objects.is_empty() && !at.is_anywhere())
        };
        let copies = self.copies.iter().filter_map(|c| {
            Some(Copy { to: translated(&c.to)?, from: translated(&c.from)?, ..*c })
        });
        let halves =
            self.halves.iter().filter_map(|h| Some((call, Half { at: translated(&h.at)?, ..*h })));
        Called { copies: copies.collect(), halves: halves.collect() }
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
    pub fn handed_on(&self, memory: &PointsTo, binding: Option<&Binding>) -> Vec<Evidence> {
        let views = if self.callers.is_empty() {
            std::slice::from_ref(self.known())
        } else {
            &self.callers
        };
        views
            .iter()
            .map(|all| binding.map_or_else(Evidence::default, |b| all.handed_on(memory, b)))
            .collect()
    }
    /// Whether nothing that was found relies on callers that know other than `handed`.
    pub fn suits(&self, memory: &PointsTo, handed: &[Evidence]) -> bool {
        // A caller that knows nothing leaves no answers to rely on.
        let relies = !self.callers.is_empty() && !self.callers.contains(self.known());
        !relies || handed.iter().all(|view| self.callers.contains(&self.seen_with(memory, view)))
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
        all.bring(&self.vague, &self.exact);
        all
    }

    /// The answer of the first kind of evidence that has one.
    fn answer<T: PartialEq>(&self, ask: impl Fn(&Evidence) -> Option<T>) -> Option<T> {
        ask(self.accesses()).or_else(|| ask(self.carried.as_ref()?)).or_else(|| {
            let (first, rest) = self.callers.split_first()?;
            ask(first).filter(|answer| rest.iter().all(|r| ask(r).as_ref() == Some(answer)))
        })
    }

    /// What an access of `v` (a load or store of an integer) to `pointer` may touch, sorted, each
    /// once. That the source calls it an integer decides only where it is a member of a struct with
    /// others, or where something is computed from it: what is only moved may be a real that is
    /// seen through a pointer to integers, wherever someone knows of one there.
    pub fn accessed(
        &self,
        body: &Body,
        memory: &PointsTo,
        v: ValueId,
        pointer: ValueId,
        bytes: u64,
    ) -> Vec<ScalarKind> {
        // Arithmetic on single bytes is on characters, flags and small counters, unless the bytes
        // of a real are put together.
        if matches!(body[v].ty, Ty::Int(1..=16))
            && !is_only_copied(body, v)
            && !becomes_real(body, v, false)
        {
            return vec![ScalarKind::Int];
        }
        if self.is_indexed_with(memory, pointer, bytes)
            && self.breaks_reals(body, memory, pointer, bytes)
        {
            return vec![ScalarKind::Int];
        }
        // An integer beside padding, where offsets are not known well enough to tell it from a
        // real.
        let wide = || {
            Some(self.reals(memory, pointer, bytes))
                .filter(|reals| !reals.is_empty() && reals.iter().all(|h| h.bytes() > bytes))
        };
        if body[v].is_integer
            && wide().is_some()
            && !self.breaks_reals(body, memory, pointer, bytes)
        {
            return vec![ScalarKind::Int];
        }
        let overlapping = self.accesses().scalar(memory, pointer, bytes);
        let has_real = overlapping.iter().any(|h| h.is_real());
        let same_place = |(at, e): (Offset, &Entry)| e.offset == at && e.scalar.is_real();
        let (is_said, is_open) = (body[v].is_integer, leaves_open(body, v, &self.decisions));
        if is_said
            && (body[v].is_member || !is_open)
            && !(has_real && self.own.behind(memory, pointer).any(same_place))
        {
            // Others may know of a real: they have copied one into a member that is only moved
            // here.
            let real = || {
                if is_open {
                    self.moved_real_at(memory, pointer, bytes)
                } else {
                    self.real_at(memory, pointer, bytes).filter(|_| !body[v].is_member)
                }
            };
            return vec![real().unwrap_or(ScalarKind::Int)];
        }
        if has_real {
            return overlapping;
        }
        // What lies in one place of memory that may be any says nothing of another.
        let stores_bits = || {
            matches!(body[v].op, Op::Store)
                && (body[body.operand(v, 0)].constant.is_some()
                    || !is_computed(body, body.operand(v, 0)))
        };
        if !is_said
            && stores_bits()
            && memory.points_to(pointer).any(|o| matches!(memory.objects[o], Object::Unknown))
        {
            return vec![];
        }
        if is_open {
            let reals = self.reals(memory, pointer, bytes);
            if !reals.is_empty() {
                return reals;
            }
            if let Some(real) = self.moved_real_at(memory, pointer, bytes) {
                return vec![real];
            }
            if self.may_be_brought(memory, pointer, bytes) {
                return vec![];
            }
        }
        // What is only computed with as an integer may be the bits of a real all the same, where
        // others know of one.
        if let ([ScalarKind::Int], Some(real)) =
            (&overlapping[..], self.real_at(memory, pointer, bytes))
        {
            return vec![real];
        }
        if overlapping.is_empty() { self.scalar(memory, pointer, bytes) } else { overlapping }
    }

    /// Whether some code takes an array's index of `bytes` bytes from the very place that `pointer`
    /// names.
    fn is_indexed_with(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let is_it = |(at, e): (Offset, &Entry)| {
            e.claim == Claim::Index && e.offset == at && e.bytes == bytes
        };
        [self.known()]
            .into_iter()
            .chain(&self.callers)
            .any(|view| view.behind(memory, pointer).any(is_it))
    }

    /// Whether an access of an integer may be one of a real's bits, as far as its uses show.
    pub fn leaves_bits_open(&self, body: &Body, access: ValueId) -> bool {
        leaves_open(body, access, &self.decisions)
    }

    /// Whether copies may bring reals to where `pointer` leads, nobody knows where, and nothing
    /// proves that integers lie there.
    fn may_be_brought(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let mut views = [self.known()].into_iter().chain(&self.callers);
        let is_integer = |(at, e): &(Offset, Entry)| {
            e.scalar == ScalarKind::Int && e.claim <= Claim::Proven && e.offset == *at
        };
        let is_proven =
            |view: &Evidence| view.overlapping(memory, pointer, bytes).iter().any(is_integer);
        views.clone().any(|view| view.brings_others(memory, pointer, |scalar| !scalar.is_real()))
            && !views.any(is_proven)
    }

    /// The kinds of real that copies, called functions or callers know of within `bytes` bytes
    /// behind `pointer`, sorted, each once.
    fn reals(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<ScalarKind> {
        let views = [self.known()].into_iter().chain(&self.callers);
        let mut all: Vec<ScalarKind> =
            views.flat_map(|e| e.scalar(memory, pointer, bytes)).filter(|h| h.is_real()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// At which byte of a real, of which size, the `bytes` bytes behind `pointer` lie, if that is
    /// the same for all that is known there.
    pub fn position(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Option<(u64, u64)> {
        let views = [self.known()].into_iter().chain(&self.callers);
        let reals = views
            .flat_map(|e| e.overlapping(memory, pointer, bytes))
            .filter(|(_, e)| e.scalar.is_real());
        let mut found = reals.map(|(at, e)| {
            let size = e.scalar.stride();
            let tells = at.modulus.is_multiple_of(size) && e.offset.modulus.is_multiple_of(size);
            tells.then(|| ((at.constant - e.offset.constant).rem_euclid(size as i64) as u64, size))
        });
        let first = found.next()??;
        found.all(|f| f == Some(first)).then_some(first)
    }

    /// Whether an access of `bytes` bytes behind `pointer` moves a part of a real, and not the rest
    /// of it, as far as is known: the real is larger, or lies across an end of what is moved.
    /// Offsets do not tell members apart where a variable index leads to one of them. Then
    /// - one of the first bytes of a real, of which no others are accessed so, is no part: an
    ///   integer with padding behind it;
    /// - where integers of this size lie in the same object, it is one of those, unless the access,
    ///   or the first of its loop, is at the place of a real.
    pub fn breaks_reals(
        &self,
        body: &Body,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
    ) -> bool {
        let views = || [self.known()].into_iter().chain(&self.callers);
        let has_rest = |object: usize, e: &Entry| {
            let rest = e.offset.shifted(bytes as i64, std::iter::empty());
            let is_it = |x: &Entry| {
                x.scalar == ScalarKind::Int
                    && x.bytes == bytes
                    && overlap(rest, e.bytes - bytes, x.offset, x.bytes)
            };
            views().any(|view| view.all(object).iter().any(is_it))
        };
        let is_lone = |object: usize, at: Offset, e: &Entry| {
            let stride = gcd(at.modulus, e.offset.modulus);
            stride.is_multiple_of(e.bytes)
                && (at.constant - e.offset.constant).rem_euclid(e.bytes as i64) == 0
                && !has_rest(object, e)
        };
        let breaks = |object: usize, at: Offset, e: &Entry| {
            let stride = gcd(at.modulus, e.offset.modulus);
            let relative = e.offset.constant - at.constant;
            let place = if stride == 0 { relative } else { relative.rem_euclid(stride as i64) };
            // Where the stride says less than the size of the real, it is as good as aligned.
            let is_across = stride == 0 || stride >= e.bytes.max(bytes);
            let lies_across = place < 0 || place as u64 + e.bytes > bytes;
            let is_part =
                if e.bytes > bytes { !is_lone(object, at, e) } else { is_across && lies_across };
            // Of memory of which nothing is known, all evidence is of something else.
            let is_known = !matches!(memory.objects[object], Object::Unknown);
            let is_certain = || {
                at.is_exact() && e.offset.is_exact()
                    || !views().any(|view| view.has_integers(object, bytes))
            };
            is_part
                && is_known
                && (is_certain() || self.starts_at_real(body, memory, pointer, object))
        };
        let reals = |view: &Evidence| {
            view.places_of(memory, pointer, bytes)
                .into_iter()
                .filter(|(_, _, e)| e.scalar.is_real())
                .collect::<Vec<_>>()
        };
        views().any(|view| reals(view).iter().any(|(object, at, e)| breaks(*object, *at, e)))
    }

    /// Whether the first access of a loop, before any variable index, is at the place of a real in
    /// an object.
    fn starts_at_real(
        &self,
        body: &Body,
        memory: &PointsTo,
        pointer: ValueId,
        object: usize,
    ) -> bool {
        let address = Address::of(body, pointer);
        let start = |at: Offset| at.shifted(address.constant, std::iter::empty());
        let mut starts = memory
            .places(address.root)
            .filter(|(o, at)| *o == object && at.is_exact())
            .map(|(_, at)| start(at));
        // An array of reals may end before.
        let is_at = |e: &Entry, start: Offset| {
            e.scalar.is_real()
                && (e.offset.is_exact() || e.offset.modulus > e.bytes)
                && e.offset.includes(start)
        };
        let views = || [self.known()].into_iter().chain(&self.callers);
        starts.any(|start| views().any(|view| view.of(object).any(|e| is_at(e, start))))
    }

    /// The real of `bytes` bytes that copies, called functions or callers know of at the very place
    /// that `pointer` names.
    fn real_at(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Option<ScalarKind> {
        self.real_where(memory, pointer, |at, e| e.offset == at && e.bytes == bytes)
    }

    /// The same for what is only moved: any element of an array of structs may be the one that
    /// `pointer` leads to.
    fn moved_real_at(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Option<ScalarKind> {
        let in_elements = || {
            self.real_where(memory, pointer, |at, e| {
                e.is_of_elements_at(at) && e.bytes == bytes && e.sure != Sure::Perhaps
            })
        };
        self.real_at(memory, pointer, bytes).or_else(in_elements)
    }

    fn real_where(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        is_it: impl Fn(Offset, &Entry) -> bool,
    ) -> Option<ScalarKind> {
        let views = [self.known()].into_iter().chain(&self.callers);
        views.into_iter().find_map(|view| {
            view.behind(memory, pointer)
                .find(|(at, e)| e.scalar.is_real() && is_it(*at, e))
                .map(|(_, e)| e.scalar)
        })
    }

    /// Whether the load `v` may bring a pointer as a real, or as bits of one, and stores it
    /// elsewhere: passes move a union by the member that is in use later, and a caller may know of
    /// another. Pointers that are declared as such, beside an array of reals perhaps of which `v`
    /// loads some element, do not lie in unions. Loops over words move whatever lies there, but for
    /// arrays of integers.
    pub fn disguises_pointer(&self, body: &Body, memory: &PointsTo, v: ValueId) -> bool {
        let (pointer, bytes) = (body.operand(v, 0), body[v].bytes);
        let tells = |at: Offset| at.is_exact() || at.modulus >= bytes;
        let has_pointer = |e: &Evidence, o: usize, at: Offset| {
            let pointers = || {
                e.of(o).filter(|x| {
                    x.scalar == ScalarKind::Ptr && overlap(at, bytes, x.offset, x.bytes)
                })
            };
            let is_declared = |x: &Entry| {
                pointers()
                    .any(|d| d.declared && (d.offset == x.offset || d.offset.includes(x.offset)))
            };
            pointers().any(|x| at.is_exact() || !is_declared(x))
        };
        // What the source calls an integer is one where an integer surely lies at the place, or at
        // the first of its loop.
        let start = |o: usize, at: Offset| {
            let address = Address::of(body, pointer);
            let root =
                memory.places(address.root).find(|(root, base)| *root == o && base.is_exact());
            if at.is_exact() {
                Some(at)
            } else {
                root.map(|(_, base)| base.shifted(address.constant, std::iter::empty()))
            }
        };
        let is_integer = |e: &Evidence, o: usize, at: Offset| {
            let here = |at: Offset, scalar: ScalarKind| {
                e.all(o)
                    .iter()
                    .filter(move |x| x.scalar == scalar && overlap(at, bytes, x.offset, x.bytes))
            };
            let is_one = |x: &Entry, at: Offset| {
                x.claim <= Claim::Proven || x.declared && here(at, ScalarKind::Ptr).next().is_none()
            };
            start(o, at).is_some_and(|at| here(at, ScalarKind::Int).any(|x| is_one(x, at)))
        };
        let has_disguised = |e: &Evidence, o: usize, at: Offset| {
            let any = || {
                e.of(o).any(|x| {
                    x.scalar == ScalarKind::Ptr
                        && x.sure != Sure::Perhaps
                        && overlap(at, bytes, x.offset, x.bytes)
                })
            };
            match body[v].ty {
                Ty::Int(_) if body[v].is_integer || !at.is_exact() => {
                    any() && !is_integer(e, o, at)
                }
                _ => has_pointer(e, o, at),
            }
        };
        let is_known = |e: &Evidence| memory.places(pointer).any(|(o, at)| has_disguised(e, o, at));
        may_disguise(body, v)
            && !self.reals.contains(&v)
            && memory.places(pointer).all(|(_, at)| tells(at))
            && [self.known()].into_iter().chain(&self.callers).any(is_known)
    }

    /// What `bytes` bytes behind `pointer` may hold, sorted, each once.
    pub fn scalar(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<ScalarKind> {
        let of = |e: &Evidence| {
            Some(e.scalar(memory, pointer, bytes)).filter(|scalar| !scalar.is_empty())
        };
        self.answer(|e| {
            of(e).filter(|all| !e.brings_others(memory, pointer, |scalar| all.contains(&scalar)))
        })
        .unwrap_or_default()
    }

    /// Whether a pointer may lie in the `bytes` bytes behind `pointer`: this function, what it
    /// calls or who calls it knows of one there, nobody knows anything, or there is a word that
    /// nobody accesses. What is known of some bytes tells nothing of others.
    pub fn may_hold_pointers(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let all = || [self.accesses(), self.known()].into_iter().chain(&self.callers);
        let scalar: Vec<ScalarKind> =
            all().flat_map(|e| e.scalar(memory, pointer, bytes)).collect();
        if scalar.is_empty()
            || scalar.contains(&ScalarKind::Ptr)
            || all().any(|e| e.brings_others(memory, pointer, |scalar| scalar != ScalarKind::Ptr))
        {
            return true;
        }
        if bytes > MOST_WORDS * ScalarKind::Ptr.bytes() {
            return false;
        }
        let known: Vec<Field> = all().flat_map(|e| e.within(memory, pointer, bytes)).collect();
        let is_open = |at: u64| {
            !known.iter().any(|&(start, scalar)| {
                start < at + ScalarKind::Ptr.bytes() && at < start + scalar.bytes()
            })
        };
        (0..bytes / ScalarKind::Ptr.bytes()).any(|word| is_open(word * ScalarKind::Ptr.bytes()))
    }

    /// Whether bytes are copied to where `pointer` leads, from other objects.
    pub fn is_copied_to(&self, memory: &PointsTo, pointer: ValueId) -> bool {
        self.sources_of(memory, pointer).next().is_some()
    }

    /// The other objects from which bytes are copied to where `pointer` leads.
    pub fn sources_of(&self, memory: &PointsTo, pointer: ValueId) -> impl Iterator<Item = usize> {
        memory.points_to(pointer).flat_map(|o| {
            self.flows
                .range((o, 0)..=(o, usize::MAX))
                .map(|flow| flow.1)
                .filter(move |from| *from != o)
        })
    }

    /// What accesses to the memory behind `pointer` take it for, sorted, each once: what the source
    /// calls integers is among them, though nothing proves it.
    pub fn seen(&self, memory: &PointsTo, pointer: ValueId) -> Vec<ScalarKind> {
        let scalar = self.scalar(memory, pointer, u64::MAX >> 2);
        if scalar.is_empty() && self.known().claims_integers(memory, pointer) {
            vec![ScalarKind::Int]
        } else {
            scalar
        }
    }

    /// Whether what `pointer` leads to holds one kind of thing and nothing else, for certain: it is
    /// this function's own, and all accesses and copies say it, its and those of what it calls. Of
    /// other memory nobody sees all accesses: callers, too, may have a part of it only.
    pub fn holds_only(&self, memory: &PointsTo, pointer: ValueId, scalar: ScalarKind) -> bool {
        memory.points_to(pointer).all(|o| {
            matches!(memory.objects[o], Object::Local(_)) && self.known().says_only(o, scalar)
        })
    }

    /// Whether there is no evidence of some of the `bytes` bytes behind `pointer`.
    pub fn leaves_open(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        range: Range<u64>,
    ) -> bool {
        let known = self.own.within(memory, pointer, bytes);
        !known.iter().any(|&(at, scalar)| at < range.end && range.start < at + scalar.bytes())
    }

    /// What lies in the `bytes` bytes that `v` (a load or store of an integer) moves from or to
    /// `pointer`, by offset from there.
    pub fn within(
        &self,
        body: &Body,
        memory: &PointsTo,
        v: ValueId,
        pointer: ValueId,
        bytes: u64,
    ) -> Vec<Field> {
        if self.accessed(body, memory, v, pointer, bytes) == [ScalarKind::Int] {
            return (0..bytes).map(|at| (at, ScalarKind::Int)).collect();
        }
        let of = |e: &Evidence| e.within(memory, pointer, bytes);
        let is_known = |e: &Evidence, fields: &[Field]| {
            is_covered(fields, bytes)
                && !e.brings_others(memory, pointer, |scalar| fields.iter().any(|f| f.1 == scalar))
        };
        let found = self.answer(|e| Some(of(e)).filter(|fields| is_known(e, fields)));
        if found.as_ref().is_some_and(|fields| fields.iter().any(|f| f.1 != ScalarKind::Int)) {
            return found.unwrap_or_default();
        }
        // What may be integers as well is moved as reals: nobody looks at the derivatives of
        // integers.
        match self.accessed(body, memory, v, pointer, bytes)[..] {
            [one]
                if one.is_real()
                    && (body[v].is_integer || one.bytes() == bytes)
                    && bytes.is_multiple_of(one.stride()) =>
            {
                (0..bytes / one.stride()).map(|k| (k * one.stride(), one)).collect()
            }
            _ => found.unwrap_or_else(|| of(&self.own)),
        }
    }

    /// The fields of what the copy `v` moves between `pointers`. `None` where the evidence leaves 8
    /// bytes or more without a type, or contradicts itself.
    pub fn fields(
        &self,
        memory: &PointsTo,
        v: ValueId,
        pointers: &[ValueId],
        length: Length,
    ) -> Option<Layout> {
        if let (Length::Exactly(n), Some(spelled)) = (length, self.spelled.get(&v))
            && layout::covers(spelled, n, true)
            && !self.has_other_reals(memory, pointers, spelled, n)
        {
            return Some((spelled.clone(), n));
        }
        let found = self.answer(|e| layout::fields(e, memory, pointers, length));
        let bytes = if let Length::Exactly(n) = length { n } else { u64::MAX >> 2 };
        let found = found.or_else(|| self.scratch_fields(memory, pointers, length, bytes));
        let is_other_class = |one: ScalarKind, other: ScalarKind| {
            other == ScalarKind::Int || (one == ScalarKind::Ptr) != (other == ScalarKind::Ptr)
        };
        let found = found.filter(|found| {
            !self.callers.iter().any(|view| {
                layout::contradicts(view, memory, pointers, found.1, found, is_other_class)
            })
        });
        let is_of_integers = |found: &Layout| found.0.iter().all(|f| f.1 == ScalarKind::Int);
        found.filter(|found| {
            !is_of_integers(found)
                || !pointers.iter().any(|&p| self.may_be_brought(memory, p, found.1))
        })
    }

    /// The fields as the types of scratch variables give them, where nobody knows of other reals,
    /// or of pointers, in these bytes. Of callers that are not told apart nobody knows what they
    /// know.
    fn scratch_fields(
        &self,
        memory: &PointsTo,
        pointers: &[ValueId],
        length: Length,
        bytes: u64,
    ) -> Option<Layout> {
        let all = || [self.accesses(), self.known()].into_iter().chain(&self.callers);
        let found = layout::fields(
            self.with_scratch.as_ref().filter(|_| !self.has_more_callers)?,
            memory,
            pointers,
            length,
        );
        found.filter(|found| {
            !all().any(|e| {
                layout::contradicts(e, memory, pointers, bytes, found, |one, other| one != other)
            })
        })
    }

    /// Whether accesses find reals where the source declares something else in the `bytes` bytes of
    /// a copy. Offsets modulo less than that do not tell members apart.
    fn has_other_reals(
        &self,
        memory: &PointsTo,
        pointers: &[ValueId],
        spelled: &[Field],
        bytes: u64,
    ) -> bool {
        // Integers that only an array of integers, or a struct of them, is made of may be seen so.
        if spelled.iter().all(|f| f.1 == ScalarKind::Int) {
            return pointers.iter().any(|&p| {
                !self.reals(memory, p, bytes).is_empty() || self.may_be_brought(memory, p, bytes)
            });
        }
        let others: Vec<_> = spelled.iter().filter(|f| !f.1.is_real()).collect();
        let tells = |at: Offset| at.is_exact() || at.modulus >= bytes;
        pointers.iter().any(|&p| {
            let mut known = self
                .known()
                .behind(memory, p)
                .filter(|(at, e)| tells(*at) && e.scalar.is_real() && !e.declared);
            known.any(|(at, e)| {
                others.iter().any(|f| at.plus(Offset::new(f.0 as i64, 0)) == e.offset)
            })
        })
    }
}

fn add_declared(
    to: &mut Evidence,
    memory: &PointsTo,
    pointer: ValueId,
    at: Offset,
    scalar: ScalarKind,
    sure: Sure,
    claim: Claim,
) {
    for (object, base) in memory.places(pointer) {
        to.add(
            object,
            Entry {
                offset: base.plus(at),
                bytes: scalar.bytes(),
                scalar,
                declared: true,
                sure,
                claim,
            },
        );
    }
}

/// Whether a load is of as many bytes as a pointer has, or of eight, as a real or an integer, and
/// what it brings is handed on as it is.
pub fn may_disguise(body: &Body, v: ValueId) -> bool {
    let is_wide = matches!(body[v].ty, Ty::F64 | Ty::Int(64))
        || target::pointer() == 4 && matches!(body[v].ty, Ty::F32 | Ty::Int(32));
    let is_moved = if body[v].is_integer {
        !body[v].is_member && is_only_copied(body, v)
    } else {
        is_handed_on(body, v)
    };
    matches!(body[v].op, Op::Load) && is_wide && is_moved
}

/// Flows in any number of steps.
fn closed(mut flows: Flows) -> Flows {
    loop {
        let further: Vec<(usize, usize)> = flows
            .iter()
            .flat_map(|&(to, over)| {
                flows.range((over, 0)..=(over, usize::MAX)).map(move |&(_, from)| (to, from))
            })
            .filter(|pair| !flows.contains(pair))
            .collect();
        if further.is_empty() {
            return flows;
        }
        flows.extend(further);
    }
}

/// Whether it is known of all bytes what they are; less than a float is padding.
pub fn is_covered(fields: &[Field], bytes: u64) -> bool {
    let mut unknown = 0;
    (0..bytes).all(|k| {
        let is_known = fields.iter().any(|&(at, scalar)| at <= k && k < at + scalar.bytes());
        unknown = if is_known { 0 } else { unknown + 1 };
        unknown < 4
    })
}
