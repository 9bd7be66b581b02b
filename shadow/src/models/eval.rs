//! Derivatives of library models at run time: the formulas of `adrules` at the values of one call.
//!
//! Formulas are computed in double for float and double, and in long double for long double; a
//! float is rounded once, at the end. An argument whose dot is zero is inactive: it adds nothing,
//! even where the partial is infinite or NaN (sqrt at 0).

use adrules::{Expr, Output as Of, Rule, ValueKind};

use super::{
    number::{Extended, Format, Number, Real},
    table::{Function, Lane, Output, Parameter, Target, ValuePlace},
};
use crate::machine::word::BYTES;

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A real number.
    Real(Real),
    /// An integer.
    Integer(i64),
    /// An address.
    Pointer(u64),
}

/// Where a call's arguments and results are: registers and memory of the program, or their shadows.
pub trait Frame {
    /// Bytes of a value, as many as `bytes` has room for.
    fn read(&self, place: ValuePlace, bytes: &mut [u8]);
    /// The same of memory.
    fn read_memory(&self, address: u64, bytes: &mut [u8]);
}

/// The real number at a place.
pub fn real(frame: &dyn Frame, format: Format, place: ValuePlace) -> Real {
    let mut bytes = [0; 16];
    frame.read(place, &mut bytes[..format.bytes()]);
    Real::from_bytes(format, &bytes)
}

impl Lane {
    /// The arguments, at the entry of the function.
    pub fn arguments(&self, frame: &dyn Frame) -> Vec<Value> {
        let word = |place, size: usize| {
            let mut bytes = [0; 8];
            frame.read(place, &mut bytes[..size]);
            u64::from_le_bytes(bytes)
        };
        let of = |p: &Parameter| match *p {
            Parameter::Real(format, place) => Value::Real(real(frame, format, place)),
            Parameter::Integer(4, place) => Value::Integer((word(place, 4) as i32).into()),
            Parameter::Integer(_, place) => Value::Integer(word(place, 8) as i64),
            Parameter::Pointer(place) => Value::Pointer(word(place, BYTES)),
        };
        self.parameters.iter().map(of).collect()
    }

    /// The real numbers at the places of the arguments, as those of a frame of dots; zero for what
    /// is no real.
    pub fn reals(&self, frame: &dyn Frame) -> Vec<Real> {
        let of = |p: &Parameter| match *p {
            Parameter::Real(format, place) => real(frame, format, place),
            Parameter::Integer(..) | Parameter::Pointer(_) => Real::F64(0.0),
        };
        self.parameters.iter().map(of).collect()
    }

    /// The outputs after the call, by the arguments at its entry.
    pub fn results(&self, frame: &dyn Frame, args: &[Value]) -> Vec<Real> {
        let of = |o: &Output| match self.address(o, frame, args) {
            Err(place) => real(frame, o.format, place),
            Ok(address) => {
                let mut bytes = [0; 16];
                frame.read_memory(address, &mut bytes[..o.format.bytes()]);
                Real::from_bytes(o.format, &bytes)
            }
        };
        self.outputs.iter().map(of).collect()
    }

    /// Where an output is after the call: at an address, or else at a place. `frame` is the
    /// primal's.
    pub fn address(
        &self,
        output: &Output,
        frame: &dyn Frame,
        args: &[Value],
    ) -> Result<u64, ValuePlace> {
        match output.at {
            Target::ValuePlace(place) => Err(place),
            Target::Pointee(i) => {
                let Value::Pointer(address) = args[i] else {
                    unreachable!("outputs are stored through pointers")
                };
                Ok(address)
            }
            Target::Returned(offset) => {
                let mut rax = [0; 8];
                frame.read(ValuePlace::General(0), &mut rax[..BYTES]);
                Ok(u64::from_le_bytes(rax) + offset as u64)
            }
        }
    }
}

/// What the formulas of a call read.
struct Point<N> {
    args: Vec<N>,
    results: Vec<N>,
}

impl<N: Number> Point<N> {
    /// Of the outputs, formulas read those that are returned.
    fn new(function: &Function, args: &[Value], results: &[Real]) -> Point<N> {
        let of = |v: &Value| match v {
            Value::Real(x) => N::of(x),
            Value::Integer(n) => N::of_integer(*n),
            Value::Pointer(_) => N::from_f64(f64::NAN),
        };
        let returned = function.lanes[0].outputs.iter().zip(results);
        let returned =
            returned.filter(|(o, _)| !matches!(o.of, Of::Pointee(_))).map(|(_, r)| N::of(r));
        Point { args: args.iter().map(of).collect(), results: returned.collect() }
    }

