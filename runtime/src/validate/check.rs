//! The check of one function: differences against the tangent, the tangent against the adjoint.

use super::{
    Thunks,
    compare::{self, Precision, Sample, Verdict},
    description::{Description, Kind},
    experiment::Laboratory,
    isolation::Reports,
    memory::{Real, Reals},
    walk,
};
use crate::shadows;
use std::env;

/// Directions of a request's check, and of that of a call.
const OF_REQUEST: u64 = 3;
const OF_CALL: u64 = 2;
/// The number that random directions start from.
const SEED: &str = "ADRT_CHECK_SEED";
const REMEDY: &str = "if the derivative of this function is your own, or it is declared inactive or \
    constant, correct that; else look for what its derivative relies on \
    (docs/how-to/check-a-gradient.md)";

/// A function, and what it is called with.
pub struct Subject<'a> {
    pub of: &'a Description,
    pub frame: *mut u8,
    pub thunks: Thunks,
    /// Distinguishes the directions of several checks.
    pub number: u64,
}

/// A check that failed.
pub struct Fault {
    /// What was compared, and the numbers.
    pub text: String,
    /// In which direction; of each real.
    pub direction: Vec<f64>,
}

/// What a check found.
#[derive(Default)]
pub struct Found {
    pub fault: Option<Fault>,
    /// Whether anything could be compared.
    pub compared: bool,
    /// Whether differences said anything.
    pub settled: bool,
    /// What was not.
    pub notes: Vec<String>,
}

impl Subject<'_> {
    /// Checks a request; where it fails, looks for the function that is to blame.
    pub fn request(&self, reports: &Reports) {
        // SAFETY: generated code gives a frame as it says.
        let reals = unsafe { Reals::find(self.of, self.frame) };
        let (name, place) = (&self.of.name, &self.of.place);
        if self.of.is_half {
            reports.notes.write(&format!(
                "derivatives are not validated where code computes with reals of 16 bits, in a \
                request on '{name}' {place}"
            ));
            return;
        }
        let found = self.check(&reals, OF_REQUEST);
        let mut notes = found.notes;
        notes.extend(reals.left_out.iter().map(|argument| {
            format!(
                "it is not known how far '{argument}' reaches, or what it holds: it is left out, \
                in a request on '{name}' {place}"
            )
        }));
        notes.extend(reals.shared.iter().map(|(argument, constant)| {
            format!(
                "memory of '{argument}' is also passed as the constant '{constant}': it is left \
                out, in a request on '{name}' {place}"
            )
        }));
        if !found.compared && found.fault.is_none() {
            notes.push(format!(
                "derivatives could not be compared, in a request on '{name}' {place}"
            ));
        }
        if found.compared && !found.settled && found.fault.is_none() {
            notes.push(format!(
                "differences do not settle (a kink, noise, or runs that end early): only tangent and \
                adjoint were compared, in a request on '{name}' {place}"
            ));
        }
        if shadows::is_verbose() && found.compared && found.fault.is_none() {
            notes.push(format!(
                "derivatives agree with respect to {}, in a request on '{name}' {place}",
                reals.summary()
            ));
        }
        reports.notes.write(&notes.join("\n"));
        let Some(fault) = found.fault else { return };
        // Before the search, which may end early.
        reports.fault.write(&format!(
            "{}; the derivatives of what '{name}'{} calls agree, or are not known; in a request on \
            '{name}' {place}; remedy: {REMEDY}",
            fault.text,
            defined(&self.of.definition)
        ));
        if let Some(guilty) = walk::search(self, &reals, &fault.direction) {
            reports.fault.write(&format!(
                "the derivative of '{}'{} is wrong, in a call {}: {}; found in a request on '{name}' \
                {place}; remedy: {REMEDY}",
                guilty.name,
                defined(&guilty.definition),
                guilty.place,
                guilty.why
            ));
        }
    }

    /// Checks a call, with memory that is known besides: where it does not take part, nothing
    /// changes.
    pub fn call(&self, known: &Reals) -> (Reals, Found) {
        // SAFETY: generated code gives a frame as it says.
        let reals = unsafe { Reals::find(self.of, self.frame) }.with(known);
        let found = self.check(&reals, OF_CALL);
        (reals, found)
    }

    fn check(&self, reals: &Reals, directions: u64) -> Found {
        let mut found = Found::default();
        let all = &reals.all;
        if !all.iter().any(Real::is_input) || !all.iter().any(Real::is_output) {
            return found;
        }
        let Some(laboratory) = Laboratory::new(reals, self.frame) else { return found };
        // SAFETY: the reals are there.
        let values: Vec<f64> = all.iter().map(|r| unsafe { r.value() }).collect();
        let scales = scales(reals, &values);
        let precise = compare::precision(self.of.is_single, all.iter().map(|r| r.kind));
        let base = self.thunks.primal.and_then(|f| laboratory.primal(f, &[], 0.0));
        for number in 0..directions {
            let mut random = Random::new(self.number, number);
            // The last one leaves zeros as they are: they often are where functions have kinks.
            // What is tiny or huge is hardly a number that anything was computed for.
            let moves = |i: usize| match values[i] {
                0.0 => number + 1 < directions,
                x => is_number(x) && x.abs() < MOST,
            };
            let direction: Vec<f64> = all
                .iter()
                .enumerate()
                .map(|(i, r)| {
                    let d = random.next() * scales[i];
                    if r.is_input() && moves(i) { d } else { 0.0 }
                })
                .collect();
            let seeds = |sizes: &[f64]| -> Vec<f64> {
                let mut random = Random::new(self.number, directions + number);
                sizes.iter().map(|size| random.next() / size).collect()
            };
            let experiment =
                Experiment { laboratory: &laboratory, base: &base, precise, scales: &scales };
            if let Some(text) = experiment.run(&self.thunks, &direction, seeds, &mut found) {
                found.fault = Some(Fault { text, direction });
                break;
            }
        }
        found
    }
}

