//! Values outside of double's range, of the x87 unit.
//!
//! Entries hold partials as doubles, and bars are doubles: a long double of 1e-2000 has neither. So
//! the index of such a value stands for the value divided by a power of two, which is kept beside
//! the index: its partials and its bar are moderate then. The power follows the value; where that
//! is no measure (a zero, or a sum of what is small and what is constant) it follows the partials.
//! Of partials whose greatest is moderate those are zero that are no doubles beside it. Doubles and
//! floats have none: where a value becomes one it is multiplied out, by entries of their own.

use super::entry::{self, Term};
use crate::{
    machine::state::State,
    memory::indices::powers::{FAR, STEP, give, of},
    rules::extended::Extended,
};

/// The index of a value of the unit, by its operands' indices and partials; `value` is its
/// exponent, if that is known and it is not zero.
pub fn record(
    state: &mut State,
    partials: &[(u32, Extended)],
    value: Option<i32>,
) -> Result<u32, String> {
    let all: Vec<(u32, Extended, i32)> =
        partials.iter().map(|(index, partial)| (*index, *partial, of(*index))).collect();
    let greatest =
        all.iter().filter_map(|(_, partial, power)| Some(partial.power()? + power)).max();
    let far = |power: Option<i32>| power.filter(|power| power.abs() > FAR).unwrap_or(0);
    // Partials of what is zero are all that is known of it.
    let mut own = far(if value.is_some() { value } else { greatest });
    if greatest.is_some_and(|greatest| (greatest - own).abs() > STEP) {
        own = far(greatest);
    }
    let terms = |own: i32| -> Vec<Term> {
        let term = |(index, partial, power): &(u32, Extended, i32)| Term {
            index: *index,
            partial: partial.times_power(power - own).to_f64(),
        };
        all.iter().map(term).filter(|term| term.partial != 0.0).collect()
    };
    let mut scaled = terms(own);
    if let [only] = scaled[..]
        && only.partial == 1.0
    {
        if of(only.index) == own {
            return Ok(only.index);
        }
        // The operand has another power, so this is a value of its own.
        own += 1;
        scaled = terms(own);
    }
    let index = entry::record(state, &scaled).map_err(|e| e.to_string())?;
    if index != 0 {
        give(index, own);
    }
    Ok(index)
}

/// The index of a value that becomes a double or a float.
pub fn plain(state: &mut State, mut index: u32) -> Result<u32, String> {
    let mut power = of(index);
    while power != 0 {
        let step = power.clamp(-STEP, STEP);
        index = entry::record(state, &[Term { index, partial: 2f64.powi(step) }])
            .map_err(|e| e.to_string())?;
        power -= step;
    }
    Ok(index)
}
