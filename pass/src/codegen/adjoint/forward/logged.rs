//! Forward sweeps that log what memory held before they accessed it, instead of recording anything.
//!
//! `f.logged(params…, shadows of pointers…, log)` computes what f computes, with the shadows of pointers. The runtime
//! can then give memory its contents from before the call back (runtime/src/undo.rs), now and later: an
//! adjoint that differentiated code asks for runs more than once (codegen/inner/adjoint.rs). Each access to memory that
//! was there before the call is logged, in shadow memory where it is one of a pointer; blocks that f frees are
//! freed when the log ends.
//!
//! Must hold: what may read or write such memory is logged or refused.

use super::Forward;
use crate::{
    codegen::{
        adjoint::{FrameStorage, untyped::Untyped},
        check::copied::{Moved, moved},
        inner, partial,
    },
    diagnostics::{Code, Diagnostic, names::readable},
    llvm::{Opcode, Type, Value},
};
use adanalysis::{
    points_to::Object,
    types::{Field, ScalarKind},
};
use adir::{Callee, Op, Ty, ValueId, library, target};

/// Bytes of the integers that functions with partials write behind pointers (`frexp`).
const INTEGER: u64 = 4;
/// As many pointers in a copied struct are logged one by one.
const MOST_POINTERS: usize = 64;

impl Forward<'_, '_> {
    /// Logs what `v` accesses, before it does.
    pub(super) fn log(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        // What throws or aborts does not come back.
        let returns = body[v].block.is_some_and(|b| body[b].returns);
        if self.place != FrameStorage::Logged || !returns {
            return Ok(());
        }
        let data = &body[v];
        let operand = |i: usize| data.operands[i];
        match &data.op {
            Op::Load => self.note_value(v, operand(0), v),
            Op::Store => self.note_value(v, operand(1), operand(0)),
            Op::Update(_) => self.note_value(v, operand(0), v),
            Op::Atomic => return Err(self.refuse_log(v, "has an atomic operation")),
            Op::Call(callee) => return self.log_call(v, callee),
            _ => {}
        }
        Ok(())
    }

