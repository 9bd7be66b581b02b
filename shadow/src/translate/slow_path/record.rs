//! Instructions and library models that Rust code records.

use std::cell::RefCell;

use iced_x86::Instruction;

use crate::{
    machine::state::State,
    memory::indices::{DOUBLE, behind_extended, index_of_double, index_of_float, of_double},
    recording::entry::{Term, record},
    rules::{
        kinds::{Element, Lanes, Rule},
        native::WIDTH,
        partials::computed,
        power::{Cuts, How, Scale},
        rule, sources,
        tangent::{self, Operand, dots},
    },
};

const SIGN: u64 = 1 << 63;
const UNKNOWN: &str = "the operand was computed from bits of reals or from reals of another width, \
    or belongs to an object that was passed to an earlier call but not to this one: its derivative \
    is not known";

/// The index of a real whose shadow is at the start of some bytes.
pub fn index(bytes: &[u8], size: usize) -> Result<u32, String> {
    let found = match size {
        4 => index_of_float(u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))),
        10 => {
            let behind = u16::from_le_bytes([bytes[8], bytes[9]]);
            index_of_double(u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")))
                .filter(|index| behind == behind_extended(*index))
        }
        _ => index_of_double(u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))),
    };
    found.ok_or_else(|| UNKNOWN.to_string())
}

/// Makes some bytes the shadow of a real.
pub fn put(index: u32, bytes: &mut [u8], size: usize) {
    match size {
        4 => bytes[..4].copy_from_slice(&index.to_le_bytes()),
        10 => {
            bytes[..8].copy_from_slice(&of_double(index).to_le_bytes());
            bytes[8..10].copy_from_slice(&behind_extended(index).to_le_bytes());
        }
        _ => bytes[..8].copy_from_slice(&of_double(index).to_le_bytes()),
    }
}

fn size(element: Element) -> Result<usize, String> {
    match element {
        Element::F32 => Ok(4),
        Element::F64 => Ok(8),
        Element::F16 | Element::F80 | Element::Bits => Err("no arithmetic of this type".into()),
    }
}

/// The new shadow of an instruction's first operand, as [`dots`] has it in tangent mode: `operands`
/// have indices for dots.
pub fn shadow(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    state: &mut State,
    cuts: &Cuts,
) -> Result<[u8; WIDTH], String> {
    let refused = |why| format!("{why:?}");
    match rule(i.code()) {
        Rule::Convert { from, to } => {
            let (from, wide) = (size(from)?, size(to.element)?);
            let last = sources(i.code(), 1).last().unwrap_or(0);
            let mut others = operands.to_vec();
            others[last].dot = [0; WIDTH];
            // What is moved beside the numbers that are converted.
            let mut result = dots(i, &others, mask).map_err(refused)?;
            // One number of memory in all lanes is there once.
            let read = if i.is_broadcast() {
                i.code().op_code().memory_size().size()
            } else {
                width(i, last)
            };
            let count = if to.lanes == Lanes::Scalar {
                1
            } else {
                width(i, 0).div_euclid(wide).min(read / from)
            };
            for lane in (0..count).filter(|lane| !i.has_op_mask() || mask >> lane & 1 == 1) {
                let source = if i.is_broadcast() { 0 } else { lane };
                let index = index(&operands[last].dot[source * from..], from)?;
                put(index, &mut result[lane * wide..], wide);
            }
            Ok(result)
        }
        Rule::Logic(..) | Rule::AddInteger(_) | Rule::SubInteger(_) => {
            let moved =
                tangent::shadow(i, operands, mask, How { scale: &Indices::new(state), cuts })
                    .map_err(refused)?;
            signs(moved, state)
        }
        Rule::FromInteger(_) => dots(i, operands, mask).map_err(refused),
        rule if rule.form().is_some() => arithmetic(i, operands, mask, state),
        _ => dots(i, operands, mask).map_err(refused),
    }
}

/// How many operands a result depends on: the last ones. What is only written may have been
/// anything.
fn read(rule: Rule) -> usize {
    match rule {
        Rule::Sqrt(_)
        | Rule::Rounding(_)
        | Rule::Reduce(_)
        | Rule::Reciprocal(_)
        | Rule::ReciprocalSqrt(_)
        | Rule::GetExponent(_)
        | Rule::GetMantissa(_) => 1,
        Rule::Fma { .. } | Rule::FixupImm(_) => 3,
        _ => 2,
    }
}

fn width(i: &Instruction, k: usize) -> usize {
    match i.op_kind(k as u32) {
        iced_x86::OpKind::Register => i.op_register(k as u32).size(),
        _ => i.memory_size().size(),
    }
}