    fn value(&self, e: &Expr) -> N {
        N::value(e, &self.args, &self.results)
    }

    /// partial · d, as the compiler's code computes it: (x / y) d as x (d / y).
    fn times(&self, partial: &Expr, d: N) -> N {
        match partial {
            Expr::Neg(e) => self.times(e, d).negative(),
            Expr::Div(x, y) => self.times(x, d.over(self.value(y))),
            e => self.value(e).times(d),
        }
    }

    /// The sum of partial · dot over the active arguments.
    fn dot(&self, rule: &Rule, out: Of, dots: &[Real]) -> N {
        let terms = dots
            .iter()
            .enumerate()
            .filter(|(i, d)| rule.params[*i] == ValueKind::Float && !d.is_zero());
        let terms = terms.filter_map(|(i, d)| Some(self.times(rule.partial(out, i)?, N::of(d))));
        terms.reduce(N::plus).unwrap_or(N::from_f64(0.0))
    }
}

/// Whether formulas of a call are computed in long double: one of its numbers is one.
fn is_long(function: &Function) -> bool {
    let lane = &function.lanes[0];
    let is_long = |f: Format| f == Format::F80;
    // The direction of `nexttoward` is a long double in all its variants; no formula reads it.
    let first = lane.parameters.iter().find_map(|p| match p {
        Parameter::Real(format, _) => Some(*format),
        Parameter::Integer(..) | Parameter::Pointer(_) => None,
    });
    first.is_some_and(is_long)
}

/// The dot of an output of a call, by its number in `Lane::outputs`.
///
/// `args`: the arguments at entry; `results`: all outputs; `dots`: one for each argument, anything
/// for those that are no reals. Of a function of libmvec it is all that of one lane. An active
/// argument of a function that is refused is an error, with the reason.
pub fn tangent(
    function: &Function,
    output: usize,
    args: &[Value],
    results: &[Real],
    dots: &[Real],
) -> Result<Real, &'static str> {
    let Output { of, format, .. } = function.lanes[0].outputs[output];
    let rule = function.rule;
    let is_active =
        (0..dots.len()).any(|i| rule.params[i] == ValueKind::Float && !dots[i].is_zero());
    if !is_active {
        return Ok(Real::zero(format));
    }
    if let Some(reason) = function.refused {
        return Err(reason);
    }
    if is_long(function) {
        let dot = Point::<Extended>::new(function, args, results).dot(rule, of, dots);
        return Ok(match format {
            Format::F32 => Real::F32(dot.to_f32()),
            Format::F64 => Real::F64(dot.to_f64()),
            Format::F80 | Format::F128 => Real::F80(dot),
        });
    }
    let dot = Point::<f64>::new(function, args, results).dot(rule, of, dots);
    Ok(match format {
        Format::F32 => Real::F32(dot as f32),
        Format::F64 | Format::F128 => Real::F64(dot),
        Format::F80 => Real::F80(Extended::from_f64(dot)),
    })
}

/// The partials of an output with respect to each argument: `None` where it is zero everywhere, or
/// the argument no real.
///
/// They are doubles, or long doubles where the function is one of long doubles: a partial of floats
/// is not rounded. One may be infinite or NaN where the derivative does not exist; times a zero it
/// is to be zero. For a refused function the reason is returned: no argument of it may be active.
pub fn partials(
    function: &Function,
    output: usize,
    args: &[Value],
    results: &[Real],
) -> Result<Vec<Option<Real>>, &'static str> {
    let of = function.lanes[0].outputs[output].of;
    if let Some(reason) = function.refused {
        return Err(reason);
    }
    let rule = function.rule;
    let parameters = 0..rule.params.len();
    Ok(if is_long(function) {
        let point = Point::<Extended>::new(function, args, results);
        parameters.map(|i| Some(Real::F80(point.value(rule.partial(of, i)?)))).collect()
    } else {
        let point = Point::<f64>::new(function, args, results);
        parameters.map(|i| Some(Real::F64(point.value(rule.partial(of, i)?)))).collect()
    })
}
