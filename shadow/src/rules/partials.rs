//! Partials of one instruction, for a recording: which numbers of which operands each number of the
//! result depends on, and how.
//!
//! Rules are linear in dots, so partials are the dots that a unit dot in one operand makes.
//! Arithmetic lane by lane needs one run for each operand; the few instructions whose lanes mix
//! need one for each number.

use iced_x86::{Instruction, OpKind};

use super::{
    kinds::{Addend, Element, Form, Lanes, Order, Rule},
    native::{OPERANDS, WIDTH},
    real::{Real, is_rounding},
    rule, sources,
    tangent::{Operand, Refusal, dots},
};

/// That one number of the result depends on one of an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Partial {
    /// The number of the result, by its place in the register or in memory, in elements.
    pub result: usize,
    /// The operand.
    pub operand: usize,
    /// The number of the operand, likewise; 0 for one that is broadcast.
    pub lane: usize,
    /// The derivative.
    pub value: f64,
}

/// Bytes of an element.
fn size(element: Element) -> Option<usize> {
    match element {
        Element::F32 => Some(4),
        Element::F64 => Some(8),
        Element::F16 | Element::F80 | Element::Bits => None,
    }
}

fn load(bytes: &[u8], size: usize) -> f64 {
    match size {
        4 => f32::from_le_bytes(bytes[..4].try_into().expect("four bytes")).into(),
        _ => f64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")),
    }
}

fn set_one(bytes: &mut [u8], size: usize) {
    match size {
        4 => bytes[..4].copy_from_slice(&1f32.to_le_bytes()),
        _ => bytes[..8].copy_from_slice(&1f64.to_le_bytes()),
    }
}

/// Makes a sum's other active numbers zero: a sum that is made to round has an inactive number
/// added, and the partials of one do not depend on its numbers.
fn without_addends(
    rule: Rule,
    operands: &mut [Operand],
    seeded: usize,
    size: usize,
    active: &impl Fn(usize, usize) -> bool,
) {
    let is_sum = matches!(
        rule,
        Rule::Add(_)
            | Rule::Sub(_)
            | Rule::AddSub(_)
            | Rule::HorizontalAdd(_)
            | Rule::HorizontalSub(_)
    );
    let addend = match rule {
        Rule::Fma { order: Order::O132, .. } => Some(1),
        Rule::Fma { order: Order::O213, .. } => Some(2),
        Rule::Fma { order: Order::O231, .. } => Some(0),
        _ => None,
    };
    let factors: Vec<usize> = (0..3).filter(|&k| addend.is_some_and(|a| a != k)).collect();
    for (k, operand) in operands.iter_mut().enumerate() {
        for lane in 0..WIDTH / size {
            let is_active = active(k, lane);
            let drop = match addend {
                Some(a) if seeded == a => {
                    k == factors[0] && factors.iter().any(|&f| active(f, lane))
                }
                Some(a) => k == a && is_active,
                None => {
                    is_sum
                        && is_active
                        && operand.dot[lane * size..(lane + 1) * size].iter().all(|b| *b == 0)
                }
            };
            if drop {
                operand.value[lane * size..(lane + 1) * size].fill(0);
            }
        }
    }
}

/// Partials that are not zero, of an instruction of floating-point arithmetic, by numbers that
/// `active` names: operand, and place in elements. Dots of operands are not looked at. Only
/// arithmetic with numbers of one type is covered: moves, conversions and bitwise operations have
/// no partials, their indices move as the data do.
pub fn partials(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    active: impl Fn(usize, usize) -> bool,
) -> Result<Vec<Partial>, Refusal> {
    let rule = rule(i.code());
    let (Some(form), false) = (
        rule.form(),
        matches!(rule, Rule::Convert { .. } | Rule::FromInteger(_) | Rule::Logic(..)),
    ) else {
        return Err(Refusal::Elsewhere("no arithmetic"));
    };
    let size = size(form.element).ok_or(Refusal::Elsewhere("no arithmetic of this type"))?;
    let mixes =
        matches!(rule, Rule::HorizontalAdd(_) | Rule::HorizontalSub(_) | Rule::DotProduct(_));
    let mut found = Vec::new();
    for operand in sources(i.code(), OPERANDS) {
        let is_broadcast = i.is_broadcast() && i.op_kind(operand as u32) == OpKind::Memory;
        let of = |lane: usize| if is_broadcast { 0 } else { lane };
        let wanted: Vec<usize> = (0..WIDTH / size).filter(|&l| active(operand, of(l))).collect();
        let together: Vec<&[usize]> =
            if mixes { wanted.chunks(1).collect() } else { vec![&wanted] };
        for seeds in together.into_iter().filter(|s| !s.is_empty()) {
            let mut seeded: Vec<Operand> =
                operands.iter().map(|o| Operand { value: o.value, dot: [0; WIDTH] }).collect();
            for &lane in seeds {
                set_one(&mut seeded[operand].dot[of(lane) * size..], size);
            }
            let is_one = |k: usize| i.is_broadcast() && i.op_kind(k as u32) == OpKind::Memory;
            without_addends(rule, &mut seeded, operand, size, &|k, lane| {
                active(k, if k < operands.len() && is_one(k) { 0 } else { lane })
            });
            let result = dots(i, &seeded, mask)?;
            for place in 0..WIDTH / size {
                let value = load(&result[place * size..], size);
                if value != 0.0 {
                    let lane = if mixes { seeds[0] } else { of(place) };
                    found.push(Partial { result: place, operand, lane, value });
                }
            }
        }
    }
    Ok(found)
}

