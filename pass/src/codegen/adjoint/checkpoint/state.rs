//! The state of a checkpointed loop: which memory its snapshots hold, and how large that is.
//!
//! With R what a step may read of what was there before it, and W what it may write, both in the
//! names of the function that contains the loop, and the same memory under another name included:
//!   carried = R ∩ W: in every snapshot           scratch = W \ R: put back in the end, for the code before and behind the loop
//!   read-only = R \ W, where code behind the loop may overwrite it: saved once
//! Sizes are known of variables and allocations; of other memory where all accesses are at places
//! that are known when this is compiled, or follow from what the loop is given (`spans`), or where
//! the user says it (`ad_checkpoint_state`). Else the loop is refused: memory that is missed would
//! be a wrong number. Shadows are no state, but for pointers in them.

use super::{
    Kind, Parts, fixed_point,
    spans::{self, Spans},
};
use crate::{
    annotations::checkpoint::STATE,
    codegen::adjoint::forward::Forward,
    diagnostics::{Code, Diagnostic},
    image::{Imported, names, unit::Unit},
    llvm::{Builder, IntPredicate, Intrinsic, Opcode, Type, Value},
};
use adanalysis::{
    dataflow::sets::meet,
    in_out::MemoryRange,
    locations::ANY_BYTES,
    points_to::{Object, Offset},
};
use adir::{Callee, Op, ValueId, library::memory::Size, target};
use llvm_sys::LLVMTypeKind;
use std::{collections::BTreeMap, ops::Range, rc::Rc};

/// What the runtime does with a piece of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StateKind {
    Carried = 1,
    ReadOnly = 2,
    Scratch = 3,
}

/// Added to a kind: the user declared the size.
const DECLARED: u64 = 16;

/// What steps do with one object.
#[derive(Clone, Default, Debug)]
pub(super) struct Use {
    is_read: bool,
    is_written: bool,
    /// Not only under another name.
    pub is_written_itself: bool,
    /// Bytes that are accessed, as far as they are known.
    bytes: Option<Range<i64>>,
    /// Others are as well.
    elsewhere: bool,
    /// Where steps store pointers.
    pointers: Vec<Offset>,
    /// Where they load or store some.
    pub places: Vec<Offset>,
}

impl Use {
    fn touch(&mut self, offset: Offset, bytes: u64) {
        if !offset.is_exact() || bytes >= ANY_BYTES {
            self.elsewhere = true;
            return;
        }
        let (from, to) = (offset.constant, offset.constant.saturating_add_unsigned(bytes));
        self.bytes =
            Some(self.bytes.clone().map_or(from..to, |b| b.start.min(from)..b.end.max(to)));
    }
}

/// How large a piece is.
pub(super) enum Extent {
    /// These bytes of the object.
    Bytes(Range<i64>),
    /// From its start on, so many: an i64.
    Size(Value),
    /// The same, as the user says.
    Declared(Value),
    /// From the first of these bytes up to the second, as i64.
    Span(Value, Value),
}

impl Extent {
    /// Where it begins in the object, and where it ends, as i64.
    pub fn bounds(&self, forward: &Forward) -> (Value, Value) {
        let i64 = forward.sweep.module.context().int(64);
        match self {
            Extent::Bytes(range) => (i64.int(range.start as u64), i64.int(range.end as u64)),
            Extent::Size(size) | Extent::Declared(size) => (i64.zero(), *size),
            Extent::Span(low, high) => (*low, *high),
        }
    }
}

