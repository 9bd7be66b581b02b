//! Powers of two that belong to indices of long doubles: such an index stands for the value divided
//! by the power. `recording::scales` says why, and records with them.

use std::{cell::RefCell, collections::HashMap};

use crate::{error, rules::extended::Extended};

/// Exponents of less magnitude are as they are.
pub const FAR: i32 = 256;
/// Powers of two that one entry multiplies by.
pub const STEP: i32 = 1000;

#[derive(Default)]
struct Scales {
    powers: HashMap<u32, i32>,
    /// Indices of arguments of calls: of these the power is not known.
    arguments: Vec<u32>,
}

thread_local! {
    static SCALES: RefCell<Scales> = RefCell::default();
}

fn with<R>(f: impl FnOnce(&mut Scales) -> R) -> R {
    SCALES.with_borrow_mut(f)
}

/// The thread has no indices any more.
pub fn forget() {
    with(|it| *it = Scales::default());
}

/// The power of two by which the value of an index is to be multiplied; zero of most.
pub fn of(index: u32) -> i32 {
    with(|it| if it.powers.is_empty() { 0 } else { it.powers.get(&index).copied().unwrap_or(0) })
}

/// The power of an index.
pub fn give(index: u32, power: i32) {
    if power != 0 {
        with(|it| it.powers.insert(index, power));
    }
}

/// An index of a long double that is independent.
pub fn of_input(index: u32, value: Extended) {
    if let Some(power) = value.power().filter(|power| power.abs() > FAR) {
        give(index, power);
    }
}

/// An index of an argument.
pub fn argument(index: u32) {
    with(|it| it.arguments.push(index));
}

/// Whether an index is an argument's whose value has no double, so that its derivative may have
/// none.
pub fn is_far_argument(index: u32, value: Extended) -> bool {
    value.power().is_some_and(|power| power.abs() > STEP)
        && with(|it| it.arguments.contains(&index))
}

/// Whether the adjoint of a value may have no double.
pub fn is_far(index: u32) -> bool {
    of(index).abs() > STEP
}

/// The bar of what an index stands for where that is a long double divided by a power of two; `bar`
/// is not zero.
pub fn adjoint(bar: Extended, power: i32) -> f64 {
    let result = bar.times_power(power).to_f64();
    // A double that is less than any other is zero; but of a value that was divided it is unknown
    // what it will be multiplied by.
    let is_lost = if power == 0 { result.is_infinite() } else { !result.is_normal() };
    if bar.power().is_some() && is_lost {
        error::stop(
            &error::recording::Error::Range {
                what: "a value that the library left in memory, or its result",
            }
            .into(),
        );
    }
    result
}
