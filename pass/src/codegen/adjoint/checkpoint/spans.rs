//! How far steps reach into memory whose size is unknown.
//!
//! Scalar evolution tells where an access of a step reaches from a pointer that the step is given
//! or loads (shim/range.cpp), as far as that follows from what does not change from step to step.
//! Memory that is surely accessed is there, and so is all between two such places of one object. An
//! access of which it is not known whether it happens must stay within: that is tested when the
//! program runs (AD213).

use super::state::State;
use crate::{
    codegen::adjoint::forward::Forward,
    image::unit::Unit,
    llvm::{AccessRange, IntPredicate, Intrinsic, Opcode, Reach, Type, Value},
};
use adir::{
    Callee, Op, ValueId,
    hashed::{HashMap, HashSet},
};

/// Accesses of one step that are looked at: more, and nothing is known.
const MOST_ACCESSES: usize = 200;

/// What one access reaches of an object.
struct Part {
    range: usize,
    /// Where in the object the pointer leads from which the range counts.
    offset: i64,
}

/// The ranges of all accesses, by object of the function around the loop.
pub struct Spans {
    ranges: Vec<Option<AccessRange>>,
    parts: HashMap<usize, Vec<Part>>,
    /// Objects that are accessed in other ways as well.
    unclear: HashSet<usize>,
    /// Something unknown is accessed.
    anything: bool,
}

impl Spans {
    /// Looks at the accesses of a step, and emits their ranges where the builder of the forward
    /// sweep stands.
    pub fn new(state: &State, forward: &Forward, step: &Unit) -> Spans {
        let mut spans = Spans {
            ranges: vec![],
            parts: HashMap::default(),
            unclear: HashSet::default(),
            anything: false,
        };
        let mut accesses: Vec<(Reach, ValueId)> = vec![];
        let body = &step.body;
        for v in body.insts().filter(|&v| body[v].block.is_some_and(|b| body[b].returns)) {
            spans.look(state, step, v, &mut accesses);
        }
        if accesses.len() > MOST_ACCESSES {
            spans.anything = true;
            return spans;
        }
        let inner = &state.inner.body;
        let argument = |&o: &ValueId| match inner[o].op {
            Op::Param(i) => {
                Some(forward.sweep.value(state.unit.body.operand(state.call, i as usize)))
            }
            Op::Constant => Some(inner.llvm(o)),
            _ => None,
        };
        let arguments: Vec<Option<Value>> =
            inner[state.parts.step].operands.iter().map(argument).collect();
        let (reaches, addresses): (Vec<Reach>, Vec<ValueId>) = accesses.into_iter().unzip();
        spans.ranges =
            step.canon.function.emit_ranges(&forward.sweep.builder, &arguments, &reaches);
        let ids: HashMap<Value, ValueId> = body.value_ids().map(|v| (body.llvm(v), v)).collect();
        for (i, &address) in addresses.iter().enumerate() {
            let base = spans.ranges[i].as_ref().and_then(|r| ids.get(&r.base));
            match base {
                Some(&base) => spans.assign(state, step, base, i),
                None => spans.blur(state, step, address),
            }
        }
        spans
    }

    fn look(
        &mut self,
        state: &State,
        step: &Unit,
        v: ValueId,
        accesses: &mut Vec<(Reach, ValueId)>,
    ) {
        let body = &step.body;
        let operands = &body[v].operands;
        let (addresses, length): (&[ValueId], _) = match &body[v].op {
            Op::Load | Op::Update(_) => (&operands[..1], None),
            Op::Store => (&operands[1..2], None),
            Op::Call(Callee::MemCpy | Callee::MemMove) => (&operands[..2], Some(operands[2])),
            Op::Call(Callee::MemSet) => (&operands[..1], Some(operands[2])),
            Op::Call(Callee::Rule(rule, _)) => {
                rule.float_pointees.iter().for_each(|&p| self.blur(state, step, operands[p]));
                return;
            }
            Op::Call(Callee::Defined | Callee::Custom) => {
                self.call(state, step, v);
                return;
            }
            Op::Call(Callee::Passive | Callee::Unknown | Callee::Indirect | Callee::Assembly)
            | Op::Atomic
            | Op::Other => {
                self.anything = true;
                return;
            }
            _ => return,
        };
        let bytes =
            if let Op::Store = body[v].op { body[operands[0]].bytes } else { body[v].bytes };
        for &address in addresses {
            let (inst, at) = (body.llvm(v), body.llvm(address));
            let length = length.map(|l| body.llvm(l));
            accesses.push((Reach { inst, address: at, length, bytes, memory: 0 }, address));
        }
    }

