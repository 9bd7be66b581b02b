//! The reals in arguments and results: scalars, and the structs, arrays and vectors in which the
//! ABI passes complex numbers and small structs in registers. Results may have integers beside
//! them.

use crate::llvm::{Builder, Type, Value};

/// Types of the reals that a value of this type consists of, in order; `None` where it has other
/// parts.
pub fn of(ty: Type) -> Option<Vec<Type>> {
    if ty.is_float() {
        return is_known(ty).then(|| vec![ty]);
    }
    let parts = ty.parts();
    (!parts.is_empty())
        .then(|| parts.into_iter().map(of).collect::<Option<Vec<_>>>().map(|all| all.concat()))
        .flatten()
}

/// The same of a result.
pub fn of_result(ty: Type) -> Option<Vec<Type>> {
    if !ty.is_struct() || !ty.holds_float() {
        return of(ty);
    }
    let reals =
        ty.parts().into_iter().map(|t| if t.is_int() { Some(vec![]) } else { of_result(t) });
    reals.collect::<Option<Vec<_>>>().map(|all| all.concat())
}

/// The integers beside the reals of a result.
pub fn integers(b: &Builder, value: Value) -> Vec<Value> {
    let ty = value.ty();
    match () {
        () if ty.is_int() => vec![value],
        () if ty.is_struct() => {
            (0..ty.parts().len() as u32).flat_map(|i| integers(b, b.extract(value, i))).collect()
        }
        () => vec![],
    }
}

/// `float`, `double`, `long double`: what machine code computes with.
fn is_known(ty: Type) -> bool {
    use crate::llvm::TypeKind::*;
    matches!(ty.kind(), LLVMFloatTypeKind | LLVMDoubleTypeKind | LLVMX86_FP80TypeKind)
}

/// The reals of a value.
pub fn take(b: &Builder, value: Value) -> Vec<Value> {
    let ty = value.ty();
    if ty.is_float() {
        return vec![value];
    }
    if ty.is_int() {
        return vec![];
    }
    (0..ty.parts().len() as u32).flat_map(|i| take(b, part(b, value, i))).collect()
}

fn part(b: &Builder, value: Value, i: u32) -> Value {
    if value.ty().is_vector() {
        b.extract_element(value, b.context().int(32).int(i.into()))
    } else {
        b.extract(value, i)
    }
}

/// A value of this type made of its reals, which are taken from the front.
pub fn make(b: &Builder, ty: Type, reals: &mut dyn Iterator<Item = Value>) -> Value {
    if ty.is_float() {
        return reals.next().expect("as many as the type has");
    }
    let mut whole = ty.zero();
    for (i, part) in ty.parts().into_iter().enumerate() {
        let made = make(b, part, reals);
        whole = match ty.is_vector() {
            true => b.insert_element(whole, made, b.context().int(32).int(i as u64)),
            false => b.insert_value(whole, made, i as u32),
        };
    }
    whole
}

/// The real whose lowest bits are those of an index, an i32, and whose others are zero.
pub fn from_index(b: &Builder, index: Value, ty: Type) -> Value {
    use crate::llvm::Opcode::{LLVMBitCast, LLVMZExt};
    let context = b.context();
    let bits = match ty {
        t if t == context.f32() => index,
        t if t == context.f64() => b.cast(LLVMZExt, index, context.int(64)),
        _ => b.cast(LLVMZExt, index, context.int(80)),
    };
    b.cast(LLVMBitCast, bits, ty)
}

/// The index in the lowest bits of a real.
pub fn to_index(b: &Builder, real: Value) -> Value {
    use crate::llvm::Opcode::{LLVMBitCast, LLVMTrunc};
    let context = b.context();
    match real.ty() {
        t if t == context.f32() => b.cast(LLVMBitCast, real, context.int(32)),
        t if t == context.f64() => {
            b.cast(LLVMTrunc, b.cast(LLVMBitCast, real, context.int(64)), context.int(32))
        }
        _ => b.cast(LLVMTrunc, b.cast(LLVMBitCast, real, context.int(80)), context.int(32)),
    }
}
