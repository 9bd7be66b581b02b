//! Checkpointed loops: few states are kept, and steps run again when they are to be undone.
//!
//! The canonical form has made functions of such a loop and of one of its steps (canon/outline.rs);
//! all that goes from step to step lies in memory. The sweeps of the loop's function hand the step
//! to the runtime, in three forms, and the runtime decides which runs when
//! (runtime/src/checkpoint/):
//!   advance: the primal, with shadows of pointers;   forward, reverse: the sweeps of one step, run one right after the other.
//! What the snapshots hold is said where the loop is called, for there its memory has names and
//! sizes (`state`). Of a loop that iterates to a fixed point, it is also said where the adjoint of the
//! state lies (`fixed_point`). What must not happen twice is refused (`again`). Schedules: Griewank & Walther,
//! ACM TOMS 26 (2000); what a snapshot holds: Hascoët & Pascual, RR-7957, section 4.10.

mod again;
mod fixed_point;
mod rotation;
mod spans;
mod state;

use super::{Advance, FrameStorage, Pair, tape};
use crate::{
    annotations::checkpoint::{CHECKPOINT, GOES_ON, OUTLINED},
    codegen::Queries,
    codegen::{
        check::{self, Mode},
        sweep::{Zeros, leaf_shadow},
    },
    diagnostics::{Code, Diagnostic},
    image::{Imported, unit::Unit},
    llvm::{
        Builder, Debug, DebugScope, Function, IntPredicate, Module, Opcode, Type, Value, Words,
    },
};
use adanalysis::{
    activity::{Activity, Param},
    calls::Caller,
    context::Context,
    diff_liveness::DiffLiveness,
};
use adir::{Callee, Op, ValueId};

pub use again::{Repeated, check as check_repeats};
pub(super) use state::name_state;

/// Whether a function is a checkpointed loop.
pub fn is_loop(function: Function) -> bool {
    function.attribute_string(OUTLINED).is_some_and(|kind| kind == "loop")
}

/// What the function of a loop consists of.
struct Parts {
    /// The call of a step.
    step: ValueId,
    /// The function of a step.
    source: Function,
    /// The call that says how many steps and snapshots there are.
    numbers: ValueId,
}

/// What the user says of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// How many snapshots its gradient keeps.
    Snapshots,
    /// Steps do not read what others write.
    Independent,
    /// Steps iterate to a fixed point.
    FixedPoint,
}

impl Parts {
    fn of(body: &Imported) -> Parts {
        let calls = |v: &ValueId| matches!(body[*v].op, Op::Call(Callee::Defined));
        let says = |v: &ValueId| body[*v].symbol.as_deref() == Some(CHECKPOINT);
        let step = body.insts().find(calls).expect("a checkpointed loop calls its step");
        let numbers =
            body.insts().find(says).expect("a checkpointed loop says how many snapshots it has");
        Parts { step, source: body.callee(step), numbers }
    }

    fn kind(&self, body: &Imported) -> Kind {
        match body.llvm(body.operand(self.numbers, 1)).as_int() {
            Some(0) => Kind::Independent,
            Some(-1) => Kind::FixedPoint,
            _ => Kind::Snapshots,
        }
    }
}

/// Defines both sweeps of the function of a loop.
pub fn define(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    pair: &Pair,
) -> Result<(), Vec<Diagnostic>> {
    let made = define_sweeps(queries, unit, params, context, pair);
    made.inspect_err(|found| queries.note_refused(Parts::of(&unit.body).source, found))
}

