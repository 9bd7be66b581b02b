//! Which forms this processor runs.

use std::{arch::x86_64::__cpuid_count, sync::OnceLock};

use iced_x86::{Code, CpuidFeature, EncodingKind, Instruction, OpCodeOperandKind, OpKind};

use super::frame;

/// A bit of CPUID: leaf, subleaf, register (EAX, EBX, ECX, EDX), bit.
fn bit(leaf: u32, sub: u32, register: usize, bit: u32) -> bool {
    let has = |leaf: u32| leaf <= __cpuid_count(leaf & 0x8000_0000, 0).eax;
    if !has(leaf) {
        return false;
    }
    let r = __cpuid_count(leaf, sub);
    [r.eax, r.ebx, r.ecx, r.edx][register] >> bit & 1 == 1
}

const A: usize = 0;
const B: usize = 1;
const C: usize = 2;
const D: usize = 3;

/// Whether the processor has a feature; none of one that is not in this list.
fn is_there(feature: CpuidFeature) -> Option<bool> {
    use CpuidFeature as F;
    Some(match feature {
        F::INTEL8086
        | F::INTEL186
        | F::INTEL286
        | F::INTEL386
        | F::INTEL486
        | F::X64
        | F::FPU
        | F::FPU287
        | F::FPU387
        | F::CMOV
        | F::CX8 => true,
        F::SSE
        | F::SSE2
        | F::MMX
        | F::MULTIBYTENOP
        | F::PAUSE
        | F::CPUID
        | F::CLFSH
        | F::FXSR
        | F::SYSCALL
        | F::TSC => true,
        F::SSE3 => bit(1, 0, C, 0),
        F::PCLMULQDQ => bit(1, 0, C, 1),
        F::SSSE3 => bit(1, 0, C, 9),
        F::FMA => bit(1, 0, C, 12),
        F::CMPXCHG16B => bit(1, 0, C, 13),
        F::SSE4_1 => bit(1, 0, C, 19),
        F::SSE4_2 => bit(1, 0, C, 20),
        F::MOVBE => bit(1, 0, C, 22),
        F::POPCNT => bit(1, 0, C, 23),
        F::AES => bit(1, 0, C, 25),
        F::XSAVE => bit(1, 0, C, 26),
        F::AVX => std::arch::is_x86_feature_detected!("avx"),
        F::F16C => bit(1, 0, C, 29),
        F::RDRAND => bit(1, 0, C, 30),
        F::BMI1 => bit(7, 0, B, 3),
        F::AVX2 => std::arch::is_x86_feature_detected!("avx2"),
        F::BMI2 => bit(7, 0, B, 8),
        F::AVX512F => std::arch::is_x86_feature_detected!("avx512f"),
        F::AVX512DQ => bit(7, 0, B, 17),
        F::RDSEED => bit(7, 0, B, 18),
        F::ADX => bit(7, 0, B, 19),
        F::AVX512_IFMA => bit(7, 0, B, 21),
        F::AVX512CD => bit(7, 0, B, 28),
        F::SHA => bit(7, 0, B, 29),
        F::AVX512BW => bit(7, 0, B, 30),
        F::AVX512VL => bit(7, 0, B, 31),
        F::AVX512_VBMI => bit(7, 0, C, 1),
        F::AVX512_VBMI2 => bit(7, 0, C, 6),
        F::GFNI => bit(7, 0, C, 8),
        F::VAES => bit(7, 0, C, 9),
        F::VPCLMULQDQ => bit(7, 0, C, 10),
        F::AVX512_VNNI => bit(7, 0, C, 11),
        F::AVX512_BITALG => bit(7, 0, C, 12),
        F::AVX512_VPOPCNTDQ => bit(7, 0, C, 14),
        F::MOVDIRI => bit(7, 0, C, 27),
        F::MOVDIR64B => bit(7, 0, C, 28),
        F::AVX512_VP2INTERSECT => bit(7, 0, D, 8),
        F::AVX512_FP16 => bit(7, 0, D, 23),
        F::AVX_VNNI => bit(7, 1, A, 4),
        F::AVX512_BF16 => bit(7, 1, A, 5),
        F::AVX_IFMA => bit(7, 1, A, 23),
        F::AVX_VNNI_INT8 => bit(7, 1, D, 4),
        F::AVX_NE_CONVERT => bit(7, 1, D, 5),
        F::AVX_VNNI_INT16 => bit(7, 1, D, 10),
        F::SHA512 => bit(7, 1, A, 0),
        F::SM3 => bit(7, 1, A, 1),
        F::SM4 => bit(7, 1, A, 2),
        F::CMPCCXADD => bit(7, 1, A, 7),
        F::RAO_INT => bit(7, 1, A, 3),
        F::LZCNT => bit(0x8000_0001, 0, C, 5),
        F::SSE4A => bit(0x8000_0001, 0, C, 6),
        F::PREFETCHW => bit(0x8000_0001, 0, C, 8),
        F::XOP => bit(0x8000_0001, 0, C, 11),
        F::FMA4 => bit(0x8000_0001, 0, C, 16),
        F::TBM => bit(0x8000_0001, 0, C, 21),
        F::RDTSCP => bit(0x8000_0001, 0, D, 27),
        F::FSGSBASE => bit(7, 0, B, 0),
        F::HLE_or_RTM => bit(7, 0, B, 4) || bit(7, 0, B, 11),
        F::RTM => bit(7, 0, B, 11),
        F::CLFLUSHOPT => bit(7, 0, B, 23),
        F::CLWB => bit(7, 0, B, 24),
        F::AVX512PF => bit(7, 0, B, 26),
        F::AVX512ER => bit(7, 0, B, 27),
        F::PREFETCHWT1 => bit(7, 0, C, 0),
        F::PKU => bit(7, 0, C, 3),
        F::WAITPKG => bit(7, 0, C, 5),
        F::CET_SS => bit(7, 0, C, 7),
        F::RDPID => bit(7, 0, C, 22),
        F::CLDEMOTE => bit(7, 0, C, 25),
        F::AVX512_4VNNIW => bit(7, 0, D, 2),
        F::SERIALIZE => bit(7, 0, D, 14),
        F::CET_IBT => bit(7, 0, D, 20),
        F::PREFETCHITI => bit(7, 1, D, 14),
        F::AESKLE => bit(0x19, 0, B, 0),
        F::WIDE_KL => bit(0x19, 0, B, 2),
        _ => return None,
    })
}

