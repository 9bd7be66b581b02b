//! Floating-point intrinsics of x86, and shifts of vectors of integers, by what the processor's
//! manual says they compute.
//!
//! Not here, and therefore refused: approximations (rcp, rsqrt), forms with a rounding mode of
//! their own, masked forms of AVX-512. Functions that return integers (comparisons, conversions,
//! sign masks) are known to `library`.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.

use super::vectors::Forms;
use crate::llvm::{Intrinsic, Opcode, RealPredicate, Value};

/// `_MM_FROUND_CUR_DIRECTION` as the rounding operand of AVX-512.
const CURRENT_DIRECTION: i64 = 4;

/// The value of a call of `llvm.x86.NAME` in terms of other operations; `None` where it is left as
/// it is.
pub(super) fn rewrite(f: &Forms, name: &str, call: Value) -> Option<Value> {
    let (b, of) = (&f.builder, |i| call.operand(i));
    let (set, operation) = name.split_once('.')?;
    let (operation, _) = operation.split_once('.').unwrap_or((operation, ""));
    let is_scalar = name.ends_with(".sd") || name.ends_with(".ss");
    if set.starts_with("avx512") {
        let plain = call.argument_count() == 3 && of(2).as_int() == Some(CURRENT_DIRECTION);
        return match operation {
            "min" if plain => Some(f.choose(RealPredicate::LLVMRealOLT, of(0), of(1))),
            "max" if plain => Some(f.choose(RealPredicate::LLVMRealOGT, of(0), of(1))),
            _ => None,
        };
    }
    // Of scalar forms, element 0 is computed and the others are those of the first operand.
    let low = |value: Value| f.with_element(of(0), value, 0);
    match operation {
        "min" | "max" => {
            let p = if operation == "min" {
                RealPredicate::LLVMRealOLT
            } else {
                RealPredicate::LLVMRealOGT
            };
            Some(if is_scalar {
                low(f.choose(p, f.element(of(0), 0), f.element(of(1), 0)))
            } else {
                f.choose(p, of(0), of(1))
            })
        }
        "hadd" => Some(horizontal(f, of(0), of(1), |x, y| b.fadd(x, y))),
        "hsub" => Some(horizontal(f, of(0), of(1), |x, y| b.fsub(x, y))),
        "addsub" => Some(alternate(f, b.fsub(of(0), of(1)), b.fadd(of(0), of(1)))),
        "vfmaddsub" => {
            let minus = b.fneg(of(2));
            let fma = |c| f.intrinsic(Intrinsic::Fma, &[of(0), of(1), c]);
            Some(alternate(f, fma(minus), fma(of(2))))
        }
        "dp" | "dpps" | "dppd" => dot(f, call),
        "blendv" | "blendvpd" | "blendvps" => Some(b.select(f.signs(of(2)), of(1), of(0))),
        "round" => {
            let mode = of(call.argument_count() - 1).as_int()?;
            let to_whole = |x| f.intrinsic(rounding(mode), &[x]);
            Some(if is_scalar { low(to_whole(f.element(of(1), 0))) } else { to_whole(of(0)) })
        }
        "cmp" if is_scalar => {
            let p = predicate(of(2).as_int()?)?;
            let (x, y) = (f.element(of(0), 0), f.element(of(1), 0));
            let bits = f.module.context().int(f.module.store_size(x.ty()) as u32 * 8);
            Some(low(b.bitcast(b.cast(Opcode::LLVMSExt, b.fcmp(p, x, y), bits), x.ty())))
        }
        "cvtsd2ss" => Some(low(b.float_cast(f.element(of(1), 0), call.ty().element()))),
        // The upper half of the result is zero.
        "cvtpd2ps" => {
            let short = b.float_cast(of(0), call.ty().element().vector(2));
            Some(b.shuffle(short, short.ty().zero(), &[Some(0), Some(1), Some(2), Some(3)]))
        }
        "cvt" if name == "avx.cvt.pd2.ps.256" => Some(b.float_cast(of(0), call.ty())),
        "maskload" if call.ty().element().is_float() => {
            let masked = f.module.intrinsic(Intrinsic::MaskedLoad, &[call.ty(), of(0).ty()]);
            Some(b.call(masked, &[of(0), f.signs(of(1)), call.ty().zero()]))
        }
        "maskstore" if of(2).ty().element().is_float() => {
            let masked = f.module.intrinsic(Intrinsic::MaskedStore, &[of(2).ty(), of(0).ty()]);
            Some(b.call(masked, &[of(2), of(0), f.signs(of(1))]))
        }
        "gather" => gather(f, call),
        "pslli" | "psrli" | "psrai" => {
            let (n, width) =
                (of(1).as_int().filter(|n| *n >= 0)?, i64::from(call.ty().element().int_width()));
            let by = |n: i64| b.splat(call.ty().element().int(n as u64), call.ty());
            match operation {
                "psrai" => Some(b.ashr(of(0), by(n.min(width - 1)))),
                _ if n >= width => Some(call.ty().zero()),
                "pslli" => Some(b.shl(of(0), by(n))),
                _ => Some(b.lshr(of(0), by(n))),
            }
        }
        "vpermilvar" | "permps" | "permpd" => {
            Some(permute(f, of(0), of(1), operation == "vpermilvar"))
        }
        _ => None,
    }
}

