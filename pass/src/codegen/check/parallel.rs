//! What the reverse sweep of a parallel region does not do: several threads would add to one shadow, and only
//! single floats and doubles are added as one step.

use super::{Mode, moved};
use crate::{
    diagnostics::{Code, Diagnostic},
    image::unit::Unit,
    llvm::TypeKind,
};
use adanalysis::{activity::Activity, context::Context};
use adir::{Callee, Op, ValueId};

/// Copies from shared memory, calls of derivatives of the user's own, and reals of other types.
pub fn check(unit: &Unit, context: &Context, activity: &Activity, mode: Mode) -> Vec<Diagnostic> {
    if !context.is_parallel || mode == Mode::Tangent {
        return vec![];
    }
    let body = &unit.body;
    let is_shared =
        |p: ValueId| activity.has_shadow(p) && context.is_shared_target(&unit.memory, p);
    let kind = |v: ValueId| body.llvm(v).ty().scalar().kind();
    let mut found = vec![];
    for v in body.insts() {
        let operands = &body[v].operands;
        let (what, remedy) = match &body[v].op {
            Op::Call(Callee::MemCpy | Callee::MemMove)
                if is_shared(operands[1])
                    && activity.has_shadow(operands[0])
                    && moved(unit, v).is_some_and(|m| m.may_hold_reals()) =>
            {
                (
                    "copies active reals from shared memory",
                    "copy them in a loop, element by element",
                )
            }
            Op::Call(Callee::Custom) if activity.is_active_call(v) => (
                "calls a function with a registered derivative, or machine code",
                "make the call outside of the region, or give the derivative the function's source",
            ),
            Op::Load | Op::Update(_)
                if activity.is_active(v)
                    && is_shared(operands[0])
                    && matches!(
                        kind(v),
                        TypeKind::LLVMX86_FP80TypeKind
                            | TypeKind::LLVMFP128TypeKind
                            | TypeKind::LLVMHalfTypeKind
                            | TypeKind::LLVMBFloatTypeKind
                    ) =>
            {
                ("reads active reals of this type from shared memory", "use float or double there")
            }
            _ => continue,
        };
        let text = format!("a parallel region {what}: its adjoint is not supported");
        found.push(Diagnostic::new(Code::Parallel, Some(body.llvm(v)), text, remedy));
    }
    found
}