/// ", defined at …,", if it is known.
fn defined(definition: &str) -> String {
    if definition.is_empty() { String::new() } else { format!(", defined at {definition},") }
}

struct Experiment<'a> {
    laboratory: &'a Laboratory<'a>,
    /// The function without a step.
    base: &'a Option<Vec<f64>>,
    precise: &'static Precision,
    scales: &'a [f64],
}

impl Experiment<'_> {
    /// Compares in one direction: what is wrong.
    fn run(
        &self,
        thunks: &Thunks,
        direction: &[f64],
        seeds: impl Fn(&[f64]) -> Vec<f64>,
        found: &mut Found,
    ) -> Option<String> {
        let tangent = thunks.tangent.and_then(|f| self.laboratory.tangent(f, direction));
        let mut agrees = false;
        if let (Some(dots), Some(base), Some(primal)) = (&tangent, self.base, thunks.primal) {
            match self.differences(primal, direction, dots, base) {
                Err(text) => return Some(text),
                Ok(all) => {
                    agrees = all;
                    found.compared |= all;
                    found.settled |= all;
                }
            }
        }
        let adjoint = thunks.adjoint?;
        let size = |(i, y): (usize, &f64)| match is_number(*y) {
            true => power(*y),
            false => self.scales[i],
        };
        let sizes: Vec<f64> = match self.base {
            Some(base) => base.iter().enumerate().map(size).collect(),
            None => self.scales.to_vec(),
        };
        let seeds = seeds(&sizes);
        let bars = self.laboratory.adjoint(adjoint, &seeds)?;
        let (dots, tolerance, what) = match tangent {
            Some(dots) => (dots, self.precise.products, "tangent"),
            None => {
                let step = 0.5f64.powi(self.precise.steps[0]);
                let all = self.laboratory.sample(thunks.primal?, direction, step)?;
                let difference = |s: Sample| (s.plus - s.minus) / (2.0 * step);
                // The precision of differences.
                (
                    all.into_iter().map(difference).collect(),
                    self.precise.agrees.sqrt(),
                    "differences",
                )
            }
        };
        let sum = |is: fn(&Real) -> bool, x: &[f64], y: &[f64]| {
            let all = self.laboratory.reals.all.iter().zip(x.iter().zip(y));
            let terms = all.filter(|(r, _)| is(r)).map(|(_, (x, y))| {
                // Nothing comes of infinite derivatives in directions that are not taken.
                if *x == 0.0 || *y == 0.0 { 0.0 } else { x * y }
            });
            terms.fold((0.0, 0.0), |(sum, size): (f64, f64), t| (sum + t, size + t.abs()))
        };
        let (left, left_size) = sum(Real::is_output, &dots, &seeds);
        let (right, right_size) = sum(Real::is_input, direction, &bars);
        let apart = (left - right).abs();
        // Infinite derivatives may be right, but not where differences confirm finite ones.
        let is_confirmed = agrees && what == "tangent";
        let is_no_number = is_confirmed && left.is_finite() && !right.is_finite();
        if !(apart.is_finite() || is_no_number) {
            return None;
        }
        found.compared = true;
        found.settled |= what == "differences";
        let is_wrong = is_no_number || apart > tolerance * (left_size + right_size);
        // One pair of steps may lie across a kink.
        if !is_wrong || what == "differences" && apart <= 1e-2 * (left_size + right_size) {
            return None;
        }
        let blame = match (what, agrees) {
            ("tangent", true) => {
                "tangent and adjoint disagree, and differences confirm the tangent"
            }
            ("tangent", false) => "tangent and adjoint disagree",
            _ => "differences and the adjoint disagree",
        };
        Some(format!(
            "{blame}: the products of derivatives and adjoints are {left:.9e} by the {what}, \
            {right:.9e} by the adjoint, in a random direction"
        ))
    }

    /// Compares the tangent with differences. Whether all that depends on the direction agrees; or what
    /// does not.
    fn differences(
        &self,
        primal: super::Thunk,
        direction: &[f64],
        dots: &[f64],
        base: &[f64],
    ) -> Result<bool, String> {
        let reals = self.laboratory.reals;
        // What memory holds that nothing was stored in is no number to compare.
        let outputs: Vec<usize> = (0..reals.all.len())
            .filter(|&i| reals.all[i].is_output() && base[i].abs() < MOST)
            .collect();
        let mut samples: Vec<Vec<Sample>> = vec![vec![]; reals.all.len()];
        let verdict = |samples: &[Vec<Sample>], i: usize| {
            let precise = match reals.all[i].kind {
                Kind::Single => compare::precision(true, [].into_iter()),
                _ => self.precise,
            };
            compare::compare(dots[i], base[i], &samples[i], precise)
        };
        // What is not to be told from zero needs no further steps.
        let is_still = |samples: &[Vec<Sample>], i: usize| {
            dots[i] == 0.0 && samples[i].iter().all(|s| s.plus == s.minus)
        };
        for &m in self.precise.steps {
            let step = 0.5f64.powi(m);
            if let Some(all) = self.laboratory.sample(primal, direction, step) {
                samples.iter_mut().zip(all).for_each(|(mine, s)| mine.push(s));
            }
            let settled = outputs.iter().all(|&i| {
                !samples[i].is_empty()
                    && (is_still(&samples, i) || verdict(&samples, i) == Verdict::Agrees)
            });
            if settled {
                return Ok(true);
            }
        }
        let relative = |i: usize, difference: f64| {
            (dots[i] - difference).abs() / dots[i].abs().max(difference.abs())
        };
        let wrong = outputs.iter().filter_map(|&i| match verdict(&samples, i) {
            Verdict::Differs { difference, step, error } => Some((i, difference, step, error)),
            _ => None,
        });
        let worst = wrong.max_by(|a, b| relative(a.0, a.1).total_cmp(&relative(b.0, b.1)));
        match worst {
            None => Ok(false),
            Some((i, difference, step, error)) => Err(format!(
                "tangent and differences disagree: the derivative of {} in a random direction is \
                {:.9e} by the tangent, {difference:.9e} by differences (step {step:.1e}, error below \
                {error:.0e})",
                reals.name(&reals.all[i]),
                dots[i]
            )),
        }
    }
}

