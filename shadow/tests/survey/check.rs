//! What is run of a case, and what is compared: values bit for bit, dots and bars with the oracle's.

use std::{collections::HashMap, ops::Range};

use iced_x86::{Mnemonic, OpKind};

use adshadow::{emit::Mode, recording, rules::Element, state::UNKNOWN};

use super::{
    case::{Case, put_indices},
    forms::Numbers,
    frame::{Frame, MEMORY},
    machine::{Machine, bytes, bytes_mut, memory},
    oracle::{From, Lane, Partials, origins},
    table::{Expect, element},
};

/// How shadows are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By translated code; behind it flags are looked at, or not.
    Translated(bool),
    /// By Rust code.
    Slow,
}

pub const WAYS: [Way; 3] = [Way::Translated(true), Way::Translated(false), Way::Slow];

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
    frame.memory.chunks_exact_mut(64).enumerate().for_each(|(k, m)| m.copy_from_slice(&seeds.reals(element, k + 5, positive)));
    frame.general.iter_mut().enumerate().for_each(|(k, g)| *g = u64::from_le_bytes(seeds.reals(element, k % 8, positive)[..8].try_into().expect("eight bytes")));
    frame.flags = seeds.next() & 0x8d5 | 2;
    frame.masks = std::array::from_fn(|_| seeds.next());
    frame
}

/// The registers that the driver needs have no shadows.
fn without_drivers(shadows: &mut Frame) {
    (shadows.flags, shadows.masks, shadows.target, shadows.pad) = (0, [0; 8], 0, [0; 6]);
    (shadows.general[4], shadows.general[5], shadows.general[7]) = (0, 0, 0);
}

fn clear(frame: &mut Frame, place: Range<usize>) {
    bytes_mut(frame)[place].fill(0);
}

/// Whether a mask is one of whole numbers: no sign in the middle of a double, the same for both floats.
fn is_whole(mask: u64, element: Element) -> bool {
    if element == Element::F64 { mask << 32 == 0 || mask << 32 == u64::MAX << 32 } else { mask >> 32 == mask << 32 >> 32 }
}

/// Whether general registers may have a shadow that says nothing: of parts of numbers, and where conditions decide and the slow way is asked.
fn may_be_unknown(case: &Case, way: Way) -> bool {
    let is_general = (0..case.i.op_count()).all(|k| case.i.op_kind(k) != OpKind::Register || case.i.op_register(k).is_gpr());
    let is_whole = operand_bytes(case).is_some_and(|bytes| bytes >= 4) && way != Way::Slow;
    is_general && !(is_whole && matches!(case.row.expect, Expect::Moves | Expect::Extends | Expect::Zero))
}

