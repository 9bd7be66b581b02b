//! Primal values of the functions that have rules: the C library's, found by symbol, and formulas
//! for those that it lacks. Independent of what `Expr::eval` calls.

use super::symbols::{BY_FORMULA, address};
use adrules::special::{digamma, polygamma, trigamma};
use adrules::{Output, Rule, ValueKind};
use std::f64::consts::{LN_2, LN_10, PI};
use std::ffi::{c_int, c_long, c_uint, c_void};

#[link(name = "m")]
unsafe extern "C" {
    safe fn fmod(x: f64, y: f64) -> f64;
    safe fn ldexp(x: f64, n: c_int) -> f64;
    safe fn frexp(x: f64, n: &mut c_int) -> f64;
    safe fn lgamma(x: f64) -> f64;
    safe fn tgamma(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn nextafter(x: f64, y: f64) -> f64;
    safe fn logb(x: f64) -> f64;
}

/// Value of `out` of the function at `args` (one entry per parameter, pointers ignored).
/// None when neither the C library nor a formula here gives it.
pub fn primal(rule: &Rule, out: Output, args: &[f64]) -> Option<f64> {
    if BY_FORMULA.contains(&rule.name) || address(rule.name).is_none() {
        return formula(rule.name, out, args);
    }
    library(rule, out, args)
}

/// The bits of a double below its exponent.
const FRACTION: u64 = (1 << 52) - 1;

fn formula(name: &str, out: Output, args: &[f64]) -> Option<f64> {
    if let (Some(_), &[x, y, n]) = (name.strip_prefix("_FortranAzpow"), args) {
        let power = |(u, v): (f64, f64), _| (u * x - v * y, u * y + v * x);
        let (u, v) = (0..n.abs() as i32).fold((1.0, 0.0), power);
        let size = u * u + v * v;
        return Some(element(out, if n < 0.0 { [u / size, -v / size] } else { [u, v] }));
    }
    if let Some(base) = name.strip_prefix("_FortranA") {
        return fortran(base, args);
    }
    let value = match (name, args) {
        ("sinpi", &[x]) => (PI * x).sin(),
        ("cospi", &[x]) => (PI * x).cos(),
        ("tanpi", &[x]) => (PI * x).tan(),
        ("asinpi", &[x]) => x.asin() / PI,
        ("acospi", &[x]) => x.acos() / PI,
        ("atanpi", &[x]) => x.atan() / PI,
        ("atan2pi", &[y, x]) => y.atan2(x) / PI,
        ("exp2m1", &[x]) => (x * LN_2).exp_m1(),
        ("exp10m1", &[x]) => (x * LN_10).exp_m1(),
        ("pow10", &[x]) => 10f64.powf(x),
        ("logp1", &[x]) => x.ln_1p(),
        ("log2p1", &[x]) => x.ln_1p() / LN_2,
        ("log10p1", &[x]) => x.ln_1p() / LN_10,
        ("rsqrt", &[x]) => 1.0 / x.sqrt(),
        ("fsqrt" | "dsqrt", &[x]) => x.sqrt(),
        ("powr" | "powi" | "pown", &[x, y]) => x.powf(y),
        ("rootn", &[x, n]) => x.abs().powf(1.0 / n).copysign(x),
        ("compoundn", &[x, n]) => (1.0 + x).powf(n),
        ("gamma_r", &[x, _]) => lgamma(x),
        ("__gamma_r_finite", &[x, _]) => tgamma(x).abs(),
        ("__iscanonical", &[_]) => 1.0,
        ("fadd" | "dadd", &[x, y]) => x + y,
        ("fsub" | "dsub", &[x, y]) => x - y,
        ("fmul" | "dmul", &[x, y]) => x * y,
        ("fdiv" | "ddiv", &[x, y]) => x / y,
        ("ffma" | "dfma", &[x, y, z]) => x * y + z,
        ("adrt_digamma", &[x]) => digamma(x),
        ("adrt_trigamma", &[x]) => trigamma(x),
        ("adrt_polygamma", &[n, x]) => polygamma(n as i32, x),
        ("adrt_bits", &[x]) => (x.to_bits() >> 52) as f64,
        ("adrt_fraction_double" | "adrt_fraction_float", &[x, bits]) => {
            f64::from_bits(x.to_bits() & FRACTION | bits as u64 & !FRACTION)
        }
        ("llvm.canonicalize" | "llvm.arithmetic.fence", &[x]) => x,
        ("llvm.is.fpclass", &[x, _]) => f64::from(u8::from(x.is_nan())),
        ("llvm.fptosi.sat", &[x]) => x as i64 as f64,
        ("llvm.fptoui.sat", &[x]) => x as u64 as f64,
        ("llvm.sincos", &[x]) => element(out, [x.sin(), x.cos()]),
        ("llvm.sincospi", &[x]) => element(out, [(PI * x).sin(), (PI * x).cos()]),
        ("llvm.modf", &[x]) => element(out, [x.fract(), x.trunc()]),
        ("llvm.frexp", &[x]) => frexp(x, &mut 0),
        ("__muldc3", &[x, y, u, v]) => element(out, [x * u - y * v, x * v + y * u]),
        // Scaled by a power of two, as the quotient does not see it.
        ("__divdc3", &[x, y, u, v]) => {
            let scale = logb(u.abs().max(v.abs())).exp2();
            let (x, y, u, v) = (x / scale, y / scale, u / scale, v / scale);
            let size = u * u + v * v;
            element(out, [(x * u + y * v) / size, (y * u - x * v) / size])
        }
        _ => return None,
    };
    Some(value)
}

fn element(out: Output, values: [f64; 2]) -> f64 {
    match out {
        Output::Element(i) => values[i],
        Output::Return | Output::Pointee(_) => f64::NAN,
    }
}

/// Fortran 2018, section 16.9, for the numeric inquiries and manipulations.
fn fortran(base: &str, args: &[f64]) -> Option<f64> {
    let exponent = |x: f64| logb(x) + 1.0;
    let value = match (base, args) {
        ("FPow8i" | "FPow8k", &[x, n]) => x.powf(n),
        ("ModReal8", &[x, y, ..]) => fmod(x, y),
        ("ModuloReal8", &[x, y, ..]) => x - (x / y).floor() * y,
        ("ErfcScaled8", &[x]) => (x * x).exp() * erfc(x),
        ("Scale8", &[x, n]) => ldexp(x, n as c_int),
        ("Fraction8", &[x]) => frexp(x, &mut 0),
        ("SetExponent8", &[x, n]) => ldexp(frexp(x, &mut 0), n as c_int),
        ("RRSpacing8", &[x]) => ldexp(frexp(x, &mut 0).abs(), 53),
        ("Spacing8", &[x]) => (exponent(x) - 53.0).exp2(),
        ("Nearest8", &[x, up]) => {
            nextafter(x, if up != 0.0 { f64::INFINITY } else { -f64::INFINITY })
        }
        ("IsFinite8", &[x]) => f64::from(u8::from(x.is_finite())),
        ("Exponent8_4" | "Exponent8_8", &[x]) => exponent(x),
        (_, &[x]) if base.starts_with("Ceiling8_") => x.ceil(),
        (_, &[x]) if base.starts_with("Floor8_") => x.floor(),
        (_, &[x]) if base.starts_with("Nint8_") => x.round(),
        _ => return None,
    };
    Some(value)
}

/// Casts the address of a library function to its C type and calls it.
macro_rules! c_call {
    ($address:expr, ($($type:ty),*) -> $result:ty, $($arg:expr),*) => {{
        type Function = unsafe extern "C" fn($($type),*) -> $result;
        // SAFETY: the address is that of a function whose C declaration has this type: `library`
        // chooses it by the rule's signature and, for integers, by name. Pointer arguments point
        // to 16 bytes of storage each.
        unsafe { std::mem::transmute::<*mut c_void, Function>($address)($($arg),*) }
    }};
}

/// A complex number of C: in registers it is two doubles, as this is.
#[repr(C)]
struct Complex(f64, f64);

fn complex(rule: &Rule, f: *mut c_void, out: Output, args: &[f64]) -> Option<f64> {
    let value = match (args, rule.result) {
        (&[x, y], Some(_)) => return Some(c_call!(f, (Complex) -> f64, Complex(x, y))),
        (&[x, y], None) => c_call!(f, (Complex) -> Complex, Complex(x, y)),
        (&[x, y, u, v], None) => {
            c_call!(f, (Complex, Complex) -> Complex, Complex(x, y), Complex(u, v))
        }
        _ => return None,
    };
    Some(element(out, [value.0, value.1]))
}

fn library(rule: &Rule, out: Output, args: &[f64]) -> Option<f64> {
    use ValueKind::{Float, Int, Pointer};
    let f = address(rule.name)?;
    let is_complex =
        rule.elements == [Float; 2] || matches!(rule.name, "cabs" | "carg" | "creal" | "cimag");
    if is_complex {
        return complex(rule, f, out, args);
    }
    // What pointer parameters point to: room for a long double each.
    let mut store = [[0f64; 2]; 2];
    let p = store.as_mut_ptr().cast::<c_void>();
    let q = p.wrapping_byte_add(16);
    let is_long = matches!(rule.name, "lround" | "llround" | "lrint" | "llrint" | "llogb");
    let returned = match (rule.params.as_slice(), rule.result) {
        ([Float], Some(Float)) => c_call!(f, (f64) -> f64, args[0]),
        ([Float], Some(Int)) if is_long => c_call!(f, (f64) -> c_long, args[0]) as f64,
        ([Float], Some(Int)) => f64::from(c_call!(f, (f64) -> c_int, args[0])),
        ([Float, Float], Some(Float)) if rule.name == "nexttoward" => nexttoward(args[0], args[1]),
        ([Float, Float], Some(Float)) => c_call!(f, (f64, f64) -> f64, args[0], args[1]),
        ([Float, Float], Some(Int)) => f64::from(c_call!(f, (f64, f64) -> c_int, args[0], args[1])),
        ([Float, Float, Float], _) => {
            c_call!(f, (f64, f64, f64) -> f64, args[0], args[1], args[2])
        }
        ([Float, Int], _) if rule.name == "scalbln" => {
            c_call!(f, (f64, c_long) -> f64, args[0], args[1] as c_long)
        }
        ([Float, Int], _) => c_call!(f, (f64, c_int) -> f64, args[0], args[1] as c_int),
        ([Int, Float], _) => c_call!(f, (c_int, f64) -> f64, args[0] as c_int, args[1]),
        // glibc 2.36: the integer type of TS 18661-1.
        ([Float, Int, Int], _) => {
            c_call!(f, (f64, c_int, c_uint) -> c_long, args[0], args[1] as c_int, args[2] as c_uint)
                as f64
        }
        ([Float, Pointer], _) => c_call!(f, (f64, *mut c_void) -> f64, args[0], p),
        ([Float, Float, Pointer], _) => {
            c_call!(f, (f64, f64, *mut c_void) -> f64, args[0], args[1], p)
        }
        ([Float, Pointer, Pointer], None) => {
            c_call!(f, (f64, *mut c_void, *mut c_void) -> (), args[0], p, q);
            0.0
        }
        ([Pointer, Float], _) => f64::from(c_call!(f, (*mut c_void, f64) -> c_int, p, args[1])),
        _ => return None,
    };
    match out {
        Output::Return => Some(returned),
        Output::Pointee(i) => {
            let index = rule.params[..i].iter().filter(|k| **k == Pointer).count();
            Some(store[index][0])
        }
        Output::Element(_) => None,
    }
}

/// `nexttoward` takes a long double, which Rust cannot pass; `nextafter` gives the same value.
fn nexttoward(x: f64, y: f64) -> f64 {
    nextafter(x, y)
}
