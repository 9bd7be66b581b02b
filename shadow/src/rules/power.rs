//! Numbers that are scaled by powers of two, or cut off, by operations on their bits.
//!
//! Whoever puts another exponent beside a number's digits scales it, so its shadow is scaled
//! likewise ([`Scale`]). Digits alone (an exponent field of zero, made by a mask) stand for the
//! number between one and two that has them: so they keep a shadow until they have an exponent
//! again.
//!
//! A mask that takes the last digits of a number away shortens it, as a conversion does: derivative
//! one. But one that takes them away from the point on makes an integer of it: derivative zero.
//! Both are the same instruction. Where digits before the point are as many as are kept it is the
//! latter, unless that instruction has cut elsewhere before, or the mask is one that is customary
//! as a constant and has not changed yet ([`Cuts`]).

use std::cell::Cell;

/// How the shadow of a number becomes that of the number times a power of two; the sign bit of a
/// shadow says minus. `None` where there is no such shadow.
pub trait Scale {
    /// Of a double.
    fn double(&self, shadow: u64, by: i32) -> Option<u64>;
    /// Of a float.
    fn float(&self, shadow: u32, by: i32) -> Option<u32>;
    /// The upper half of a double's.
    fn upper(&self, shadow: u32, by: i32) -> Option<u32>;
    /// Whether 32 bits are a float's shadow, or the upper half of a double's: where shadows tell.
    fn is_float(&self, shadow: u32) -> Option<bool>;
}

/// Of dots.
pub struct Dots;

fn power(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

impl Scale for Dots {
    // A dot that loses digits may be one of a step between, whose exponent is none yet.
    fn double(&self, shadow: u64, by: i32) -> Option<u64> {
        let (dot, scaled) =
            (f64::from_bits(shadow), f64::from_bits(shadow) * power(by / 2) * power(by - by / 2));
        (scaled.is_normal() || !dot.is_normal()).then_some(scaled.to_bits())
    }
    fn float(&self, shadow: u32, by: i32) -> Option<u32> {
        let (dot, scaled) =
            (f32::from_bits(shadow), (f64::from(f32::from_bits(shadow)) * power(by)) as f32);
        (scaled.is_normal() || !dot.is_normal()).then_some(scaled.to_bits())
    }
    fn upper(&self, shadow: u32, by: i32) -> Option<u32> {
        let exponent = (shadow >> 20 & 0x7ff) as i32;
        match exponent {
            // Zero, or less than any that matters.
            0 => Some(shadow),
            0x7ff => Some(shadow),
            _ if (1..0x7ff).contains(&(exponent + by)) => {
                Some(shadow.wrapping_add((by as u32) << 20))
            }
            _ => None,
        }
    }
    fn is_float(&self, _: u32) -> Option<bool> {
        None
    }
}

/// Formats that operands may be read as: [`super::bits`].
pub const FORMATS: usize = 3;
/// Doubles.
pub const DOUBLE: usize = 0;
/// Floats.
pub const FLOAT: usize = 1;
/// Upper halves of doubles.
pub const UPPER: usize = 2;

/// Where a mask cuts a number off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// At the point, behind so many digits.
    AtPoint {
        /// The digits that are left.
        kept: u32,
    },
    /// The same, by a mask that is customary as a constant.
    AtPointByCustomaryMask {
        /// The digits that are left.
        kept: u32,
    },
    /// Elsewhere.
    Elsewhere,
}

/// Where an instruction has cut numbers off so far, by format.
#[derive(Default, Debug)]
pub struct Cuts {
    /// Bit `k`: at the point, with `k` digits before it. The last bit: elsewhere. The one before:
    /// whatever it did, it was to numbers of this format.
    seen: [Cell<u64>; FORMATS],
    /// Whether operands of the instruction are one register: they are no two numbers.
    is_same: Cell<bool>,
}

const ELSEWHERE: u64 = 1 << 63;
const MET: u64 = 1 << 62;

impl Cuts {
    /// As they were kept.
    pub fn from_bits(seen: [u64; FORMATS]) -> Self {
        Self { seen: seen.map(Cell::new), is_same: Cell::new(false) }
    }

    /// To be kept.
    pub fn bits(&self) -> [u64; FORMATS] {
        std::array::from_fn(|k| self.seen[k].get())
    }

    /// Says whether operands of the instruction are one register.
    pub fn set_same(&self, is_same: bool) {
        self.is_same.set(is_same);
    }

    /// Whether they are.
    pub fn is_same(&self) -> bool {
        self.is_same.get()
    }

    /// Whether there were any.
    pub fn are_any(&self) -> bool {
        self.seen.iter().any(|seen| seen.get() & !MET != 0)
    }

    /// An operation was on numbers of this format.
    pub fn is_format(&self, format: usize) {
        self.seen[format].set(self.seen[format].get() | MET);
    }

    /// Whether one was before.
    pub fn was_format(&self, format: usize) -> bool {
        self.seen[format].get() & MET != 0
    }

    /// Whether its numbers are of the first format and not the second, as could be seen from the
    /// same instruction before, or from what is done with its result.
    pub fn is_one_of(&self, first: usize, second: usize) -> Option<bool> {
        let (first, second) = (self.was_format(first), self.was_format(second));
        (first != second).then_some(first)
    }

    /// Whether a cut makes an integer. `None` if that is unknown, or was found otherwise before.
    pub fn make_integer(&self, format: usize, cut: Cut) -> Option<bool> {
        let cell = &self.seen[format];
        let seen = cell.get();
        let points = seen & !(ELSEWHERE | MET);
        let has_cut_elsewhere = seen & ELSEWHERE != 0;
        let kept = match cut {
            Cut::Elsewhere => {
                cell.set(seen | ELSEWHERE);
                return if points == 0 || has_cut_elsewhere { Some(false) } else { None };
            }
            Cut::AtPoint { kept } | Cut::AtPointByCustomaryMask { kept } => kept,
        };
        if has_cut_elsewhere {
            return Some(false);
        }
        let points = points | 1 << kept;
        cell.set(seen | points);
        let is_customary = matches!(cut, Cut::AtPointByCustomaryMask { .. });
        if is_customary && points.count_ones() == 1 { None } else { Some(true) }
    }
}

/// What is known beside the operands of an operation on bits.
#[derive(Clone, Copy)]
pub struct How<'a> {
    /// What shadows are.
    pub scale: &'a dyn Scale,
    /// What the instruction did before.
    pub cuts: &'a Cuts,
}
