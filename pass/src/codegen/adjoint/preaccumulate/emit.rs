//! Code of regions: rows in the forward sweep, products with their entries in the reverse sweep.

use super::Region;
use crate::{
    codegen::{
        adjoint::{
            forward::Forward,
            needs::{Needs, Node},
            plan::Plan,
            reverse::Reverse,
        },
        partial::{Emitter, Partials, Values},
        sweep::Sweep,
    },
    llvm::{FastMath, RealPredicate, Type, Value},
};
use adir::{Op, ValueId};

/// Whether that entry is recorded.
fn is_recorded(plan: &Plan, region: &Region, x: ValueId) -> bool {
    plan.slot(Node::Entry(region.output, x)).is_some()
}

impl Forward<'_, '_> {
    /// Records the entries of the regions whose operands are all there behind `v`.
    pub fn record_rows(&mut self, v: ValueId) {
        let Some(sources) = self.sources else { return };
        for region in sources.regions.behind(v) {
            if !region.inputs.iter().any(|&x| is_recorded(self.plan, region, x)) {
                continue;
            }
            self.sweep.position_after(v);
            self.sweep.builder.fast_math = FastMath::default();
            let ty = self.sweep.value(region.output).ty();
            let row = Row { sweep: &self.sweep, needs: sources.needs(), ty };
            let wanted = |x| is_recorded(self.plan, region, x);
            let entries = region.row(
                wanted,
                ty.real(1.0),
                |e, d| row.times(e.to, e.operand, d),
                |a, b| row.sweep.builder.fadd(a, b),
            );
            for (x, entry) in entries {
                self.record_value(Node::Entry(region.output, x), entry);
            }
        }
    }
}

/// Where a row is computed.
struct Row<'a, 's> {
    sweep: &'a Sweep<'s>,
    needs: &'a Needs<'a>,
    ty: Type,
}

impl Row<'_, '_> {
    /// The partial of `v` with respect to an operand times `d`, which is of the row's type.
    fn times(&self, v: ValueId, operand: usize, d: Value) -> Value {
        let b = &self.sweep.builder;
        let (body, zero) = (self.sweep.body(), self.ty.zero());
        if matches!(body[v].op, Op::Select) {
            let c = self.sweep.value(body.operand(v, 0));
            return if operand == 1 { b.select(c, d, zero) } else { b.select(c, zero, d) };
        }
        let partials = self.needs.partials(v).expect("members of regions have partials");
        let (.., expr) =
            partials.terms.iter().find(|t| t.1 == operand).expect("an edge is a partial");
        let mut values = Operands { row: self, inst: v, partials: &partials };
        Emitter::new(b, self.sweep.module, self.ty)
            .times_or_zero(expr, partials.singular, d, &mut values)
    }
}

/// Operands and result of an operation in the forward sweep.
struct Operands<'a, 'r, 's> {
    row: &'a Row<'r, 's>,
    inst: ValueId,
    partials: &'a Partials,
}

impl Values for Operands<'_, '_, '_> {
    fn arg(&mut self, i: usize) -> Value {
        let sweep = self.row.sweep;
        sweep.value(self.partials.parameter(sweep.body(), self.inst, i))
    }
    fn result(&mut self, _: usize) -> Value {
        self.row.sweep.value(self.inst)
    }
}

impl Reverse<'_, '_> {
    /// Undoes `v` as far as recorded entries of its region do: whether that is all.
    pub fn by_entries(&mut self, v: ValueId) -> bool {
        let Some(region) = self.sources.regions.of(v) else { return false };
        let recorded: Vec<ValueId> =
            region.inputs.iter().copied().filter(|&x| is_recorded(self.plan, region, x)).collect();
        if recorded.is_empty() {
            return false;
        }
        let is_done =
            region.edges.iter().filter(|e| e.to == v).all(|e| self.is_passed(v, e.operand));
        if v != region.output {
            return is_done;
        }
        let d = self.take(v);
        let zero = d.ty().zero();
        let is_zero = self.builder.fcmp(RealPredicate::LLVMRealOEQ, d, zero);
        for x in recorded.into_iter().filter(|&x| self.has_bar(x)).collect::<Vec<_>>() {
            let entry = self.lookup(Node::Entry(v, x));
            let product = self.builder.fmul(entry, d);
            // One factor of an infinite entry may have been zero times what is zero now.
            let is_none = self.builder.fcmp(RealPredicate::LLVMRealUNO, product, zero);
            let is_lost = self.builder.and(is_zero, is_none);
            let term = self.builder.select(is_lost, zero, product);
            self.accumulate(x, term);
        }
        if !is_done {
            self.accumulate(v, d);
        }
        is_done
    }

    /// Whether all that goes through an operand of `v` is in recorded entries.
    pub fn is_passed(&self, v: ValueId, operand: usize) -> bool {
        let Some(region) = self.sources.regions.of(v) else { return false };
        let mut left = region.edges_to(|x| !is_recorded(self.plan, region, x)).into_iter();
        region.edges.iter().any(|e| (e.to, e.operand) == (v, operand))
            && !left.any(|e| (e.to, e.operand) == (v, operand))
    }
}