/// Emits, before the call `v` of a checkpointed loop, what its state is.
pub fn name_state(forward: &mut Forward, v: ValueId) -> Result<(), Vec<Diagnostic>> {
    let source = forward.sweep.value(v).callee();
    let inner = forward.queries.unit(source).map_err(|d| vec![d])?;
    let parts = Parts::of(&inner.body);
    let step = forward.queries.unit(parts.source).map_err(|d| vec![d])?;
    let unit = forward.unit;
    let mut state = State { unit, call: v, inner: &inner, parts: &parts, uses: BTreeMap::new() };
    state.look(&step);
    state.spread(forward);
    forward.sweep.position_for_arguments(v);
    let declared = state.declared();
    let spans = Spans::new(&state, forward, &step);
    let mut found = state.read_only(forward, &step);
    let iterates = parts.kind(&inner.body) == Kind::FixedPoint;
    for (&object, used) in &state.uses {
        let Some(kind) = state.kind(forward, object, used) else { continue };
        match state.place(forward, object, used, &declared, &spans) {
            Ok((at, extent)) => {
                if matches!(unit.body[at].op, Op::Phi(_) | Op::Select) {
                    state.require_memory(forward, object, at, &extent);
                }
                emit(forward, forward.sweep.value(at), &extent, kind);
                if let Err(d) = state.emit_pointers(forward, object, used, at, kind) {
                    found.push(d);
                }
                if iterates && used.is_written_itself && kind != StateKind::ReadOnly {
                    let piece = fixed_point::Piece { object, used, at, extent: &extent };
                    if let Err(d) = fixed_point::emit(&state, forward, &piece) {
                        found.push(d);
                    }
                }
            }
            Err(d) => found.push(d),
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    forward.queries.note_refused(parts.source, &found);
    Err(found)
}

pub(super) struct State<'a> {
    /// The function that contains the loop.
    pub unit: &'a Unit,
    /// The call of the loop there.
    pub call: ValueId,
    /// The function of the loop.
    pub inner: &'a Rc<Unit>,
    pub parts: &'a Parts,
    uses: BTreeMap<usize, Use>,
}

impl State<'_> {
    /// What steps access, in the names of the function around the loop.
    fn look(&mut self, step: &Unit) {
        // Where a step does not return, no step follows.
        let in_out = step.summary.in_out.if_it_returns();
        let whole = |p: &MemoryRange| if p.is_whole() { ANY_BYTES } else { p.bytes };
        for (places, writes) in [(&in_out.reads, false), (&in_out.writes, true)] {
            for p in places {
                for (object, offset) in self.outer(p.object, p.offset) {
                    let used = self.uses.entry(object).or_default();
                    used.touch(offset, whole(p));
                    used.is_written |= writes;
                    used.is_written_itself |= writes;
                    used.is_read |= !writes;
                }
            }
        }
        for (object, offset) in step.memory.stored_pointers() {
            for (object, offset) in self.outer(object, offset) {
                self.uses.entry(object).or_default().pointers.push(offset);
            }
        }
        for (object, offset) in step.memory.pointer_places() {
            for (object, offset) in self.outer(object, offset) {
                if let Some(used) = self.uses.get_mut(&object) {
                    used.places.push(offset);
                }
            }
        }
        // No code writes constants, and what steps allocate is gone when they end.
        let is_constant = |o: usize| match self.unit.memory.objects[o] {
            Object::Global(g) => matches!(self.unit.body[g].op, Op::Global(true)),
            Object::Returned(call) => call == self.call,
            _ => false,
        };
        self.uses.retain(|&o, _| !is_constant(o));
    }

    /// What a place in an object of a step is around the loop.
    pub fn outer(&self, object: usize, offset: Offset) -> Vec<(usize, Offset)> {
        let (inner, outer) =
            (self.inner.memory.binding(self.parts.step), self.unit.memory.binding(self.call));
        let inner = inner.and_then(|b| b.at(object, offset));
        let mut found = vec![];
        for (o, offset) in inner.iter().flat_map(|t| t.each()) {
            // Of a step's own memory nothing is left when it ends.
            if self.inner.memory.objects[o as usize] == Object::Returned(self.parts.step) {
                continue;
            }
            let targets = outer.and_then(|b| b.at(o as usize, offset));
            found.extend(
                targets.iter().flat_map(|t| t.each()).map(|(o, offset)| (o as usize, offset)),
            );
        }
        found
    }

    /// Memory that steps allocate may not outlive them: a snapshot could not bring it back. An
    /// address that lies where nobody looks any more does not count.
    fn read_only(&self, forward: &Forward, step: &Unit) -> Vec<Diagnostic> {
        let mut found = vec![];
        for (object, offset) in step.memory.kept_allocations() {
            let is_forgotten = |o: usize| {
                !self.uses.get(&o).is_some_and(|u| u.is_read)
                    && self.ends_with_loop(step, object, o)
            };
            if let Some((o, _)) =
                self.outer(object, offset).into_iter().find(|&(o, _)| !is_forgotten(o))
            {
                let text = format!(
                    "a checkpointed step or joint call allocates memory that outlives it, in {}: a \
                    snapshot cannot restore this memory",
                    self.name(forward, o)
                );
                let remedy =
                    "allocate it before the loop, or differentiate the loop without checkpoints";
                found.push(Diagnostic::new(
                    Code::Checkpoint,
                    Some(self.unit.body.llvm(self.call)),
                    text,
                    remedy,
                ));
            }
        }
        found
    }

    /// Whether an object is a variable that nothing but the loop uses.
    fn ends_with_loop(&self, step: &Unit, inner: usize, object: usize) -> bool {
        let body = &self.unit.body;
        match self.unit.memory.objects[object] {
            Object::Local(v) if matches!(body[v].op, Op::Alloca(_)) => {
                !step.memory.hands_out(inner)
                    && body.users[v].iter().all(|&u| u == self.call || is_mark(body, u))
            }
            _ => false,
        }
    }

    /// Memory that is written under another name.
    fn spread(&mut self, forward: &Forward) {
        let memory = &self.unit.memory;
        let written: Vec<usize> =
            self.uses.iter().filter(|(_, u)| u.is_written).map(|(&o, _)| o).collect();
        for (&o, used) in &mut self.uses {
            let alias = |w: usize| {
                w != o
                    && memory.may_alias(o, w)
                    && !forward.caller.context.are_disjoint(memory, o, w)
            };
            used.is_written |= written.iter().any(|&w| alias(w));
        }
    }

    /// What happens to an object; `None` where nothing must.
    fn kind(&self, forward: &Forward, object: usize, used: &Use) -> Option<StateKind> {
        match (used.is_read, used.is_written) {
            (true, true) => Some(StateKind::Carried),
            (false, true) => Some(StateKind::Scratch),
            (false, false) => None,
            (true, false) => self.changes_later(forward, object).then_some(StateKind::ReadOnly),
        }
    }

    /// Whether code behind the loop may overwrite an object.
    fn changes_later(&self, forward: &Forward, object: usize) -> bool {
        let memory = forward.caller.known.locations.of_objects(|o| o == object);
        let overwritten = forward.caller.tbr.and_then(|t| t.after_call(self.call));
        overwritten.is_none_or(|over| meet(over, &memory))
    }

    /// What the user says of sizes: a pointer of the function around the loop, and how many bytes
    /// lie behind it, as a value of the loop's function.
    fn declared(&self) -> Vec<(ValueId, ValueId)> {
        let body = &self.inner.body;
        let says = |v: &ValueId| body[*v].symbol.as_deref() == Some(STATE);
        let argument = |v: ValueId| match body[v].op {
            Op::Param(i) => Some(self.unit.body.operand(self.call, i as usize)),
            _ => None,
        };
        body.insts()
            .filter(says)
            .filter_map(|v| Some((argument(body.operand(v, 0))?, body.operand(v, 1))))
            .collect()
    }

    /// A pointer to the start of an object, and how large it is.
    fn place(
        &self,
        forward: &mut Forward,
        object: usize,
        used: &Use,
        declared: &[(ValueId, ValueId)],
        spans: &Spans,
    ) -> Result<(ValueId, Extent), Diagnostic> {
        let memory = &self.unit.memory;
        let body = &self.unit.body;
        let at = match memory.objects[object] {
            Object::Global(v) => Some(v),
            Object::Local(v) if self.is_one(v, object) => Some(v),
            // Allocated on one of several ways to the loop.
            Object::Local(v) if memory.is_heap(object) && body.loop_of(v).is_none() => {
                self.pointer_to(object)
            }
            Object::Local(_) => None,
            Object::Param(i) => Some(body.params[i as usize]),
            Object::Behind(_) if !memory.is_many(object) => self.pointer_to(object),
            Object::Behind(_) | Object::Unknown | Object::Text | Object::Returned(_) => None,
        };
        if let Some(at) = at
            && let Some(size) = self.size(forward, at)
        {
            return Ok((at, Extent::Size(size)));
        }
        // The declared size counts from the start of the memory.
        let is_all = |p: ValueId| {
            let targets = memory.targets(p);
            targets.objects == [object as u32]
                && targets.offset == Offset::START
                && !memory.is_many(object)
        };
        if let Some(&(p, bytes)) = declared.iter().find(|(p, _)| is_all(*p)) {
            let size = match self.inner.body[bytes].op {
                Op::Param(i) => forward.sweep.value(body.operand(self.call, i as usize)),
                _ => self.inner.body.llvm(bytes),
            };
            return Ok((p, Extent::Declared(size)));
        }
        let Some(at) = at else { return Err(self.refusal(forward, object)) };
        match &used.bytes {
            Some(bytes) if !used.elsewhere => Ok((at, Extent::Bytes(bytes.clone()))),
            _ => match spans.emit(forward, object, &self.name(forward, object)) {
                Some((low, high)) => Ok((at, Extent::Span(low, high))),
                None => Err(self.refusal(forward, object)),
            },
        }
    }

    /// A pointer that is null on one way says nothing of memory that another way allocated.
    fn require_memory(&self, forward: &Forward, object: usize, at: ValueId, extent: &Extent) {
        let b = &forward.sweep.builder;
        let at = forward.sweep.value(at);
        let is_there = b.icmp(IntPredicate::LLVMIntNE, at, at.ty().zero());
        let holds = match extent {
            Extent::Span(low, high) => b.or(is_there, b.icmp(IntPredicate::LLVMIntEQ, *low, *high)),
            Extent::Bytes(_) | Extent::Size(_) | Extent::Declared(_) => is_there,
        };
        spans::require(forward, holds, &self.name(forward, object));
    }

    /// Whether an allocation is one block, known where the loop is called.
    fn is_one(&self, v: ValueId, object: usize) -> bool {
        let body = &self.unit.body;
        let (Some(here), Some(there)) = (body[v].block, body[self.call].block) else {
            return false;
        };
        let dominates = here != there && body.dominates(here, there)
            || here == there && body[v].place < body[self.call].place;
        let around = body[here].innermost;
        dominates
            && around.is_none_or(|l| body.contains(l, there) && !self.unit.memory.escapes(object))
    }

    /// A value at the call that points to the start of an object, and to nothing else.
    fn pointer_to(&self, object: usize) -> Option<ValueId> {
        let (body, memory) = (&self.unit.body, &self.unit.memory);
        let is_start = |v: &ValueId| {
            let targets = memory.targets(*v);
            targets.objects == [object as u32]
                && targets.offset == Offset::START
                && self.is_one(*v, object)
        };
        body.insts()
            .filter(|&v| matches!(body[v].op, Op::Load | Op::Phi(_) | Op::Select))
            .find(is_start)
    }

    /// Size of a variable or an allocation, an i64.
    fn size(&self, forward: &Forward, v: ValueId) -> Option<Value> {
        let body = &self.unit.body;
        let module = forward.sweep.module;
        let b = &forward.sweep.builder;
        let i64 = module.context().int(64);
        let llvm = body.llvm(v);
        let wide = |x: Value| if x.ty() == i64 { x } else { b.cast(Opcode::LLVMZExt, x, i64) };
        match &body[v].op {
            Op::Global(_) => {
                let ty = llvm.global_type();
                (ty.is_sized() && !is_open(ty)).then(|| i64.int(module.alloc_size(ty)))
            }
            Op::Alloca(_) => {
                let count = body[v]
                    .operands
                    .first()
                    .map_or_else(|| llvm.operand(0), |&n| forward.sweep.value(n));
                Some(b.mul(wide(count), i64.int(module.alloc_size(llvm.allocated_type()))))
            }
            Op::Call(Callee::Allocate(allocator)) => {
                let argument = |i: u32| wide(forward.sweep.value(body.operand(v, i as usize)));
                match allocator.size {
                    Size::Argument(i) => Some(argument(i)),
                    Size::Product(i, j) => Some(b.mul(argument(i), argument(j))),
                    Size::Text => None,
                }
            }
            _ => None,
        }
    }

    /// Pointers that steps store, or that steps load and code behind the loop changes, have
    /// shadows, which are state as well.
    fn emit_pointers(
        &self,
        forward: &mut Forward,
        object: usize,
        used: &Use,
        at: ValueId,
        kind: StateKind,
    ) -> Result<(), Diagnostic> {
        if !forward.sweep.activity.has_shadow(at) {
            return Ok(());
        }
        let changing =
            if self.changes_later(forward, object) { &used.places } else { &used.pointers };
        if changing.iter().any(|offset| !offset.is_exact()) && self.holds_pointers_only(at) {
            let size = self.size(forward, at).expect("a variable has a size");
            for shadow in forward.sweep.shadows(at) {
                emit(forward, shadow, &Extent::Size(size), kind);
            }
            return Ok(());
        }
        for offset in changing {
            if !offset.is_exact() {
                let text = format!(
                    "checkpointed steps change pointers in {}, at positions that are known only at \
                    run time",
                    self.name(forward, object)
                );
                let remedy = "keep pointers that change in variables or members of structures";
                return Err(Diagnostic::new(
                    Code::Checkpoint,
                    Some(self.unit.body.llvm(self.call)),
                    text,
                    remedy,
                ));
            }
            for shadow in forward.sweep.shadows(at) {
                let place = offset.constant..offset.constant + target::pointer() as i64;
                emit(forward, shadow, &Extent::Bytes(place), kind);
            }
        }
        Ok(())
    }

    /// Whether a pointer leads to a variable that is nothing but an array of pointers.
    pub fn holds_pointers_only(&self, at: ValueId) -> bool {
        let Op::Alloca(_) = self.unit.body[at].op else { return false };
        let mut ty = self.unit.body.llvm(at).allocated_type();
        while ty.kind() == LLVMTypeKind::LLVMArrayTypeKind {
            ty = ty.element();
        }
        ty.is_pointer()
    }

    pub fn name(&self, forward: &Forward, object: usize) -> String {
        names::object_name(forward.queries.config(), self.unit, object)
    }

    fn refusal(&self, forward: &Forward, object: usize) -> Diagnostic {
        let name = self.name(forward, object);
        let text = format!("a snapshot must hold {name}, whose size is not known");
        let remedy = "state the size before the loop: ad_checkpoint_state(pointer, bytes)";
        Diagnostic::new(Code::Checkpoint, Some(self.unit.body.llvm(self.call)), text, remedy)
    }
}