/// Elements of a part of 128 bits.
fn part_length(f: &Forms, x: Value) -> u32 {
    16 / f.module.store_size(x.ty().element()) as u32
}

/// Neighbours of x, then of y, combined; in each part of 128 bits.
fn horizontal(f: &Forms, x: Value, y: Value, combine: impl Fn(Value, Value) -> Value) -> Value {
    let (n, part) = (x.ty().vector_length(), part_length(f, x));
    let neighbours = |which: u32| -> Vec<Option<u32>> {
        let of = |i: u32| {
            let (at, k) = (i / part * part, i % part);
            let (from, pair) = if k < part / 2 { (0, k) } else { (n, k - part / 2) };
            Some(from + at + 2 * pair + which)
        };
        (0..n).map(of).collect()
    };
    let even = f.builder.shuffle(x, y, &neighbours(0));
    combine(even, f.builder.shuffle(x, y, &neighbours(1)))
}

/// Even elements of `even`, odd ones of `odd`.
fn alternate(f: &Forms, even: Value, odd: Value) -> Value {
    let n = even.ty().vector_length();
    let mask: Vec<_> = (0..n).map(|i| Some(if i % 2 == 0 { i } else { n + i })).collect();
    f.builder.shuffle(even, odd, &mask)
}

/// Products that the upper bits of the mask name are summed, in pairs; the lower bits say where the
/// sum goes.
fn dot(f: &Forms, call: Value) -> Option<Value> {
    let b = &f.builder;
    let (x, y, mask) = (call.operand(0), call.operand(1), call.operand(2).as_int()?);
    let (n, part) = (x.ty().vector_length(), part_length(f, x));
    let products = b.fmul(x, y);
    let zero = x.ty().element().zero();
    let mut result = x.ty().zero();
    for at in (0..n).step_by(part as usize) {
        let term =
            |k: u32| if mask >> (4 + k) & 1 != 0 { f.element(products, at + k) } else { zero };
        let mut sum = b.fadd(term(0), term(1));
        if part == 4 {
            sum = b.fadd(sum, b.fadd(term(2), term(3)));
        }
        for k in (0..part).filter(|k| mask >> k & 1 != 0) {
            result = f.with_element(result, sum, at + k);
        }
    }
    Some(result)
}

/// (before, base, numbers, mask, scale): elements whose mask has its sign bit, the others as
/// before.
fn gather(f: &Forms, call: Value) -> Option<Value> {
    let (b, of) = (&f.builder, |i| call.operand(i));
    let ty = call.ty();
    let n = ty.vector_length();
    if !ty.element().is_float() || of(2).ty().vector_length() < n {
        return None;
    }
    let i64 = f.module.context().int(64);
    let numbers = f.pick(of(2), 0..n);
    let numbers = if numbers.ty().element() == i64 {
        numbers
    } else {
        b.cast(Opcode::LLVMSExt, numbers, i64.vector(n))
    };
    let scale = b.splat(i64.int(of(4).as_int()? as u64), numbers.ty());
    let addresses = b.gep(f.module.context().int(8), of(1), &[b.mul(numbers, scale)]);
    let gather = f.module.intrinsic(Intrinsic::MaskedGather, &[ty, addresses.ty()]);
    Some(b.call(gather, &[addresses, f.signs(of(3)), of(0)]))
}

/// Elements by a number in a vector of integers, in each part of 128 bits or in the whole.
fn permute(f: &Forms, x: Value, numbers: Value, in_parts: bool) -> Value {
    let b = &f.builder;
    let n = x.ty().vector_length();
    let part = if in_parts { part_length(f, x) } else { n };
    // A pair is chosen by bit 1 of its number.
    let shift = u64::from(in_parts && part == 2);
    let mut result = x.ty().poison();
    for i in 0..n {
        let number = f.element(numbers, i);
        let ty = number.ty();
        let number = if shift == 1 { b.udiv(number, ty.int(2)) } else { number };
        let number = b.and(number, ty.int(u64::from(part) - 1));
        let number = b.add(number, ty.int((i / part * part).into()));
        result = f.with_element(result, b.extract_element(x, number), i);
    }
    result
}

/// Rounding to whole numbers, by the two low bits; bit 2 asks for the present mode, bit 3 for
/// silence.
fn rounding(mode: i64) -> Intrinsic {
    match mode & 7 {
        0 => Intrinsic::Roundeven,
        1 => Intrinsic::Floor,
        2 => Intrinsic::Ceil,
        3 => Intrinsic::Trunc,
        _ => Intrinsic::Rint,
    }
}

/// Comparisons of SSE.
fn predicate(number: i64) -> Option<RealPredicate> {
    use RealPredicate::*;
    let known = [
        LLVMRealOEQ, LLVMRealOLT, LLVMRealOLE, LLVMRealUNO, LLVMRealUNE, LLVMRealUGE, LLVMRealUGT,
        LLVMRealORD,
    ];
    known.get(usize::try_from(number).ok()?).copied()
}
