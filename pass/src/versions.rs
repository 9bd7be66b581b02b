//! Gradients in two versions: one for arguments that do not overlap, one that relies on nothing, and a test that chooses.
//!
//! A function that writes through one pointer may overwrite what it reads through another: what the reverse sweep needs must
//! be recorded. Where fewer records are needed once certain pairs of parameters do not overlap, the gradient becomes
//!   if (the accesses through each two of them lie apart, and those of their shadows) gradient.apart(…) else gradient.any(…)
//! Of each parameter the test needs the span of all bytes that are accessed through it, computed from the arguments (the shim's
//! extent.cpp). There is none where an address depends on memory, or a called function makes the access.
//!
//! Errs towards `gradient.any`: spans are too large rather than too small, and where a number in the test may have
//! wrapped, the test fails. What is read only may overlap what is read only.

use crate::{
    adjoint,
    analysis::{activity::Param, context::Context, locations::Locations, points_to::Object},
    ir::{Callee, Op, ValueId},
    llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Reach, Value},
    session::Session,
    stats,
    unit::Unit,
};

/// Accesses through parameters that are looked at: more, and there is one version.
const MOST_ACCESSES: usize = 400;
/// Parameters that may be in the test.
const MOST_PARAMS: usize = 12;
/// Addresses from here on, or negative, fail the test: sums of an address and an offset do not wrap.
const HIGHEST_BIT: u64 = 62;

/// The function that chooses, of which the test is there.
pub struct Choice {
    /// It: as the gradients, and what the user calls.
    pub function: Function,
    /// What the fast version may rely on.
    pub context: Context,
    /// Parameters of the fast version that nothing else overlaps.
    pub noalias: Vec<usize>,
    end: Block,
    is_apart: Value,
}

impl Choice {
    /// Ends the function, with the two versions.
    pub fn finish(&self, module: Module, apart: Function, any: Function) {
        let (context, f) = (module.context(), self.function);
        let [fast, slow] = [("apart", apart), ("any", any)].map(|(name, version)| {
            let block = f.append_block(name);
            let b = Builder::at_end(context, block);
            let call = b.call(version, &f.params());
            if call.ty().is_void() { b.ret_void() } else { b.ret(call) }
            block
        });
        Builder::at_end(context, self.end).cond_br(self.is_apart, fast, slow);
    }
}

/// What a function does through its pointer parameters.
struct Uses {
    accesses: Vec<Reach>,
    /// Per parameter: read; written; accessed in a way of which no span is known.
    read: Vec<bool>,
    written: Vec<bool>,
    unclear: Vec<bool>,
    /// Memory is accessed that has no parameter's name and is not the function's own.
    beyond: bool,
}

impl Uses {
    fn new(unit: &Unit, locations: &Locations) -> Uses {
        let n = unit.body.params.len();
        let mut uses =
            Uses { accesses: vec![], read: vec![false; n], written: vec![false; n], unclear: vec![false; n], beyond: false };
        unit.body.insts().for_each(|v| uses.look(unit, locations, v));
        uses
    }

    fn look(&mut self, unit: &Unit, locations: &Locations, v: ValueId) {
        let (body, memory) = (&unit.body, &unit.memory);
        let Some(access) = locations.access(v) else { return };
        let objects = |set: &bitvec::vec::BitVec| -> Vec<Object> {
            set.iter_ones().map(|l| memory.objects[locations.component(l).object]).collect()
        };
        let (reads, writes) = (objects(&access.reads.own), objects(&access.writes.own));
        for o in reads.iter().chain(&writes) {
            self.beyond |= match o {
                Object::Param(_) | Object::Local(_) => false,
                Object::Global(g) => !matches!(body[*g].op, Op::Global(true)),
                Object::Unknown | Object::Behind(_) | Object::Returned(_) => true,
            };
        }
        let params = |list: &[Object]| -> Vec<u32> {
            list.iter().filter_map(|o| if let Object::Param(i) = o { Some(*i) } else { None }).collect()
        };
        let (reads, writes) = (params(&reads), params(&writes));
        reads.iter().for_each(|&i| self.read[i as usize] = true);
        writes.iter().for_each(|&i| self.written[i as usize] = true);

        let operands = &body[v].operands;
        let (addresses, length): (&[ValueId], _) = match body[v].op {
            Op::Load | Op::Update(_) => (&operands[..1], None),
            Op::Store => (&operands[1..2], None),
            Op::Call(Callee::MemCpy | Callee::MemMove) => (&operands[..2], Some(operands[2])),
            Op::Call(Callee::MemSet) => (&operands[..1], Some(operands[2])),
            _ => (&[], None),
        };
        let bytes = if let Op::Store = body[v].op { body[operands[0]].bytes } else { body[v].bytes };
        let mut found = vec![];
        for &address in addresses {
            let (Some(inst), Some(at)) = (body[v].llvm, body[address].llvm) else { continue };
            let length = length.and_then(|l| body[l].llvm);
            for o in memory.points_to(address) {
                if let Object::Param(param) = memory.objects[o] {
                    self.accesses.push(Reach { inst, address: at, length, bytes, param });
                    found.push(param);
                }
            }
        }
        reads.iter().chain(&writes).filter(|i| !found.contains(i)).for_each(|&i| self.unclear[i as usize] = true);
    }