    fn log_call(&mut self, v: ValueId, callee: &Callee) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        let data = &body[v];
        let symbol = data.symbol.as_deref().unwrap_or_default();
        let mut pointers = data.operands.iter().filter(|&&o| body[o].ty == Ty::Ptr);
        match callee {
            Callee::MemCpy | Callee::MemMove => {
                let bytes = self.sweep.value(data.operands[2]);
                self.note(v, data.operands[0], bytes);
                self.note(v, data.operands[1], bytes);
                return self.note_copied_pointers(v);
            }
            Callee::MemSet => {
                self.note(v, data.operands[0], self.sweep.value(data.operands[2]));
                return self.note_copied_pointers(v);
            }
            Callee::Rule(rule, _) => {
                let module = self.sweep.module;
                let real = module.store_size(partial::pointee_type(module.context(), &data.op));
                for (i, &o) in data.operands.iter().enumerate() {
                    if body[o].ty == Ty::Ptr {
                        let is_real = rule.float_pointees.contains(&i);
                        self.note_bytes(v, o, if is_real { real } else { INTEGER });
                    }
                }
            }
            // Those that follow are logged in the callee.
            Callee::Defined => {}
            Callee::Free | Callee::Allocate(_) | Callee::KeptBytes | Callee::Unwound => {}
            Callee::Inactive | Callee::Passive if symbol.is_empty() => {}
            Callee::Passive if library::is_output(symbol) => {}
            // What it reads says something only of its result; what it writes is text.
            Callee::Inactive | Callee::PureInt => {
                let is_used = data.ty != Ty::Void && !body.users[v].is_empty();
                if is_used && pointers.any(|&p| !self.is_own(p)) {
                    let what = format!("asks '{}' of memory", readable(symbol));
                    return Err(self.refuse_log(v, &what));
                }
            }
            Callee::Custom | Callee::Passive if pointers.next().is_none() => {}
            Callee::Custom if self.join_log(v) => {}
            Callee::Custom | Callee::Passive | Callee::Unknown => {
                let what = format!("gives memory to '{}'", readable(symbol));
                return Err(self.refuse_log(v, &what));
            }
            Callee::Indirect | Callee::Assembly => {
                return Err(self.refuse_log(v, "calls through a pointer, or inline assembly"));
            }
        }
        Ok(())
    }

    /// The log, the last parameter.
    pub(super) fn log_value(&self) -> Value {
        *self.function.params().last().expect("the log is the last")
    }

    /// An adjoint that the function asks for has a log of its own, which this one takes in.
    fn join_log(&mut self, v: ValueId) -> bool {
        let copy = self.sweep.value(v);
        let Some(keep) = inner::keep(self.queries, copy.callee()) else { return false };
        self.sweep.position_for_arguments(v);
        self.sweep.builder.position_before(copy);
        let mut args = vec![];
        for (&o, has_shadow) in self.unit.body[v].operands.iter().zip(&keep.shadows) {
            args.push(self.sweep.value(o));
            args.extend(has_shadow.then(|| self.sweep.pointer_shadow(o)));
        }
        let b = &self.sweep.builder;
        let join = inner::join(self.sweep.module);
        b.call(join, &[self.log_value(), b.call(keep.function, &args)]);
        true
    }

    /// A block, and its shadow, are freed when the log ends.
    pub(super) fn free_with_log(&mut self, v: ValueId) {
        let context = self.sweep.module.context();
        let (ptr, i64) = (context.ptr(), context.int(64));
        let pointer = self.unit.body.operand(v, 0);
        let copy = self.sweep.value(v);
        let mut blocks = vec![self.sweep.value(pointer)];
        if self.sweep.activity.has_shadow(pointer) {
            blocks.extend(self.sweep.shadows(pointer));
        }
        self.sweep.position_after(v);
        let b = &self.sweep.builder;
        let sizes = (1..copy.argument_count()).map(|i| copy.operand(i));
        let size = sizes.into_iter().find(|size| size.ty().is_int());
        let size = size.map_or(i64.zero(), |size| self.wide(size));
        let ty = Type::function(context.void(), &[ptr, ptr, ptr, i64], false);
        let f = self.sweep.module.declare("adrt_undo_free", ty);
        for block in blocks {
            b.call(f, &[self.log_value(), block, copy.called(), size]);
        }
        self.sweep.erase(v);
    }

    /// Logs the place of a value that `v` loads or stores; if it is a pointer, that of its shadow as well.
    fn note_value(&mut self, v: ValueId, address: ValueId, value: ValueId) {
        let data = &self.unit.body[value];
        self.note_bytes(v, address, data.bytes);
        if data.ty == Ty::Ptr && !self.is_own(address) && self.sweep.activity.has_shadow(address) {
            self.sweep.builder.position_before(self.sweep.value(v));
            let shadow = self.sweep.pointer_shadow(address);
            self.note_at(shadow, self.bytes(data.bytes));
        }
    }

    /// The same of the pointers that a copy moves or overwrites.
    fn note_copied_pointers(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let operands = self.unit.body[v].operands.clone();
        let Some(moved) = moved(self.unit, v).filter(Moved::may_hold_pointers) else {
            return Ok(());
        };
        let is_shadowed = |&&o: &&ValueId| {
            self.unit.body[o].ty == Ty::Ptr && !self.is_own(o) && self.sweep.activity.has_shadow(o)
        };
        let ends: Vec<ValueId> = operands[..2].iter().filter(is_shadowed).copied().collect();
        if ends.is_empty() {
            return Ok(());
        }
        let length = self.sweep.value(operands[2]);
        for end in ends {
            let copy = self.sweep.value(v);
            self.sweep.builder.position_before(copy);
            let (to, primal) = (self.sweep.pointer_shadow(end), self.sweep.value(end));
            match &moved {
                Moved::Fields((fields, period)) => {
                    let Some(places) = pointers_in(fields, *period, length.as_int()) else {
                        return Err(self.refuse_log(v, "copies structures that hold pointers"));
                    };
                    for at in places {
                        let place = self.sweep.builder.byte_offset(to, self.bytes(at));
                        self.note_at(place, self.bytes(target::pointer()));
                    }
                }
                Moved::Untyped(reals) => {
                    let (site, source) = (self.unit.body.llvm(v), self.unit.canon.source);
                    let (reals, bytes) = (*reals, self.wide(length));
                    let bits =
                        Untyped { to, from: None, bytes, reals, is_shared: false, site, source };
                    bits.note(self.sweep.module, &self.sweep.builder, self.log_value(), primal);
                }
            }
        }
        Ok(())
    }

    fn note_bytes(&self, v: ValueId, pointer: ValueId, bytes: u64) {
        self.note(v, pointer, self.bytes(bytes));
    }

    /// Logs what is behind a pointer, before `v`.
    fn note(&self, v: ValueId, pointer: ValueId, bytes: Value) {
        if !self.is_own(pointer) {
            self.sweep.builder.position_before(self.sweep.value(v));
            self.note_at(self.sweep.value(pointer), self.wide(bytes));
        }
    }

    fn note_at(&self, place: Value, bytes: Value) {
        let context = self.sweep.module.context();
        let (ptr, i64) = (context.ptr(), context.int(64));
        let ty = Type::function(context.void(), &[ptr, ptr, i64], false);
        let f = self.sweep.module.declare("adrt_undo_note", ty);
        ["nounwind", "willreturn", "nofree"].iter().for_each(|a| f.add_attribute(a));
        self.sweep.builder.call(f, &[self.log_value(), place, bytes]);
    }

    fn bytes(&self, bytes: u64) -> Value {
        self.sweep.module.context().int(64).int(bytes)
    }

    fn wide(&self, size: Value) -> Value {
        let i64 = self.sweep.module.context().int(64);
        if size.ty() == i64 { size } else { self.sweep.builder.cast(Opcode::LLVMZExt, size, i64) }
    }

    /// Whether a pointer leads only to memory that the function makes, or that nobody writes.
    fn is_own(&self, pointer: ValueId) -> bool {
        let (body, memory) = (&self.unit.body, &self.unit.memory);
        let mut targets = memory.points_to(pointer).peekable();
        targets.peek().is_some()
            && targets.all(|o| match memory.objects[o] {
                Object::Local(_) | Object::Text => true,
                Object::Global(g) => matches!(body[g].op, Op::Global(true)),
                _ => false,
            })
    }

    fn refuse_log(&self, v: ValueId, what: &str) -> Vec<Diagnostic> {
        let text = format!(
            "an adjoint that differentiated code asks for must run twice here, and {what}: what that \
            memory held cannot be kept",
        );
        let remedy = inner::ONCE;
        vec![Diagnostic::new(Code::RequestUnsupported, Some(self.unit.body.llvm(v)), text, remedy)]
    }
}

/// Where pointers lie in so many bytes with these fields, which repeat with a period; `None` where that is
/// not known, or too many.
fn pointers_in(fields: &[Field], period: u64, length: Option<i64>) -> Option<Vec<u64>> {
    let length = length.filter(|_| period > 0)?.unsigned_abs();
    let pointers = fields.iter().filter(|f| f.1 == ScalarKind::Ptr).map(|f| f.0);
    let starts = (0..length).step_by(period as usize);
    let all = starts.flat_map(|start| pointers.clone().map(move |at| start + at));
    let all: Vec<u64> =
        all.filter(|at| at + target::pointer() <= length).take(MOST_POINTERS + 1).collect();
    (all.len() <= MOST_POINTERS).then_some(all)
}
