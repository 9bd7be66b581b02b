//! Derivatives of values that hold several reals: vectors, structs, arrays; and of integers that
//! hold the bits of reals.
//!
//! The derivative of a value has the value's own type; members that are no reals have no meaning in
//! it and are zero. Bits of reals have the derivative of those reals.

use crate::llvm::{Builder, Context, FastMath, Type, Value};
use adir::ScalarKind;

/// The type of the derivative of a value of type `ty`: of an integer, that of the real whose bits
/// it holds.
pub fn derivative_type(context: Context, ty: Type) -> Type {
    if ty.is_vector() && ty.element().is_int() {
        return ty.with_scalar(derivative_type(context, ty.element()));
    }
    match ty.is_int().then(|| ty.int_width()) {
        Some(16) => context.f16(),
        Some(32) => context.f32(),
        Some(64) => context.f64(),
        Some(80) => context.f80(),
        Some(128) => context.f128(),
        _ => ty,
    }
}

/// The type of a real in memory.
pub fn real_type(context: Context, scalar: ScalarKind) -> Type {
    match scalar {
        ScalarKind::F16 => context.f16(),
        ScalarKind::BF16 => context.bf16(),
        ScalarKind::F32 => context.f32(),
        ScalarKind::F64 => context.f64(),
        ScalarKind::F80 => context.f80(),
        ScalarKind::F128 => context.f128(),
        ScalarKind::Int | ScalarKind::Ptr => unreachable!("{scalar:?} is no real"),
    }
}

/// Alignment of an access to the shadow of memory that is accessed as `ty` at a place aligned to
/// `primal` bytes. The memory of a variable may be aligned better than its type asks for, and code
/// may find out at run time where vectors fit: its shadow has the alignment of scalars only.
pub fn shadow_alignment(ty: Type, primal: u32) -> u32 {
    fn natural(ty: Type) -> u32 {
        use llvm_sys::LLVMTypeKind::*;
        match ty.kind() {
            LLVMHalfTypeKind | LLVMBFloatTypeKind => 2,
            LLVMFloatTypeKind => 4,
            LLVMX86_FP80TypeKind | LLVMFP128TypeKind => 16,
            LLVMIntegerTypeKind => ty.int_width().div_ceil(8).next_power_of_two().min(8),
            _ => ty.parts().into_iter().map(natural).max().unwrap_or(8),
        }
    }
    primal.min(natural(ty))
}

/// The sum of two adjoints, member by member where they are structs or arrays. Many start from a
/// zero that was stored just before; without signed zeros that addition goes away, and with it the
/// store and what kept a loop from running in vectors.
pub fn add(b: &Builder, x: Value, y: Value) -> Value {
    let ty = x.ty();
    if !ty.is_aggregate() {
        let sum = b.fadd(x, y);
        sum.set_fast_math(b.fast_math.union(FastMath::NO_SIGNED_ZEROS));
        return sum;
    }
    let mut sum = ty.zero();
    for (i, _) in ty.parts().into_iter().enumerate().filter(|(_, t)| t.holds_float()) {
        let i = i as u32;
        sum = b.insert_value(sum, add(b, b.extract(x, i), b.extract(y, i)), i);
    }
    sum
}

/// The member of an aggregate at a path of indices.
pub fn member(b: &Builder, aggregate: Value, path: &[u32]) -> Value {
    path.iter().fold(aggregate, |at, &i| b.extract(at, i))
}

/// The aggregate with the member at `path` replaced.
pub fn with_member(b: &Builder, aggregate: Value, member: Value, path: &[u32]) -> Value {
    match path {
        [] => member,
        [i, rest @ ..] => {
            b.insert_value(aggregate, with_member(b, b.extract(aggregate, *i), member, rest), *i)
        }
    }
}

/// The adjoint of operand `which` (0 or 1, both of type `operand`) of a shuffle with `mask`, from
/// the adjoint `d` of its result: each element gets the sum of where it went.
pub fn unshuffle(
    b: &Builder,
    d: Value,
    mask: &[Option<u32>],
    operand: Type,
    which: u32,
) -> Option<Value> {
    let count = operand.vector_length();
    // Where each element of the operand went.
    let went: Vec<Vec<u32>> = (0..count)
        .map(|k| {
            let taken = |m: &Option<u32>| *m == Some(k + which * count);
            mask.iter().enumerate().filter(|(_, m)| taken(m)).map(|(i, _)| i as u32).collect()
        })
        .collect();
    let most = went.iter().map(Vec::len).max().unwrap_or(0);
    let zeros = d.ty().zero();
    let nothing = d.ty().vector_length();
    let layer = |n: usize| {
        let from: Vec<Option<u32>> =
            went.iter().map(|w| Some(w.get(n).copied().unwrap_or(nothing))).collect();
        b.shuffle(d, zeros, &from)
    };
    (0..most).map(layer).reduce(|sum, more| b.fadd(sum, more))
}
