//! Library models: every function of libm against differences of itself, called by its row of the
//! table; the memory functions against what they do; and that none of the C library's mathematics
//! is missing.

#[path = "library_models/call.rs"]
mod call;
#[path = "library_models/memory.rs"]
mod memory;
#[path = "library_models/points.rs"]
mod points;

use std::{collections::BTreeMap, sync::OnceLock};

use adrules::ValueKind;
use adshadow::machine::word::{self, BYTES};
use adshadow::models::{
    Model,
    eval::{Value, partials, tangent},
    lookup,
    number::{Extended, Format, Number, Real},
    resolve,
    table::{self, Function, Parameter, Target, ValuePlace},
};
use call::{call, is_supported, number};
use points::{Random, point};

/// The libraries of mathematics.
const LIBRARIES: &[&str] =
    if word::IS_64 { &["libm.so.6", "libmvec.so.1"] } else { &["libm.so.6"] };

/// All functions of libm with a rule that are in this process, with their addresses.
fn functions() -> &'static BTreeMap<String, (Function, u64)> {
    static ALL: OnceLock<BTreeMap<String, (Function, u64)>> = OnceLock::new();
    ALL.get_or_init(|| {
        LIBRARIES.iter().for_each(|name| load(name));
        let mut all = BTreeMap::new();
        resolve::each_symbol(&mut |name, address| {
            if let Some(Model::Function(function)) = lookup(name) {
                all.insert(name.to_string(), (Function::clone(&function), address));
            }
        });
        all
    })
}

fn load(library: &str) {
    let name = std::ffi::CString::new(library).unwrap();
    // SAFETY: a library of glibc, which has no constructors of its own.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
    assert!(!handle.is_null(), "{library}");
}

/// How coarse differences are: the least exact of the formats.
fn coarsest(function: &Function) -> Format {
    let lane = &function.lanes[0];
    let of = |p: &Parameter| match p {
        Parameter::Real(format, _) => Some(*format),
        Parameter::Integer(..) | Parameter::Pointer(_) => None,
    };
    // On i386 a result in a register has more digits than the function's format, but may have been
    // rounded to it.
    let rounded = || match (adrules::lookup(&function.name), &function.name) {
        (Some(found), _) => Some(found.result_precision().into()),
        (_, name)
            if name.starts_with("f32x") || name.starts_with("f64") && !name.starts_with("f64x") =>
        {
            Some(Format::F64)
        }
        (_, name) if name.starts_with("f32") => Some(Format::F32),
        _ => None,
    };
    let outputs = lane.outputs.iter().map(|o| {
        rounded()
            .filter(|_| matches!(o.at, Target::ValuePlace(ValuePlace::X87(_))))
            .unwrap_or(o.format)
    });
    let all = lane.parameters.iter().filter_map(of).chain(outputs);
    all.min_by_key(|f| f.bytes()).unwrap_or(Format::F64)
}

/// Relative errors: of differences, and one that they must notice. Differences of floats, which
/// have 24 bits, lose half of them.
fn tolerance(format: Format) -> (f64, f64) {
    match format {
        Format::F32 => (3e-3, 0.1),
        Format::F64 => (1e-8, 1e-5),
        Format::F80 => (1e-11, 1e-8),
        Format::F128 => panic!("no tests of 128 bits"),
    }
}

/// The arguments at x + t·d, in the formats of the function; the sum is made in long double.
fn arguments(function: &Function, x: &[f64], t: &Extended, d: &[f64]) -> Vec<Value> {
    let of = |(i, p): (usize, &Parameter)| match p {
        Parameter::Real(format, _) => {
            let moved = Extended::from_f64(x[i]).plus(t.times(Extended::from_f64(d[i])));
            Value::Real(match format {
                Format::F32 => Real::F32(moved.to_f32()),
                Format::F64 => Real::F64(moved.to_f64()),
                Format::F80 | Format::F128 => Real::F80(moved),
            })
        }
        Parameter::Integer(..) => Value::Integer(x[i] as i64),
        Parameter::Pointer(_) => Value::Pointer(0),
    };
    function.lanes[0].parameters.iter().enumerate().map(of).collect()
}

