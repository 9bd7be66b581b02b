//! Rules are complete: each form of an instruction that touches floating-point data has one, or is refused for a reason that is written here.

use std::collections::BTreeMap;

use adshadow::rules::{
    self, Element, Lanes, Rule, Steering, X87,
    kinds::Form,
    native::{self, Frame, OPERANDS, WIDTH},
    tangent::{self, Operand, Refusal},
};
use iced_x86::{Code, CpuidFeature, EncodingKind, Instruction, MemorySize, Mnemonic, OpCodeOperandKind, OpKind, Register};

/// All forms of 64-bit mode, but those of processors that never were in a usual computer.
fn forms() -> impl Iterator<Item = Code> {
    Code::values().filter(|c| {
        let form = c.op_code();
        form.is_instruction() && form.mode64() && form.encoding() != EncodingKind::MVEX && !c.cpuid_features().contains(&CpuidFeature::KNC)
    })
}

fn is_vector(kind: OpCodeOperandKind) -> bool {
    use OpCodeOperandKind as K;
    match kind {
        K::mm_or_mem | K::xmm_or_mem | K::ymm_or_mem | K::zmm_or_mem | K::mm_reg | K::mm_rm => true,
        K::xmm_reg | K::xmm_rm | K::xmm_vvvv | K::xmmp3_vvvv | K::xmm_is4 | K::xmm_is5 => true,
        K::ymm_reg | K::ymm_rm | K::ymm_vvvv | K::ymm_is4 | K::ymm_is5 => true,
        K::zmm_reg | K::zmm_rm | K::zmm_vvvv | K::zmmp3_vvvv => true,
        K::sti_opcode | K::st0 => true,
        K::mem_vsib32x | K::mem_vsib64x | K::mem_vsib32y | K::mem_vsib64y | K::mem_vsib32z | K::mem_vsib64z => true,
        _ => false,
    }
}

fn is_floating(size: MemorySize) -> bool {
    use MemorySize as M;
    let element = size.element_type();
    matches!(element, M::Float16 | M::Float32 | M::Float64 | M::Float80 | M::Float128 | M::BFloat16)
        || matches!(size, M::Bcd | M::FpuEnv14 | M::FpuEnv28 | M::FpuState94 | M::FpuState108 | M::Fxsave_512Byte | M::Fxsave64_512Byte)
}

fn touches_numbers(code: Code) -> bool {
    code.op_code().op_kinds().iter().any(|&k| is_vector(k))
        || is_floating(code.op_code().memory_size())
        || is_floating(code.op_code().broadcast_memory_size())
        || code.cpuid_features().iter().any(|f| matches!(f, CpuidFeature::FPU | CpuidFeature::FPU287 | CpuidFeature::FPU387))
        || matches!(code.mnemonic(), Mnemonic::Vzeroall | Mnemonic::Vzeroupper)
}

/// Reasons for refusal, and how many forms each has.
const REFUSED: &[(&str, usize)] = &[
    ("16-bit numbers leave no room for an index, and a dot would lose digits", 17),
    ("half precision leaves no room for an index, and a dot would lose digits", 254),
    ("moves fields of bits (SSE4a)", 4),
    ("only on processors that are no longer made (3DNow!)", 24),
    ("only on processors that are no longer made (AVX-512 of Knights)", 6),
    ("only on processors that are no longer made (FMA4, XOP)", 72),
    ("only on processors that are no longer made (XOP)", 75),
    ("registers are saved or restored in a format without shadows", 10),
];

#[test]
fn each_form_has_a_rule() {
    let (mut counts, mut refused) = (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, usize>::new());
    let mut unknown = Vec::new();
    for code in forms().filter(|&c| touches_numbers(c)) {
        let rule = rules::rule(code);
        *counts.entry(rule.name()).or_default() += 1;
        match rule {
            Rule::Unknown => unknown.push(code),
            Rule::Refused(why) => *refused.entry(why).or_default() += 1,
            _ => {}
        }
    }
    println!("{counts:#?}\n{refused:#?}");
    assert!(unknown.is_empty(), "without a rule: {unknown:?}");
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), REFUSED);
    assert!(counts.values().sum::<usize>() > 3000, "all forms were looked at");
}

