//! Conversions of reals to integers that take everything with them.
//!
//! A conversion to an integer rounds, and has derivative zero: the rest, `x - i`, has derivative
//! one. But one that loses nothing leaves no rest: so reals are taken apart into integers, and put
//! together again, by code that computes with numbers of any length or writes fractions. What tells
//! both apart is the value. Integers beyond the last digit of the format are such; so are exact
//! ones of at least `MANY` significant digits, and exact ones behind a conversion of many digits
//! that left a rest (`d = x; x = (x - d) * 2^30`, and again). Other numbers that happen to be
//! whole, as 2 or 1000, lie at a kink: their integer is a constant.

use std::cell::Cell;

use super::extended::Extended;

/// Significant digits of an exact integer that is no rounded number.
const MANY: u32 = 30;
/// Digits before the point of a conversion that may be the first of several.
const FIRST: i32 = 20;
/// Digits before the point of another one. Inline code does not ask for numbers of fewer.
const NEXT: i32 = 17;

thread_local! {
    /// Whether the conversion before this one was of many digits, and left a rest.
    static LEFT_REST: Cell<bool> = const { Cell::new(false) };
}

/// Whether the conversion of an active number to an integer takes everything with it. It has its
/// first digit at the top of the word; `exponent` is that of its first digit, and numbers that have
/// `digits` behind it are whole always.
fn takes_all(significand: u64, exponent: i32, digits: i32) -> bool {
    if significand == 0 || exponent < 0 {
        return false;
    }
    let zeros = significand.trailing_zeros();
    if exponent < 63 && zeros < (63 - exponent) as u32 {
        LEFT_REST.set(exponent >= FIRST);
        return false;
    }
    let is_next = LEFT_REST.replace(false) && exponent >= NEXT;
    exponent >= digits || 64 - zeros >= MANY || is_next
}

/// Of a double.
pub fn is_of_double(x: f64) -> bool {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    exponent != 1024 && takes_all((1 << 63) | bits << 11, exponent, 52)
}

/// Of a float.
pub fn is_of_float(x: f32) -> bool {
    let bits = u64::from(x.to_bits());
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    exponent != 128 && takes_all((1 << 63) | bits << 41 >> 1, exponent, 23)
}

/// Of a long double.
pub fn is_of_extended(x: Extended) -> bool {
    x.power().is_some_and(|exponent| takes_all(x.significand(), exponent, 52))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_and_whole_numbers_are_distinguished_from_parts() {
        for x in [0.0, 0.3, 2.0, -3.0, 1000.0, 1234.5, 86400.0, 0.7e6, 1e9, f64::NAN, f64::INFINITY]
        {
            assert!(!is_of_double(x), "{x}");
        }
        let mantissa = 0.7f64 * 2f64.powi(53);
        assert!(is_of_double(mantissa) && is_of_double(-mantissa) && is_of_double(2f64.powi(52)));
        assert!(
            is_of_double(1073741825.0)
                && is_of_float(8388608.0)
                && !is_of_float(4194304.0)
                && !is_of_float(1000.0)
                && !is_of_float(0.1)
        );
        assert!(is_of_extended(Extended::from(mantissa)) && !is_of_extended(Extended::from(2.5)));
    }

    #[test]
    fn digits_end_with_a_number_that_is_whole() {
        // The last digit may have one bit only.
        assert!(!is_of_double(4194304.5));
        assert!(is_of_double(2f64.powi(29)));
        assert!(!is_of_double(2f64.powi(29)));
    }
}