    /// What a called function accesses has no range.
    fn call(&mut self, state: &State, step: &Unit, v: ValueId) {
        let (Some(in_out), Some(binding)) = (step.in_out(v), step.memory.binding(v)) else {
            self.anything = true;
            return;
        };
        for place in in_out.reads.iter().chain(&in_out.writes) {
            for (o, offset) in binding.at(place.object, place.offset).iter().flat_map(|t| t.each())
            {
                self.unclear.extend(state.outer(o as usize, offset).into_iter().map(|(o, _)| o));
            }
        }
    }

    fn assign(&mut self, state: &State, step: &Unit, base: ValueId, range: usize) {
        for (o, offset) in step.memory.places(base) {
            for (object, offset) in state.outer(o, offset) {
                match offset.is_exact() {
                    true => self
                        .parts
                        .entry(object)
                        .or_default()
                        .push(Part { range, offset: offset.constant }),
                    false => drop(self.unclear.insert(object)),
                }
            }
        }
    }

    fn blur(&mut self, state: &State, step: &Unit, address: ValueId) {
        for (o, offset) in step.memory.places(address) {
            self.unclear.extend(state.outer(o, offset).into_iter().map(|(o, _)| o));
        }
    }

    /// Emits the first byte of an object that steps reach, and the one behind the last, as i64;
    /// `None` where that is not known.
    pub fn emit(&self, forward: &Forward, object: usize, name: &str) -> Option<(Value, Value)> {
        if self.anything || self.unclear.contains(&object) {
            return None;
        }
        let module = forward.sweep.module;
        let b = &forward.sweep.builder;
        let context = module.context();
        let i64 = context.int(64);
        let extreme =
            |which: Intrinsic, x: Value, y: Value| b.call(module.intrinsic(which, &[i64]), &[x, y]);
        let (mut low, mut high) = (i64.int(i64::MAX as u64), i64.int(i64::MIN as u64));
        let parts: Vec<(&AccessRange, Value, Value)> = self
            .parts
            .get(&object)?
            .iter()
            .filter_map(|p| {
                let range = self.ranges[p.range].as_ref()?;
                let offset = i64.int(p.offset as u64);
                Some((range, b.add(range.low, offset), b.add(range.high, offset)))
            })
            .collect();
        let mut holds = context.int(1).int(1);
        for (range, from, to) in &parts {
            let Some(runs) = range.runs else { continue };
            low = extreme(Intrinsic::Smin, low, b.select(runs, *from, low));
            high = extreme(Intrinsic::Smax, high, b.select(runs, *to, high));
            holds = b.and(holds, b.select(runs, range.holds, context.int(1).int(1)));
        }
        for (range, from, to) in parts.iter().filter(|p| p.0.runs.is_none()) {
            let within = b.and(
                b.icmp(IntPredicate::LLVMIntSGE, *from, low),
                b.icmp(IntPredicate::LLVMIntSLE, *to, high),
            );
            holds = b.and(holds, b.and(range.holds, within));
        }
        if parts.iter().all(|p| p.0.runs.is_none()) || holds.is_null() {
            return None;
        }
        require(forward, holds, name);
        // Where no access happens, there is nothing.
        let any = b.icmp(IntPredicate::LLVMIntSLT, low, high);
        Some((b.select(any, low, i64.zero()), b.select(any, high, i64.zero())))
    }
}

/// Emits the test that the size of memory of that name is known after all (AD213).
pub fn require(forward: &Forward, holds: Value, name: &str) {
    let module = forward.sweep.module;
    let b = &forward.sweep.builder;
    let (context, i64) = (module.context(), module.context().int(64));
    let require = module.declare(
        "adrt_checkpoint_require",
        Type::function(context.void(), &[i64, context.ptr()], false),
    );
    b.call(require, &[b.cast(Opcode::LLVMZExt, holds, i64), b.text(name)]);
}