/// What compilers make of general registers has rules, too.
#[test]
fn general_instructions_have_rules() {
    let unknown: Vec<Mnemonic> = forms()
        .filter(|&c| !c.op_code().is_privileged() && !touches_numbers(c) && rules::rule(c) == Rule::Unknown)
        .map(|c| c.mnemonic())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    println!("unknown: {unknown:?}");
    for code in [Code::Mov_r64_rm64, Code::Push_r64, Code::Add_rm64_r64, Code::Setb_rm8, Code::Movsq_m64_m64, Code::Call_rel32_64] {
        assert_ne!(rules::rule(code), Rule::Unknown, "{code:?}");
    }
    assert_eq!(rules::rule(Code::Movsd_m32_m32), Rule::MoveString);
    assert_eq!(rules::rule(Code::Movsd_xmm_xmmm64), Rule::Move(Steering::None));
    assert_eq!(rules::rule(Code::Cmpsd_m32_m32), Rule::Compare);
}

fn element_of(size: MemorySize) -> Element {
    match size.element_type() {
        MemorySize::Float16 => Element::F16,
        MemorySize::Float32 => Element::F32,
        MemorySize::Float64 => Element::F64,
        MemorySize::Float80 => Element::F80,
        _ => Element::Bits,
    }
}

#[test]
fn rules_agree_with_what_the_decoder_knows_of_memory() {
    let mut checked = 0;
    for code in forms().filter(|&c| touches_numbers(c)) {
        let form = code.op_code();
        let size = form.memory_size();
        let rule = rules::rule(code);
        if size == MemorySize::Unknown {
            continue;
        }
        let expected = match rule {
            Rule::Convert { from, .. } => Some(from),
            Rule::FromInteger(_) | Rule::Integer | Rule::X87(X87::FromInteger | X87::ToInteger) => Some(Element::Bits),
            // The table is one of integers.
            Rule::FixupImm(f) if element_of(size) != Element::Bits => Some(f.element),
            Rule::FixupImm(_) | Rule::ToInteger | Rule::Compare => None,
            _ => rule.form().map(|f| f.element),
        };
        let Some(expected) = expected else { continue };
        assert_eq!(element_of(size), expected, "{code:?}: {size:?} {rule:?}");
        if let Rule::FromInteger(f) | Rule::Convert { to: f, .. } = rule {
            assert_eq!(f.lanes == Lanes::Packed, size.is_packed(), "{code:?}: {size:?} {rule:?}");
        } else if let Some(f) = rule.form() {
            assert!(f.element == Element::Bits || (f.lanes == Lanes::Packed) == size.is_packed(), "{code:?}: {size:?} {rule:?}");
        }
        checked += 1;
    }
    println!("{checked} forms");
    assert!(checked > 1000);
}

/// Whether this processor runs it.
fn is_here(code: Code) -> bool {
    use CpuidFeature as F;
    macro_rules! has {
        ($name:tt) => {
            std::arch::is_x86_feature_detected!($name)
        };
    }
    code.cpuid_features().iter().all(|f| match f {
        F::SSE | F::SSE2 | F::MMX => true,
        F::SSE3 => has!("sse3"),
        F::SSSE3 => has!("ssse3"),
        F::SSE4_1 => has!("sse4.1"),
        F::SSE4_2 => has!("sse4.2"),
        F::AVX => has!("avx"),
        F::AVX2 => has!("avx2"),
        F::FMA => has!("fma"),
        F::AVX512F => has!("avx512f"),
        F::AVX512VL => has!("avx512vl"),
        F::AVX512BW => has!("avx512bw"),
        F::AVX512DQ => has!("avx512dq"),
        F::AVX512_VBMI => has!("avx512vbmi"),
        F::AVX512_VBMI2 => has!("avx512vbmi2"),
        _ => false,
    })
}

