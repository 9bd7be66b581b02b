//! What is behind the pointers that machine code is given, as far as the code shows it: four bits
//! for each.
//!
//! A function may see a part of an object only: the parameter of a request that it uses as
//! `double *` may be the start of a struct with pointers, which machine code follows. So what its
//! own accesses say is a guess, by which reals are numbered; that there is nothing else is said of
//! variables and blocks whose every access is known
//! ([`adanalysis::types::Types::holds_only`]), or whose type says it.

use crate::{
    image::unit::Unit,
    llvm::{Builder, IntPredicate, Type, Value},
};
use adanalysis::{points_to::Object, types::ScalarKind};
use adir::{Op, Ty, ValueId};

/// As `adshadow_pointer` takes them; integers have no shadow there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
enum PointeeKind {
    Unknown = 0,
    Float = 1,
    Double = 2,
    LongDouble = 3,
    Pointers = 4,
    Integers = 5,
}

/// Beside a kind of reals: there may be pointers and other things as well.
const PERHAPS: u64 = 8;
const BITS: usize = 4;
/// Pointers of which a word can say something.
const MOST: usize = 64 / BITS;
/// As much as an object may have.
const EVERYTHING: u64 = u64::MAX >> 2;

/// The kinds of the pointers among the arguments of a call.
pub fn of_call(unit: &Unit, call: ValueId) -> u64 {
    let pointers = unit.body[call].operands.iter().filter(|&&o| unit.body[o].ty == Ty::Ptr);
    pointers.take(MOST).enumerate().map(|(k, &o)| of_pointer(unit, o) << (BITS * k)).sum()
}

fn of_pointer(unit: &Unit, pointer: ValueId) -> u64 {
    let scalar = unit.types.scalar(&unit.memory, pointer, EVERYTHING);
    let guess = kind_of(&scalar);
    let is_sure = || {
        scalar.iter().all(|&h| {
            unit.types.holds_only(&unit.memory, pointer, h) || is_variable_of(unit, pointer, h)
        })
    };
    match guess {
        // Where no access says it, the type of the variable may: code at -O0 has no other word for
        // `int n = 3`.
        PointeeKind::Unknown
            if scalar.is_empty()
                && is_variable_of(unit, pointer, ScalarKind::Int)
                && !unit.types.is_copied_to(&unit.memory, pointer) =>
        {
            PointeeKind::Integers as u64
        }
        PointeeKind::Integers if is_sure() => guess as u64,
        PointeeKind::Unknown | PointeeKind::Integers => PointeeKind::Unknown as u64,
        PointeeKind::Pointers => guess as u64,
        PointeeKind::Float | PointeeKind::Double | PointeeKind::LongDouble => {
            guess as u64 | if is_sure() { 0 } else { PERHAPS }
        }
    }
}

fn kind_of(scalar: &[ScalarKind]) -> PointeeKind {
    match scalar {
        [ScalarKind::F32] => PointeeKind::Float,
        [ScalarKind::F64] => PointeeKind::Double,
        [ScalarKind::F80] => PointeeKind::LongDouble,
        [ScalarKind::Ptr] => PointeeKind::Pointers,
        [ScalarKind::Int] => PointeeKind::Integers,
        _ => PointeeKind::Unknown,
    }
}

/// The kind of memory that a library returned, where it says how wide reals are there; else zero.
/// What the code looks at tells nothing of the rest.
pub fn width_of_reals(unit: &Unit, pointer: ValueId) -> u64 {
    match kind_of(&unit.types.scalar(&unit.memory, pointer, EVERYTHING)) {
        kind @ (PointeeKind::Float | PointeeKind::LongDouble) => kind as u64,
        _ => PointeeKind::Unknown as u64,
    }
}

/// Whether a pointer leads to variables only whose type has one kind of scalars and nothing else.
fn is_variable_of(unit: &Unit, pointer: ValueId, scalar: ScalarKind) -> bool {
    let is_one = |o: usize| {
        let (Object::Local(v) | Object::Global(v)) = unit.memory.objects[o] else { return false };
        let value = unit.body.llvm(v);
        match unit.body[v].op {
            Op::Alloca(_) => has_only(value.allocated_type(), scalar),
            Op::Global(_) => has_only(value.global_type(), scalar),
            _ => false,
        }
    };
    let mut objects = unit.memory.points_to(pointer).peekable();
    objects.peek().is_some() && objects.all(is_one)
}

fn has_only(ty: Type, scalar: ScalarKind) -> bool {
    use crate::llvm::TypeKind::{LLVMDoubleTypeKind, LLVMFloatTypeKind, LLVMX86_FP80TypeKind};
    match (ty.kind(), scalar) {
        // Elements of an array are of one type.
        (crate::llvm::TypeKind::LLVMArrayTypeKind, _) => has_only(ty.element(), scalar),
        (crate::llvm::TypeKind::LLVMStructTypeKind, _) => {
            !ty.is_union() && ty.struct_members().into_iter().all(|t| has_only(t, scalar))
        }
        (LLVMFloatTypeKind, ScalarKind::F32)
        | (LLVMDoubleTypeKind, ScalarKind::F64)
        | (LLVMX86_FP80TypeKind, ScalarKind::F80) => true,
        (_, ScalarKind::Int) => ty.is_int(),
        _ => false,
    }
}

/// The kind of the pointer with number `k`, an i32, and whether nothing there has a derivative.
pub fn of(b: &Builder, kinds: Value, k: usize) -> (Value, Value) {
    let (i32, i64) = (b.context().int(32), kinds.ty());
    let kind = match k < MOST {
        true => b.and(b.lshr(kinds, i64.int((BITS * k) as u64)), i64.int((1 << BITS) - 1)),
        false => i64.zero(),
    };
    let is_integer = b.icmp(IntPredicate::LLVMIntEQ, kind, i64.int(PointeeKind::Integers as u64));
    let kind = b.select(is_integer, i64.zero(), kind);
    (b.cast(crate::llvm::Opcode::LLVMTrunc, kind, i32), is_integer)
}
