//! What the forward sweep leaves of pointers where the reverse sweep keeps adjoints of reals: the members
//! of a union, records that a program uses again.
//!
//! The forward sweep stores the shadow of a pointer where the pointer is stored. If the same bytes hold a real
//! before or afterwards, the shadow still lies there when the reverse sweep comes to an access to that real. It is
//! no adjoint of a float: it is cleared first. Whether a word is an address is told by its bits, as in copies
//! (runtime/src/untyped.rs). As a double, an address is less than 7e-310: a sum with it is the same, and loops
//! over doubles stay as they are. Addresses of four bytes look like floats: such code is refused.

use super::reverse::Reverse;
use crate::{
    codegen::{globals::ordinary, integers::code},
    diagnostics::place_text,
    image::unit::Unit,
    llvm::{Type, TypeKind, Value},
};
use adanalysis::types::ScalarKind;
use adir::{Op, ValueId, target};

/// Whether nobody can tell an adjoint there from the shadow of a pointer: a float has as many bytes.
pub fn is_ambiguous(unit: &Unit, access: ValueId) -> bool {
    let moved = sides(unit, access).1;
    target::pointer() == 4
        && unit.body.llvm(moved).ty().scalar().kind() == TypeKind::LLVMFloatTypeKind
        && unit.types.shares_bytes_with_pointers(&unit.body, &unit.memory, access)
}

/// The address that a load, store or update accesses, and the value that it moves.
fn sides(unit: &Unit, access: ValueId) -> (ValueId, ValueId) {
    match unit.body[access].op {
        Op::Store => (unit.body.operand(access, 1), unit.body.operand(access, 0)),
        _ => (unit.body.operand(access, 0), access),
    }
}

impl Reverse<'_, '_> {
    /// Clears what lies of a pointer at `shadow`, before the adjoint of what `access` loads or stores is
    /// read there.
    pub fn clear_leftover(&self, access: ValueId, shadow: Value) {
        let (body, unit) = (&self.unit.body, self.unit);
        let shares = || unit.types.shares_bytes_with_pointers(body, &unit.memory, access);
        let moved = sides(unit, access).1;
        let is_double = body.llvm(moved).ty().scalar().kind() == TypeKind::LLVMDoubleTypeKind;
        if target::pointer() != 8 || is_double || !shares() {
            return;
        }
        let (module, b) = (self.module, &self.builder);
        let context = module.context();
        let (ptr, i32, i64) = (context.ptr(), context.int(32), context.int(64));
        let ty = Type::function(context.void(), &[ptr, i64, i32, ptr], false);
        let f = module.declare("adrt_untyped_clear", ty);
        f.add_attribute("nounwind");
        let place = b.text(&place_text(body.llvm(access), unit.canon.source));
        let (bytes, reals) = (i64.int(body[moved].bytes), i32.int(code(Some(ScalarKind::F32))));
        b.call(f, &[ordinary(b, shadow), bytes, reals, place]);
    }
}
