//! What is run of a case, and what is compared: values bit for bit, dots and bars with the
//! oracle's.

use std::ops::Range;

use adshadow::{
    recording,
    rules::{self, Element, Rule},
    translate::Mode,
};
use iced_x86::{Mnemonic, OpKind};

use super::{
    case::{Case, put_indices},
    forms::Numbers,
    frame::{self, Frame},
    machine::{Machine, bytes, bytes_mut, memory},
    oracle::{From, origins},
    table::{Expect, element, name},
};

/// How shadows are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Execution {
    /// By translated code; behind it flags are looked at, or not.
    Translated(bool),
    /// By Rust code.
    SlowPath,
}

pub const EXECUTIONS: [Execution; 3] =
    [Execution::Translated(true), Execution::Translated(false), Execution::SlowPath];

pub struct Check<'a> {
    pub machine: &'a Machine,
    pub seeds: Numbers,
    /// What was compared, with something active.
    pub compared: usize,
}

pub type Found = Result<(), String>;

/// A frame whose numbers are doubles or floats.
pub fn filled(seeds: &mut Numbers, element: Element, positive: bool) -> Box<Frame> {
    let mut frame = Frame::zero();
    for (k, v) in frame.vectors.iter_mut().enumerate() {
        *v = seeds.reals(element, k % 8, positive);
    }
    frame
        .memory
        .chunks_exact_mut(64)
        .enumerate()
        .for_each(|(k, m)| m.copy_from_slice(&seeds.reals(element, k + 5, positive)));
    frame.general.iter_mut().enumerate().for_each(|(k, g)| {
        *g = u64::from_le_bytes(
            seeds.reals(element, k % 8, positive)[..8].try_into().expect("eight bytes"),
        )
    });
    frame.flags = seeds.next() & 0x8d5 | 2;
    frame.masks = std::array::from_fn(|_| seeds.next());
    frame
}

/// The registers that the driver needs have no shadows, nor have those that the processor does not
/// have.
pub fn without_drivers(shadows: &mut Frame) {
    let (count, width, _) = frame::registers();
    shadows
        .vectors
        .iter_mut()
        .enumerate()
        .for_each(|(n, v)| v[if n < count { width } else { 0 }..].fill(0));
    (shadows.flags, shadows.masks, shadows.target, shadows.pad) = (0, [0; 8], 0, [0; 6]);
    (shadows.general[4], shadows.general[5], shadows.general[7]) = (0, 0, 0);
}

pub fn clear(frame: &mut Frame, place: Range<usize>) {
    bytes_mut(frame)[place].fill(0);
}

/// Whether a mask is one of whole numbers: no sign in the middle of a double, the same for both
/// floats.
pub fn is_whole(mask: u64, element: Element) -> bool {
    if element == Element::F64 {
        mask << 32 == 0 || mask << 32 == u64::MAX << 32
    } else {
        mask >> 32 == mask << 32 >> 32
    }
}

/// Whether general registers may have a shadow that says nothing: of parts of numbers, and where
/// conditions decide and the slow path is asked.
pub fn may_be_unknown(case: &Case, execution: Execution) -> bool {
    let is_general = (0..case.i.op_count())
        .all(|k| case.i.op_kind(k) != OpKind::Register || case.i.op_register(k).is_gpr());
    let is_whole =
        operand_bytes(case).is_some_and(|bytes| bytes >= 4) && execution != Execution::SlowPath;
    is_general
        && !(is_whole && matches!(case.row.expect, Expect::Moves | Expect::Extends | Expect::Zero))
}

/// Whether a conversion to integers finds a number of many digits that is whole: an integer that
/// has all of a number may be unknown. Other integers have derivative zero.
fn converts_whole(case: &Case, start: &Frame) -> bool {
    const MANY: f64 = (1u32 << 17) as f64;
    let is_whole = |x: f64| x.is_finite() && x.abs() >= MANY && x.trunc() == x;
    let Some(source) = case.operands().last().and_then(|&k| case.operand(k)) else { return false };
    let source = &bytes(start)[source];
    let of = name(case.form().mnemonic());
    if of.contains("ss2") || of.contains("ps2") {
        source
            .chunks_exact(4)
            .any(|c| is_whole(f32::from_le_bytes(c.try_into().expect("four bytes")).into()))
    } else {
        source
            .chunks_exact(8)
            .any(|c| is_whole(f64::from_le_bytes(c.try_into().expect("eight bytes"))))
    }
}

/// Bytes of the first operand.
pub fn operand_bytes(case: &Case) -> Option<usize> {
    match case.i.op_kind(0) {
        OpKind::Register => Some(case.i.op0_register().size()),
        OpKind::Memory => Some(case.i.memory_size().size()),
        _ => None,
    }
}

