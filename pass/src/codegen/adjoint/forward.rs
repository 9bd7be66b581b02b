//! The augmented forward sweep: the primal, shadows of pointers, and records.

mod arrays;
mod logged;
mod records;

pub(super) use records::slot_address;

use super::{
    Advance, FrameStorage, checkpoint, copies,
    needs::Node,
    plan::{Plan, pred_bytes},
    sources::Sources,
    tape,
    untyped::Untyped,
};
use crate::{
    codegen::Queries,
    codegen::{
        blocks,
        check::copied::{Moved, moved},
        digits::Digits,
        handles, kept,
        prebuilt::constants,
        refusal,
        sweep::{self, Filled, Sweep, Zeros},
        text,
    },
    diagnostics::Diagnostic,
    image::unit::Unit,
    llvm::{Function, Module, Opcode, Value},
};
use adanalysis::{activity::Param, calls::Caller};
use adir::{BlockId, Body, Callee, LoopId, Op, Ty, ValueId, hashed::HashMap};

/// Fills a function, the forward sweep of `unit`; whether it uses the runtime.
pub(super) fn emit(
    queries: &mut dyn Queries,
    caller: &Caller,
    unit: &Unit,
    sources: Option<&Sources>,
    plan: &Plan,
    filled: Filled,
    place: FrameStorage,
) -> Result<bool, Vec<Diagnostic>> {
    let activity = caller.activity;
    let function = filled.function;
    let (all, width) = (function.params(), plan.width);
    let extra = &all[unit.body.params.len()..];
    let shadows =
        sweep::shadow_params(extra, width, activity.params.iter().map(|p| *p == Param::Shadowed));
    let module = queries.module();
    let sweep = Sweep::new(module, unit, caller, filled, &shadows, width, Zeros::Sink);
    let frame = extra.get(shadows.iter().map(Vec::len).sum::<usize>()).copied();
    let mut forward = Forward {
        sweep,
        queries,
        caller,
        unit,
        sources,
        plan,
        function,
        place,
        frame,
        has_frame: None,
        blocks: HashMap::default(),
        chains: HashMap::default(),
        shared: HashMap::default(),
        entries: HashMap::default(),
        tapes: HashMap::default(),
        uses_runtime: false,
    };
    forward.run()?;
    Ok(forward.uses_runtime)
}

pub(super) struct Forward<'a, 's> {
    pub sweep: Sweep<'a>,
    pub queries: &'s mut dyn Queries,
    pub caller: &'a Caller<'a>,
    pub unit: &'a Unit,
    pub sources: Option<&'a Sources<'a>>,
    pub plan: &'a Plan,
    function: Function,
    place: FrameStorage,
    frame: Option<Value>,
    /// Where some calls have none: the stack variable that says whether this one has.
    has_frame: Option<Value>,
    /// Per loop that records: its present block, and for counted loops the number of iterations.
    blocks: HashMap<LoopId, (Value, Option<Value>)>,
    /// Per loop that records: the stack variable that holds the end of its chain.
    chains: HashMap<LoopId, Value>,
    /// Per byte that several records share, by level and offset: the stack variable in which it is
    /// put together.
    shared: HashMap<(Option<LoopId>, u64), Value>,
    /// Entries of regions that are known before there is memory for them.
    entries: HashMap<Node, Value>,
    /// What called forward sweeps returned.
    pub tapes: HashMap<ValueId, Value>,
    uses_runtime: bool,
}