/// Bytes of the first operand.
fn operand_bytes(case: &Case) -> Option<usize> {
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
                let integer: Vec<_> = case.operands().last().and_then(|&k| case.operand(k)).into_iter().collect();
                self.tagged(case, &[], &integer)
            }
            Expect::Integers => self.integers(case, None),
            Expect::Shifts(k) => self.shifted(case, k),
            Expect::Unit | Expect::UnitPositive | Expect::UnitBelow => self.unit(case),
            Expect::Divides => self.divided(case),
            Expect::MaskedBits(operand, masks) => {
                let is_bit = matches!(case.i.mnemonic(), Mnemonic::Btr | Mnemonic::Bts | Mnemonic::Btc);
                // The number of a bit in memory is part of its address.
                let is_far = is_bit && case.i.op0_kind() == OpKind::Memory && case.operand(operand).is_some();
                let element = match operand_bytes(case) {
                    Some(8) if !is_far => Element::F64,
                    Some(4) if !is_far => Element::F32,
                    _ => return self.integers(case, if is_bit { case.operand(operand) } else { None }),
                };
                if is_bit {
                    let last = if element == Element::F64 { 63 } else { 31 };
                    return self.numbers(case, element, element, Some((operand, last)));
                }
                if case.i.mnemonic() == Mnemonic::Bzhi {
                    // All bits below a number are kept: all but the sign, or all.
                    let bits = if element == Element::F64 { 64 } else { 32 };
                    return [bits - 1, bits].into_iter().try_for_each(|n| self.numbers(case, element, element, Some((operand, n))));
                }
                // A constant is the immediate's.
                let masks = if case.operand(operand).is_some() { masks } else { &masks[..1] };
                for &mask in masks.iter().filter(|&&mask| is_whole(mask, element)) {
                    self.numbers(case, element, element, Some((operand, mask))).map_err(|e| format!("mask {mask:x}: {e}"))?;
                }
                Ok(())
            }
            Expect::Differences | Expect::Approximates(_) => self.numbers(case, element(case.form()), element(case.form()), None),
            Expect::Converts(from, to) => self.numbers(case, from, to, None),
            Expect::Masks(operand, masks, elements) => {
                let own = [element(case.form())];
                let is_double = super::table::name(case.form().mnemonic()).ends_with("pd");
                let lane = case.form().op_code().broadcast_memory_size().size();
                // What computes with doubles has no other reading, and one of floats under a mask, or with one in all lanes, takes halves of doubles.
                let is_meant = |e: Element| if e == Element::F32 { !is_double } else { lane == 8 || !case.i.has_op_mask() && !case.i.is_broadcast() };
                for &element in if elements.is_empty() { &own } else { elements }.iter().filter(|e| elements.is_empty() || is_meant(**e)) {
                    for &mask in masks.iter().filter(|&&mask| elements.is_empty() || is_whole(mask, element)) {
                        self.numbers(case, element, element, Some((operand, mask))).map_err(|e| format!("{element:?} mask {mask:x}: {e}"))?;
                    }
                }
                Ok(())
            }
            Expect::Exponents(operand) => {
                let is_wide = super::table::name(case.form().mnemonic()).ends_with('q');
                let (element, step) = if is_wide { (Element::F64, 3 << 52) } else { (Element::F32, 3 << 23 | 3 << 55) };
                self.numbers(case, element, element, Some((operand, step)))
            }
        }
    }

    /// Shadows behind a case, made in one of the ways; values are checked on the way.
    fn shadows(&mut self, case: &Case, way: Way, start: &Frame, shadows: &Frame) -> Result<Box<Frame>, String> {
        let Way::Translated(flags_live) = way else { return self.machine.slow(&case.i, start, shadows) };
        let function = case.function + usize::from(!flags_live);
        let (mut after, left) = self.machine.translated(function, start, shadows);
        let mut native = self.machine.native(function, start);
        (native.flags, after.flags) = (native.flags & case.flags(), after.flags & case.flags());
        if *native != *after {
            let all: Vec<usize> = (0..bytes(&native).len()).filter(|&b| bytes(&native)[b] != bytes(&after)[b]).collect();
            return Err(format!("values differ at bytes {all:?}"));
        }
        Ok(left)
    }

    fn ways(&self, case: &Case) -> &'static [Way] {
        if case.is_wrapped { &WAYS[..2] } else { &WAYS }
    }

    /// Shadows go where bytes go, all else is zero. Places in `fixed` keep their values while that is found out, and those in `inactive` have no shadows.
    fn tagged(&mut self, case: &Case, fixed: &[Range<usize>], inactive: &[Range<usize>]) -> Found {
        for round in 0..3 {
            let mut start = filled(&mut self.seeds, Element::F64, false);
            bytes_mut(&mut start)[memory()].iter_mut().for_each(|b| *b = self.seeds.next() as u8);
            fixed.iter().cloned().flatten().for_each(|b| bytes_mut(&mut start)[b] = self.seeds.next() as u8);
            if let Expect::Shifts(_) | Expect::MaskedBits(..) = case.row.expect {
                self.put_counts(&mut start, fixed);
            }
            put_indices(&case.i, &mut start.vectors);
            if round == 1 {
                start.masks = [u64::MAX; 8];
            }
            let is_fixed = |b: &usize| fixed.iter().any(|f| f.contains(b));
            let data: Vec<usize> = case.touched.iter().filter(|t| !t.is_address).flat_map(|t| t.place.clone()).filter(|b| !is_fixed(b)).collect();
            let origins = origins(self.machine, case.function, &start, &data, &case.results(), &mut self.seeds);
            let mut before = filled(&mut self.seeds, Element::F64, false);
            bytes_mut(&mut before).iter_mut().for_each(|b| *b = self.seeds.next() as u8);
            without_drivers(&mut before);
            case.touched.iter().filter(|t| t.is_address).for_each(|t| clear(&mut before, t.place.clone()));
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
            let moves = matches!(case.row.expect, Expect::Moves | Expect::MovesBy(_) | Expect::Chooses(_));
            if moves && origins.values().any(|o| *o == From::Computed) {
                return Err("it is no move".into());
            }
            for &way in self.ways(case) {
                let left = self.alone(case, way, &start, &before)?;
                self.compared += usize::from(round < 2);
                let may_be_unknown = round < 2 && may_be_unknown(case, way);
                let is_right = |b: usize| bytes(&left)[b] == bytes(&expected)[b] || may_be_unknown && self.is_unknown(case, &left, b);
                if let Some(b) = (0..bytes(&left).len()).find(|&b| !is_right(b)) {
                    let b = b & !7;
                    let word = |f: &Frame| u64::from_le_bytes(bytes(f)[b..b + 8].try_into().expect("eight bytes"));
                    return Err(format!("{way:?} round {round}: word at {b}: {:x}, not {:x}; it was {:x}, mask {:x}", word(&left), word(&expected), word(&before), start.masks[1]));
                }
            }
        }
        Ok(())
    }

    /// Shadows behind a case of which no bars are asked: those of moves are any bytes.
    fn alone(&mut self, case: &Case, way: Way, start: &Frame, shadows: &Frame) -> Result<Box<Frame>, String> {
        if self.machine.mode() != Mode::Recording {
            return self.shadows(case, way, start, shadows).map_err(|e| format!("{way:?}: {e}"));
        }
        let segment = recording::begin().expect("a segment");
        let done = self.shadows(case, way, start, shadows).map_err(|e| format!("{way:?}: {e}"));
        recording::abandon(&segment).expect("the last");
        done
    }

    /// Values alone, whatever is active.
    fn values(&mut self, case: &Case) -> Found {
        let mut start = filled(&mut self.seeds, Element::F64, false);
        // A control word of the vector unit, for one.
        start.memory.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&0x1f80u32.to_le_bytes()));
        let mut before = filled(&mut self.seeds, Element::F64, false);
        without_drivers(&mut before);
        clear(&mut before, memory());
        let mut expected = before.clone();
        case.results().into_iter().for_each(|place| clear(&mut expected, place));
        for way in &WAYS[..2] {
            let left = self.alone(case, *way, &start, &before)?;
            if bytes(&left) != bytes(&expected) {
                return Err(format!("{way:?}: a shadow changes"));
            }
        }
        Ok(())
    }

    /// Nothing active comes of what is inactive, and nothing comes of what is active: it is refused, or unknown. A count of bits is few of them.
    fn integers(&mut self, case: &Case, count: Option<Range<usize>>) -> Found {
        let fixed: Vec<_> = count.into_iter().collect();
        let first: Vec<_> = case.operands().first().and_then(|&k| case.operand(k)).into_iter().collect();
        let mut start = Frame::zero();
        // A first operand that is only written may have any shadow.
        let mut is_read = false;
        for _ in 0..6 {
            start = filled(&mut self.seeds, Element::F64, false);
            self.put_counts(&mut start, &fixed);
            start.masks = [u64::MAX; 8];
            let of_first = origins(self.machine, case.function, &start, &first.iter().cloned().flatten().collect::<Vec<_>>(), &case.results(), &mut self.seeds);
            is_read = is_read || of_first.values().any(|o| *o == From::Computed);
        }
        let inactive: Vec<_> = case.parts().into_iter().filter(|p| is_read || !first.contains(p)).collect();
        self.tagged(case, &fixed, &inactive)?;
        for (k, place) in case.parts().into_iter().enumerate().filter(|(_, place)| !fixed.contains(place)) {
            let of_it = origins(self.machine, case.function, &start, &place.clone().collect::<Vec<_>>(), &case.results(), &mut self.seeds);
            let computed: Vec<usize> = of_it.iter().filter(|(_, o)| **o == From::Computed).map(|(b, _)| *b).collect();
            if computed.is_empty() || case.is_wrapped {
                continue;
            }
            let mut before = Frame::zero();
            let size = place.len().min(64);
            bytes_mut(&mut before)[place.clone()].copy_from_slice(&self.seeds.reals(Element::F64, 0, false)[..size]);
            if let Ok(left) = self.alone(case, Way::Slow, &start, &before) {
                if let Some(b) = computed.iter().find(|b| !self.is_unknown(case, &left, **b)) {
                    return Err(format!("operand {k} is active, byte {b} depends on it, and nobody is told"));
                }
            }
        }
        Ok(())
    }

    /// Whether a byte's shadow says that nobody knows it: in a recording the rest of a register of which a byte or two were written makes that no index.
    fn is_unknown(&self, case: &Case, left: &Frame, b: usize) -> bool {
        let is_narrow = case.i.op0_kind() == OpKind::Register && operand_bytes(case).is_some_and(|bytes| bytes < 4) && !memory().contains(&b);
        let is_no_index = || bytes(left)[(b & !7) + 2..(b & !7) + 8] == UNKNOWN.to_le_bytes()[2..];
        bytes(left)[b] == UNKNOWN as u8 || self.machine.mode() == Mode::Recording && is_narrow && is_no_index()
    }

    /// Shifts by whole floats move shadows, those that leave sign and exponent have none, others are of integers.
    fn shifted(&mut self, case: &Case, count: usize) -> Found {
        if case.operand(count).is_some() {
            return self.integers(case, case.operand(count));
        }
        let bytes = operand_bytes(case).unwrap_or(0);
        let name = super::table::name(case.form().mnemonic());
        let is_vector = case.i.op0_register().is_vector_register() || case.i.op0_register().is_mm();
        let bits = if is_vector { if name.ends_with('q') { 64 } else { 32 } } else { 8 * bytes };
        let is_right = ["srl", "shr", "sar"].iter().any(|n| name.contains(n)) && !name.contains("sra");
        let by = case.i.try_immediate(case.i.op_count() - 1).unwrap_or(1) as usize;
        let by = if is_vector { by } else { by % if bits == 64 { 64 } else { 32 } };
        let is_gone = is_vector || ["sh", "sa"].iter().any(|n| name.starts_with(n));
        let is_known = by == 0 || by == 32 && bits == 64 || is_gone && by >= bits || is_right && (by >= 52 && bits == 64 || by >= 23 && bits == 32);
        if is_known && (bits >= 32 || by >= bits) && !name.contains("sra") && !name.ends_with('w') { self.tagged(case, &[], &[]) } else { self.integers(case, None) }
    }

    /// A quotient that there is: nothing active comes of what is inactive, and nobody knows what comes of what is active.
    fn divided(&mut self, case: &Case) -> Found {
        let mut start = filled(&mut self.seeds, Element::F64, false);
        let divisor = case.operand(0).expect("a divisor");
        (start.general[0], start.general[2]) = (99, 0);
        clear(&mut start, divisor.clone());
        bytes_mut(&mut start)[divisor.start] = 7;
        let parts = case.parts();
        for active in 0..=parts.len() {
            let mut before = Frame::zero();
            if active < parts.len() {
                let size = parts[active].len();
                bytes_mut(&mut before)[parts[active].clone()].copy_from_slice(&self.seeds.reals(Element::F64, 0, false)[..size]);
            }
            for &way in self.ways(case) {
                let left = self.alone(case, way, &start, &before)?;
                // A word is divided in RAX alone.
                let is_read = active < parts.len() && !(operand_bytes(case) == Some(1) && parts[active].contains(&super::machine::place(iced_x86::Register::RDX).expect("a place").start));
                for place in case.results() {
                    let shadow = &bytes(&left)[place];
                    if active == parts.len() && shadow.iter().any(|b| *b != 0) || is_read && shadow[0] != 0xff {
                        return Err(format!("{way:?}, active {active}: {shadow:x?}"));
                    }
                }
                self.compared += 1;
            }
        }
        Ok(())
    }

    fn put_counts(&mut self, frame: &mut Frame, places: &[Range<usize>]) {
        for place in places {
            clear(frame, place.clone());
            bytes_mut(frame)[place.start] = 1 + (self.seeds.next() % 7) as u8;
        }
    }

    /// Numbers: dots are the partials' of dots, bars those of bars.
    fn numbers(&mut self, case: &Case, from: Element, to: Element, mask: Option<(usize, u64)>) -> Found {
        let operands = case.operands();
        let is_positive = matches!(case.row.expect, Expect::Approximates(_)) || super::table::name(case.form().mnemonic()).contains("sqrt");
        for round in 0..4 {
            let mut start = filled(&mut self.seeds, from, is_positive);
            if round == 1 {
                start.masks = [u64::MAX; 8];
            }
            let last = *operands.last().expect("an operand");
            let mut inputs: Vec<(usize, Lane)> = Vec::new();
            for &k in &operands {
                let place = case.operand(k).expect("it is one");
                if let Some((operand, mask)) = mask
                    && operand == k
                {
                    bytes_mut(&mut start)[place].chunks_mut(8).for_each(|c| c.copy_from_slice(&mask.to_le_bytes()[..c.len()]));
                    continue;
                }
                let element = if k == last { from } else { to };
                let values = self.seeds.reals(element, k, is_positive);
                bytes_mut(&mut start)[place.clone()].copy_from_slice(&values[..place.len()]);
                inputs.extend(Lane::all(place, element).map(|lane| (k, lane)));
            }
            let results: Vec<Lane> = Lane::all(case.operand(0).expect("a result"), to).collect();
            let lanes = inputs.iter().map(|(_, lane)| *lane).collect();
            let partials = match case.row.expect {
                Expect::Approximates(derivative) => Partials::approximated(self.machine, case.function, &start, lanes, results, derivative),
                _ => Partials::by_differences(self.machine, case.function, &start, lanes, results),
            };
            // All are active, only one operand is, none is.
            // What is only written may have been unknown.
            let overwritten: Vec<bool> = inputs.iter().enumerate().map(|(n, (k, _))| round == 1 && *k == 0 && case.overwrites() && !partials.all.iter().any(|p| p.1 == n)).collect();
            let choices: Vec<Option<usize>> = match round {
                0 | 1 => vec![None],
                2 => operands.iter().map(|&k| Some(k)).collect(),
                _ => vec![Some(usize::MAX)],
            };
            for choice in choices {
                let active: Vec<bool> = inputs.iter().map(|(k, _)| choice.is_none_or(|c| c == *k)).collect();
                for &way in self.ways(case) {
                    let done = if self.machine.mode() == Mode::Recording { self.bars(case, way, &start, &partials, (&active, &overwritten)) } else { self.dots(case, way, &start, &partials, (&active, &overwritten)) };
                    done.map_err(|e| format!("{way:?}, active {choice:?}, mask {:x}: {e}", start.masks[1]))?;
                    self.compared += usize::from(round < 3);
                }
            }
        }
        Ok(())
    }

    /// Shadows of what an instruction does not touch.
    fn others(&mut self, case: &Case) -> Box<Frame> {
        let mut before = filled(&mut self.seeds, Element::F64, false);
        without_drivers(&mut before);
        case.touched.iter().for_each(|t| clear(&mut before, t.place.clone()));
        clear(&mut before, memory());
        before
    }

    fn unchanged(&self, case: &Case, before: &Frame, left: &Frame) -> Found {
        let result = case.result.clone().or_else(|| case.operand(0)).expect("a result");
        let is_place = |b: usize| result.contains(&b);
        match (0..bytes(left).len()).find(|&b| !is_place(b) && bytes(left)[b] != bytes(before)[b]) {
            Some(b) => Err(format!("the shadow of byte {b} changes{}", if b >= MEMORY { ", in memory" } else { "" })),
            None => Ok(()),
        }
    }

    pub fn dots(&mut self, case: &Case, way: Way, start: &Frame, partials: &Partials, (active, overwritten): (&[bool], &[bool])) -> Found {
        let mut before = self.others(case);
        let mut dots = Vec::new();
        for (n, (lane, is_active)) in partials.inputs.iter().zip(active).enumerate() {
            if overwritten[n] {
                bytes_mut(&mut before)[lane.at..lane.at + lane.bytes()].fill(0xff);
                dots.push(0.0);
                continue;
            }
            let dot = if *is_active { (self.seeds.next() % 2000) as f64 / 1024.0 - 1.0 } else { 0.0 };
            lane.set(&mut before, dot);
            dots.push(dot);
        }
        let left = self.shadows(case, way, start, &before)?;
        self.unchanged(case, &before, &left)?;
        for (lane, expected) in partials.results.iter().zip(partials.forward(&dots)) {
            let dot = lane.get(&left);
            let is_right = if active.contains(&true) { (dot - expected).abs() <= partials.tolerance(*lane) * (1.0 + expected.abs()) } else { dot == 0.0 };
            if !is_right {
                return Err(format!("dot at {}: {dot}, by differences {expected}", lane.at));
            }
        }
        Ok(())
    }

    pub fn bars(&mut self, case: &Case, way: Way, start: &Frame, partials: &Partials, (active, overwritten): (&[bool], &[bool])) -> Found {
        let mut before = self.others(case);
        let segment = recording::begin().expect("a segment");
        let mut indices = HashMap::new();
        for (k, lane) in partials.inputs.iter().enumerate().filter(|(k, _)| active[*k]) {
            if overwritten[k] {
                bytes_mut(&mut before)[lane.at..lane.at + lane.bytes()].fill(0xff);
                continue;
            }
            let index = recording::inputs(1).expect("an index");
            recording::slow::put(index, &mut bytes_mut(&mut before)[lane.at..], lane.bytes());
            indices.insert(k, index);
        }
        let left = self.shadows(case, way, start, &before);
        recording::end(&segment).expect("it was begun");
        let mut bars = vec![0.0; partials.results.len()];
        let mut wrong = None;
        if let Ok(left) = &left {
            for (lane, bar) in partials.results.iter().zip(&mut bars) {
                match recording::slow::index(&bytes(left)[lane.at..], lane.bytes()) {
                    Ok(0) => *bar = (self.seeds.next() % 2000) as f64 / 1024.0 - 1.0,
                    Ok(index) => {
                        *bar = (self.seeds.next() % 2000) as f64 / 1024.0 - 1.0;
                        recording::add_bar(index, *bar);
                    }
                    Err(why) => wrong = Some(format!("the result at {}: {why}", lane.at)),
                }
            }
        }
        recording::evaluate(segment).expect("the last");
        let left = left?;
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        self.unchanged(case, &before, &left)?;
        for (k, expected) in partials.backward(&bars).into_iter().enumerate().filter(|(k, _)| indices.contains_key(k)) {
            let bar = recording::bar(indices[&k]);
            let tolerance = partials.results.iter().map(|lane| partials.tolerance(*lane)).fold(partials.inputs[k].tolerance(), f64::max);
            if !((bar - expected).abs() <= tolerance * (1.0 + expected.abs())) {
                return Err(format!("bar of the number at {}: {bar}, by differences {expected}", partials.inputs[k].at));
            }
        }
        Ok(())
    }
}