fn arithmetic(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    state: &mut State,
) -> Result<[u8; WIDTH], String> {
    let refused = |why| format!("{why:?}");
    let form = rule(i.code()).form().ok_or("no arithmetic")?;
    let size = size(form.element)?;
    let mut signed = operands.to_vec();
    if size == 8 {
        // A sign that was changed in one half only waits for whoever takes both for a number.
        let is_signed = |dot: u64| {
            dot & SIGN != 0 && index_of_double(dot & !SIGN).is_some_and(|index| index != 0)
        };
        for operand in signed.iter_mut() {
            let word = |c: &[u8]| u64::from_le_bytes(c.try_into().expect("eight bytes"));
            if operand.dot.chunks_exact(8).any(|c| is_signed(word(c))) {
                operand.dot = signs(operand.dot, state)?;
            }
        }
    }
    let operands = &signed[..];
    let count = if form.lanes == Lanes::Scalar { 1 } else { width(i, 0) / size };
    let is_computed = |lane: usize| lane < count && (!i.has_op_mask() || mask >> lane & 1 == 1);
    let at = |operand: usize, lane: usize| index(&operands[operand].dot[lane * size..], size);
    let is_active = |operand: usize, lane: usize| {
        operands
            .get(operand)
            .is_some_and(|o| o.dot[lane * size..(lane + 1) * size].iter().any(|b| *b != 0))
    };
    let found = computed(i, operands, mask, is_active).map_err(refused)?;
    // Lanes that are moved have their shadows from here; what is computed on indices is
    // overwritten.
    let mut result = dots(i, operands, mask).map_err(refused)?;
    for lane in (0..WIDTH / size).filter(|&l| is_computed(l)) {
        let mut terms: Vec<Term> = Vec::new();
        for p in found.iter().filter(|p| p.result == lane) {
            let index = at(p.operand, p.lane)?;
            terms.push(Term { index, partial: p.value });
        }
        // One that is not known is not passed over because its partial is zero here.
        for operand in sources(i.code(), read(rule(i.code()))) {
            at(
                operand,
                if i.is_broadcast() && i.op_kind(operand as u32) == iced_x86::OpKind::Memory {
                    0
                } else {
                    lane
                },
            )?;
        }
        let index = record(state, &terms).map_err(|e| e.to_string())?;
        put(index, &mut result[lane * size..], size);
    }
    Ok(result)
}

/// Numbers whose exponents change are values of their own.
pub struct Indices<'a>(RefCell<&'a mut State>);

impl<'a> Indices<'a> {
    /// In a recording.
    pub fn new(state: &'a mut State) -> Self {
        Self(RefCell::new(state))
    }

    fn scaled(&self, index: u32, minus: bool, by: i32) -> Option<u32> {
        let partial = if minus { -2f64.powi(by) } else { 2f64.powi(by) };
        if index == 0 || !partial.is_normal() {
            return (index == 0).then_some(0);
        }
        record(&mut self.0.borrow_mut(), &[Term { index, partial }]).ok()
    }
}

impl Scale for Indices<'_> {
    fn double(&self, shadow: u64, by: i32) -> Option<u64> {
        Some(of_double(self.scaled(index_of_double(shadow & !SIGN)?, shadow & SIGN != 0, by)?))
    }
    fn float(&self, shadow: u32, by: i32) -> Option<u32> {
        const SIGN: u32 = 1 << 31;
        self.scaled(index_of_float(shadow & !SIGN)?, shadow & SIGN != 0, by)
    }
    fn upper(&self, _: u32, _: i32) -> Option<u32> {
        // The index is in the other half.
        None
    }
    fn is_float(&self, shadow: u32) -> Option<bool> {
        const SIGN: u32 = 1 << 31;
        const HALF: u32 = (DOUBLE >> 32) as u32;
        match shadow & !SIGN {
            HALF => Some(false),
            float => index_of_float(float).map(|_| true),
        }
    }
}

/// Bitwise operations on reals select them and change signs, of shadows as well: whose sign has
/// changed becomes a value of its own. What is unknown stays so.
pub fn signs(mut result: [u8; WIDTH], state: &mut State) -> Result<[u8; WIDTH], String> {
    for bytes in result.chunks_exact_mut(8) {
        let word = u64::from_le_bytes((&*bytes).try_into().expect("eight bytes"));
        let minus = |index: u32, state: &mut State| {
            record(state, &[Term { index, partial: -1.0 }]).map_err(|e| e.to_string())
        };
        let new = match index_of_double(word & !SIGN) {
            Some(0) => 0,
            Some(index) if word & SIGN != 0 => of_double(minus(index, state)?),
            Some(_) => word,
            None => {
                let mut halves = [word as u32, (word >> 32) as u32];
                for half in &mut halves {
                    match index_of_float(*half & !(1 << 31)) {
                        Some(index) => {
                            *half = if *half >> 31 == 1 && index != 0 {
                                minus(index, state)?
                            } else {
                                index
                            }
                        }
                        // Half of a double: the sign waits for the other half.
                        None if *half & !(1 << 31) == (DOUBLE >> 32) as u32 => {}
                        None => *half = u32::MAX,
                    }
                }
                u64::from(halves[1]) << 32 | u64::from(halves[0])
            }
        };
        bytes.copy_from_slice(&new.to_le_bytes());
    }
    Ok(result)
}
