//! Calls of the runtime for integers where reals may lie (analysis/src/activity/integers.rs,
//! runtime/src/integers.rs).

use crate::{
    diagnostics::place_text,
    image::unit::Unit,
    llvm::{Builder, Module, Type, TypeKind, Value},
};
use adanalysis::{activity::integers, types::ScalarKind};
use adir::{Cast, Op, Ty, ValueId, target};

/// What the runtime is given for "it is not known at which byte of a real".
const UNKNOWN: u64 = u32::MAX as u64;

/// How the runtime calls a kind of real, if it is known.
pub fn code(real: Option<ScalarKind>) -> u64 {
    match real {
        Some(ScalarKind::F64) => 1,
        Some(ScalarKind::F32) => 2,
        _ => 0,
    }
}

/// The tangent of a checked load: `shadow` is that of its address.
pub fn tangent(module: Module, b: &Builder, unit: &Unit, v: ValueId, shadow: Value) {
    of_load(module, b, unit, v, shadow, "adrt_integer_tangent");
}

/// The tangent of a store of an integer without derivative that overwrites a part of a real; whether
/// it surely is one. Else it may store between reals: what lies in the same word is no real then.
pub fn overwrite(module: Module, b: &Builder, unit: &Unit, store: ValueId, shadow: Value) -> bool {
    of_store(module, b, unit, store, shadow, "adrt_integer_over")
}

/// Its reverse; whether it surely is one.
pub fn undo_overwrite(
    module: Module,
    b: &Builder,
    unit: &Unit,
    store: ValueId,
    shadow: Value,
) -> bool {
    of_store(module, b, unit, store, shadow, "adrt_integer_under")
}

fn of_store(
    module: Module,
    b: &Builder,
    unit: &Unit,
    store: ValueId,
    shadow: Value,
    name: &str,
) -> bool {
    let Some(range) = part(unit, store) else { return false };
    call_at(module, b, name, shadow, range, text(b, unit, store));
    true
}

/// The part of a real that a store of an integer overwrites: at which byte of it, if that is known,
/// how many bytes, and the kind of the real.
fn part(unit: &Unit, store: ValueId) -> Option<(Option<u64>, u64, ScalarKind)> {
    let (stored, address) = (unit.body.operand(store, 0), unit.body.operand(store, 1));
    let bytes = unit.body[stored].bytes;
    let kinds = unit.types.all_kinds(&unit.memory, address, bytes);
    let (real, at) = unit.types.real_around(&unit.memory, address, bytes, &kinds)?;
    let is_integer = matches!(unit.body[stored].ty, Ty::Int(_));
    if target::pointer() != 8 || !is_integer || bytes >= real.bytes() {
        return None;
    }
    // Floats in the rest are not overwritten.
    if at.is_some_and(|at| unit.types.has_floats_beside(&unit.memory, address, bytes, at)) {
        return None;
    }
    let is_part = at.is_some() || unit.types.has_arrays_of_reals(&unit.memory, address);
    is_part.then_some((at, bytes, real))
}

/// The reverse of a checked load.
pub fn mark(module: Module, b: &Builder, unit: &Unit, v: ValueId, shadow: Value) {
    of_load(module, b, unit, v, shadow, "adrt_integer_mark");
}

fn of_load(module: Module, b: &Builder, unit: &Unit, v: ValueId, shadow: Value, name: &str) {
    let place = integers::place(&unit.body, &unit.memory, &unit.types, v).expect("checked");
    let range = (place.at, unit.body[v].bytes, place.real);
    call_at(module, b, name, shadow, range, text(b, unit, v));
}

/// Calls a function of the runtime for so many bytes of reals of that kind, from that byte of the
/// first on.
fn call_at(
    module: Module,
    b: &Builder,
    name: &str,
    shadow: Value,
    (at, bytes, real): (Option<u64>, u64, ScalarKind),
    text: Value,
) {
    let (i32, i64) = (module.context().int(32), module.context().int(64));
    let at = i32.int(at.unwrap_or(UNKNOWN));
    call(module, b, name, &[shadow, at, i64.int(bytes), i32.int(code(Some(real))), text]);
}

/// Whether a store stores an integer that may be less than a real, where a load may have left a mark:
/// one of this function may (`is_marked`), or not only integers may lie there.
pub fn breaks_marked(unit: &Unit, store: ValueId, is_marked: bool) -> bool {
    let stored = unit.body.operand(store, 0);
    let bytes = unit.body[stored].bytes;
    let all = || unit.types.all_kinds(&unit.memory, unit.body.operand(store, 1), bytes);
    matches!(unit.body[stored].ty, Ty::Int(_))
        && bytes < 8
        && target::pointer() == 8
        && (is_marked || all() != [ScalarKind::Int])
}

/// The reverse of such a store.
pub fn clear(module: Module, b: &Builder, unit: &Unit, store: ValueId, shadow: Value) {
    let bytes = unit.body[unit.body.operand(store, 0)].bytes;
    call(module, b, "adrt_integer_clear", &[shadow, module.context().int(64).int(bytes)]);
}

/// Whether a load of an integer may have left a mark where a store stores a real: one of this
/// function may (`is_marked`), or integers may lie there as well. What is only moved may be the bits
/// of an integer: there the mark goes on to where it comes from.
pub fn checks(unit: &Unit, store: ValueId, is_marked: bool) -> bool {
    let (stored, address) = (unit.body.operand(store, 0), unit.body.operand(store, 1));
    let is_moved = matches!(
        unit.body[stored].op,
        Op::Load | Op::Phi(_) | Op::Select | Op::Freeze | Op::Cast(Cast::Bits) | Op::Param(_)
    );
    if is_moved || !unit.body[stored].ty.holds_float() {
        return false;
    }
    let kinds = || unit.types.all_kinds(&unit.memory, address, unit.body[stored].bytes);
    target::pointer() == 8 && (is_marked || kinds().contains(&ScalarKind::Int))
}

/// Before the reverse of such a store, or after that of a load.
pub fn check(module: Module, b: &Builder, unit: &Unit, access: ValueId, shadow: Value) {
    let is_store = matches!(unit.body[access].op, Op::Store);
    let moved = if is_store { unit.body.operand(access, 0) } else { access };
    let real = match unit.body.llvm(moved).ty().scalar().kind() {
        TypeKind::LLVMDoubleTypeKind => Some(ScalarKind::F64),
        TypeKind::LLVMFloatTypeKind => Some(ScalarKind::F32),
        _ => None,
    };
    let (i32, i64) = (module.context().int(32), module.context().int(64));
    let (bytes, real) = (i64.int(unit.body[moved].bytes), i32.int(code(real)));
    call(module, b, "adrt_integer_check", &[shadow, bytes, real, text(b, unit, access)]);
}

fn text(b: &Builder, unit: &Unit, site: ValueId) -> Value {
    b.text(&place_text(unit.body.llvm(site), unit.canon.source))
}

fn call(module: Module, b: &Builder, name: &str, args: &[Value]) {
    let types: Vec<Type> = args.iter().map(|arg| arg.ty()).collect();
    let f = module.declare(name, Type::function(module.context().void(), &types, false));
    f.add_attribute("nounwind");
    b.call(f, args);
}
