//! Cases of integer arithmetic: nothing active comes of what is inactive, and of what is active
//! either the process ends or the result is unknown.

use std::ops::Range;

use adshadow::{machine::state::UNKNOWN, rules::Element, translate::Mode};
use iced_x86::{OpKind, Register};

use super::{
    case::{Case, put_indices},
    check::{
        Check, Execution, Found, clear, filled, may_be_unknown, operand_bytes, without_drivers,
    },
    frame::Frame,
    machine::{bytes, bytes_mut, memory, place},
    oracle::{From, origins},
    table::name,
};

impl Check<'_> {
    /// Nothing active comes of what is inactive, and nothing comes of what is active: it is
    /// refused, or unknown. A count of bits is few of them.
    pub fn integers(&mut self, case: &Case, count: Option<Range<usize>>) -> Found {
        let fixed: Vec<_> = count.into_iter().collect();
        let first: Vec<_> =
            case.operands().first().and_then(|&k| case.operand(k)).into_iter().collect();
        let mut start = Frame::zero();
        // A first operand that is only written may have any shadow.
        let mut is_read = false;
        for _ in 0..6 {
            start = filled(&mut self.seeds, Element::F64, false);
            self.put_counts(&mut start, &fixed);
            start.masks = [u64::MAX; 8];
            let of_first = origins(
                self.machine,
                case.function,
                &start,
                &first.iter().cloned().flatten().collect::<Vec<_>>(),
                &case.results(),
                &mut self.seeds,
            );
            is_read = is_read || of_first.values().any(|o| *o == From::Computed);
        }
        let inactive: Vec<_> =
            case.parts().into_iter().filter(|p| is_read || !first.contains(p)).collect();
        self.tagged(case, &fixed, &inactive)?;
        for (k, place) in
            case.parts().into_iter().enumerate().filter(|(_, place)| !fixed.contains(place))
        {
            let of_it = origins(
                self.machine,
                case.function,
                &start,
                &place.clone().collect::<Vec<_>>(),
                &case.results(),
                &mut self.seeds,
            );
            let computed: Vec<usize> =
                of_it.iter().filter(|(_, o)| **o == From::Computed).map(|(b, _)| *b).collect();
            if computed.is_empty() || case.is_wrapped {
                continue;
            }
            let mut before = Frame::zero();
            let size = place.len().min(64);
            bytes_mut(&mut before)[place.clone()]
                .copy_from_slice(&self.seeds.reals(Element::F64, 0, false)[..size]);
            if let Ok(left) = self.alone(case, Execution::SlowPath, &start, &before)
                && let Some(b) = computed
                    .iter()
                    .find(|b| !self.is_unknown(case, &left, **b) && !self.is_part(case, &left, **b))
            {
                return Err(format!(
                    "operand {k} is active, byte {b} depends on it, and this is not reported"
                ));
            }
        }
        Ok(())
    }

    /// Whether a byte's shadow says that it is unknown: in a recording the rest of a register of
    /// which a byte or two were written makes that no index.
    pub fn is_unknown(&self, case: &Case, left: &Frame, b: usize) -> bool {
        let is_narrow = case.i.op0_kind() == OpKind::Register
            && operand_bytes(case).is_some_and(|bytes| bytes < 4)
            && !memory().contains(&b);
        let is_no_index = || bytes(left)[(b & !7) + 2..(b & !7) + 8] == UNKNOWN.to_le_bytes()[2..];
        bytes(left)[b] == UNKNOWN as u8
            || self.machine.mode() == Mode::Recording && is_narrow && is_no_index()
    }

    /// Whether a byte's shadow says that parts of numbers were moved (`slow/parts.rs`): four bytes
    /// of which a part was stored are no number until all of them are one's again; in tangents both
    /// halves of a double. A register into which bytes were taken has their numbers.
    pub fn is_part(&self, case: &Case, left: &Frame, b: usize) -> bool {
        const OPEN: u32 = 0xffff_fffe;
        const CODE: [u8; 6] = [0xf0, 0xff, 0, 0, 0, 0];
        if !memory().contains(&b) {
            return case.i.op_count() == 2
                && may_be_unknown(case, Execution::SlowPath)
                && bytes(left)[(b & !7) + 2..][..6] == CODE;
        }
        (1..4).contains(&case.i.memory_size().size())
            && bytes(left)[b & !3..][..4] == OPEN.to_le_bytes()
    }

    /// Shifts by whole floats move shadows, those that leave sign and exponent have none, others
    /// are of integers.
    pub fn shifted(&mut self, case: &Case, count: usize) -> Found {
        if case.operand(count).is_some() {
            return self.integers(case, case.operand(count));
        }
        let bytes = operand_bytes(case).unwrap_or(0);
        let name = name(case.form().mnemonic());
        let is_vector = case.i.op0_register().is_vector_register() || case.i.op0_register().is_mm();
        let bits = if is_vector { if name.ends_with('q') { 64 } else { 32 } } else { 8 * bytes };
        let is_right =
            ["srl", "shr", "sar"].iter().any(|n| name.contains(n)) && !name.contains("sra");
        let by = case.i.try_immediate(case.i.op_count() - 1).unwrap_or(1) as usize;
        let by = if is_vector { by } else { by % if bits == 64 { 64 } else { 32 } };
        let is_gone = is_vector || ["sh", "sa"].iter().any(|n| name.starts_with(n));
        let is_known = by == 0
            || by == 32 && bits == 64
            || is_gone && by >= bits
            || is_right && (by >= 52 && bits == 64 || by >= 23 && bits == 32);
        if is_known && (bits >= 32 || by >= bits) && !name.contains("sra") && !name.ends_with('w') {
            self.tagged(case, &[], &[])
        } else {
            self.integers(case, None)
        }
    }

    /// A quotient that there is: nothing active comes of what is inactive, and nobody knows what
    /// comes of what is active.
    pub fn divided(&mut self, case: &Case) -> Found {
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
                bytes_mut(&mut before)[parts[active].clone()]
                    .copy_from_slice(&self.seeds.reals(Element::F64, 0, false)[..size]);
            }
            for &execution in self.executions(case) {
                let left = self.alone(case, execution, &start, &before)?;
                // A word is divided in RAX alone.
                let is_read = active < parts.len()
                    && !(operand_bytes(case) == Some(1)
                        && parts[active].contains(&place(Register::RDX).expect("a place").start));
                for place in case.results() {
                    let shadow = &bytes(&left)[place];
                    if active == parts.len() && shadow.iter().any(|b| *b != 0)
                        || is_read && shadow[0] != 0xff
                    {
                        return Err(format!("{execution:?}, active {active}: {shadow:x?}"));
                    }
                }
                self.compared += 1;
            }
        }
        Ok(())
    }

    /// All operands are active, and what comes of them has no derivative: either the process ends,
    /// or it is unknown what depends on them.
    pub fn refused_or_unknown(&mut self, case: &Case) -> Found {
        let mut start = filled(&mut self.seeds, Element::F64, false);
        put_indices(&case.i, &mut start.vectors);
        start.masks = [u64::MAX; 8];
        let data: Vec<usize> = case.parts().into_iter().flatten().collect();
        let origins =
            origins(self.machine, case.function, &start, &data, &case.results(), &mut self.seeds);
        let mut before = Frame::zero();
        let dots = filled(&mut self.seeds, Element::F64, false);
        data.iter().for_each(|&b| bytes_mut(&mut before)[b] = bytes(&dots)[b]);
        without_drivers(&mut before);
        let left = self.alone(case, Execution::Translated(true), &start, &before)?;
        self.compared += 1;
        match origins.iter().find(|(b, from)| {
            **from == From::Computed
                && !self.is_unknown(case, &left, **b)
                && !self.is_part(case, &left, **b)
        }) {
            Some((b, _)) => {
                Err(format!("byte {b} depends on what is active, and this is not reported"))
            }
            None => Ok(()),
        }
    }

    pub fn put_counts(&mut self, frame: &mut Frame, places: &[Range<usize>]) {
        for place in places {
            clear(frame, place.clone());
            bytes_mut(frame)[place.start] = 1 + (self.seeds.next() % 7) as u8;
        }
    }
}