/// Whether a type ends with an array of which the declaration does not say how long it is.
fn is_open(ty: Type) -> bool {
    if ty.is_struct() {
        return ty.struct_members().last().is_none_or(|&last| is_open(last));
    }
    ty.kind() == LLVMTypeKind::LLVMArrayTypeKind && ty.array_length() == 0
}

/// Whether an instruction says where the life of a variable begins or ends.
fn is_mark(body: &Imported, v: ValueId) -> bool {
    body.llvm(v).intrinsic().is_some_and(Intrinsic::is_lifetime)
}

fn emit(forward: &Forward, at: Value, extent: &Extent, kind: StateKind) {
    let module = forward.sweep.module;
    let b: &Builder = &forward.sweep.builder;
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let (from, to) = extent.bounds(forward);
    let (at, bytes) = match from.as_int() {
        Some(0) => (at, to),
        _ => (b.byte_offset(at, from), b.sub(to, from)),
    };
    // The runtime checks whether the declared size is possible.
    let declared = if matches!(extent, Extent::Declared(_)) { DECLARED } else { 0 };
    let f = module
        .declare("adrt_checkpoint_region", Type::function(context.void(), &[ptr, i64, i64], false));
    b.call(f, &[at, bytes, i64.int(kind as u64 + declared)]);
}