fn define_sweeps(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    pair: &Pair,
) -> Result<(), Vec<Diagnostic>> {
    let locations = unit.locations(context);
    let known = unit.known(&locations);
    let activity = Activity::compute(known, params, context, queries.config().uses("activity"));
    check::check(unit, known, context, &activity, Mode::Adjoint)?;
    let live = DiffLiveness::everything(&unit.body);
    let caller = Caller { known, context, activity: &activity, live: &live, tbr: None };
    let parts = Parts::of(&unit.body);
    let rounds_freely = again::check(queries, parts.source, Repeated::Step)?;
    // A step is undone right after it ran with records, and the next one may read all that it
    // wrote.
    let step_unit = queries.unit(parts.source).map_err(|d| vec![d])?;
    let apart = rotation::apart(&unit.body, &parts, &step_unit, context);
    let step_context = caller.context_of(parts.step).undisturbed().with_apart(&apart);
    let step_params = activity.call_params(&unit.body, parts.step);
    let types = parts.source.ty().function_params();
    if types.iter().zip(&step_params).any(|(t, p)| *p == Param::Active && !t.holds_float()) {
        let text = "the steps of a checkpointed loop take the bits of an active real as an integer";
        let remedy = "copy reals with their own type, or within the loop";
        return Err(vec![Diagnostic::new(
            Code::Checkpoint,
            Some(unit.body.llvm(parts.step)),
            text,
            remedy,
        )]);
    }
    let step = queries.adjoint(
        parts.source,
        &step_params,
        step_context.clone(),
        pair.width,
        FrameStorage::Arena,
    )?;
    let form = Advance::Plain(pair.width);
    let advance = queries.advance(parts.source, &step_params, step_context, form)?;

    let sweeps = Sweeps {
        module: queries.module(),
        unit,
        activity: &activity,
        parts: &parts,
        step_params: &step_params,
        width: pair.width,
    };
    let frame = sweeps.frame(advance);
    let functions = [
        sweeps.advance(queries, &frame, advance),
        sweeps.forward(queries, &frame, &step),
        sweeps.reverse(queries, &frame, &step),
    ];
    for f in functions {
        queries.finish(f)?;
    }
    // What the last step left must still be there when it is undone.
    let notes = Notes { keeps_end: !context.is_stable_throughout(), rounds_freely };
    sweeps.run(pair, &frame, functions, &notes);
    sweeps.undo(pair, &frame);
    Ok(())
}

/// What lies in the arena while a loop waits to be undone.
struct Frame {
    /// The runtime's handle, three functions, the step's arguments and their shadows, adjoints of
    /// its active arguments.
    ty: Type,
    /// Number of arguments and shadows.
    arguments: u32,
}

impl Frame {
    /// Where the sums of adjoints of active arguments are kept, those of one in all directions side by
    /// side.
    fn sums(&self, sweeps: &Sweeps, b: &Builder, at: Value) -> Vec<Value> {
        let sum = |i: usize| b.member(self.ty, at, ARGUMENTS + self.arguments + i as u32);
        (0..sweeps.active().count() * sweeps.width).map(sum).collect()
    }
}

/// Further arguments of the runtime's driver.
struct Notes {
    /// Code behind the loop may change what undoing the last step reads.
    keeps_end: bool,
    /// A step with records may round differently than one without.
    rounds_freely: bool,
}

/// Where the members of a frame begin.
const HANDLE: u32 = 0;
const FUNCTIONS: u32 = 1;
const ARGUMENTS: u32 = 4;

struct Sweeps<'a> {
    module: Module,
    unit: &'a Unit,
    activity: &'a Activity,
    parts: &'a Parts,
    step_params: &'a [Param],
    /// Number of directions.
    width: usize,
}

