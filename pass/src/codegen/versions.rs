//! Gradients in two versions: one for arguments that do not overlap, one that relies on nothing,
//! and a test that chooses.
//!
//! A function that writes through one pointer may overwrite what it reads through another: what the
//! reverse sweep needs must be recorded. Where fewer records are needed once certain pairs of
//! parameters do not overlap, the gradient becomes
//!   if (the accesses to each two of them lie apart, and those to their shadows) gradient.apart(…)
//!   else gradient.any(…)
//! Told apart are entries, as contexts name them: what a parameter leads to, and all memory behind
//! pointers there. Of each the test needs the span of all bytes that are accessed there, computed
//! from the arguments and the memory that they lead to when the function is entered (the shim's
//! extent.cpp). There is none where an address depends on other memory, or a called function makes
//! the access.
//!
//! Errs towards `gradient.any`: spans are too large rather than too small, and where a number in
//! the test may have wrapped, the test fails. What is read only may overlap what is read only.

use crate::{
    codegen::adjoint,
    codegen::{GaveUp, Queries},
    image::unit::Unit,
    llvm::{Block, Builder, Extents, Function, IntPredicate, Module, Reach, Span, Type, Value},
};
use adanalysis::{
    activity::Param,
    context::Context,
    locations::Locations,
    points_to::{Object, PointsTo},
    stats,
};
use adir::{Callee, Op, ValueId};

/// Accesses through parameters that are looked at: more, and there is one version.
const MOST_ACCESSES: usize = 400;
/// Entries that may be in the test.
const MOST_ENTRIES: usize = 12;
/// Shadows of them, in all directions.
const MOST_SHADOWS: usize = 24;

/// A parameter, and 0 for what it leads to, 1 for what lies behind pointers there.
type Entry = (u32, u32);
type Pairs = Vec<(Entry, Entry)>;

/// The function that chooses, of which the test is there.
pub struct Choice {
    /// It: as the gradients, and what the user calls; or what says which of them runs.
    pub function: Function,
    /// What the fast version may rely on.
    pub context: Context,
    /// Parameters of the fast version that nothing else overlaps.
    pub noalias: Vec<usize>,
    end: Block,
    is_apart: Value,
}

impl Choice {
    /// Ends the function, which says whether the fast version may run.
    pub fn finish_test(&self, module: Module) {
        let b = Builder::at_end(module.context(), self.end);
        b.ret(b.freeze(self.is_apart));
    }
    /// Ends the function, with the two versions.
    pub fn finish(&self, module: Module, apart: Function, any: Function) {
        let (context, f) = (module.context(), self.function);
        let [fast, slow] = [("apart", apart), ("any", any)].map(|(name, version)| {
            let block = f.append_block(name);
            let b = Builder::at_end(context, block);
            let call = b.call(version, &f.params());
            if call.ty().is_void() {
                b.ret_void()
            } else {
                b.ret(call)
            }
            block
        });
        Builder::at_end(context, self.end).cond_br(self.is_apart, fast, slow);
    }
}

/// What a function does to the memory that it is given; per entry, by number.
struct Uses {
    accesses: Vec<Reach>,
    read: Vec<bool>,
    written: Vec<bool>,
    /// It is accessed in a way of which no span is known.
    unclear: Vec<bool>,
    /// Memory is accessed that no parameter leads to and that is not the function's own.
    beyond: bool,
}

/// What a function does to the memory behind its parameters: by number, twice that of the parameter
/// for what it leads to, and one more for what lies behind pointers there.
pub struct Touched {
    /// Accesses of which the span may be known.
    pub accesses: Vec<Reach>,
    /// It is read.
    pub read: Vec<bool>,
    /// It is written.
    pub written: Vec<bool>,
    /// It is accessed in a way of which no span is known.
    pub unclear: Vec<bool>,
}

/// What the function of a unit does to the memory that it is given.
pub fn touched(unit: &Unit, context: &Context) -> Touched {
    let Uses { accesses, read, written, unclear, .. } = Uses::new(unit, &unit.locations(context));
    Touched { accesses, read, written, unclear }
}

/// Number of an entry.
fn number((param, level): Entry) -> usize {
    2 * param as usize + level as usize
}
fn entry(memory: &PointsTo, object: usize) -> Option<Entry> {
    memory.entry(object).map(|(param, steps)| (param, steps.min(1)))
}

impl Uses {
    fn new(unit: &Unit, locations: &Locations) -> Uses {
        let none = || vec![false; 2 * unit.body.params.len()];
        let mut uses = Uses {
            accesses: vec![],
            read: none(),
            written: none(),
            unclear: none(),
            beyond: false,
        };
        unit.body.insts().for_each(|v| uses.look(unit, locations, v));
        uses
    }