/// The outputs of all lanes at t.
fn outputs(
    function: &Function,
    address: u64,
    x: &[Vec<f64>],
    d: &[Vec<f64>],
    t: f64,
) -> Vec<Vec<Real>> {
    let t = Extended::from_f64(t);
    let args: Vec<_> = x.iter().zip(d).map(|(x, d)| arguments(function, x, &t, d)).collect();
    call(function, address, &args)
}

/// Derivatives of all outputs of all lanes along d: central differences, extrapolated to step zero
/// (Ridders, Adv. Eng. Softw. 4 (1982) 75).
fn differences(function: &Function, address: u64, x: &[Vec<f64>], d: &[Vec<f64>]) -> Vec<Vec<f64>> {
    const LEVELS: usize = 8;
    let mut steps = Vec::new();
    let mut h: f64 = if coarsest(function) == Format::F32 { 0.06 } else { 0.04 };
    for _ in 0..LEVELS {
        // Steps of few bits: adding them is exact in float, too.
        h = (h * 4096.0).round() / 4096.0;
        steps.push((h, outputs(function, address, x, d, h), outputs(function, address, x, d, -h)));
        h /= 1.5;
    }
    let one = |lane: usize, output: usize| {
        let mut table = [[Extended::ZERO; LEVELS]; LEVELS];
        let (mut best, mut error) = (f64::NAN, f64::INFINITY);
        for (i, (h, above, below)) in steps.iter().enumerate() {
            let difference = above[lane][output]
                .to_extended()
                .plus(below[lane][output].to_extended().negative());
            table[i][0] = difference.over(Extended::from_f64(2.0 * h));
            for j in 1..=i {
                let factor = Extended::from_f64((steps[i - j].0 / h).powi(2));
                let less = Extended::from_f64((steps[i - j].0 / h).powi(2) - 1.0);
                let top = factor.times(table[i][j - 1]).plus(table[i - 1][j - 1].negative());
                table[i][j] = top.over(less);
                let change = |other: Extended| table[i][j].plus(other.negative()).to_f64().abs();
                let change = change(table[i][j - 1]).max(change(table[i - 1][j - 1]));
                if change < error {
                    (best, error) = (table[i][j].to_f64(), change);
                }
            }
        }
        best
    };
    (0..x.len())
        .map(|lane| (0..function.lanes[0].outputs.len()).map(|output| one(lane, output)).collect())
        .collect()
}

/// Directions of all reals, but of those along which a function is not smooth.
fn direction(function: &Function, random: &mut Random) -> Vec<f64> {
    let of = |(i, kind): (usize, &ValueKind)| match (function.rule.name, i, kind) {
        ("scalb", 1, _) | (_, _, ValueKind::Int | ValueKind::Pointer) => 0.0,
        // Of few bits, as the steps.
        _ => (random.between(-1.0, 1.0) * 16.0).round() / 16.0 + 0.03125,
    };
    function.rule.params.iter().enumerate().map(of).collect()
}

/// What is compared of an output at one point.
struct Comparison {
    value: f64,
    got: f64,
    want: f64,
}

fn compare(function: &Function, address: u64, random: &mut Random) -> Vec<Comparison> {
    let round = |x: Vec<f64>| match coarsest(function) {
        Format::F32 => x.into_iter().map(|x| f64::from(x as f32)).collect(),
        Format::F64 | Format::F80 | Format::F128 => x,
    };
    let x: Vec<Vec<f64>> =
        function.lanes.iter().map(|_| round(point(function.rule, random))).collect();
    let d: Vec<Vec<f64>> = function.lanes.iter().map(|_| direction(function, random)).collect();
    let values = outputs(function, address, &x, &d, 0.0);
    let want = differences(function, address, &x, &d);
    let mut all = Vec::new();
    for (k, lane) in function.lanes.iter().enumerate() {
        let args = arguments(function, &x[k], &Extended::ZERO, &d[k]);
        // Of what is no real, anything.
        let dot = |(a, d): (&Value, &f64)| match a {
            Value::Real(x) => number(x.format(), *d),
            Value::Integer(_) | Value::Pointer(_) => Real::F64(f64::NAN),
        };
        let dots: Vec<Real> = args.iter().zip(&d[k]).map(dot).collect();
        for output in 0..lane.outputs.len() {
            let got = tangent(function, output, &args, &values[k], &dots).unwrap();
            assert_eq!(got.format(), lane.outputs[output].format, "{}", function.name);
            all.push(Comparison {
                value: values[k][output].to_f64(),
                got: got.to_f64(),
                want: want[k][output],
            });
        }
    }
    all
}

