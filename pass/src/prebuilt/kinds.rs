//! What is behind the pointers that machine code is given, as far as the code shows it: four bits for each.

use crate::{
    analysis::{points_to::Object, types::Held},
    ir::{Op, Ty, ValueId},
    llvm::{Builder, IntPredicate, Type, Value},
    unit::Unit,
};

/// As `adshadow_pointer` takes them; integers have no shadow there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
enum Kind {
    Unknown = 0,
    Float = 1,
    Double = 2,
    LongDouble = 3,
    Pointers = 4,
    Integers = 5,
}

const BITS: usize = 4;
/// Pointers of which a word can say something.
const MOST: usize = 64 / BITS;
/// As much as an object may have.
const EVERYTHING: u64 = u64::MAX >> 2;

/// The kinds of the pointers among the arguments of a call.
pub fn of_call(unit: &Unit, call: ValueId) -> u64 {
    let pointers = unit.body[call].operands.iter().filter(|&&o| unit.body[o].ty == Ty::Ptr);
    pointers.take(MOST).enumerate().map(|(k, &o)| (of_pointer(unit, o) as u64) << (BITS * k)).sum()
}

fn of_pointer(unit: &Unit, pointer: ValueId) -> Kind {
    match unit.types.held(&unit.memory, pointer, EVERYTHING)[..] {
        [Held::F32] => Kind::Float,
        [Held::F64] => Kind::Double,
        [Held::F80] => Kind::LongDouble,
        [Held::Ptr] => Kind::Pointers,
        [Held::Int] => Kind::Integers,
        // Where no access says it, the type of the variable may: code at -O0 has no other word for `int n = 3`.
        [] if is_integer_variable(unit, pointer) => Kind::Integers,
        _ => Kind::Unknown,
    }
}

/// The kind of memory that a library returned, where it says how wide reals are there; else zero. What the code looks at tells nothing of the rest.
pub fn width_of_reals(unit: &Unit, pointer: ValueId) -> u64 {
    match of_pointer(unit, pointer) {
        kind @ (Kind::Float | Kind::LongDouble) => kind as u64,
        _ => Kind::Unknown as u64,
    }
}

/// Whether a pointer leads to variables only whose type has nothing but integers.
fn is_integer_variable(unit: &Unit, pointer: ValueId) -> bool {
    let is_one = |o: usize| {
        let (Object::Local(v) | Object::Global(v)) = unit.memory.objects[o] else { return false };
        let Some(value) = unit.body[v].llvm else { return false };
        match unit.body[v].op {
            Op::Alloca(_) => has_only_integers(value.allocated_type()),
            Op::Global(_) => has_only_integers(value.global_type()),
            _ => false,
        }
    };
    let mut objects = unit.memory.points_to(pointer).peekable();
    objects.peek().is_some() && objects.all(is_one)
}

fn has_only_integers(ty: Type) -> bool {
    match ty.is_aggregate() {
        true => ty.parts().into_iter().all(has_only_integers),
        false => ty.is_int(),
    }
}

/// The kind of the pointer with number `k`, an i32, and whether nothing there has a derivative.
pub fn of(b: &Builder, kinds: Value, k: usize) -> (Value, Value) {
    let (i32, i64) = (b.context().int(32), kinds.ty());
    let kind = match k < MOST {
        true => b.and(b.lshr(kinds, i64.int((BITS * k) as u64)), i64.int((1 << BITS) - 1)),
        false => i64.zero(),
    };
    let is_integer = b.icmp(IntPredicate::LLVMIntEQ, kind, i64.int(Kind::Integers as u64));
    let kind = b.select(is_integer, i64.zero(), kind);
    (b.cast(crate::llvm::Opcode::LLVMTrunc, kind, i32), is_integer)
}