/// An instruction of a form, with registers or with memory; none if it has operands of other kinds.
fn instruction(code: Code, memory: bool, immediate: u8) -> Option<Instruction> {
    use OpCodeOperandKind as K;
    let mut i = Instruction::default();
    i.set_code(code);
    let mut has_memory = false;
    for (k, &kind) in code.op_code().op_kinds().iter().enumerate() {
        let n = k as u32;
        let (register, may_be_memory) = match kind {
            K::mm_or_mem => (Register::MM1 + n, true),
            K::xmm_or_mem => (Register::XMM1 + n, true),
            K::ymm_or_mem => (Register::YMM1 + n, true),
            K::zmm_or_mem => (Register::ZMM1 + n, true),
            K::r32_or_mem => (Register::EAX, true),
            K::r64_or_mem => (Register::RAX, true),
            K::mm_reg | K::mm_rm => (Register::MM1 + n, false),
            K::xmm_reg | K::xmm_rm | K::xmm_vvvv | K::xmm_is4 => (Register::XMM1 + n, false),
            K::ymm_reg | K::ymm_rm | K::ymm_vvvv | K::ymm_is4 => (Register::YMM1 + n, false),
            K::zmm_reg | K::zmm_rm | K::zmm_vvvv => (Register::ZMM1 + n, false),
            K::r32_reg | K::r32_rm => (Register::EAX, false),
            K::r64_reg | K::r64_rm => (Register::RAX, false),
            K::mem => (Register::None, true),
            K::imm8 => {
                i.set_op_kind(n, OpKind::Immediate8);
                i.set_immediate8(immediate);
                continue;
            }
            _ => return None,
        };
        if may_be_memory && (memory || register == Register::None) {
            has_memory = true;
            i.set_op_kind(n, OpKind::Memory);
            i.set_memory_base(Register::RDI);
        } else {
            i.set_op_kind(n, OpKind::Register);
            i.set_op_register(n, register);
        }
    }
    (has_memory == memory).then_some(i)
}

/// Forms that run here, with registers, memory, masks, broadcasts.
fn variants(immediates: &[u8], wanted: impl Fn(Rule) -> bool) -> Vec<Instruction> {
    let mut all = Vec::new();
    for code in forms().filter(|&c| wanted(rules::rule(c)) && is_here(c)) {
        let form = code.op_code();
        let has_immediate = form.op_kinds().contains(&OpCodeOperandKind::imm8);
        for &immediate in &immediates[..if has_immediate { immediates.len() } else { 1 }] {
            for memory in [false, true] {
                let Some(plain) = instruction(code, memory, immediate) else { continue };
                let mut with = vec![];
                if !form.require_op_mask_register() {
                    with.push(plain);
                }
                if form.can_use_op_mask_register() {
                    let mut masked = plain;
                    masked.set_op_mask(Register::K1);
                    with.push(masked);
                    if form.can_use_zeroing_masking() && plain.op0_kind() == OpKind::Register {
                        masked.set_zeroing_masking(true);
                        with.push(masked);
                    }
                }
                if memory && form.can_broadcast() {
                    for mut broadcast in with.clone() {
                        broadcast.set_is_broadcast(true);
                        with.push(broadcast);
                    }
                }
                all.extend(with);
            }
        }
    }
    all
}

/// Numbers that depend on the seed only.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ self.0 >> 33;
        x.wrapping_mul(0xff51afd7ed558ccd) ^ x >> 29
    }

    /// Away from integers, halves and powers of two, and from those of other operands.
    fn real(&mut self, operand: usize, positive: bool) -> f64 {
        let n = [0.6, 1.1, 2.1][self.next() as usize % 3];
        let x = n + 0.1 * (self.next() % 3) as f64 + 0.02 * operand as f64;
        if positive || self.next() & 1 == 0 { x } else { -x }
    }

    fn reals(&mut self, element: Element, operand: usize, positive: bool) -> [u8; WIDTH] {
        let mut bytes = [0; WIDTH];
        match element {
            Element::F32 => bytes.chunks_mut(4).for_each(|c| c.copy_from_slice(&(self.real(operand, positive) as f32).to_le_bytes())),
            _ => bytes.chunks_mut(8).for_each(|c| c.copy_from_slice(&self.real(operand, positive).to_le_bytes())),
        }
        bytes
    }
}

fn numbers(bytes: &[u8], element: Element) -> Vec<f64> {
    match element {
        Element::F32 => bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()).into()).collect(),
        _ => bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect(),
    }
}

fn bytes(numbers: &[f64], element: Element) -> [u8; WIDTH] {
    let mut bytes = [0; WIDTH];
    let size = if element == Element::F32 { 4 } else { 8 };
    for (at, &x) in numbers.iter().enumerate() {
        match element {
            Element::F32 => bytes[at * size..][..4].copy_from_slice(&(x as f32).to_le_bytes()),
            _ => bytes[at * size..][..8].copy_from_slice(&x.to_le_bytes()),
        }
    }
    bytes
}

fn run(i: &Instruction, operands: [[u8; WIDTH]; OPERANDS], mask: u64) -> [u8; WIDTH] {
    let mut frame = Frame::new(operands, mask);
    native::run(i, &mut frame).unwrap_or_else(|e| panic!("{i}: {e:?}"));
    frame.operands[0]
}

