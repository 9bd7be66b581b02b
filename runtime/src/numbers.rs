//! Hashing of addresses, and of numbers of pieces of memory.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A map by numbers.
pub type ByNumber<V> = HashMap<usize, V, BuildHasherDefault<Numbers>>;

/// The same by numbers that are wider than an address.
pub type ByWideNumber<V> = HashMap<u64, V, BuildHasherDefault<Numbers>>;

/// Hashes numbers that lie close together.
#[derive(Default)]
pub struct Numbers(u64);

impl Hasher for Numbers {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_usize(b.into()));
    }
    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}