/// Numbers beyond are taken to be what memory holds in which nothing was stored.
const LEAST: f64 = 1e-30;
const MOST: f64 = 1e30;

/// The largest power of 2 that is not larger than a number.
fn power(x: f64) -> f64 {
    let x = x.abs().clamp(LEAST, MOST);
    f64::from_bits(x.to_bits() & !((1 << 52) - 1))
}

/// Whether it is a number whose size says something: not zero, nor what memory without a value
/// holds.
fn is_number(x: f64) -> bool {
    x.is_finite() && x.abs() > LEAST
}

/// By how much each input is moved at most: by its size; by that of others of its name where it is
/// zero. Powers of 2, so that steps are exact.
fn scales(reals: &Reals, values: &[f64]) -> Vec<f64> {
    let mut means = vec![(0.0, 0usize); reals.names.len()];
    for (r, x) in reals.all.iter().zip(values).filter(|(_, x)| is_number(**x)) {
        let (sum, count) = &mut means[r.name];
        *sum += x.abs().clamp(LEAST, MOST).ln();
        *count += 1;
    }
    let of = |(r, x): (&Real, &f64)| match (is_number(*x), means[r.name]) {
        (true, _) => power(*x),
        (false, (_, 0)) => 1.0,
        (false, (sum, count)) => power((sum / count as f64).exp()),
    };
    reals.all.iter().zip(values).map(of).collect()
}

/// Random numbers of few digits: ±1/2, 5/8, 3/4, 7/8.
struct Random(u64);

impl Random {
    fn new(check: u64, number: u64) -> Random {
        let seed = env::var(SEED).ok().and_then(|s| s.parse().ok()).unwrap_or(1u64);
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ check << 32 ^ number << 1)
    }
    fn next(&mut self) -> f64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let size = 0.5 + (z & 3) as f64 / 8.0;
        if z & 4 == 0 { size } else { -size }
    }
}
