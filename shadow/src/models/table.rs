//! The functions of libm as machine code calls them: where arguments are at entry, where results
//! are at return.
//!
//! What a function's derivative is, `adrules` says; here is where its numbers are, by the rule's
//! signature and the calling `super::convention`. Functions of libmvec (`_ZGVdN4v_sin`), which
//! x86-64 has, are as many scalar functions, one for each lane. Functions of 128-bit reals are
//! refused, with their places, so that it can be seen whether an argument is active.

use adrules::{Match, Output as Of, Precision, Rule, ValueKind};

use super::{
    convention::{Arguments, returned},
    number::Format,
};
use crate::machine::word::{self, BYTES};

/// A function of libm.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Its partials.
    pub rule: &'static Rule,
    /// Why an active argument is an error, if it is.
    pub refused: Option<&'static str>,
    /// The scalar calls that a call is: one, but for functions of libmvec.
    pub lanes: Vec<Lane>,
}

/// One scalar call.
#[derive(Clone, Debug)]
pub struct Lane {
    /// In the order of the rule's parameters. A complex number is two.
    pub parameters: Vec<Parameter>,
    /// The real numbers that it returns or stores.
    pub outputs: Vec<Output>,
    /// Integers that it stores: the pointer parameter, and how many bytes. They have no derivative.
    pub integers: Vec<(usize, usize)>,
}

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A real number.
    Real(Format, ValuePlace),
    /// An integer with a sign, of so many bytes.
    Integer(usize, ValuePlace),
    /// An address.
    Pointer(ValuePlace),
}

/// Something that a call computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Which one it is for the rule.
    pub of: Of,
    /// Its format.
    pub format: Format,
    /// Where it is after the call.
    pub at: Target,
}

/// Where an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// In a register.
    ValuePlace(ValuePlace),
    /// In memory, where that parameter leads to.
    Pointee(usize),
    /// In memory, so many bytes behind where RAX (EAX) leads to.
    Returned(usize),
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValuePlace {
    /// In a vector register, from that byte on.
    Vector(usize, usize),
    /// In a general register, by its number.
    General(usize),
    /// On the stack, so many bytes above the return address's end.
    Stack(usize),
    /// On the x87's stack, so deep.
    X87(usize),
}

const QUADRUPLE: &str = "128-bit reals";

/// The function of libm that a symbol names.
pub fn function(symbol: &str) -> Option<Function> {
    if let Some(rest) = symbol.strip_prefix("_ZGV") {
        return if word::IS_64 { vector(symbol, rest) } else { None };
    }
    if ["_FortranA", "llvm.", "adrt_"].iter().any(|p| symbol.starts_with(p)) {
        return None;
    }
    let scalar = |rule, formats: &dyn Fn(usize) -> Format, result| {
        let refused = (formats(0) == Format::F128).then_some(QUADRUPLE);
        Some(Function {
            name: symbol.to_string(),
            rule,
            refused,
            lanes: vec![lane(rule, formats, result)],
        })
    };
    if let Some((rule, from, to)) = interchange(symbol) {
        return scalar(rule, &|_| from, to);
    }
    let alias = ["__clog10", "__clog10f", "__clog10l", "__expm1l", "__expl"].contains(&symbol);
    if let Some(found) = adrules::lookup(if alias { &symbol[2..] } else { symbol }) {
        return scalar(found.rule, &|i| format_of(&found, i), found.result_precision().into());
    }
    // `sinf128`, `lgammaf128_r`, `__sinf128_finite`; of `f128` the C library has no narrowing
    // functions but those above.
    let plain = symbol.replacen("f128", "", 1);
    let found =
        adrules::lookup(&plain).filter(|m| plain != symbol && m.precision == Precision::F64)?;
    scalar(found.rule, &|_| Format::F128, Format::F128)
}

fn format_of(found: &Match, i: usize) -> Format {
    found.param_precision(i).into()
}

/// Functions of two interchange types, `f32addf64x`: the rule, the format of the operands, that of
/// the result.
fn interchange(symbol: &str) -> Option<(&'static Rule, Format, Format)> {
    const TYPES: [(&str, Format); 5] = [
        ("f32x", Format::F64),
        ("f64x", Format::F80),
        ("f128", Format::F128),
        ("f32", Format::F32),
        ("f64", Format::F64),
    ];
    let (rest, to) =
        TYPES.iter().find_map(|(name, format)| Some((symbol.strip_prefix(name)?, *format)))?;
    let (operation, from) =
        TYPES.iter().find_map(|(name, format)| Some((rest.strip_suffix(name)?, *format)))?;
    let known = ["add", "sub", "mul", "div", "fma", "sqrt"].contains(&operation);
    // Of one format, some are another name of a function that does not narrow.
    let plain = adrules::rule(operation).filter(|_| from == to);
    Some((plain.or_else(|| adrules::rule(&format!("d{operation}"))).filter(|_| known)?, from, to))
}