#[test]
fn tangents_are_limits_of_differences() {
    let mut compared = BTreeMap::new();
    for (name, &(ref function, address)) in functions() {
        let has_reals = function.rule.params.contains(&ValueKind::Float);
        // These store and return what is no function of reals: signs, payloads, integers as the
        // older standard has them.
        let is_other = ["setpayload", "setpayloadsig", "fromfp", "ufromfp", "fromfpx", "ufromfpx"]
            .contains(&function.rule.name);
        if function.refused.is_some()
            || !has_reals
            || is_other
            || function.lanes[0].outputs.is_empty()
            || !is_supported(name)
        {
            continue;
        }
        let (error, noticed) = tolerance(coarsest(function));
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut could_fail = vec![false; function.lanes.len() * function.lanes[0].outputs.len()];
        for _ in 0..24 {
            for (i, c) in compare(function, address, &mut random).into_iter().enumerate() {
                let bound = error * (c.want.abs() + c.value.abs() + 1e-3);
                // Written so that NaN fails.
                let numbers = format!(
                    "value {:e}, tangent {:e}, difference quotient {:e}",
                    c.value, c.got, c.want
                );
                assert!((c.got - c.want).abs() <= bound, "{name}: {numbers}");
                could_fail[i] |= (c.got * (1.0 + noticed) - c.want).abs() > bound;
            }
        }
        let outputs = function.lanes.iter().flat_map(|l| &l.outputs);
        for (output, could_fail) in outputs.zip(could_fail) {
            let is_constant = !function.rule.partials.iter().any(|(o, ..)| *o == output.of);
            assert!(
                could_fail != is_constant,
                "{name}: a wrong derivative of {:?} would not be seen",
                output.of
            );
        }
        *compared.entry((function.rule.name, coarsest(function).bytes())).or_insert(0) += 1;
    }
    let rules = |bytes| compared.keys().filter(|(_, b)| *b == bytes).count();
    assert!(
        rules(4) > 95 && rules(8) > 95 && rules(10) > 90,
        "{} {} {}",
        rules(4),
        rules(8),
        rules(10)
    );
    // Those of libmvec are of x86-64.
    let all = if word::IS_64 { 900 } else { 800 };
    assert!(compared.values().sum::<i32>() > all, "{}", compared.values().sum::<i32>());
}

/// The row of a function of this process, and its address.
fn one(name: &str) -> (&'static Function, u64) {
    let (function, address) = functions().get(name).unwrap_or_else(|| panic!("{name}"));
    (function, *address)
}

/// Value and dot of a function of one long double, for dot 1.
fn long_double(name: &str, x: Extended) -> (Extended, Extended) {
    let (function, address) = one(name);
    let args = [Value::Real(Real::F80(x))];
    let results = call(function, address, &[args.to_vec()]).remove(0);
    let dot = tangent(function, 0, &args, &results, &[number(Format::F80, 1.0)]).unwrap();
    (results[0].to_extended(), dot.to_extended())
}

