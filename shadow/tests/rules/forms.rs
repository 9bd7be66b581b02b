//! Forms of instructions that this processor runs, and data for them.

use adshadow::rules::{
    self, Element, Rule,
    native::{self, Frame, OPERANDS, WIDTH},
};
use iced_x86::{
    Code, CpuidFeature, EncodingKind, Instruction, MemorySize, Mnemonic, OpCodeOperandKind, OpKind,
    Register,
};

/// All forms of the mode that these tests run in, but those of processors that never were in a
/// usual computer.
pub fn forms() -> impl Iterator<Item = Code> {
    Code::values().filter(|c| {
        let form = c.op_code();
        let is_here = if cfg!(target_arch = "x86") { form.mode32() } else { form.mode64() };
        form.is_instruction()
            && is_here
            && form.encoding() != EncodingKind::MVEX
            && !c.cpuid_features().contains(&CpuidFeature::KNC)
    })
}

pub fn is_vector(kind: OpCodeOperandKind) -> bool {
    use OpCodeOperandKind as K;
    matches!(
        kind,
        K::mm_or_mem
            | K::xmm_or_mem
            | K::ymm_or_mem
            | K::zmm_or_mem
            | K::mm_reg
            | K::mm_rm
            | K::xmm_reg
            | K::xmm_rm
            | K::xmm_vvvv
            | K::xmmp3_vvvv
            | K::xmm_is4
            | K::xmm_is5
            | K::ymm_reg
            | K::ymm_rm
            | K::ymm_vvvv
            | K::ymm_is4
            | K::ymm_is5
            | K::zmm_reg
            | K::zmm_rm
            | K::zmm_vvvv
            | K::zmmp3_vvvv
            | K::sti_opcode
            | K::st0
            | K::mem_vsib32x
            | K::mem_vsib64x
            | K::mem_vsib32y
            | K::mem_vsib64y
            | K::mem_vsib32z
            | K::mem_vsib64z
    )
}

pub fn is_floating(size: MemorySize) -> bool {
    use MemorySize as M;
    let element = size.element_type();
    matches!(element, M::Float16 | M::Float32 | M::Float64 | M::Float80 | M::Float128 | M::BFloat16)
        || matches!(
            size,
            M::Bcd
                | M::FpuEnv14
                | M::FpuEnv28
                | M::FpuState94
                | M::FpuState108
                | M::Fxsave_512Byte
                | M::Fxsave64_512Byte
        )
}

pub fn touches_numbers(code: Code) -> bool {
    code.op_code().op_kinds().iter().any(|&k| is_vector(k))
        || is_floating(code.op_code().memory_size())
        || is_floating(code.op_code().broadcast_memory_size())
        || code
            .cpuid_features()
            .iter()
            .any(|f| matches!(f, CpuidFeature::FPU | CpuidFeature::FPU287 | CpuidFeature::FPU387))
        || matches!(code.mnemonic(), Mnemonic::Vzeroall | Mnemonic::Vzeroupper)
}

/// Whether this processor runs it.
pub fn is_here(code: Code) -> bool {
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
        F::AVX512CD => has!("avx512cd"),
        F::AVX512_IFMA => has!("avx512ifma"),
        F::AVX512_VNNI => has!("avx512vnni"),
        F::AVX512_BITALG => has!("avx512bitalg"),
        F::AVX512_VPOPCNTDQ => has!("avx512vpopcntdq"),
        F::AVX_VNNI => has!("avxvnni"),
        F::AES => has!("aes"),
        F::PCLMULQDQ => has!("pclmulqdq"),
        F::SHA => has!("sha"),
        F::GFNI => has!("gfni"),
        F::VAES => has!("vaes"),
        F::VPCLMULQDQ => has!("vpclmulqdq"),
        _ => false,
    })
}

/// An instruction of a form, with registers or with memory; none if it has operands of other kinds.
pub fn instruction(code: Code, memory: bool, immediate: u8) -> Option<Instruction> {
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
pub fn variants(immediates: &[u8], wanted: impl Fn(Rule) -> bool) -> Vec<Instruction> {
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
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
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

    pub fn reals(&mut self, element: Element, operand: usize, positive: bool) -> [u8; WIDTH] {
        let mut bytes = [0; WIDTH];
        match element {
            Element::F32 => bytes.chunks_mut(4).for_each(|c| {
                c.copy_from_slice(&(self.real(operand, positive) as f32).to_le_bytes())
            }),
            _ => bytes
                .chunks_mut(8)
                .for_each(|c| c.copy_from_slice(&self.real(operand, positive).to_le_bytes())),
        }
        bytes
    }
}

pub fn numbers(bytes: &[u8], element: Element) -> Vec<f64> {
    match element {
        Element::F32 => {
            bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()).into()).collect()
        }
        _ => bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect(),
    }
}

pub fn bytes(numbers: &[f64], element: Element) -> [u8; WIDTH] {
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

/// Bytes of a vector register of this processor: what lies beyond them no instruction touches.
pub fn register_bytes() -> usize {
    match () {
        () if std::arch::is_x86_feature_detected!("avx512f") => 64,
        () if std::arch::is_x86_feature_detected!("avx") => 32,
        () => 16,
    }
}

pub fn run(i: &Instruction, operands: [[u8; WIDTH]; OPERANDS], mask: u64) -> [u8; WIDTH] {
    let mut frame = Frame::new(operands, mask);
    native::run(i, &mut frame).unwrap_or_else(|e| panic!("{i}: {e:?}"));
    frame.operands[0]
}