    /// Pairs of parameters of which one may overwrite what is accessed through the other.
    fn pairs(&self, unit: &Unit, context: &Context) -> Vec<(u32, u32)> {
        let memory = &unit.memory;
        let params: Vec<(u32, usize)> = (0..unit.body.params.len() as u32)
            .filter(|&i| !self.unclear[i as usize])
            .filter_map(|i| Some((i, memory.object_of_param(i)?)))
            .collect();
        let touched = |i: u32| self.read[i as usize] || self.written[i as usize];
        let mut pairs = vec![];
        for (n, &(i, a)) in params.iter().enumerate() {
            for &(j, b) in &params[n + 1..] {
                let overwrites = self.written[i as usize] && touched(j) || self.written[j as usize] && touched(i);
                if overwrites && memory.may_alias(a, b) && !context.are_disjoint(memory, a, b) {
                    pairs.push((i, j));
                }
            }
        }
        pairs
    }
}

/// The test for a gradient `name`, if two versions pay: `model` is a function of its type.
pub fn choice(session: &mut Session, unit: &Unit, params: &[Param], context: &Context, name: &str, ty: crate::llvm::Type) -> Option<Choice> {
    if !session.config.uses("versions") {
        return None;
    }
    let mut uses = stats::time("versions", || Uses::new(unit, &unit.locations(context)));
    let mut pairs = uses.pairs(unit, context);
    if pairs.is_empty() || uses.accesses.len() > MOST_ACCESSES {
        return None;
    }
    let now = adjoint::traffic(session, unit, params, context)?;
    let gains = |session: &mut Session, pairs: &[(u32, u32)]| {
        !pairs.is_empty() && adjoint::traffic(session, unit, params, &context.with_apart(pairs)).is_some_and(|then| then < now)
    };
    if now == 0 || !gains(session, &pairs) {
        return None;
    }
    let f = session.new_function(name, ty, unit.canon.source);
    let end = f.append_block("entry");
    let in_pairs = |pairs: &[(u32, u32)], i: u32| pairs.iter().any(|&(a, b)| a == i || b == i);
    let (accesses, _): (Vec<Reach>, Vec<Reach>) = uses.accesses.drain(..).partition(|r| in_pairs(&pairs, r.param));
    let extents = stats::time("versions", || unit.canon.function.emit_extents(end, &accesses));
    let known = pairs.len();
    pairs.retain(|&(i, j)| extents.spans[i as usize].is_some() && extents.spans[j as usize].is_some());
    let tested: Vec<u32> = (0..params.len() as u32).filter(|&i| in_pairs(&pairs, i)).collect();
    if tested.len() > MOST_PARAMS || pairs.len() < known && !gains(session, &pairs) {
        f.delete();
        return None;
    }
    let mut test = Test { builder: Builder::at_end(session.module.context(), end), is_apart: extents.holds };
    let all = f.params();
    let mut span = |i: u32, argument: Value| {
        let (low, high) = extents.spans[i as usize].expect("a parameter in a pair has a span");
        test.span(argument, low, high)
    };
    let primals: Vec<(u32, Span)> = tested.iter().map(|&i| (i, span(i, all[i as usize]))).collect();
    let shadow_of = |i: u32| params.len() + params[..i as usize].iter().filter(|p| **p == Param::Shadowed).count();
    let shadowed: Vec<u32> = tested.iter().copied().filter(|&i| params[i as usize] == Param::Shadowed).collect();
    let shadows: Vec<Span> = shadowed.iter().map(|&i| span(i, all[shadow_of(i)])).collect();
    let of = |i: u32| primals.iter().find(|(p, _)| *p == i).expect("it is tested").1;
    pairs.iter().for_each(|&(i, j)| test.require_apart(of(i), of(j)));
    for (n, &x) in shadows.iter().enumerate() {
        shadows[n + 1..].iter().for_each(|&y| test.require_apart(x, y));
    }
    let context = context.with_apart(&pairs);
    // Whatever else is accessed is known, and lies elsewhere.
    let mut noalias = vec![];
    if !uses.beyond {
        let touched = |i: u32| uses.read[i as usize] || uses.written[i as usize];
        let others = || (0..params.len() as u32).filter(|&j| touched(j));
        let object = |i: u32| unit.memory.object_of_param(i).expect("an accessed parameter names memory");
        let is_apart = |i: u32, j: u32| {
            let (a, b) = (object(i), object(j));
            !uses.written[i as usize] && !uses.written[j as usize]
                || !unit.memory.may_alias(a, b)
                || context.are_disjoint(&unit.memory, a, b)
        };
        noalias.extend(tested.iter().filter(|&&i| others().all(|j| i == j || is_apart(i, j))).map(|&i| i as usize));
        if others().all(|j| params[j as usize] != Param::Shadowed || shadowed.contains(&j)) {
            noalias.extend(shadowed.iter().map(|&i| shadow_of(i)));
        }
    }
    Some(Choice { function: f, context, noalias, end, is_apart: test.is_apart })
}

/// The first byte and the one behind the last, as integers.
#[derive(Clone, Copy)]
struct Span(Value, Value);

struct Test {
    builder: Builder,
    is_apart: Value,
}

impl Test {
    fn span(&mut self, argument: Value, low: Value, high: Value) -> Span {
        let b = &self.builder;
        let i64 = b.context().int(64);
        let at = b.cast(Opcode::LLVMPtrToInt, argument, i64);
        let is_low = b.icmp(IntPredicate::LLVMIntULT, at, i64.int(1 << HIGHEST_BIT));
        self.is_apart = b.and(self.is_apart, is_low);
        Span(b.add(at, low), b.add(at, high))
    }
    fn require_apart(&mut self, x: Span, y: Span) {
        let b = &self.builder;
        let before = |x: Span, y: Span| b.icmp(IntPredicate::LLVMIntSLE, x.1, y.0);
        self.is_apart = b.and(self.is_apart, b.or(before(x, y), before(y, x)));
    }
}