    fn look(&mut self, unit: &Unit, locations: &Locations, v: ValueId) {
        let (body, memory) = (&unit.body, &unit.memory);
        let Some(access) = locations.access(v) else { return };
        let mut entries = |set: &bitvec::vec::BitVec| -> Vec<usize> {
            let mut found = vec![];
            for object in set.iter_ones().map(|l| locations.component(l).object) {
                match (entry(memory, object), memory.objects[object]) {
                    (Some(e), _) => found.push(number(e)),
                    (None, Object::Local(_)) => {}
                    (None, Object::Global(g)) if matches!(body[g].op, Op::Global(true)) => {}
                    (None, _) => self.beyond = true,
                }
            }
            found
        };
        let (reads, writes) = (entries(&access.reads.own), entries(&access.writes.own));
        reads.iter().for_each(|&e| self.read[e] = true);
        writes.iter().for_each(|&e| self.written[e] = true);

        let operands = &body[v].operands;
        let (addresses, length): (&[ValueId], _) = match body[v].op {
            Op::Load | Op::Update(_) => (&operands[..1], None),
            Op::Store => (&operands[1..2], None),
            Op::Call(Callee::MemCpy | Callee::MemMove) => (&operands[..2], Some(operands[2])),
            Op::Call(Callee::MemSet) => (&operands[..1], Some(operands[2])),
            _ => (&[], None),
        };
        let bytes =
            if let Op::Store = body[v].op { body[operands[0]].bytes } else { body[v].bytes };
        let mut found = vec![];
        for &address in addresses {
            let (inst, at) = (body.llvm(v), body.llvm(address));
            let length = length.map(|l| body.llvm(l));
            for e in memory.points_to(address).filter_map(|o| entry(memory, o)).map(number) {
                self.accesses.push(Reach { inst, address: at, length, bytes, memory: e as u32 });
                found.push(e);
            }
        }
        reads
            .iter()
            .chain(&writes)
            .filter(|e| !found.contains(e))
            .for_each(|&e| self.unclear[e] = true);
    }

    fn touches(&self, e: Entry) -> bool {
        self.read[number(e)] || self.written[number(e)]
    }

    /// Whether the function may overwrite in one what it accesses in the other, as far as a context
    /// tells.
    fn may_meet(&self, memory: &PointsTo, context: &Context, p: Entry, q: Entry) -> bool {
        let objects =
            |e: Entry| (0..memory.objects.len()).filter(move |&o| entry(memory, o) == Some(e));
        let overwrites = self.written[number(p)] && self.touches(q)
            || self.written[number(q)] && self.touches(p);
        let alias =
            |a: usize, b: usize| memory.may_alias(a, b) && !context.are_disjoint(memory, a, b);
        overwrites && objects(p).any(|a| objects(q).any(|b| alias(a, b)))
    }

    /// Pairs of entries that are worth a test.
    fn pairs(&self, memory: &PointsTo, context: &Context) -> Pairs {
        let params = self.unclear.len() as u32 / 2;
        let clear = |e: &Entry| self.touches(*e) && !self.unclear[number(*e)];
        let entries: Vec<Entry> =
            (0..params).flat_map(|i| [(i, 0), (i, 1)]).filter(clear).collect();
        let mut pairs = vec![];
        for (n, &p) in entries.iter().enumerate() {
            pairs.extend(
                entries[n + 1..]
                    .iter()
                    .filter(|&&q| self.may_meet(memory, context, p, q))
                    .map(|&q| (p, q)),
            );
        }
        pairs
    }
}