impl Check<'_> {
    /// All of a case.
    pub fn case(&mut self, case: &Case) -> Found {
        match case.row.expect {
            Expect::NoData => self.values(case),
            Expect::Moves | Expect::Carries | Expect::Extends => self.tagged(case, &[], &[]),
            Expect::MovesBy(k) => {
                // With an immediate the other operands are data.
                let last = case.i.op_count() as usize - 1;
                let fixed = if case.operand(last).is_some() { case.operand(k) } else { None };
                let fixed: Vec<_> = fixed.into_iter().collect();
                self.tagged(case, &fixed, &fixed)
            }
            Expect::Chooses(k) => {
                let fixed: Vec<_> = case.operand(k).into_iter().collect();
                self.tagged(case, &fixed, &[])
            }
            Expect::Zero => self.tagged(case, &[], &[]),
            Expect::FromIntegers => {
                let integer: Vec<_> =
                    case.operands().last().and_then(|&k| case.operand(k)).into_iter().collect();
                self.tagged(case, &[], &integer)
            }
            Expect::Integers => self.integers(case, None),
            Expect::Shifts(k) => self.shifted(case, k),
            Expect::Unit | Expect::UnitPositive | Expect::UnitBelow => self.unit(case),
            Expect::Divides => self.divided(case),
            Expect::MaskedBits(operand, masks) => {
                let is_bit =
                    matches!(case.i.mnemonic(), Mnemonic::Btr | Mnemonic::Bts | Mnemonic::Btc);
                // The number of a bit in memory is part of its address.
                let is_far = is_bit
                    && case.i.op0_kind() == OpKind::Memory
                    && case.operand(operand).is_some();
                let element = match operand_bytes(case) {
                    Some(8) if !is_far => Element::F64,
                    Some(4) if !is_far => Element::F32,
                    _ => {
                        return self
                            .integers(case, if is_bit { case.operand(operand) } else { None });
                    }
                };
                if is_bit {
                    let last = if element == Element::F64 { 63 } else { 31 };
                    return self.numbers(case, element, element, Some((operand, last)));
                }
                if case.i.mnemonic() == Mnemonic::Bzhi {
                    // All bits below a number are kept: all but the sign, or all.
                    let bits = if element == Element::F64 { 64 } else { 32 };
                    return [bits - 1, bits].into_iter().try_for_each(|n| {
                        self.numbers(case, element, element, Some((operand, n)))
                    });
                }
                // A constant is the immediate's.
                let masks = if case.operand(operand).is_some() { masks } else { &masks[..1] };
                for &mask in masks.iter().filter(|&&mask| is_whole(mask, element)) {
                    self.numbers(case, element, element, Some((operand, mask)))
                        .map_err(|e| format!("mask {mask:x}: {e}"))?;
                }
                Ok(())
            }
            Expect::Differences | Expect::Approximates(_) => {
                self.numbers(case, element(case.form()), element(case.form()), None)
            }
            Expect::Converts(from, to) => self.numbers(case, from, to, None),
            Expect::Masks(operand, masks, elements) => {
                let own = [element(case.form())];
                let is_double = name(case.form().mnemonic()).ends_with("pd");
                let lane = case.form().op_code().broadcast_memory_size().size();
                // What computes with doubles has no other reading, and one of floats under a mask,
                // or with one in all lanes, takes halves of doubles.
                let is_meant = |e: Element| {
                    if e == Element::F32 {
                        !is_double
                    } else {
                        lane == 8 || !case.i.has_op_mask() && !case.i.is_broadcast()
                    }
                };
                for &element in if elements.is_empty() { &own } else { elements }
                    .iter()
                    .filter(|e| elements.is_empty() || is_meant(**e))
                {
                    for &mask in
                        masks.iter().filter(|&&mask| elements.is_empty() || is_whole(mask, element))
                    {
                        self.numbers(case, element, element, Some((operand, mask)))
                            .map_err(|e| format!("{element:?} mask {mask:x}: {e}"))?;
                    }
                }
                Ok(())
            }
            Expect::Exponents(operand) => {
                let is_wide = name(case.form().mnemonic()).ends_with('q');
                let (element, step) = if is_wide {
                    (Element::F64, 3 << 52)
                } else {
                    (Element::F32, 3 << 23 | 3 << 55)
                };
                self.numbers(case, element, element, Some((operand, step)))
            }
        }
    }

    /// Shadows behind a case, made in one of the ways; values are checked on the way.
    pub fn shadows(
        &mut self,
        case: &Case,
        execution: Execution,
        start: &Frame,
        shadows: &Frame,
    ) -> Result<Box<Frame>, String> {
        let Execution::Translated(flags_live) = execution else {
            return self.machine.slow_path(&case.i, start, shadows);
        };
        let function = case.function + usize::from(!flags_live);
        let (mut after, left) = self.machine.translated(function, start, shadows);
        let mut native = self.machine.native(function, start);
        (native.flags, after.flags) = (native.flags & case.flags(), after.flags & case.flags());
        if *native != *after {
            let all: Vec<usize> = (0..bytes(&native).len())
                .filter(|&b| bytes(&native)[b] != bytes(&after)[b])
                .collect();
            return Err(format!("values differ at bytes {all:?}"));
        }
        Ok(left)
    }

    pub fn executions(&self, case: &Case) -> &'static [Execution] {
        if case.is_wrapped { &EXECUTIONS[..2] } else { &EXECUTIONS }
    }

    /// Shadows go where bytes go, all else is zero. Places in `fixed` keep their values while that
    /// is found out, and those in `inactive` have no shadows.
    pub fn tagged(
        &mut self,
        case: &Case,
        fixed: &[Range<usize>],
        inactive: &[Range<usize>],
    ) -> Found {
        for round in 0..3 {
            let mut start = filled(&mut self.seeds, Element::F64, false);
            bytes_mut(&mut start)[memory()].iter_mut().for_each(|b| *b = self.seeds.next() as u8);
            fixed
                .iter()
                .cloned()
                .flatten()
                .for_each(|b| bytes_mut(&mut start)[b] = self.seeds.next() as u8);
            if let Expect::Shifts(_) | Expect::MaskedBits(..) = case.row.expect {
                self.put_counts(&mut start, fixed);
            }
            put_indices(&case.i, &mut start.vectors);
            if round == 1 {
                start.masks = [u64::MAX; 8];
            }
            let is_fixed = |b: &usize| fixed.iter().any(|f| f.contains(b));
            let data: Vec<usize> = case
                .touched
                .iter()
                .filter(|t| !t.is_address)
                .flat_map(|t| t.place.clone())
                .filter(|b| !is_fixed(b))
                .collect();
            let origins = origins(
                self.machine,
                case.function,
                &start,
                &data,
                &case.results(),
                &mut self.seeds,
            );
            let mut before = filled(&mut self.seeds, Element::F64, false);
            bytes_mut(&mut before).iter_mut().for_each(|b| *b = self.seeds.next() as u8);
            without_drivers(&mut before);
            case.touched
                .iter()
                .filter(|t| t.is_address)
                .for_each(|t| clear(&mut before, t.place.clone()));
            inactive.iter().for_each(|place| clear(&mut before, place.clone()));
            if round == 2 {
                bytes_mut(&mut before).fill(0);
            }
            let mut expected = before.clone();
            for (&at, &from) in &origins {
                bytes_mut(&mut expected)[at] = match from {
                    From::Byte(from) => bytes(&before)[from],
                    // Registers of MMX lie in memory before and behind.
                    From::Constant if is_fixed(&at) && memory().contains(&at) => bytes(&before)[at],
                    From::Constant | From::Computed => 0,
                };
            }
            let moves =
                matches!(case.row.expect, Expect::Moves | Expect::MovesBy(_) | Expect::Chooses(_));
            if moves && origins.values().any(|o| *o == From::Computed) {
                return Err("it is no move".into());
            }
            for &execution in self.executions(case) {
                let left = self.alone(case, execution, &start, &before)?;
                self.compared += usize::from(round < 2);
                let may_be_unknown = round < 2 && may_be_unknown(case, execution);
                let may_be_whole =
                    rules::rule(case.form()) == Rule::ToInteger && converts_whole(case, &start);
                let is_right = |b: usize| {
                    bytes(&left)[b] == bytes(&expected)[b]
                        || may_be_whole && bytes(&left)[b] == 0xff
                        || may_be_unknown && self.is_unknown(case, &left, b)
                        || self.is_part(case, &left, b)
                };
                if let Some(b) = (0..bytes(&left).len()).find(|&b| !is_right(b)) {
                    let b = b & !7;
                    let word = |f: &Frame| {
                        u64::from_le_bytes(bytes(f)[b..b + 8].try_into().expect("eight bytes"))
                    };
                    return Err(format!(
                        "{execution:?} round {round}: word at {b}: {:x}, not {:x}; it was {:x}, mask {:x}",
                        word(&left),
                        word(&expected),
                        word(&before),
                        start.masks[1]
                    ));
                }
            }
        }
        Ok(())
    }

    /// Shadows behind a case of which no bars are asked: those of moves are any bytes.
    pub fn alone(
        &mut self,
        case: &Case,
        execution: Execution,
        start: &Frame,
        shadows: &Frame,
    ) -> Result<Box<Frame>, String> {
        if self.machine.mode() != Mode::Recording {
            return self
                .shadows(case, execution, start, shadows)
                .map_err(|e| format!("{execution:?}: {e}"));
        }
        let segment = recording::begin().expect("a segment");
        let done = self
            .shadows(case, execution, start, shadows)
            .map_err(|e| format!("{execution:?}: {e}"));
        recording::abandon(&segment).expect("the last");
        done
    }

    /// Values alone, whatever is active.
    pub fn values(&mut self, case: &Case) -> Found {
        let mut start = filled(&mut self.seeds, Element::F64, false);
        // A control word of the vector unit, for one.
        start.memory.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&0x1f80u32.to_le_bytes()));
        let mut before = filled(&mut self.seeds, Element::F64, false);
        without_drivers(&mut before);
        clear(&mut before, memory());
        let mut expected = before.clone();
        case.results().into_iter().for_each(|place| clear(&mut expected, place));
        for execution in &EXECUTIONS[..2] {
            let left = self.alone(case, *execution, &start, &before)?;
            if bytes(&left) != bytes(&expected) {
                return Err(format!("{execution:?}: a shadow changes"));
            }
        }
        Ok(())
    }
}