/// Long doubles have 64 bits, their derivatives, too: the identities hold to the nineteenth digit.
#[test]
fn long_doubles_are_as_exact_as_they_are() {
    let less = |a: Extended, b: Extended| a.plus(b.negative()).to_f64().abs();
    let one = Extended::from_f64(1.0);
    let mut random = Random(77);
    for _ in 0..20 {
        // A number with bits below a double's.
        let x = Extended::from_f64(random.between(0.3, 4.0)).over(Extended::from_f64(3.0));
        let (sin, cos) = (long_double("sinl", x), long_double("cosl", x));
        assert!(less(sin.0.times(sin.0).plus(sin.1.times(sin.1)), one) < 3e-19);
        assert!(less(sin.1, cos.0) < 1e-19 && less(cos.1, sin.0.negative()) < 1e-19);
        let exp = long_double("expl", x);
        assert_eq!(exp.0.bytes(), exp.1.bytes());
        let log = long_double("logl", x);
        assert!(less(log.1.times(x), one) < 2e-19);
        let (tan, tanh) = (long_double("tanl", x), long_double("tanhl", x));
        assert!(less(tan.1.times(cos.0).times(cos.0), one) < 1e-18);
        assert!(less(tanh.1.plus(tanh.0.times(tanh.0)), one) < 2e-19);
        let sqrt = long_double("sqrtl", x);
        assert!(less(sqrt.1.times(sqrt.0), Extended::from_f64(0.5)) < 1e-19);
        // 2^x and 10^x by logarithms that are sums of two doubles.
        let (exp2, log2) = (long_double("exp2l", x), long_double("log2l", x));
        assert!(less(exp2.1.over(exp2.0).times(log2.1).times(x), one) < 4e-19);
        let (exp10, log10) = (long_double("exp10l", x), long_double("log10l", x));
        assert!(less(exp10.1.over(exp10.0).times(log10.1).times(x), one) < 4e-19);
        // psi(x + 1) = psi(x) + 1/x, psi(1 - x) - psi(x) = pi cot(pi x) (DLMF 5.5).
        let (psi, above) = (long_double("lgammal", x).1, long_double("lgammal", x.plus(one)).1);
        assert!(
            less(above, psi.plus(one.over(x))) < 2e-18,
            "{}",
            less(above, psi.plus(one.over(x)))
        );
        let mirrored = long_double("lgammal", one.plus(x.negative())).1;
        let pi = Extended::from_f64(std::f64::consts::PI)
            .plus(Extended::from_f64(1.224_646_799_147_353_2e-16));
        let tangent = long_double("tanl", pi.times(x)).0;
        assert!(
            less(mirrored.plus(psi.negative()), pi.over(tangent))
                < 1e-17 * pi.over(tangent).to_f64().abs().max(1.0)
        );
    }
    // -psi(1) is Euler's constant.
    let euler = Extended::from_f64(0.577_215_664_901_532_9)
        .plus(Extended::from_f64(-4.942_915_152_430_645e-18));
    assert!(less(long_double("lgammal", one).1.negative(), euler) < 1e-18);
}