/// The test for a gradient `name` of type `ty` in `width` directions, if two versions pay. Nothing is known of parameters that
/// `ty` has in another type.
pub fn choice(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    name: &str,
    (ty, width): (Type, usize),
) -> Option<Choice> {
    if !queries.config().uses("versions") {
        return None;
    }
    let memory = &unit.memory;
    let mut uses = stats::time("versions", || Uses::new(unit, &unit.locations(context)));
    let mut pairs = uses.pairs(memory, context);
    if pairs.is_empty() {
        return None;
    }
    if uses.accesses.len() > MOST_ACCESSES {
        let reason = format!("more than {MOST_ACCESSES} accesses through parameters");
        queries.note_gave_up(unit.canon.source, gave_up(reason));
        return None;
    }
    let now = adjoint::traffic(queries, unit, params, context, width)?;
    let gains = |queries: &mut dyn Queries, pairs: &Pairs| {
        let mut traffic =
            || adjoint::traffic(queries, unit, params, &context.with_apart(pairs), width);
        !pairs.is_empty() && traffic().is_some_and(|then| then < now)
    };
    if now == 0 || !gains(queries, &pairs) {
        return None;
    }
    let f = queries.new_function(name, ty, unit.canon.source);
    let end = f.append_block("entry");
    let is_in =
        |pairs: &Pairs, e: usize| pairs.iter().any(|&(p, q)| number(p) == e || number(q) == e);
    let (accesses, _): (Vec<Reach>, Vec<Reach>) =
        uses.accesses.drain(..).partition(|r| is_in(&pairs, r.memory as usize));
    // Shadows come behind the parameters.
    let rank = |i: usize| params[..i].iter().filter(|p| **p == Param::Shadowed).count();
    let shadow_param = |i: usize, direction: usize| {
        (params[i] == Param::Shadowed).then(|| (params.len() + rank(i) * width + direction) as u32)
    };
    let entries = 2 * params.len();
    let emit_extents = |direction: usize| {
        let shadow_params: Vec<Option<u32>> =
            (0..params.len()).map(|i| shadow_param(i, direction)).collect();
        stats::time("versions", || {
            unit.canon.function.emit_extents(end, &accesses, &shadow_params, entries as u32, false)
        })
    };
    // The spans of the primals are the same in each.
    let extents: Vec<Extents> = (0..width).map(emit_extents).collect();
    let has_span = |e: Entry| {
        let is_shadowed = params[e.0 as usize] == Param::Shadowed;
        let has_span = |x: &Extents| {
            x.reached.primals[number(e)].is_some()
                && (!is_shadowed || x.reached.shadows[number(e)].is_some())
        };
        extents.iter().all(has_span)
    };
    let known = pairs.len();
    pairs.retain(|&(p, q)| has_span(p) && has_span(q));
    let tested: Vec<Entry> = (0..params.len() as u32)
        .flat_map(|i| [(i, 0), (i, 1)])
        .filter(|&e| is_in(&pairs, number(e)))
        .collect();
    let too_many = tested.len() > MOST_ENTRIES || tested.len() * width > MOST_SHADOWS;
    if too_many || pairs.len() < known && !gains(queries, &pairs) {
        f.delete();
        if too_many {
            let reason = format!(
                "more than {MOST_ENTRIES} pointers, or {MOST_SHADOWS} shadows of them, to test"
            );
            queries.note_gave_up(unit.canon.source, gave_up(reason));
        }
        return None;
    }
    let b = Builder::at_end(queries.module().context(), end);
    let is_apart = extents[1..].iter().fold(extents[0].holds, |all, x| b.and(all, x.holds));
    let mut test = Test { builder: b, is_apart };
    let primal =
        |e: Entry| extents[0].reached.primals[number(e)].expect("an entry in a pair has a span");
    pairs.iter().for_each(|&(p, q)| test.require_apart(primal(p), primal(q)));
    let shadows: Vec<Span> = tested
        .iter()
        .flat_map(|&e| extents.iter().filter_map(move |x| x.reached.shadows[number(e)]))
        .collect();
    for (n, &x) in shadows.iter().enumerate() {
        shadows[n + 1..].iter().for_each(|&y| test.require_apart(x, y));
    }
    let context = context.with_apart(&pairs);
    // Whatever else is accessed is known, and lies elsewhere.
    let mut noalias = vec![];
    if !uses.beyond {
        let touched: Vec<Entry> = (0..params.len() as u32)
            .flat_map(|i| [(i, 0), (i, 1)])
            .filter(|&e| uses.touches(e))
            .collect();
        let is_alone =
            |e: Entry| touched.iter().all(|&q| q == e || !uses.may_meet(memory, &context, e, q));
        let own = || tested.iter().copied().filter(|&(_, level)| level == 0);
        noalias.extend(own().filter(|&e| is_alone(e)).map(|(i, _)| i as usize));
        if touched.iter().all(|e| params[e.0 as usize] != Param::Shadowed || tested.contains(e)) {
            let all = own()
                .flat_map(|(i, _)| (0..width).filter_map(move |d| shadow_param(i as usize, d)));
            noalias.extend(all.map(|i| i as usize));
        }
    }
    Some(Choice { function: f, context, noalias, end, is_apart: test.is_apart })
}

fn gave_up(reason: String) -> GaveUp {
    let cost = "records that arguments which do not overlap would not need";
    GaveUp { analysis: "versions", reason, cost }
}

struct Test {
    builder: Builder,
    is_apart: Value,
}

impl Test {
    fn require_apart(&mut self, x: Span, y: Span) {
        let b = &self.builder;
        let before = |x: Span, y: Span| b.icmp(IntPredicate::LLVMIntSLE, x.high, y.low);
        self.is_apart = b.and(self.is_apart, b.or(before(x, y), before(y, x)));
    }
}
