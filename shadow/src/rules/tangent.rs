//! Dots of one instruction: what its rule means, with lanes, masks and broadcasts.
//!
//! The slow path runs this, and code that is emitted is tested against it. What needs more than the
//! operands (flags, the stack, addresses of its own) is the caller's: [`Refusal::Elsewhere`].

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

use super::{
    bits::{self, Word},
    elements, integer, is_constant,
    kinds::{Bitwise, Element, Form, Lanes, Rule, SD, SS, Steering, Upper},
    masked,
    native::{self, Frame, OPERANDS, WIDTH},
    power::{Cuts, Dots, How},
    real, rule, sources, upper, whole,
};

/// An operand: a vector register whole, a general register, or memory, from the lowest byte. What
/// it has not is zero.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Bytes.
    pub value: [u8; WIDTH],
    /// Bytes of the shadow.
    pub dot: [u8; WIDTH],
}

impl Default for Operand {
    fn default() -> Self {
        Self { value: [0; WIDTH], dot: [0; WIDTH] }
    }
}

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// An operand is active and the rule has no derivative: the operand's number, the kind of rule.
    Active(usize, &'static str),
    /// Operands are active whose bits are changed in a way that is no known operation on numbers.
    Bits,
    /// The form is refused, for this reason.
    Refused(&'static str),
    /// The result depends on more than operands.
    Elsewhere(&'static str),
    /// The instruction could not be run on dots.
    Native(String),
}

impl Refusal {
    fn of(failure: native::Failure) -> Self {
        match failure {
            native::Failure::Operand(what) => Refusal::Elsewhere(what),
            native::Failure::Encoding(e) => Refusal::Native(e.to_string()),
            native::Failure::Memory => Refusal::Native("no memory for its code".into()),
        }
    }
}

/// The new shadow of the first operand: of a register whole, of memory as many bytes as the
/// instruction writes. `operands` are as before the instruction, in the instruction's order;
/// immediates are taken from the instruction. `mask` is the value of its mask register.
pub fn dots(i: &Instruction, operands: &[Operand], mask: u64) -> Result<[u8; WIDTH], Refusal> {
    shadow(i, operands, mask, How { scale: &Dots, cuts: &Cuts::default() })
}

/// The same of whatever shadows, and of an instruction of which more is known.
pub fn shadow(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    how: How,
) -> Result<[u8; WIDTH], Refusal> {
    let mut all = [Operand::default(); OPERANDS];
    all[..operands.len()].copy_from_slice(operands);
    let case = Case { i, operands: all, mask: if i.has_op_mask() { mask } else { u64::MAX }, how };
    if is_constant(i) {
        return Ok(case.zero());
    }
    case.dots(rule(i.code()))
}

/// The same for a gather or scatter. `base` is what its indices are relative to, in shadow memory:
/// the base register and the displacement, moved by the distance of shadows. A gather gives the
/// shadow of the first operand, its mask in an operand becomes inactive; a scatter writes shadow
/// memory and gives nothing of meaning.
///
/// # Safety
/// The shadows of all places where the mask is set are mapped; no other thread uses them without
/// order.
pub unsafe fn dots_in_memory(
    i: &Instruction,
    operands: &[Operand],
    mask: u64,
    index: &[u8; WIDTH],
    base: u64,
) -> Result<[u8; WIDTH], Refusal> {
    let Rule::Move(steering) = rule(i.code()) else { return Err(Refusal::Elsewhere("no move")) };
    let mut frame = Frame::new([[0; WIDTH]; OPERANDS], mask);
    for (k, (to, o)) in frame.operands.iter_mut().zip(operands).enumerate() {
        *to = if steering == Steering::Mask(k as u8) { o.value } else { o.dot };
    }
    (frame.index, frame.base) = (*index, base);
    // SAFETY: by contract.
    match unsafe { native::run_anywhere(i, &mut frame) } {
        Ok(()) => Ok(frame.operands[0]),
        Err(failure) => Err(Refusal::of(failure)),
    }
}

/// Whether bytes are the shadow of something active. A negative zero is not, of a double or of a
/// float.
pub fn is_active(bytes: &[u8]) -> bool {
    const SIGNS: u64 = 1 << 63 | 1 << 31;
    bytes.chunks(8).any(|c| match *c {
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]) & !SIGNS != 0,
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])) & !SIGNS != 0,
        _ => c.iter().any(|&b| b != 0),
    })
}

