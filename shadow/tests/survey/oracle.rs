//! What shadows have to be, found by running the instruction natively: where each byte of a result
//! comes from, or its partials by numbers.

use std::{collections::HashMap, ops::Range};

use adshadow::rules::Element;

use super::{
    forms::Numbers,
    frame::Frame,
    machine::{Machine, bytes, bytes_mut},
};

/// Where a byte of a result is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// It is this byte of the frame before.
    Byte(usize),
    /// It does not depend on the bytes that were changed.
    Constant,
    /// It depends on them, and is none of them.
    Computed,
}

/// Runs to tell bytes apart: as many bytes that differ.
const TRIALS: usize = 8;

/// Where each byte of some places is from, of the bytes of some other places.
pub fn origins(
    machine: &Machine,
    function: usize,
    start: &Frame,
    data: &[usize],
    results: &[Range<usize>],
    seeds: &mut Numbers,
) -> HashMap<usize, From> {
    let mut frame = Box::new(start.clone());
    let (mut before, mut after) = (HashMap::<usize, u64>::new(), HashMap::<usize, u64>::new());
    for _ in 0..TRIALS {
        for &at in data {
            let byte = seeds.next() as u8;
            bytes_mut(&mut frame)[at] = byte;
            let tag = before.entry(at).or_default();
            *tag = *tag << 8 | u64::from(byte);
        }
        let end = machine.native(function, &frame);
        for at in results.iter().cloned().flatten() {
            let tag = after.entry(at).or_default();
            *tag = *tag << 8 | u64::from(bytes(&end)[at]);
        }
    }
    let places: HashMap<u64, usize> = before.into_iter().map(|(at, tag)| (tag, at)).collect();
    let is_constant = |tag: u64| tag == u64::from(tag as u8) * 0x0101_0101_0101_0101;
    let origin = |tag: u64| match places.get(&tag) {
        Some(&at) => From::Byte(at),
        None if is_constant(tag) => From::Constant,
        None => From::Computed,
    };
    after.into_iter().map(|(at, tag)| (at, origin(tag))).collect()
}

/// A number of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lane {
    pub at: usize,
    pub element: Element,
}

impl Lane {
    pub fn bytes(self) -> usize {
        if self.element == Element::F32 { 4 } else { 8 }
    }
    pub fn all(place: Range<usize>, element: Element) -> impl Iterator<Item = Lane> {
        let size = Lane { at: 0, element }.bytes();
        place.step_by(size).map(move |at| Lane { at, element })
    }
    pub fn get(self, frame: &Frame) -> f64 {
        let from = &bytes(frame)[self.at..self.at + self.bytes()];
        match self.element {
            Element::F32 => f32::from_le_bytes(from.try_into().expect("four bytes")).into(),
            _ => f64::from_le_bytes(from.try_into().expect("eight bytes")),
        }
    }
    pub fn set(self, frame: &mut Frame, x: f64) {
        let to = &mut bytes_mut(frame)[self.at..self.at + self.bytes()];
        match self.element {
            Element::F32 => to.copy_from_slice(&(x as f32).to_le_bytes()),
            _ => to.copy_from_slice(&x.to_le_bytes()),
        }
    }
    /// A step of differences.
    fn step(self) -> f64 {
        if self.element == Element::F32 { 1.0 / 512.0 } else { 1.0 / (1 << 20) as f64 }
    }
    /// How far differences may be off. Those of floats, which have 24 bits, lose half of them.
    pub fn tolerance(self) -> f64 {
        if self.element == Element::F32 { 2e-3 } else { 1e-6 }
    }
}

/// The partials of numbers behind an instruction by numbers before it: those that are not zero.
pub struct Partials {
    pub inputs: Vec<Lane>,
    pub results: Vec<Lane>,
    /// Result, input, partial.
    pub all: Vec<(usize, usize, f64)>,
}

impl Partials {
    pub fn by_differences(
        machine: &Machine,
        function: usize,
        start: &Frame,
        inputs: Vec<Lane>,
        results: Vec<Lane>,
    ) -> Self {
        let mut all = Vec::new();
        let mut frame = Box::new(start.clone());
        for (k, input) in inputs.iter().enumerate() {
            let (x, h) = (input.get(start), input.step());
            input.set(&mut frame, x + h);
            let (right, above) = (input.get(&frame), machine.native(function, &frame));
            input.set(&mut frame, x - h);
            let (left, below) = (input.get(&frame), machine.native(function, &frame));
            input.set(&mut frame, x);
            for (r, result) in results.iter().enumerate() {
                let (a, b) = (result.get(&above), result.get(&below));
                if a.to_bits() != b.to_bits() {
                    all.push((r, k, (a - b) / (right - left)));
                }
            }
        }
        Self { inputs, results, all }
    }

    /// Of approximations: the derivative where a result follows an input at a distance, one where
    /// it is a copy.
    pub fn approximated(
        machine: &Machine,
        function: usize,
        start: &Frame,
        inputs: Vec<Lane>,
        results: Vec<Lane>,
        derivative: fn(f64) -> f64,
    ) -> Self {
        let mut all = Vec::new();
        let mut frame = Box::new(start.clone());
        let plain = machine.native(function, start);
        for (k, input) in inputs.iter().enumerate() {
            let x = input.get(start);
            input.set(&mut frame, 4.0 * x);
            let moved = machine.native(function, &frame);
            input.set(&mut frame, x);
            for (r, result) in results.iter().enumerate() {
                let (old, new) = (result.get(&plain), result.get(&moved));
                if old.to_bits() != new.to_bits() {
                    all.push((r, k, if old == x && new == 4.0 * x { 1.0 } else { derivative(x) }));
                }
            }
        }
        Self { inputs, results, all }
    }

    /// How far a result's differences may be off.
    pub fn tolerance(&self, result: Lane) -> f64 {
        self.inputs.iter().map(|lane| lane.tolerance()).fold(result.tolerance(), f64::max)
    }

    /// What comes of dots of the inputs.
    pub fn forward(&self, dots: &[f64]) -> Vec<f64> {
        let mut of = vec![0.0; self.results.len()];
        self.all.iter().for_each(|&(r, k, p)| of[r] += p * dots[k]);
        of
    }

    /// What comes of bars of the results.
    pub fn backward(&self, bars: &[f64]) -> Vec<f64> {
        let mut of = vec![0.0; self.inputs.len()];
        self.all.iter().for_each(|&(r, k, p)| of[k] += p * bars[r]);
        of
    }
}