/// The same of the numbers that an instruction computes: sums and products have theirs at once. Of
/// numbers that it only moves there may be some as well.
pub fn computed(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    active: impl Fn(usize, usize) -> bool,
) -> Result<Vec<Partial>, Refusal> {
    let rule = rule(i.code());
    let usual = match rule.form().map(|form| form.element) {
        Some(Element::F32) => {
            Usual::<f32>::of(i, rule, operands, mask).map(|it| it.partials(&active))
        }
        Some(Element::F64) => {
            Usual::<f64>::of(i, rule, operands, mask).map(|it| it.partials(&active))
        }
        _ => None,
    };
    usual.map_or_else(|| partials(i, operands, mask, active), Ok)
}

/// Sums and products, which are most of all: ± a b ± c, each with its partials at once. A sum has a
/// factor of one, a product no addend.
struct Usual<'a, R> {
    i: &'a Instruction,
    operands: &'a [Operand],
    mask: u64,
    lanes: usize,
    /// The operands: factors, and the addend.
    places: [Option<usize>; 3],
    negated: bool,
    addend: Addend,
    number: std::marker::PhantomData<R>,
}

impl<'a, R: Real> Usual<'a, R> {
    fn of(i: &'a Instruction, rule: Rule, operands: &'a [Operand], mask: u64) -> Option<Self> {
        let two = || {
            let mut all = sources(i.code(), 2);
            Some((all.next()?, all.next()?))
        };
        let (form, places, negated, addend): (Form, _, _, _) = match rule {
            Rule::Mul(f) => (f, [Some(two()?.0), Some(two()?.1), None], false, Addend::Plus),
            Rule::Add(f) => (f, [Some(two()?.0), None, Some(two()?.1)], false, Addend::Plus),
            Rule::Sub(f) => (f, [Some(two()?.0), None, Some(two()?.1)], false, Addend::Minus),
            Rule::Fma { form, order, negated, addend } => {
                let [a, b, c] = match order {
                    Order::O132 => [0, 2, 1],
                    Order::O213 => [1, 0, 2],
                    Order::O231 => [1, 2, 0],
                };
                (form, [Some(a), Some(b), Some(c)], negated, addend)
            }
            _ => return None,
        };
        let width = match i.op_kind(0) {
            OpKind::Register => i.op0_register().size(),
            _ => return None,
        };
        let lanes = if form.lanes == Lanes::Scalar { 1 } else { width / R::SIZE };
        let mask = if i.has_op_mask() { mask } else { u64::MAX };
        Some(Self {
            i,
            operands,
            mask,
            lanes,
            places,
            negated,
            addend,
            number: std::marker::PhantomData,
        })
    }

    /// Where an operand has its number for a lane.
    fn lane_of(&self, operand: usize, lane: usize) -> usize {
        if self.i.is_broadcast() && self.i.op_kind(operand as u32) == OpKind::Memory {
            0
        } else {
            lane
        }
    }

    fn partials(&self, active: &impl Fn(usize, usize) -> bool) -> Vec<Partial> {
        let one = R::HALF + R::HALF;
        let mut found = Vec::with_capacity(3 * self.lanes);
        for lane in (0..self.lanes).filter(|l| self.mask >> l & 1 == 1) {
            let get = |k: usize| {
                self.places[k].map(|operand| {
                    R::load(&self.operands[operand].value[self.lane_of(operand, lane) * R::SIZE..])
                })
            };
            let is_active = |k: usize| {
                self.places[k].is_some_and(|operand| active(operand, self.lane_of(operand, lane)))
            };
            let (a, b) = (get(0).unwrap_or(one), get(1).unwrap_or(one));
            let sign = |x: R, minus: bool| if minus { -x } else { x };
            let minus = match self.addend {
                Addend::Plus => false,
                Addend::Minus => true,
                Addend::MinusPlus => lane % 2 == 0,
                Addend::PlusMinus => lane % 2 == 1,
            };
            let product = sign(a * b, self.negated);
            // A sum that is made to round has derivative zero.
            let (mut of_product, mut of_addend) = (true, true);
            if let Some(c) = get(2).map(|c| sign(c, minus)) {
                let is_product_active = is_active(0) || is_active(1);
                of_product = is_active(2) || !is_rounding(c, product);
                of_addend = is_product_active || !is_rounding(product, c);
                if !is_active(2) && !is_product_active {
                    continue;
                }
            }
            let values = [
                (of_product, sign(b, self.negated)),
                (of_product, sign(a, self.negated)),
                (of_addend, sign(one, minus)),
            ];
            for (k, (is, value)) in values.into_iter().enumerate() {
                if let (true, true, Some(operand)) = (is, is_active(k), self.places[k])
                    && value != R::ZERO
                {
                    found.push(Partial {
                        result: lane,
                        operand,
                        lane: self.lane_of(operand, lane),
                        value: value.to_f64(),
                    });
                }
            }
        }
        found
    }
}