pub(super) struct Case<'a> {
    pub(super) i: &'a Instruction,
    pub(super) operands: [Operand; OPERANDS],
    pub(super) how: How<'a>,
    pub(super) mask: u64,
}

/// What an operand is replaced by when the instruction is run on its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    Dot,
    Value,
    Zero,
}

impl Case<'_> {
    pub(super) fn dots(&self, rule: Rule) -> Result<[u8; WIDTH], Refusal> {
        Ok(match rule {
            Rule::Rounding(form) if self.rounds_whole(form) => {
                return Err(Refusal::Active(
                    self.last(),
                    "it rounds a number that is already whole",
                ));
            }
            rule if masked::is_of(self.i, rule) => masked::dots(self, rule)?,
            Rule::Move(steering) => return self.moved(steering),
            Rule::Extend => integer::extended(self),
            Rule::Convert { .. } => self.native(|_| With::Dot)?,
            Rule::FromInteger(_) => {
                let source = self.last();
                self.must_be_inactive(source, rule)?;
                self.native(|k| if k == source { With::Zero } else { With::Dot })?
            }
            Rule::ToInteger if self.i.op0_register().is_vector_register() => {
                let source = self.last();
                self.with_whole_lanes(
                    self.native(|k| if k == source { With::Zero } else { With::Dot })?,
                )
            }
            Rule::ToInteger if self.takes_all(self.last(), 0, self.source_size()) => {
                let mut unknown = [0; WIDTH];
                unknown[..self.width(0)].fill(0xff);
                self.finished(unknown)
            }
            Rule::ToInteger => self.zero(),
            Rule::Compare => {
                self.must_name_all()?;
                // The mask of a scalar comparison is one lane; the others are numbers still.
                match self.i.mnemonic() {
                    Mnemonic::Cmpss | Mnemonic::Vcmpss if !self.i.op0_register().is_k() => {
                        self.lanes(SS, &|_| 0f32)
                    }
                    Mnemonic::Cmpsd | Mnemonic::Vcmpsd if self.i.op0_register().is_xmm() => {
                        self.lanes(SD, &|_| 0f64)
                    }
                    _ => self.zero(),
                }
            }
            Rule::Integer => {
                self.must_name_all()?;
                let read = self.read();
                if elements::is_of(self) {
                    return elements::dots(self, &read);
                }
                for k in read {
                    self.must_be_inactive(k, rule)?;
                }
                self.zero_under_mask()
            }
            Rule::AddInteger(bits) => integer::sum(self, bits, false)?,
            Rule::SubInteger(bits) => integer::sum(self, bits, true)?,
            Rule::Logic(operation, form) if form.lanes == Lanes::Packed => {
                self.logic(operation, form.element)
            }
            Rule::Logic(operation, _) => integer::logic(self, operation)?,
            Rule::Shift(direction, bits) => integer::shift(self, direction, bits)?,
            Rule::Refused(why) => return Err(Refusal::Refused(why)),
            Rule::Unknown => return Err(Refusal::Refused("it has no derivative rule")),
            Rule::X87(_) => return Err(Refusal::Elsewhere("the x87 stack")),
            Rule::Exchange | Rule::CompareExchange => {
                return Err(Refusal::Elsewhere("two results"));
            }
            Rule::MoveString | Rule::StoreString | Rule::LoadString => {
                return Err(Refusal::Elsewhere("strings"));
            }
            Rule::ZeroAll | Rule::ZeroUpper => return Err(Refusal::Elsewhere("all registers")),
            Rule::Control => return Err(Refusal::Elsewhere("no data")),
            Rule::Add(f)
            | Rule::Sub(f)
            | Rule::AddSub(f)
            | Rule::Mul(f)
            | Rule::Div(f)
            | Rule::Sqrt(f)
            | Rule::Min(f)
            | Rule::Max(f)
            | Rule::Fma { form: f, .. }
            | Rule::HorizontalAdd(f)
            | Rule::HorizontalSub(f)
            | Rule::DotProduct(f)
            | Rule::Rounding(f)
            | Rule::Reduce(f)
            | Rule::Reciprocal(f)
            | Rule::ReciprocalSqrt(f)
            | Rule::ScaleByPower(f)
            | Rule::GetExponent(f)
            | Rule::GetMantissa(f)
            | Rule::Range(f)
            | Rule::FixupImm(f) => match f.element {
                Element::F32 => self.arithmetic::<f32>(rule, f)?,
                Element::F64 => self.arithmetic::<f64>(rule, f)?,
                Element::F16 | Element::F80 | Element::Bits => {
                    return Err(Refusal::Refused("no arithmetic of this type"));
                }
            },
        })
    }

    /// Whether a number that is rounded has nothing to be rounded, as where digits are taken apart.
    fn rounds_whole(&self, form: Form) -> bool {
        let last = self.last();
        let size = if form.element == Element::F32 { 4 } else { 8 };
        let is_broadcast = self.i.is_broadcast() && self.i.op_kind(last as u32) == OpKind::Memory;
        let count = if form.lanes == Lanes::Scalar || is_broadcast {
            1
        } else {
            self.width(last).min(WIDTH) / size
        };
        let is_on = |lane: usize| is_broadcast || self.mask >> lane & 1 == 1;
        (0..count).any(|lane| is_on(lane) && self.takes_all(last, lane, size))
    }

    /// Bytes of the numbers that a conversion to integers reads.
    fn source_size(&self) -> usize {
        let name = format!("{:?}", self.i.mnemonic());
        if name.contains("ps2") || name.contains("ss2") { 4 } else { 8 }
    }

    /// Whether an active number of an operand becomes an integer that has all of it.
    fn takes_all(&self, k: usize, lane: usize, size: usize) -> bool {
        let (value, dot) = (
            &self.operands[k].value[lane * size..],
            &self.operands[k].dot[lane * size..(lane + 1) * size],
        );
        let takes_all = if size == 4 {
            whole::is_of_float(real::Real::load(value))
        } else {
            whole::is_of_double(real::Real::load(value))
        };
        is_active(dot) && takes_all
    }

    /// The dots of a conversion to integers in a vector: unknown where one has all of an active
    /// number.
    fn with_whole_lanes(&self, mut result: [u8; WIDTH]) -> [u8; WIDTH] {
        let (from, last) = (self.source_size(), self.last());
        let is_long = format!("{:?}", self.i.mnemonic()).contains("qq");
        let to = if is_long { 8 } else { 4 };
        let is_broadcast = self.i.is_broadcast() && self.i.op_kind(last as u32) == OpKind::Memory;
        let read = if is_broadcast { WIDTH } else { self.width(last).min(WIDTH) };
        let count = (read / from).min(self.width(0) / to);
        for lane in (0..count).filter(|lane| self.mask >> lane & 1 == 1) {
            if self.takes_all(last, if is_broadcast { 0 } else { lane }, from) {
                result[lane * to..(lane + 1) * to].fill(0xff);
            }
        }
        result
    }

    /// The last operand that is no immediate.
    pub(super) fn last(&self) -> usize {
        sources(self.i.code(), 1).last().unwrap_or(0)
    }

    /// Bytes of an operand.
    pub(super) fn width(&self, k: usize) -> usize {
        match self.i.op_kind(k as u32) {
            OpKind::Register => self.i.op_register(k as u32).size(),
            OpKind::Memory => self.i.memory_size().size(),
            _ => 0,
        }
    }

    fn must_be_inactive(&self, k: usize, rule: Rule) -> Result<(), Refusal> {
        let width = self.width(k).min(WIDTH);
        if is_active(&self.operands[k].dot[..width]) {
            Err(Refusal::Active(k, rule.name()))
        } else {
            Ok(())
        }
    }

    /// Operands that the result depends on.
    fn read(&self) -> Vec<usize> {
        let mut factory = InstructionInfoFactory::new();
        let first = match factory.info(self.i).op0_access() {
            OpAccess::Write | OpAccess::None | OpAccess::NoMemAccess | OpAccess::CondWrite => {
                // Of memory nothing but what is computed is written.
                self.i.has_op_mask()
                    && !self.i.zeroing_masking()
                    && self.i.op0_kind() == OpKind::Register
            }
            _ => true,
        };
        (usize::from(!first)..self.i.op_count() as usize).collect()
    }

    /// Registers that the instruction reads or writes besides its operands are the caller's, and so
    /// are second results.
    fn must_name_all(&self) -> Result<(), Refusal> {
        let mut factory = InstructionInfoFactory::new();
        let info = factory.info(self.i);
        let named = |r: Register| {
            let operand = |k| {
                self.i.op_kind(k) == OpKind::Register && self.i.op_register(k).full_register() == r
            };
            (0..self.i.op_count()).any(operand)
                || [self.i.memory_base(), self.i.memory_index()]
                    .iter()
                    .any(|a| a.full_register() == r)
                || !(r.is_gpr() || r.is_vector_register())
        };
        if !info.used_registers().iter().all(|u| named(u.register().full_register())) {
            return Err(Refusal::Elsewhere("registers that are no operands"));
        }
        let written = |a: OpAccess| {
            matches!(
                a,
                OpAccess::Write
                    | OpAccess::CondWrite
                    | OpAccess::ReadWrite
                    | OpAccess::ReadCondWrite
            )
        };
        let second = self.i.op_count() > 1
            && self.i.op1_kind() == OpKind::Register
            && !self.i.op1_register().is_k();
        if second && written(info.op1_access()) {
            Err(Refusal::Elsewhere("two results"))
        } else {
            Ok(())
        }
    }

    /// A shadow of zero for the first operand, if it is written at all.
    fn zero(&self) -> [u8; WIDTH] {
        let mut factory = InstructionInfoFactory::new();
        match factory.info(self.i).op0_access() {
            OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess => {
                self.operands[0].dot
            }
            OpAccess::Write
            | OpAccess::CondWrite
            | OpAccess::ReadWrite
            | OpAccess::ReadCondWrite => self.finished([0; WIDTH]),
        }
    }

    /// The same, and elements of memory that the mask leaves out keep theirs.
    fn zero_under_mask(&self) -> [u8; WIDTH] {
        let mut result = self.zero();
        if self.i.op0_kind() == OpKind::Memory && self.i.has_op_mask() {
            let size = self.i.memory_size().element_size().max(1);
            let left_out =
                (0..self.width(0).min(WIDTH)).filter(|b| self.mask >> (b / size) & 1 == 0);
            left_out.for_each(|b| result[b] = self.operands[0].dot[b]);
        }
        result
    }

    /// The result's bytes, with those of the destination that the instruction does not write.
    pub(super) fn finished(&self, mut result: [u8; WIDTH]) -> [u8; WIDTH] {
        let register = self.i.op0_register();
        let is_register = self.i.op0_kind() == OpKind::Register;
        let width = self.width(0).min(WIDTH);
        let written = match width {
            // Writing 32 bits of a general register clears the others; so does VEX.
            _ if is_register && register.is_gpr() && width >= 4 => WIDTH,
            _ if is_register
                && register.is_vector_register()
                && !register.is_mm()
                && upper(self.i.code()) != Upper::Kept =>
            {
                WIDTH
            }
            _ => width,
        };
        result[width..written].fill(0);
        result[written..].copy_from_slice(&self.operands[0].dot[written..]);
        result
    }

    /// Runs the instruction itself, with operands replaced.
    pub(super) fn native(&self, with: impl Fn(usize) -> With) -> Result<[u8; WIDTH], Refusal> {
        let mut data = [[0; WIDTH]; OPERANDS];
        for (k, to) in data.iter_mut().enumerate() {
            *to = match with(k) {
                With::Dot => self.operands[k].dot,
                With::Value => self.operands[k].value,
                With::Zero => [0; WIDTH],
            };
        }
        let mut frame = Frame::new(data, self.mask);
        match native::run(self.i, &mut frame) {
            Ok(()) => Ok(frame.operands[0]),
            Err(failure) => Err(Refusal::of(failure)),
        }
    }

    fn moved(&self, steering: Steering) -> Result<[u8; WIDTH], Refusal> {
        use Mnemonic::*;
        match self.i.mnemonic() {
            Mov | Movnti | Movbe | Bswap => return Ok(integer::moved(self)),
            Push | Pop | Leave | Movdiri | Movdir64b => {
                return Err(Refusal::Elsewhere("the stack or an address"));
            }
            Maskmovq | Maskmovdqu | Vmaskmovdqu => return Err(Refusal::Elsewhere("an address")),
            _ if self.i.condition_code() != iced_x86::ConditionCode::None => {
                return Err(Refusal::Elsewhere("flags"));
            }
            _ => {}
        }
        let steers = match steering {
            Steering::None => None,
            Steering::Indices(k) => {
                self.must_be_inactive(k.into(), Rule::Move(steering))?;
                Some(usize::from(k))
            }
            Steering::Mask(k) => Some(usize::from(k)),
        };
        let with = |k| if Some(k) == steers { With::Value } else { With::Dot };
        if steers == Some(0) && self.i.has_op_mask() {
            // Lanes without mask keep indices, which have no dots.
            let mut zeroing = *self.i;
            zeroing.set_zeroing_masking(true);
            return Case { i: &zeroing, operands: self.operands, mask: self.mask, how: self.how }
                .native(with);
        }
        self.native(with)
    }

    fn logic(&self, operation: Bitwise, element: Element) -> [u8; WIDTH] {
        let count = if operation == Bitwise::Table { 3 } else { 2 };
        let immediate = if count == 3 { self.i.immediate8() } else { 0 };
        let table = bits::table(operation, immediate);
        let registers: Vec<Register> = (0..self.i.op_count())
            .filter(|k| self.i.op_kind(*k) == OpKind::Register)
            .map(|k| self.i.op_register(k))
            .collect();
        let first = if count == 3 { 0 } else { self.i.op_count() as usize - 2 };
        self.how.cuts.set_same(
            (first..registers.len())
                .any(|k| registers[..k].iter().skip(first).any(|r| *r == registers[k])),
        );
        let size = self.i.op_code().broadcast_memory_size().size();
        let on = |byte: usize| size == 0 || self.mask >> (byte / size) & 1 == 1;
        let mut result = [0; WIDTH];
        for at in (0..self.width(0)).step_by(8) {
            let mut words = [Word::default(); 3];
            for (word, k) in words.iter_mut().zip(sources(self.i.code(), count)) {
                let from = |bytes: &[u8; WIDTH]| {
                    let broadcast =
                        self.i.is_broadcast() && self.i.op_kind(k as u32) == OpKind::Memory;
                    let byte =
                        |b: usize| if broadcast { bytes[(at + b) % size] } else { bytes[at + b] };
                    u64::from_le_bytes(std::array::from_fn(byte))
                };
                *word =
                    Word { value: from(&self.operands[k].value), dot: from(&self.operands[k].dot) };
                for b in (0..8).filter(|b| !on(at + b)) {
                    word.dot &= !(0xff << (8 * b));
                }
            }
            let dot = bits::dot(table, words, element, self.how)
                .unwrap_or_else(|| bits::unknown(table, words))
                .to_le_bytes();
            for (b, dot) in dot.into_iter().enumerate() {
                result[at + b] = match on(at + b) {
                    true => dot,
                    false if self.i.zeroing_masking() => 0,
                    false => self.operands[0].dot[at + b],
                };
            }
        }
        self.finished(result)
    }
}