pub fn is_here(code: Code) -> bool {
    // The system has to keep the registers, too.
    let has_registers = match code.op_code().encoding() {
        EncodingKind::VEX => {
            frame::registers().1 >= 32
                && (frame::registers().2 || !code.op_code().op_kinds().iter().any(|&k| is_mask(k)))
        }
        EncodingKind::EVEX => frame::registers().1 == 64,
        _ => true,
    };
    has_registers && code.cpuid_features().iter().all(|&f| is_there(f) == Some(true))
}

fn is_mask(kind: OpCodeOperandKind) -> bool {
    use OpCodeOperandKind as K;
    matches!(kind, K::k_reg | K::k_rm | K::k_vvvv | K::k_or_mem | K::kp1_reg)
}

/// Whether CPUID is asked for all that a form needs.
pub fn is_known(code: Code) -> bool {
    code.cpuid_features().iter().all(|&f| is_there(f).is_some())
}

/// Whether this processor runs an instance of a form that it has. What `prefetchw` is with memory
/// is with a register a `nop` on some processors and none on others, of which no bit of CPUID
/// tells: the processor itself is asked.
pub fn runs(i: &Instruction) -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    let is_asked = matches!(
        i.code(),
        Code::Reservednop_rm16_r16_0F0D
            | Code::Reservednop_rm32_r32_0F0D
            | Code::Reservednop_rm64_r64_0F0D
    );
    !is_asked
        || i.op0_kind() == OpKind::Memory
        || *ANSWER.get_or_init(|| returns(&[0x0f, 0x0d, 0xc0, 0xc3]))
}

/// Whether a function of this code returns, and does not end its process.
fn returns(code: &[u8]) -> bool {
    let _alone = super::guard::alone();
    // SAFETY: new memory for the code; the child runs nothing else, and leaves by `_exit`.
    unsafe {
        let (protection, flags) = (
            libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        );
        let at = libc::mmap(std::ptr::null_mut(), 4096, protection, flags, -1, 0);
        assert_ne!(at, libc::MAP_FAILED);
        std::ptr::copy_nonoverlapping(code.as_ptr(), at.cast(), code.len());
        let child = libc::fork();
        if child == 0 {
            libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            std::mem::transmute::<*mut libc::c_void, extern "C" fn()>(at)();
            libc::_exit(0);
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0);
        libc::munmap(at, 4096);
        status == 0
    }
}
