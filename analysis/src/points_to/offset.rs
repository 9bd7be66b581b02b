//! Byte offsets into an object: arrays and loops make them known only up to a stride.

/// An offset into an object, in bytes: all of `constant + n modulus`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offset {
    /// The constant part; below the modulus if that is not 0.
    pub constant: i64,
    /// 0: exactly `constant`; 1: any byte.
    pub modulus: u64,
}

impl Offset {
    /// The object's first byte.
    pub const START: Offset = Offset { constant: 0, modulus: 0 };
    /// Any byte.
    pub const ANY: Offset = Offset { constant: 0, modulus: 1 };

    /// All of `constant + n modulus`.
    pub fn new(constant: i64, modulus: u64) -> Offset {
        let constant = if modulus == 0 { constant } else { constant.rem_euclid(modulus as i64) };
        Offset { constant, modulus }
    }
    /// Moved by constant bytes and by multiples of `strides`.
    pub fn shifted(self, bytes: i64, strides: impl Iterator<Item = i64>) -> Offset {
        let modulus = strides.fold(self.modulus, |g, s| gcd(g, s.unsigned_abs()));
        Offset::new(self.constant.wrapping_add(bytes), modulus)
    }
    /// An offset relative to this one.
    pub fn plus(self, other: Offset) -> Offset {
        self.shifted(other.constant, [other.modulus as i64].into_iter())
    }
    /// Either of two offsets.
    pub fn join(self, other: Offset) -> Offset {
        let gap = self.constant.abs_diff(other.constant);
        Offset::new(self.constant, gcd(gcd(self.modulus, other.modulus), gap))
    }
    /// Whether it is a set of offsets, and the other's are among them.
    pub fn includes(self, other: Offset) -> bool {
        self.modulus != 0
            && other.modulus.is_multiple_of(self.modulus)
            && (other.constant - self.constant).rem_euclid(self.modulus as i64) == 0
    }
    /// Whether it is one offset.
    pub fn is_exact(self) -> bool {
        self.modulus == 0
    }
}

/// Whether `a_bytes` bytes at `a` and `b_bytes` bytes at `b` may overlap.
pub fn overlap(a: Offset, a_bytes: u64, b: Offset, b_bytes: u64) -> bool {
    let g = gcd(a.modulus, b.modulus);
    let (x, y) = (a.constant, b.constant);
    if g == 0 {
        return x < y.saturating_add_unsigned(b_bytes) && y < x.saturating_add_unsigned(a_bytes);
    }
    let gap = y.wrapping_sub(x).rem_euclid(g as i64) as u64;
    gap < a_bytes || g - gap < b_bytes
}

/// How far `b` lies ahead of `a`, as far as `b_bytes` bytes there overlap `a_bytes` bytes at `a`:
/// one distance where only one does, as of a member in an element of an array.
pub fn ahead(a: Offset, a_bytes: u64, b: Offset, b_bytes: u64) -> Offset {
    let gap = b.constant.wrapping_sub(a.constant);
    let g = gcd(a.modulus, b.modulus);
    if g == 0 {
        return Offset::new(gap, 0);
    }
    let first = gap.rem_euclid(g as i64) as u64;
    match (first < a_bytes, g - first < b_bytes) {
        (true, false) if first.saturating_add(g) >= a_bytes => Offset::new(first as i64, 0),
        (false, true) if g.saturating_mul(2) - first >= b_bytes => {
            Offset::new(first as i64 - g as i64, 0)
        }
        _ => Offset::new(first as i64, g),
    }
}

/// Greatest common divisor; gcd(0, n) = n.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_join_to_the_common_stride() {
        let a = Offset::START.shifted(8, [24].into_iter());
        assert_eq!(a, Offset { constant: 8, modulus: 24 });
        assert_eq!(a.shifted(24, [].into_iter()), a);
        assert_eq!(
            a.join(Offset { constant: 20, modulus: 0 }),
            Offset { constant: 8, modulus: 12 }
        );
        assert_eq!(Offset::START.join(Offset::START), Offset::START);
        assert_eq!(
            Offset::START.join(Offset { constant: -8, modulus: 0 }),
            Offset { constant: 0, modulus: 8 }
        );
    }

    #[test]
    fn a_member_lies_at_one_place_of_an_element() {
        let at = |constant, modulus| Offset { constant, modulus };
        assert_eq!(ahead(at(8, 48), 40, at(24, 48), 8), at(16, 0));
        assert_eq!(ahead(at(0, 40), 40, at(16, 40), 8), at(16, 0));
        assert_eq!(ahead(at(16, 0), 40, at(56, 40), 8), at(0, 0));
        assert_eq!(ahead(at(8, 0), 8, at(4, 0), 8), at(-4, 0));
        assert_eq!(ahead(at(8, 48), 8, at(4, 48), 8), at(-4, 0));
    }

    #[test]
    fn several_elements_have_several_places() {
        let at = |constant, modulus| Offset { constant, modulus };
        assert_eq!(ahead(at(0, 0), 80, at(16, 40), 8), at(16, 40));
        assert_eq!(ahead(at(0, 40), 48, at(0, 40), 8), at(0, 40));
        assert_eq!(ahead(at(0, 40), 40, at(36, 40), 8), at(36, 40), "a part at either end");
        assert_eq!(ahead(at(0, 0), 40, at(0, 1), 8), at(0, 1));
        assert_eq!(ahead(at(0, 8), u64::MAX >> 2, at(0, 0), 8), at(0, 8));
    }

    #[test]
    fn ranges_overlap_modulo_strides() {
        let at = |constant, modulus| Offset { constant, modulus };
        assert!(overlap(at(0, 0), 8, at(4, 0), 4));
        assert!(!overlap(at(0, 0), 8, at(8, 0), 8));
        assert!(overlap(at(0, 24), 8, at(48, 0), 4));
        assert!(!overlap(at(0, 24), 8, at(56, 0), 8));
        assert!(overlap(at(0, 24), 8, at(4, 8), 4));
    }
}