impl Forward<'_, '_> {
    fn run(&mut self) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        self.each(|this| {
            this.sweep
                .start_phis(|activity, body, v| body[v].ty == Ty::Ptr && activity.has_shadow(v))
        });
        self.enter();
        let digits = Digits::new(&mut self.sweep);
        for &b in &body.order {
            self.sweep.visit_block(b);
            self.open_block(b);
            for &v in &body[b].insts {
                self.sweep.visit(v);
                constants::check(&self.sweep, self.caller, v);
                digits.emit(&mut self.sweep, v);
                self.log(v)?;
                let is_variable = match body[v].op {
                    Op::Alloca(is_static) => match self.place {
                        FrameStorage::Caller => !is_static,
                        FrameStorage::Arena | FrameStorage::Call => true,
                        FrameStorage::None | FrameStorage::Logged => false,
                    },
                    _ => false,
                };
                if is_variable {
                    self.arena_variable(v);
                } else {
                    self.each(|this| this.shadow(v));
                    self.inst(v)?;
                }
                for node in [Node::Primal(v), Node::Shadow(v), Node::Tape(v)] {
                    self.record(node, v);
                }
                self.record_rows(v);
            }
        }
        self.each(|this| this.sweep.finish_phis());
        self.sweep.name_shadows();
        for v in body.insts().filter(|&v| !self.caller.live.is_present(v)) {
            self.sweep.erase(v);
        }
        self.drop_unused_calls();
        digits.finish();
        tape::inline_allocations(self.sweep.module, self.function);
        Ok(())
    }

    /// Does something for one direction after the other.
    fn each(&mut self, mut act: impl FnMut(&mut Self)) {
        for direction in 0..self.sweep.width() {
            self.sweep.direction = direction;
            act(self);
        }
        self.sweep.direction = 0;
    }

    /// Functions of libraries that no code needs would stay, as they may set `errno`, and with them
    /// what their arguments are loaded from: memory that was not written, at addresses that come
    /// from there perhaps.
    fn drop_unused_calls(&mut self) {
        if reads_errno(self.sweep.module) {
            return;
        }
        let body = &self.unit.body;
        let is_unused = |v: &ValueId| is_value_call(body, *v) && !self.caller.live.is_live(*v);
        for v in body.insts().filter(is_unused) {
            let call = self.sweep.value(v);
            if call.is_call() {
                call.replace_uses(call.ty().zero());
                call.erase();
            }
        }
    }

    /// The frame, the ends of the chains, and records of parameters.
    fn enter(&mut self) {
        let first = self.sweep.block(BlockId(0)).instructions()[0];
        self.sweep.builder.position_before(first);
        let context = self.sweep.module.context();
        for &(l, _) in &self.plan.chained {
            let chain = self.sweep.builder.alloca(context.ptr(), "chain");
            self.sweep.builder.store(context.ptr().zero(), chain);
            self.chains.insert(l, chain);
        }
        let levels = self.plan.loops.keys().map(Some);
        for level in std::iter::once(None).chain(levels) {
            for &offset in &self.plan.level(level).shared {
                let byte = self.sweep.builder.alloca(context.int(8), "shared");
                self.shared.insert((level, offset), byte);
            }
        }
        self.clear_shared(None);
        if self.place.returns_frame(self.plan.frame_bytes) {
            let word = self.sweep.builder.alloca(context.ptr(), "frame");
            self.sweep.builder.store(context.ptr().zero(), word);
            self.frame = Some(word);
        } else if self.plan.has_late_frame(self.place) {
            let frame =
                self.sweep.builder.alloca(context.int(8).array(self.plan.frame_bytes), "frame");
            frame.set_alignment(16);
            self.frame = Some(frame);
            if self.plan.frame_site(&self.unit.body, self.place).is_some() {
                let has_frame = self.sweep.builder.alloca(context.int(1), "has.frame");
                self.sweep.builder.store(context.int(1).zero(), has_frame);
                self.has_frame = Some(has_frame);
            }
        } else if self.place.is_apart() {
            let bytes = context.int(64).int(self.plan.frame_bytes.max(16));
            self.frame = Some(self.allocate(bytes));
        }
        for &p in &self.unit.body.params {
            if let Some(slot) = self.plan.slot(Node::Primal(p)) {
                self.store(slot, self.sweep.value(p));
            }
            if let Some(slot) = self.plan.slot(Node::Shadow(p)) {
                self.store_shadows(slot, p);
            }
        }
    }

    fn allocate(&mut self, bytes: Value) -> Value {
        self.uses_runtime = true;
        tape::allocate(self.sweep.module, &self.sweep.builder, bytes)
    }

    /// Memory for what the block's loop records, and the block's predecessor; that there is a
    /// frame.
    fn open_block(&mut self, b: BlockId) {
        let body = &self.unit.body;
        if let (Some(has_frame), true) =
            (self.has_frame, self.plan.frame_site(body, self.place) == Some(b))
        {
            self.sweep.position_after_phis(b);
            self.sweep.builder.store(self.sweep.module.context().int(1).int(1), has_frame);
        }
        if let Some(l) =
            body.loop_headed_by(b).filter(|&l| self.plan.records(l) && self.plan.site(l).is_none())
        {
            self.sweep.position_after_phis(b);
            self.clear_shared(Some(l));
        }
        if let Some(l) = self.plan.taken_in(body, b).filter(|&l| !self.takes_late(l)) {
            self.sweep.position_after_phis(b);
            self.open_site(l);
        }
        if let Some(slot) = self.plan.slot(Node::Pred(b)) {
            let ty = self.sweep.module.context().int(pred_bytes(body[b].preds.len()) as u32 * 8);
            self.sweep.builder.position_at_start(self.sweep.block(b));
            let phi = self.sweep.builder.phi(ty, "pred");
            for (i, &p) in body[b].preds.iter().enumerate() {
                for _ in body[p].succs.iter().filter(|&&s| s == b) {
                    phi.add_incoming(ty.int(i as u64), self.sweep.block(p));
                }
            }
            self.sweep.position_after_phis(b);
            self.store(slot, phi);
        }
    }

    /// Shadows of pointers in the present direction: what `v` computes, stores, copies or frees.
    fn shadow(&mut self, v: ValueId) {
        let body = &self.unit.body;
        let operands = &body[v].operands;
        if self.sweep.shadow_pointer(v) && !matches!(body[v].op, Op::Call(_)) {
            return;
        }
        match &body[v].op {
            // The shadow of a stored pointer goes to the shadow memory now; adjoints of reals wait
            // for the reverse sweep.
            Op::Store
                if body[operands[0]].ty == Ty::Ptr
                    && self.sweep.activity.has_shadow(operands[1]) =>
            {
                self.sweep.position_after(v);
                let shadow = self.sweep.shadow_instruction(self.sweep.value(v));
                shadow.set_operand(0, self.sweep.pointer_shadow(operands[0]));
                shadow.set_operand(1, self.sweep.pointer_shadow(operands[1]));
            }
            Op::Call(Callee::MemCpy | Callee::MemMove) if self.unit.copies_text(v) => {}
            Op::Call(Callee::MemCpy | Callee::MemMove)
                if self.sweep.activity.has_shadow(operands[0]) =>
            {
                self.copy(v)
            }
            Op::Call(Callee::MemSet) if self.sweep.activity.has_shadow(operands[0]) => self.set(v),
            Op::Call(Callee::KeptBytes) => self.sweep.kept_bytes(v),
            _ => {}
        }
    }

    /// What takes the place of `v`, or is done beside it, for all directions.
    fn inst(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        match &body[v].op {
            Op::Call(Callee::Defined)
                if self.sweep.activity.is_active_call(v) || self.place == FrameStorage::Logged =>
            {
                self.call(v)?
            }
            Op::Call(Callee::Defined) => {
                handles::check_in_callee(&mut self.sweep, self.queries, self.caller, v)
            }
            // Where nothing is undone, the function itself will do.
            Op::Call(Callee::Custom) if !self.place.records() => {}
            Op::Call(Callee::Custom) if self.sweep.activity.is_active_call(v) => {
                self.custom_call(v)?
            }
            Op::Call(Callee::Unknown) if kept::ends_sweep(body, self.sweep.activity, v) => {
                kept::refuse(&mut self.sweep, v)
            }
            Op::Call(Callee::Unwound) if kept::takes_half_a_call(body, self.sweep.activity, v) => {
                kept::refuse_half(&mut self.sweep, v, kept::NOT_UNDONE)
            }
            Op::Call(Callee::Unwound | Callee::Passive)
                if kept::takes_reals(body, self.sweep.activity, v) =>
            {
                kept::refuse_half(&mut self.sweep, v, kept::NO_SHADOW)
            }
            Op::Call(Callee::Free) => self.free(v),
            Op::Call(Callee::Passive) => self.follow_text(v),
            Op::Br | Op::CondBr | Op::Switch => {
                let block = body.block_of(v);
                self.enter_loops(block);
                self.copy_sections(block);
                if let Some(l) = self.plan.taken_in(body, block).filter(|&l| self.takes_late(l)) {
                    self.sweep.position_at_terminator(block);
                    self.open_site(l);
                }
            }
            Op::Ret => self.ret(v),
            _ => {}
        }
        Ok(())
    }

    /// Shadows of copied pointers are copied now; adjoints of copied reals wait for the reverse
    /// sweep.
    fn copy(&mut self, v: ValueId) {
        let operands = &self.unit.body[v].operands;
        let moved = moved(self.unit, v).expect("checked");
        if !moved.may_hold_pointers() {
            return;
        }
        self.sweep.position_after(v);
        let to = self.sweep.pointer_shadow(operands[0]);
        let from = self
            .sweep
            .activity
            .has_shadow(operands[1])
            .then(|| self.sweep.pointer_shadow(operands[1]));
        let (module, b) = (self.sweep.module, &self.sweep.builder);
        let bytes = self.sweep.value(operands[2]);
        let i64 = module.context().int(64);
        let bytes = if bytes.ty() == i64 { bytes } else { b.cast(Opcode::LLVMZExt, bytes, i64) };
        match (moved, from) {
            (Moved::Fields((fields, period)), from) => {
                let end = copies::End::of(&self.unit.body, v, period);
                let helper = copies::pointer_helper(module, &fields, period, from.is_some(), end);
                let mut args = vec![to, bytes];
                args.extend(from);
                b.call(helper, &args);
            }
            (moved, from) => {
                let (site, source) = (self.unit.body.llvm(v), self.unit.canon.source);
                let copy = Untyped {
                    to,
                    from,
                    bytes,
                    reals: moved.reals(),
                    is_shared: false,
                    site,
                    source,
                };
                copy.forward(module, b, self.sweep.value(operands[0]));
            }
        }
    }

    /// Pointers that `memset` overwrites have no shadow any more; adjoints wait for the reverse
    /// sweep. What nobody reads afterwards, the primal may leave as it is: shadows stay as well.
    fn set(&mut self, v: ValueId) {
        let Some(set) = moved(self.unit, v) else { return };
        if !set.may_hold_pointers() || !self.caller.live.is_present(v) {
            return;
        }
        let operands = &self.unit.body[v].operands;
        self.sweep.position_after(v);
        let to = self.sweep.pointer_shadow(operands[0]);
        let (module, b) = (self.sweep.module, &self.sweep.builder);
        let bytes = self.sweep.value(operands[2]);
        let i64 = module.context().int(64);
        let bytes = if bytes.ty() == i64 { bytes } else { b.cast(Opcode::LLVMZExt, bytes, i64) };
        match set {
            Moved::Fields((fields, period)) => {
                let end = copies::End::of(&self.unit.body, v, period);
                let helper = copies::pointer_helper(module, &fields, period, false, end);
                b.call(helper, &[to, bytes]);
            }
            Moved::Untyped(reals) => {
                let (site, source) = (self.unit.body.llvm(v), self.unit.canon.source);
                let set = Untyped { to, from: None, bytes, reals, is_shared: false, site, source };
                set.forward(module, b, self.sweep.value(operands[0]));
            }
        }
    }

    /// A stack variable of a function whose sweeps are called apart, or one of variable size, lives
    /// in the arena, and so does its shadow.
    fn arena_variable(&mut self, v: ValueId) {
        self.sweep.position_after(v);
        let copy = self.sweep.value(v);
        let bytes = self.sweep.allocated_bytes(copy);
        let primal = self.allocate(bytes);
        if self.sweep.activity.has_shadow(v) {
            self.each(|this| {
                let shadow = this.allocate(bytes);
                let zero = this.sweep.module.context().int(8).zero();
                this.sweep.builder.memset(shadow, zero, bytes);
                this.sweep.describe_variable(v, primal, shadow, bytes);
                this.sweep.set_shadow(v, shadow);
            });
        }
        self.sweep.replace(v, primal);
    }

    /// Both sweeps still need the memory: it is freed when the gradient is done.
    fn free(&mut self, v: ValueId) {
        let pointer = self.unit.body.operand(v, 0);
        blocks::free(&mut self.sweep, v);
        self.sweep.position_after(v);
        let copy = self.sweep.value(v);
        if self.place == FrameStorage::Logged {
            return self.free_with_log(v);
        }
        if !self.place.records() {
            if self.sweep.activity.has_shadow(pointer) {
                for at in self.sweep.shadows(pointer) {
                    let shadow = copy.clone_instruction();
                    shadow.set_operand(0, at);
                    self.sweep.builder.insert(shadow);
                }
            }
            return;
        }
        self.uses_runtime = true;
        let mut args: Vec<Value> = (0..copy.argument_count()).map(|i| copy.operand(i)).collect();
        tape::defer_free(self.sweep.module, &self.sweep.builder, copy.called(), &args);
        if self.sweep.activity.has_shadow(pointer) {
            for shadow in self.sweep.shadows(pointer) {
                args[0] = shadow;
                tape::defer_free(self.sweep.module, &self.sweep.builder, copy.called(), &args);
            }
        }
        self.sweep.erase(v);
    }

    /// A function on text gives strings other characters; what their shadows had is given back with
    /// the tape, if there is one.
    fn follow_text(&mut self, v: ValueId) {
        let records = self.place.records();
        let uses_runtime = &mut self.uses_runtime;
        text::follow(&mut self.sweep, v, |sweep, delete, old| {
            *uses_runtime |= records;
            match records {
                true => tape::defer_free(sweep.module, &sweep.builder, delete.value(), &[old]),
                false => drop(sweep.builder.call(delete, &[old])),
            }
        });
    }

    /// An active call runs the callee's forward sweep.
    fn call(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        let params = self.sweep.activity.call_params(body, v);
        let source = self.sweep.value(v).callee();
        let context = self.caller.context_of(v);
        let records = self.place.records();
        self.uses_runtime |= records;
        let made = match records {
            true => {
                let pair = self.queries.adjoint(
                    source,
                    &params,
                    context,
                    self.sweep.width(),
                    FrameStorage::Call,
                );
                pair.map(|pair| pair.forward)
            }
            false => {
                let form = match self.place {
                    FrameStorage::Logged => Advance::Logged,
                    _ => Advance::Plain(self.sweep.width()),
                };
                self.queries.advance(source, &params, context, form)
            }
        };
        let forward = match made {
            Err(found) if refusal::is_possible(self.sweep.value(v)) => {
                self.sweep.refuse(v, source, &found);
                self.tapes.insert(v, self.sweep.module.context().ptr().zero());
                return Ok(());
            }
            // Nothing is undone on a path that does not return.
            Err(_) if !body[body.block_of(v)].returns => {
                if body.holds_pointer(v) {
                    let nothing = self.sweep.value(v).ty().zero();
                    self.each(|this| this.sweep.set_shadow(v, nothing));
                }
                return Ok(());
            }
            made => made?,
        };
        if records && checkpoint::is_loop(source) {
            checkpoint::name_state(self, v)?;
        }
        self.sweep.position_for_arguments(v);
        let operands = &body[v].operands;
        let mut args: Vec<Value> = operands.iter().map(|&o| self.sweep.value(o)).collect();
        let shadowed = operands.iter().zip(&params).filter(|(_, p)| **p == Param::Shadowed);
        args.extend(shadowed.flat_map(|(&o, _)| self.sweep.shadows(o)));
        args.extend((self.place == FrameStorage::Logged).then(|| self.log_value()));
        let call = self.sweep.call_instead(v, forward, &args);
        self.take_result(v, call);
        Ok(())
    }

    /// Takes apart what a called sweep returned: result, tape, shadows of the result.
    fn take_result(&mut self, v: ValueId, call: Value) {
        let ty = self.unit.body[v].ty;
        let records = self.place.records();
        let is_bare = if records { ty == Ty::Void } else { ty != Ty::Ptr };
        if records {
            let tape = if is_bare { call } else { self.sweep.builder.extract(call, 1) };
            self.tapes.insert(v, tape);
        }
        if ty == Ty::Ptr {
            let first = 1 + u32::from(records);
            let members = (first..).take(self.sweep.width());
            let shadows: Vec<Value> =
                members.map(|i| self.sweep.builder.extract(call, i)).collect();
            self.sweep.set_shadows(v, &shadows);
        }
        let result = if is_bare { call } else { self.sweep.builder.extract(call, 0) };
        self.sweep.replace(v, result);
    }

    /// Leaves the ends of the chains in the frame, and returns.
    fn ret(&mut self, v: ValueId) {
        let copy = self.sweep.value(v);
        self.sweep.builder.position_before(copy);
        self.sweep.forget_variables();
        let result = self.unit.body[v].operands.first().copied();
        let shadows = match result.filter(|&r| self.unit.body[r].ty == Ty::Ptr) {
            Some(pointer) => self.sweep.shadows(pointer),
            None => vec![],
        };
        let b = &self.sweep.builder;
        let i64 = b.context().int(64);
        let put_together = |members: Vec<Value>| {
            let types: Vec<_> = members.iter().map(|m| m.ty()).collect();
            let all = b.context().structure(&types).poison();
            b.ret(members.into_iter().zip(0..).fold(all, |all, (m, i)| b.insert_value(all, m, i)));
        };
        if !self.place.records() {
            if let Some(result) = result.filter(|_| !shadows.is_empty()) {
                put_together([vec![self.sweep.value(result)], shadows].concat());
                self.sweep.erase(v);
            }
            return;
        }
        let frame = self.frame.expect("set at entry");
        for (l, offset) in &self.plan.chained {
            let end = b.load(b.context().ptr(), self.chains[l]);
            b.store(end, b.byte_offset(frame, i64.int(*offset)));
        }
        if self.place == FrameStorage::Caller {
            return;
        }
        let frame = if self.place.returns_frame(self.plan.frame_bytes) {
            b.load(b.context().ptr(), frame)
        } else if self.plan.has_late_frame(self.place) {
            let bit = b.context().int(1);
            let has_frame = self.has_frame.map_or(bit.int(1), |at| b.load(bit, at));
            tape::keep(self.sweep.module, b, frame, self.plan.frame_bytes, has_frame)
        } else {
            frame
        };
        match result {
            Some(result) => {
                let result = self.sweep.value(result);
                let result =
                    if self.caller.context.result_live { result } else { result.ty().poison() };
                put_together([vec![result, frame], shadows].concat());
            }
            None => b.ret(frame),
        }
        self.sweep.erase(v);
    }
}

/// Whether something in the module may look at `errno`.
pub(super) fn reads_errno(module: Module) -> bool {
    module.function("__errno_location").is_some()
}

/// Whether a call has a rule, and no result but its value.
pub(super) fn is_value_call(body: &Body, v: ValueId) -> bool {
    let is_value = |&o: &ValueId| body[o].ty != Ty::Ptr;
    matches!(body[v].op, Op::Call(Callee::Rule(..)))
        && body[v].ty.holds_float()
        && body[v].operands.iter().all(is_value)
}