/// Of floats, the derivative of the double function, rounded once, but for what the result has
/// lost.
#[test]
fn floats_have_the_derivative_of_doubles() {
    let all = functions();
    let mut compared = 0;
    for (name, (function, address)) in all {
        let Some((double, at)) = name.strip_suffix('f').and_then(|n| all.get(n)) else { continue };
        let no_reals = !function.rule.params.contains(&ValueKind::Float);
        let is_other = ["payload", "fromfp"].iter().any(|n| function.rule.name.contains(n))
            || double.rule.name != function.rule.name;
        if is_other || no_reals || function.lanes[0].outputs.is_empty() || function.lanes.len() != 1
        {
            continue;
        }
        let mut random = Random(99);
        for _ in 0..10 {
            let x: Vec<f64> = point(function.rule, &mut random)
                .into_iter()
                .map(|x| f64::from(x as f32))
                .collect();
            let d = direction(function, &mut random);
            let both = [(function, *address), (double, *at)].map(|(f, address)| {
                let args = arguments(f, &x, &Extended::ZERO, &d);
                let results = call(f, address, std::slice::from_ref(&args)).remove(0);
                let dot = |(p, d): (&Parameter, &f64)| match p {
                    Parameter::Real(format, _) => number(*format, *d),
                    Parameter::Integer(..) | Parameter::Pointer(_) => Real::F64(0.0),
                };
                let dots: Vec<Real> = f.lanes[0].parameters.iter().zip(&d).map(dot).collect();
                let dot = |i| tangent(f, i, &args, &results, &dots).unwrap().to_f64();
                (0..results.len()).map(|i| (results[i].to_f64(), dot(i))).collect::<Vec<_>>()
            });
            for ((value, float), (_, double)) in both[0].iter().zip(&both[1]) {
                let bound = 4e-7 * (double.abs() + value.abs() + 1.0);
                assert!((float - double).abs() <= bound, "{name} at {x:?}: {float:e}, {double:e}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// Value and dot of functions of doubles, for given dots.
fn dots_of(name: &str, x: &[f64], d: &[f64]) -> Vec<f64> {
    let (function, address) = one(name);
    let args = arguments(function, x, &Extended::ZERO, d);
    let results = call(function, address, std::slice::from_ref(&args)).remove(0);
    let dots: Vec<Real> = d.iter().map(|d| number(coarsest(function), *d)).collect();
    (0..results.len())
        .map(|i| tangent(function, i, &args, &results, &dots).unwrap().to_f64())
        .collect()
}

#[test]
fn zero_times_an_infinite_partial_is_zero() {
    for precision in ["", "f", "l"] {
        let of = |name: &str, x: &[f64], d: &[f64]| dots_of(&format!("{name}{precision}"), x, d)[0];
        assert_eq!(of("sqrt", &[0.0], &[0.0]), 0.0);
        assert_eq!(of("sqrt", &[0.0], &[1.0]), f64::INFINITY);
        assert_eq!(of("log", &[0.0], &[0.0]), 0.0);
        assert_eq!(of("pow", &[0.0, 0.5], &[0.0, 1.0]), 0.0);
        assert_eq!(of("pow", &[2.0, 3.0], &[1.0, 0.0]), 12.0);
        assert_eq!(of("sin", &[f64::INFINITY], &[0.0]), 0.0);
        assert!(of("sin", &[f64::INFINITY], &[1.0]).is_nan());
        // A NaN beside an active argument that counts.
        assert_eq!(of("fmax", &[2.0, f64::NAN], &[1.0, 0.0]), 1.0);
        assert_eq!(of("hypot", &[0.0, 0.0], &[1.0, 1.0]), 0.0);
        assert_eq!(of("atan2", &[0.0, 0.0], &[0.0, 0.0]), 0.0);
    }
    // (1 / x) d as d / x: no overflow between.
    assert_eq!(dots_of("log", &[1e-310], &[1e-310]), [1.0]);
    // A tie goes to the first.
    assert_eq!(
        (dots_of("fmax", &[2.0, 2.0], &[3.0, 5.0]), dots_of("fmin", &[2.0, 2.0], &[3.0, 5.0])),
        (vec![3.0], vec![3.0])
    );
}

#[test]
fn results_through_pointers() {
    let all = dots_of("sincos", &[0.5, 0.0, 0.0], &[2.0, 0.0, 0.0]);
    assert_eq!(all, [2.0 * 0.5f64.cos(), -2.0 * 0.5f64.sin()]);
    assert_eq!(dots_of("modf", &[2.75, 0.0], &[3.0, 0.0]), [3.0, 0.0]);
    assert_eq!(dots_of("modfl", &[2.75, 0.0], &[3.0, 0.0]), [3.0, 0.0]);
    assert_eq!(dots_of("frexpf", &[12.0, 0.0], &[8.0, 0.0]), [0.5]);
    const SECOND: &[(usize, usize)] = &[(1, 4)];
    let expected = [
        ("frexp", SECOND),
        ("remquol", &[(2, 4)]),
        ("lgammaf_r", SECOND),
        ("__gamma_r_finite", SECOND),
        ("modf", &[]),
    ];
    for (name, integers) in expected {
        assert_eq!(one(name).0.lanes[0].integers, integers, "{name}");
    }
    assert!(matches!(
        one("setpayload").0.lanes[0].outputs[..],
        [table::Output { at: Target::Pointee(0), format: Format::F64, .. }]
    ));
}

/// A tangent is the sum of partial times dot.
#[test]
fn partials_are_those_of_the_tangent() {
    let mut compared = 0;
    for (name, &(ref function, address)) in functions() {
        if function.refused.is_some()
            || function.lanes.len() != 1
            || function.rule.name.contains("payload")
        {
            continue;
        }
        let mut random = Random(5);
        let x = point(function.rule, &mut random);
        let d = direction(function, &mut random);
        let args = arguments(function, &x, &Extended::ZERO, &d);
        let results = call(function, address, std::slice::from_ref(&args)).remove(0);
        for output in 0..results.len() {
            let all = partials(function, output, &args, &results).unwrap();
            for (i, partial) in all.iter().enumerate() {
                let mut dots = vec![Real::F64(0.0); d.len()];
                if let (Some(partial), Parameter::Real(format, _)) =
                    (partial, function.lanes[0].parameters[i])
                {
                    dots[i] = number(format, 1.0);
                    let dot = tangent(function, output, &args, &results, &dots).unwrap().to_f64();
                    assert!(
                        (dot - partial.to_f64()).abs() <= 1e-7 * dot.abs(),
                        "{name}: {dot:e}, {partial:?}"
                    );
                    compared += usize::from(dot != 0.0);
                }
            }
        }
    }
    assert!(compared > 800, "{compared}");
}

#[test]
fn quadruples_are_refused_where_they_are_active() {
    let mut refused = 0;
    for (name, (function, _)) in functions() {
        assert_eq!(function.refused.is_some(), name.contains("f128"), "{name}");
        if function.refused.is_none() || function.lanes[0].outputs.is_empty() {
            continue;
        }
        refused += 1;
        let (args, results) = (vec![], vec![]);
        let dots = vec![Real::zero(Format::F128); function.rule.params.len()];
        assert!(tangent(function, 0, &args, &results, &dots).unwrap().is_zero(), "{name}");
        assert!(partials(function, 0, &args, &results).is_err());
        let Some(i) = function.rule.params.iter().position(|k| *k == ValueKind::Float) else {
            continue;
        };
        let mut dots = dots;
        dots[i] = Real::F128([1; 16]);
        assert!(tangent(function, 0, &args, &results, &dots).is_err(), "{name}");
    }
    assert!(refused > 100, "{refused}");
}

/// No derivative is computed of them, but they are where the table says.
#[test]
fn quadruples_are_where_they_are() {
    let of = |exponent: u16, last: u8| {
        let mut bytes = [0; 16];
        bytes[14..].copy_from_slice(&exponent.to_le_bytes());
        bytes[0] = last;
        Real::F128(bytes)
    };
    let run = |name: &str, args: &[Real]| {
        let (function, address) = one(name);
        let mut args: Vec<Value> = args.iter().map(|x| Value::Real(*x)).collect();
        args.resize(function.rule.params.len(), Value::Pointer(0));
        let results = call(function, address, &[args]).remove(0);
        results.iter().map(|r| r.bytes().0).collect::<Vec<_>>()
    };
    let bytes = |all: &[Real]| all.iter().map(|r| r.bytes().0).collect::<Vec<_>>();
    // One and a bit, minus two, and a half: sign and exponent are the first 16 bits.
    let (x, y, z) = (of(0x3fff, 1), of(0xc000, 0), of(0x3ffe, 0));
    assert_eq!(run("fabsf128", &[y]), bytes(&[of(0x4000, 0)]));
    assert_eq!(run("fmaxf128", &[y, x]), bytes(&[x]));
    assert_eq!(run("fmaf128", &[y, z, of(0x4000, 0)]), bytes(&[of(0x3fff, 0)]));
    assert_eq!(run("modff128", &[z]), bytes(&[z, of(0, 0)]));
    assert_eq!(run("conjf128", &[x, y]), bytes(&[x, of(0x4000, 0)]));
    assert_eq!(run("cimagf128", &[x, y]), bytes(&[y]));
    // A double comes back on the stack of the x87 on i386.
    let one = if word::IS_64 { Real::F64(1.0) } else { Real::F80(Extended::from_f64(1.0)) };
    assert_eq!(run("f64addf128", &[z, z]), bytes(&[one]));
}

/// The exported functions of a library, read from its file.
fn exported(library: &str) -> Vec<String> {
    load(library);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let path = maps
        .lines()
        .filter_map(|l| l.split_whitespace().nth(5))
        .find(|p| p.rsplit('/').next() == Some(library))
        .unwrap();
    let file = std::fs::read(path).unwrap();
    let word = |at: usize, n: usize| {
        (0..n).rev().fold(0usize, |sum, i| sum << 8 | usize::from(file[at + i]))
    };
    // Places in the file, its sections and its symbols, and their sizes.
    let wide = word::IS_64;
    let (sections, count, room) =
        if wide { (word(40, 8), word(60, 2), 64) } else { (word(32, 4), word(48, 2), 40) };
    let section = |i: usize| sections + room * i;
    const DYNAMIC_SYMBOLS: usize = 11;
    let table = (0..count).map(section).find(|s| word(s + 4, 4) == DYNAMIC_SYMBOLS).unwrap();
    let (place, link) = if wide { (24, 40) } else { (16, 24) };
    let strings = word(section(word(table + link, 4)) + place, BYTES);
    let (from, size) = (word(table + place, BYTES), word(table + place + BYTES, BYTES));
    let (info, symbols) = if wide { (4, 24) } else { (12, 16) };
    let mut names = Vec::new();
    for symbol in (from..from + size).step_by(symbols) {
        let (kind, defined) = (file[symbol + info] & 15, word(symbol + info + 2, 2) != 0);
        if defined && (kind == 2 || kind == 10) {
            let name = &file[strings + word(symbol, 4)..];
            let end = name.iter().position(|b| *b == 0).unwrap();
            names.push(String::from_utf8(name[..end].to_vec()).unwrap());
        }
    }
    names
}

#[test]
fn none_of_libm_is_missing() {
    let mut seen = std::collections::HashMap::new();
    for library in LIBRARIES {
        let names = exported(library);
        assert!(names.len() > 200, "{library}: {}", names.len());
        resolve::each_symbol(&mut |name, address| _ = seen.insert(name.to_string(), address));
        let known = resolve::addresses();
        for name in names {
            assert!(
                lookup(&name).is_some(),
                "{library} exports {name}, which is neither known nor refused"
            );
            let address =
                seen.get(&name).unwrap_or_else(|| panic!("{name} is not found in memory"));
            assert!(known.contains_key(address), "{name}");
        }
    }
}

/// Names of one address have one derivative.
#[test]
fn aliases_are_consistent() {
    let all = functions();
    let known = resolve::addresses();
    let mut aliases = 0;
    for (name, &(ref function, address)) in all {
        let Model::Function(other) = &known[&address] else {
            panic!("{name} is {}", known[&address].name())
        };
        aliases += usize::from(other.name != *name);
        assert_eq!(
            format!("{:?}", other.lanes),
            format!("{:?}", function.lanes),
            "{name}, {}",
            other.name
        );
        // Two ways to say the same power of two.
        let partials = |f: &Function| {
            format!("{:?}", f.rule.partials).replace("ldexp", "scalbn").replace("scalbln", "scalbn")
        };
        assert_eq!(partials(other), partials(function), "{name}, {}", other.name);
    }
    assert!(aliases > 300, "{aliases}");
}

#[test]
fn addresses_are_those_that_calls_have() {
    let known = resolve::addresses();
    let at = |handle: *mut libc::c_void, name: &str, version: Option<&str>| {
        let name = std::ffi::CString::new(name).unwrap();
        // SAFETY: strings.
        let found = unsafe {
            match version {
                None => libc::dlsym(handle, name.as_ptr()),
                Some(version) => {
                    let version = std::ffi::CString::new(version).unwrap();
                    dlvsym(handle, name.as_ptr(), version.as_ptr())
                }
            }
        };
        assert!(!found.is_null(), "{name:?}");
        found as u64
    };
    unsafe extern "C" {
        fn dlvsym(
            handle: *mut libc::c_void,
            name: *const libc::c_char,
            version: *const libc::c_char,
        ) -> *mut libc::c_void;
    }
    const NAMES: &str =
        "sin exp pow sqrtf cexpl frexp modf memcpy memset malloc realloc free read printf strlen";
    for name in NAMES.split(' ') {
        let address = at(libc::RTLD_DEFAULT, name, None);
        assert!(known.contains_key(&address), "{name}");
    }
    // Older versions, and names that only older programs call.
    let first = if word::IS_64 { "GLIBC_2.2.5" } else { "GLIBC_2.0" };
    for name in ["exp ", "pow ", "lgamma ", "memcpy ", "__exp_finite GLIBC_2.15"] {
        let (symbol, version) = name.split_once(' ').unwrap();
        let version = if version.is_empty() { first } else { version };
        let address = at(libc::RTLD_DEFAULT, symbol, Some(version));
        assert!(known.contains_key(&address), "{name}");
    }
    for name in adshadow::models::memory::names() {
        assert!(matches!(lookup(name), Some(Model::Memory(row)) if row.name == name), "{name}");
    }
    // A name alone is not enough.
    assert!(
        lookup("no_such_function").is_none()
            && lookup("qsort").is_none()
            && lookup("sscanf").is_none()
    );
    assert!(!known.contains_key(&(none_of_libm_is_missing as *const () as u64)));
}