/// Whether pairs of real parameters are complex numbers. Of the compiler's products and quotients
/// they are not.
fn is_complex(rule: &Rule) -> bool {
    let returns_complex = rule.elements.len() == 2 && !rule.name.starts_with("__");
    returns_complex || matches!(rule.name, "cabs" | "carg" | "creal" | "cimag")
}

/// The places for the signature of a rule: format of each parameter, format of a real result.
fn lane(rule: &'static Rule, format: &dyn Fn(usize) -> Format, result: Format) -> Lane {
    let is_real = |kind: &ValueKind| *kind == ValueKind::Float;
    let parts = usize::from(rule.result.as_ref().is_some_and(is_real)) + rule.elements.len();
    let mut places = Arguments::new(result, parts);
    let complex = is_complex(rule);
    let parameter = |(i, kind): (usize, &ValueKind)| match kind {
        // The exponent of `scalbln` is a `long`.
        ValueKind::Int => {
            Parameter::Integer(if rule.name == "scalbln" { BYTES } else { 4 }, places.word())
        }
        ValueKind::Pointer => Parameter::Pointer(places.word()),
        ValueKind::Float => {
            let format = format(i);
            Parameter::Real(format, places.real(format, complex))
        }
    };
    let parameters = rule.params.iter().enumerate().map(parameter).collect();
    let mut outputs = Vec::new();
    let mut output = |of: Of, i: usize, parts: usize| {
        let (format, at) = returned(result, i, parts);
        outputs.push(Output { of, format, at });
    };
    if rule.result.as_ref().is_some_and(is_real) {
        output(Of::Return, 0, 1);
    }
    for (i, _) in rule.elements.iter().enumerate().filter(|(_, kind)| is_real(kind)) {
        output(Of::Element(i), i, 2);
    }
    for i in &rule.float_pointees {
        // What `setpayload` stores has no partial, but is a real of the function's format.
        outputs.push(Output { of: Of::Pointee(*i), format: result, at: Target::Pointee(*i) });
    }
    let integers = match rule.name {
        "frexp" | "lgamma_r" | "gamma_r" | "__gamma_r_finite" => vec![(1, 4)],
        "remquo" => vec![(2, 4)],
        _ => vec![],
    };
    Lane { parameters, outputs, integers }
}

/// A function of libmvec (Vector Function ABI for x86-64): instruction set, no mask, lanes, a `v`
/// per argument, the scalar function.
fn vector(symbol: &str, rest: &str) -> Option<Function> {
    let mut parts = rest.split('_');
    let (shape, scalar) = (parts.next()?, parts.next()?);
    // Widths of registers for reals and for integers: AVX has the wide ones for reals only.
    let (width, integers) = match shape.get(..2)? {
        "bN" => (16, 16),
        "cN" => (32, 16),
        "dN" => (32, 32),
        "eN" => (64, 64),
        _ => return None,
    };
    let digits = shape[2..].trim_end_matches('v');
    let (lanes, vectors): (usize, usize) = (digits.parse().ok()?, shape.len() - 2 - digits.len());
    let found = adrules::lookup(scalar)?;
    let (rule, format) = (found.rule, Format::from(found.precision));
    if vectors != rule.params.len() || lanes * format.bytes() != width || parts.next().is_some() {
        return None;
    }
    let lanes = (0..lanes).map(|k| {
        let mut registers = 0;
        // A vector of pointers may take several registers, and the stack when the eight are full.
        let mut place = |bytes: usize, width: usize| {
            let register = registers + k * bytes / width;
            registers += (lanes * bytes).div_ceil(width);
            match register {
                0..8 => ValuePlace::Vector(register, k * bytes % width),
                _ => ValuePlace::Stack((register - 8) * width + k * bytes % width),
            }
        };
        let parameters = rule.params.iter().map(|kind| match kind {
            ValueKind::Float => Some(Parameter::Real(format, place(format.bytes(), width))),
            ValueKind::Pointer => Some(Parameter::Pointer(place(8, integers))),
            ValueKind::Int => None,
        });
        let parameters = parameters.collect::<Option<Vec<_>>>()?;
        let returned = Output {
            of: Of::Return,
            format,
            at: Target::ValuePlace(ValuePlace::Vector(0, k * format.bytes())),
        };
        let stored = rule.float_pointees.iter().map(|i| Output {
            of: Of::Pointee(*i),
            format,
            at: Target::Pointee(*i),
        });
        let outputs = rule.result.map(|_| returned).into_iter().chain(stored).collect();
        Some(Lane { parameters, outputs, integers: vec![] })
    });
    Some(Function {
        name: symbol.to_string(),
        rule,
        refused: None,
        lanes: lanes.collect::<Option<Vec<_>>>()?,
    })
}