impl Sweeps<'_> {
    fn frame(&self, advance: Function) -> Frame {
        let ptr = self.module.context().ptr();
        let arguments = advance.ty().function_params();
        let mut members = vec![ptr; ARGUMENTS as usize];
        members.extend(&arguments);
        members.extend(self.active().flat_map(|(_, ty)| vec![ty; self.width]));
        Frame { ty: self.module.context().structure(&members), arguments: arguments.len() as u32 }
    }

    /// Active arguments of a step: what the loop passes, and its type.
    fn active(&self) -> impl Iterator<Item = (ValueId, Type)> + '_ {
        let types = self.parts.source.ty().function_params();
        let operands = self.unit.body[self.parts.step].operands.iter().copied();
        operands
            .zip(types)
            .zip(self.step_params)
            .filter(|(_, p)| **p == Param::Active)
            .map(|(o, _)| o)
    }

    fn new_function(
        &self,
        queries: &dyn Queries,
        name: &str,
        result: Type,
        params: &[Type],
    ) -> (Function, Builder) {
        let name = format!("{}.{name}", self.unit.canon.source.name());
        let f = queries.new_function(
            &name,
            Type::function(result, params, false),
            self.unit.canon.source,
        );
        // The runtime calls it, which MemorySanitizer does not instrument: nothing is known of
        // arguments.
        f.remove_attribute("sanitize_memory");
        let b = Builder::at_end(self.module.context(), f.append_block("entry"));
        (f, b)
    }

    fn arguments(&self, b: &Builder, frame: &Frame, at: Value) -> Vec<Value> {
        let types = frame.ty.struct_members();
        let member = |i: u32| b.load(types[i as usize], b.member(frame.ty, at, i));
        (ARGUMENTS..ARGUMENTS + frame.arguments).map(member).collect()
    }

    /// i64 advance(frame): 0, or what the loop returns plus 1 where it ends.
    fn advance(&self, queries: &dyn Queries, frame: &Frame, advance: Function) -> Function {
        let context = self.module.context();
        let (f, b) = self.new_function(queries, "advance", context.int(64), &[context.ptr()]);
        let left = b.call(advance, &self.arguments(&b, frame, f.params()[0]));
        b.ret(self.how_it_went(&b, left));
        f
    }

    /// records forward(frame, place for what `advance` returns).
    fn forward(&self, queries: &dyn Queries, frame: &Frame, step: &Pair) -> Function {
        let context = self.module.context();
        let ptr = context.ptr();
        let (f, b) = self.new_function(queries, "forward.step", ptr, &[ptr, ptr]);
        let call = b.call(step.forward, &self.arguments(&b, frame, f.params()[0]));
        let (left, records) = match self.parts.source.ty().function_result().is_void() {
            true => (call, call),
            false => (b.extract(call, 0), b.extract(call, 1)),
        };
        b.store(self.how_it_went(&b, left), f.params()[1]);
        b.ret(records);
        f
    }

    /// reverse(frame, records).
    fn reverse(&self, queries: &dyn Queries, frame: &Frame, step: &Pair) -> Function {
        let context = self.module.context();
        let ptr = context.ptr();
        let (f, b) = self.new_function(queries, "reverse.step", context.void(), &[ptr, ptr]);
        let sums: Vec<Value> = frame.sums(self, &b, f.params()[0]);
        let mut given = vec![f.params()[1]];
        let types = self.active().flat_map(|(_, ty)| vec![ty; self.width]);
        given.extend(types.zip(&sums).map(|(ty, &at)| b.load(ty, at)));
        let bars = b.call(step.reverse, &given);
        for (i, &at) in sums.iter().enumerate() {
            b.store(b.extract(bars, i as u32), at);
        }
        b.ret_void();
        f
    }

    /// What a step returned, for the runtime: 0 where the loop goes on, else that plus 1.
    fn how_it_went(&self, b: &Builder, left: Value) -> Value {
        let i64 = b.context().int(64);
        if self.parts.source.ty().function_result().is_void() {
            return i64.int(1);
        }
        let left = if left.ty() == i64 { left } else { b.cast(Opcode::LLVMZExt, left, i64) };
        let ended = b.add(left, i64.int(1));
        match self.parts.source.attribute_string(GOES_ON).and_then(|n| n.parse().ok()) {
            Some(goes_on) => {
                b.select(b.icmp(IntPredicate::LLVMIntEQ, left, i64.int(goes_on)), i64.zero(), ended)
            }
            None => ended,
        }
    }

    /// A value of the loop's function, in its forward sweep.
    fn value(&self, forward: Function, v: ValueId) -> Value {
        match self.unit.body[v].op {
            Op::Param(i) => forward.params()[i as usize],
            _ => self.unit.body.llvm(v),
        }
    }

    fn shadow(&self, b: &Builder, forward: Function, v: ValueId, direction: usize) -> Value {
        match self.unit.body[v].op {
            Op::Param(i) if self.activity.params[i as usize] == Param::Shadowed => {
                let before = self.activity.params[..i as usize]
                    .iter()
                    .filter(|p| **p == Param::Shadowed)
                    .count();
                forward.params()[self.activity.params.len() + before * self.width + direction]
            }
            Op::Global(_) | Op::ConstantExpr => {
                leaf_shadow(self.module, b, &self.unit.body, v, (Zeros::Sink, direction))
            }
            _ => self.module.context().ptr().zero(),
        }
    }

    /// The forward sweep of the loop: its function, in which one call runs all steps.
    fn run(&self, pair: &Pair, frame: &Frame, functions: [Function; 3], notes: &Notes) {
        let context = self.module.context();
        let (ptr, i64) = (context.ptr(), context.int(64));
        let body = &self.unit.body;
        let f = pair.forward;
        let step = body.llvm(self.parts.step);
        let mut call = None;
        let scope = DebugScope::new(f, self.unit.canon.function, Words::FORWARD);
        f.clone_body(self.unit.canon.function, Debug::Own(scope.as_ref()), |old, new| {
            call = call.or((old == step).then_some(new))
        });
        let call = call.expect("the call of the step was copied");
        let b = Builder::new(context);
        b.locate(scope.as_ref().and_then(|s| s.location(step)));
        b.position_before(f.blocks()[0].instructions()[0]);
        let left = b.alloca(i64, "left");
        if f.has_attribute("sanitize_memory") {
            // The runtime stores there, unseen.
            b.store(i64.zero(), left);
        }
        let at = tape::allocate(self.module, &b, i64.int(self.module.alloc_size(frame.ty)));
        b.position_before(call);
        for (i, function) in functions.iter().enumerate() {
            b.store(function.value(), b.member(frame.ty, at, FUNCTIONS + i as u32));
        }
        let operands = &body[self.parts.step].operands;
        let shadowed =
            operands.iter().zip(self.step_params).filter(|(_, p)| **p == Param::Shadowed);
        let mut arguments: Vec<Value> = operands.iter().map(|&o| self.value(f, o)).collect();
        let shadows = |(&o, _)| (0..self.width).map(move |direction| (o, direction));
        arguments.extend(
            shadowed.flat_map(shadows).map(|(o, direction)| self.shadow(&b, f, o, direction)),
        );
        for (i, &argument) in arguments.iter().enumerate() {
            b.store(argument, b.member(frame.ty, at, ARGUMENTS + i as u32));
        }
        let [steps, slots] = [0, 1].map(|i| self.value(f, body.operand(self.parts.numbers, i)));
        for (says, function) in [
            (notes.keeps_end, "adrt_checkpoint_keep_end"),
            (notes.rounds_freely, "adrt_checkpoint_rounds_freely"),
        ] {
            if says {
                b.call(
                    self.module.declare(function, Type::function(context.void(), &[], false)),
                    &[],
                );
            }
        }
        let functions = b.member(frame.ty, at, FUNCTIONS);
        let (name, numbers): (_, &[Value]) = match self.parts.kind(body) {
            Kind::Independent => ("adrt_independent_forward", &[]),
            Kind::FixedPoint => ("adrt_fixed_point_forward", &[steps]),
            Kind::Snapshots => ("adrt_checkpoint_forward", &[steps, slots]),
        };
        let given = [numbers, &[functions, at, left]].concat();
        let types: Vec<Type> = given.iter().map(|v| v.ty()).collect();
        let run = self.module.declare(name, Type::function(ptr, &types, false));
        let handle = b.call(run, &given);
        b.store(handle, b.member(frame.ty, at, HANDLE));
        if !call.ty().is_void() {
            let last = b.sub(b.load(i64, left), i64.int(1));
            call.replace_uses(if call.ty() == i64 {
                last
            } else {
                b.cast(Opcode::LLVMTrunc, last, call.ty())
            });
        }
        call.erase();
        for ret in f
            .blocks()
            .iter()
            .filter_map(|b| b.terminator())
            .filter(|t| t.opcode() == Opcode::LLVMRet)
        {
            b.position_before(ret);
            if ret.operand_count() == 0 {
                b.ret(at);
            } else {
                let result = ret.operand(0);
                let all =
                    b.insert_value(context.structure(&[result.ty(), ptr]).poison(), result, 0);
                b.ret(b.insert_value(all, at, 1));
            }
            ret.erase();
        }
        tape::inline_allocations(self.module, f);
    }

    /// The reverse sweep of the loop.
    fn undo(&self, pair: &Pair, frame: &Frame) {
        let context = self.module.context();
        let f = pair.reverse;
        let b = Builder::at_end(context, f.append_block("entry"));
        let at = f.params()[0];
        let sums = frame.sums(self, &b, at);
        // An argument that goes to the step twice has one sum; the other begins at zero.
        let params: Vec<ValueId> = self
            .activity
            .params
            .iter()
            .zip(&self.unit.body.params)
            .filter(|(p, _)| **p == Param::Active)
            .map(|(_, &v)| v)
            .collect();
        let mut begun = vec![];
        for ((o, ty), sums) in self.active().zip(sums.chunks(self.width)) {
            let before = params.iter().position(|p| *p == o).filter(|_| !begun.contains(&o));
            begun.push(o);
            for (direction, &sum) in sums.iter().enumerate() {
                let given = |i: usize| f.params()[1 + i * self.width + direction];
                b.store(before.map_or(ty.zero(), given), sum);
            }
        }
        let name = match self.parts.kind(&self.unit.body) {
            Kind::Independent => "adrt_independent_reverse",
            Kind::FixedPoint => "adrt_fixed_point_reverse",
            Kind::Snapshots => "adrt_checkpoint_reverse",
        };
        let undo =
            self.module.declare(name, Type::function(context.void(), &[context.ptr()], false));
        b.call(undo, &[b.load(context.ptr(), b.member(frame.ty, at, HANDLE))]);
        let returned = f.ty().function_result();
        if returned.is_void() {
            b.ret_void();
            return;
        }
        let mut all = returned.poison();
        for (i, &param) in params.iter().enumerate() {
            for direction in 0..self.width {
                let at = i * self.width + direction;
                let mut total = None;
                let own = self.active().zip(sums.chunks(self.width));
                for ((_, ty), sums) in own.filter(|((o, _), _)| *o == param) {
                    let d = b.load(ty, sums[direction]);
                    total = Some(total.map_or(d, |all| crate::codegen::composite::add(&b, all, d)));
                }
                all = b.insert_value(all, total.unwrap_or(f.params()[1 + at]), at as u32);
            }
        }
        b.ret(all);
    }
}