#[test]
fn arithmetic_agrees_with_central_differences() {
    let smooth = |rule| {
        matches!(
            rule,
            Rule::Add(_)
                | Rule::Sub(_)
                | Rule::AddSub(_)
                | Rule::Mul(_)
                | Rule::Div(_)
                | Rule::Sqrt(_)
                | Rule::Min(_)
                | Rule::Max(_)
                | Rule::Fma { .. }
                | Rule::HorizontalAdd(_)
                | Rule::HorizontalSub(_)
                | Rule::DotProduct(_)
                | Rule::Rounding(_)
                | Rule::Reduce(_)
                | Rule::ScaleByPower(_)
                | Rule::GetExponent(_)
                | Rule::GetMantissa(_)
                | Rule::Range(_)
        )
    };
    let mut seeds = Numbers(7);
    let mut ran = BTreeMap::<&str, usize>::new();
    for i in variants(&(0..=255).collect::<Vec<u8>>(), smooth) {
        let rule = rules::rule(i.code());
        let Some(Form { element, .. }) = rule.form() else { panic!("{i} has a type") };
        // Steps of rounding and signs that are no numbers are left out.
        let wanted = match rule {
            Rule::Rounding(_) | Rule::Reduce(_) => i.immediate8() < 4,
            Rule::GetMantissa(_) => i.immediate8() < 8,
            Rule::Range(_) => i.immediate8() < 16,
            _ => true,
        };
        if !wanted {
            continue;
        }
        *ran.entry(rule.name()).or_default() += 1;
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            *o = Operand { value: seeds.reals(element, k, matches!(rule, Rule::Sqrt(_))), dot: seeds.reals(element, k, false) };
        }
        let mask = seeds.next();
        let dots = tangent::dots(&i, &operands, mask).unwrap_or_else(|e| panic!("{i}: {e:?}"));
        let (h, tolerance) = if element == Element::F32 { (1.0 / 512.0, 2e-3) } else { (1e-6, 1e-7) };
        let moved = |h: f64| {
            let operands = operands.map(|o| {
                let (x, d) = (numbers(&o.value, element), numbers(&o.dot, element));
                bytes(&x.iter().zip(&d).map(|(x, d)| x + h * d).collect::<Vec<_>>(), element)
            });
            numbers(&run(&i, operands, mask), element)
        };
        let (above, below) = (moved(h), moved(-h));
        for (lane, dot) in numbers(&dots, element).into_iter().enumerate() {
            let expected = (above[lane] - below[lane]) / (2.0 * h);
            let error = (dot - expected).abs() / (1.0 + expected.abs());
            assert!(error < tolerance, "{i} lane {lane}: {dot}, by differences {expected}\n{rule:?} mask {mask:x} {operands:x?}");
        }
    }
    println!("{ran:#?}");
    assert!(ran.len() >= 11 && ran.values().sum::<usize>() > 100);
}

/// Data that differ in each byte come out with the shadows that they went in with.
#[test]
fn moves_take_shadows_along() {
    let mut seeds = Numbers(11);
    let (mut ran, mut names) = (0, std::collections::BTreeSet::new());
    for i in variants(&[0, 1, 2, 3, 4, 5, 8, 0x1b, 0x4e, 0x93, 0xb1, 0xe4, 0xff], |r| matches!(r, Rule::Move(_))) {
        let Rule::Move(steering) = rules::rule(i.code()) else { unreachable!() };
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            let steers = matches!(steering, Steering::Indices(n) | Steering::Mask(n) if usize::from(n) == k);
            o.value = std::array::from_fn(|_| seeds.next() as u8);
            if !steers || matches!(steering, Steering::Mask(_)) {
                o.dot = o.value.map(|b| b.rotate_left(3));
            }
        }
        let mask = seeds.next();
        let dots = match tangent::dots(&i, &operands, mask) {
            Ok(dots) => dots,
            Err(Refusal::Elsewhere(_)) => continue,
            Err(e) => panic!("{i}: {e:?}"),
        };
        let mut own = i;
        if steering == Steering::Indices(0) && i.has_op_mask() {
            // What stays of indices has no shadow.
            own.set_zeroing_masking(true);
        }
        let result = run(&own, operands.map(|o| o.value), mask);
        assert_eq!(dots, result.map(|b| b.rotate_left(3)), "{i} mask {mask:x}");
        ran += 1;
        names.insert(i.mnemonic());
    }
    println!("{ran} forms of {} instructions", names.len());
    assert!(names.len() > 30);
}
