//! Comparisons that find active numbers equal, where code asks for equality:
//! `if (x != 0) sum += a * x`.
//!
//! The derivative is that of the branch taken, which may leave a part out: with `x` zero, `a` times
//! its dot. So such comparisons are reported. Comparisons for order meet equal numbers at kinks
//! only, where either branch gives a one-sided derivative; those are not looked at. Code that asks
//! for equality of words may ask for that of numbers.

use iced_x86::{
    ConditionCode, FlowControl, IcedError, Instruction, Mnemonic, OpKind, Register, RflagsBits,
};

use super::{Cold, Emitter, scratch::Width};
use crate::rules::is_constant;

/// Whether this is a comparison of scalars for the flags.
pub fn is_comparison(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(m, Ucomisd | Ucomiss | Comisd | Comiss | Vucomisd | Vucomiss | Vcomisd | Vcomiss)
}

/// Whether the first instruction compares two numbers, or words, and one behind it asks whether
/// they are equal. A number is compared with itself to see whether it is one.
pub fn asks_for_equality(from: &[Instruction]) -> bool {
    let Some((first, behind)) = from.split_first() else { return false };
    let is_itself =
        first.op1_kind() == OpKind::Register && first.op0_register() == first.op1_register();
    (is_comparison(first.mnemonic()) || compares_words(first))
        && !is_itself
        && flags_are_asked(behind)
}

/// Whether an instruction compares words for the flags, which may be those of numbers.
fn compares_words(i: &Instruction) -> bool {
    i.mnemonic() == Mnemonic::Cmp && compares_bits(i)
}

/// Whether an instruction compares packed words bit by bit.
pub fn compares_packed_bits(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Pcmpeqb
            | Pcmpeqw
            | Pcmpeqd
            | Pcmpeqq
            | Vpcmpeqb
            | Vpcmpeqw
            | Vpcmpeqd
            | Vpcmpeqq
            | Vpcmpb
            | Vpcmpub
            | Vpcmpw
            | Vpcmpuw
            | Vpcmpd
            | Vpcmpud
            | Vpcmpq
            | Vpcmpuq
            | Vp2intersectd
            | Vp2intersectq
    )
}

/// Whether an instruction compares lanes of its operands for equality, as numbers.
pub fn asks_lanes_for_equality(i: &Instruction) -> bool {
    use Mnemonic::*;
    // The predicate: equal or not, whether or not NaN signals or counts.
    const EQUALITY: u8 = 3;
    let is_of =
        matches!(i.mnemonic(), Cmppd | Cmpps | Cmpsd | Cmpss | Vcmppd | Vcmpps | Vcmpsd | Vcmpss)
            && !i.is_string_instruction();
    let first = i.op_count().saturating_sub(3);
    let is_itself = i.op_kind(first + 1) == OpKind::Register
        && i.op_register(first) == i.op_register(first + 1);
    is_of && i.immediate8() & EQUALITY == 0 && !is_itself
}

/// Whether an instruction finds out where the bits of two operands are the same, or part: what
/// compilers make of `memcmp`.
pub fn compares_bits(i: &Instruction) -> bool {
    use Mnemonic::*;
    let is_of_register = |k: u32| i.op_kind(k) == OpKind::Register;
    match i.mnemonic() {
        Cmp | Xor | Sub => {
            let kinds = [i.op0_kind(), i.op1_kind()];
            let bytes =
                if is_of_register(0) { i.op0_register().size() } else { i.memory_size().size() };
            let are_two = kinds.iter().all(|k| matches!(k, OpKind::Register | OpKind::Memory))
                && i.op0_register() != i.op1_register();
            are_two && bytes >= 4
        }
        Pxor | Vpxor | Vpxord | Vpxorq | Vpternlogd | Vpternlogq => !is_constant(i),
        Cmpsb | Cmpsw | Cmpsd | Cmpsq => i.is_string_instruction(),
        m => compares_packed_bits(m) && !is_constant(i),
    }
}

/// Whether a comparison of the x87 unit asks for equality, by the code behind it.
pub fn unit_asks_for_equality(i: &Instruction, behind: &[Instruction]) -> bool {
    use Mnemonic::*;
    match i.mnemonic() {
        _ if i.op_count() == 2 && i.op0_register() == i.op1_register() => false,
        Fcomi | Fcomip | Fucomi | Fucomip => flags_are_asked(behind),
        Fcom | Fcomp | Fcompp | Fucom | Fucomp | Fucompp | Ficom | Ficomp | Ftst => {
            status_is_asked(behind)
        }
        _ => false,
    }
}

/// Whether code looks at the unit's status word for equality: as flags, or for the bits of its
/// second byte, where C3 says equal and C2 that one is no number.
fn status_is_asked(behind: &[Instruction]) -> bool {
    const C3: u32 = 0x40;
    const C2: u32 = 4;
    let goes_on = behind.iter().take_while(|i| i.flow_control() == FlowControl::Next).count();
    let Some(stores) = behind[..goes_on]
        .iter()
        .position(|i| matches!(i.mnemonic(), Mnemonic::Fnstsw | Mnemonic::Fstsw))
    else {
        return false;
    };
    let behind = &behind[stores + 1..];
    // Constants as they meet the second byte.
    let constant = |i: &Instruction| {
        let shift = if i.op0_register() == Register::AH { 0 } else { 8 };
        let is_of = i.op_count() == 2
            && matches!(
                i.op0_register(),
                Register::AH | Register::AX | Register::EAX | Register::RAX
            );
        (is_of && i.op0_kind() == OpKind::Register)
            .then(|| i.try_immediate(1).ok())
            .flatten()
            .map(|c| (c as u32) >> shift & 0xff)
    };
    for (k, i) in behind.iter().enumerate() {
        match (i.mnemonic(), constant(i)) {
            (Mnemonic::Sahf, _) => return flags_are_asked(&behind[k + 1..]),
            (Mnemonic::Test, Some(mask)) => return mask == C3 || mask == C3 | C2,
            (Mnemonic::And, Some(mask)) if mask == C3 => return true,
            (Mnemonic::Cmp | Mnemonic::Xor, Some(value)) => return value & C3 != 0,
            _ if i.flow_control() != FlowControl::Next => return false,
            _ => {}
        }
    }
    false
}

/// Whether code looks at the flags of a comparison for equality.
pub fn flags_are_asked(behind: &[Instruction]) -> bool {
    for i in behind {
        let is_equality = matches!(
            i.condition_code(),
            ConditionCode::e | ConditionCode::ne | ConditionCode::p | ConditionCode::np
        );
        if i.rflags_read() & RflagsBits::ZF != 0 && !is_equality {
            return false;
        }
        if is_equality {
            return true;
        }
        if i.rflags_modified() & RflagsBits::ZF != 0 || i.flow_control() != FlowControl::Next {
            return false;
        }
    }
    false
}

impl Emitter<'_> {
    /// Behind the comparison: out of line if it found its operands equal.
    pub fn test_equality(&mut self, i: &Instruction) -> Result<(), IcedError> {
        let may_be_active = |k: u32| {
            i.op_kind(k) == OpKind::Memory
                || i.op_register(k).is_vector_register()
                || self.active.has(i.op_register(k))
        };
        if !(0..i.op_count()).any(may_be_active) {
            return Ok(());
        }
        let cold = self.cold(i, false);
        self.a.code.je(cold.label)?;
        self.resume(cold)
    }

    /// Out of line: back if no operand is active. Flags are live there.
    pub fn filter_equality(&mut self, cold: &Cold) -> Result<(), IcedError> {
        let i = &cold.instruction;
        let is_elsewhere = i.segment_prefix() != Register::None;
        if !is_comparison(i.mnemonic()) && !compares_words(i) || is_elsewhere {
            return Ok(());
        }
        let is_vex = matches!(
            i.mnemonic(),
            Mnemonic::Vucomisd | Mnemonic::Vucomiss | Mnemonic::Vcomisd | Mnemonic::Vcomiss
        );
        let registers: Vec<Register> =
            [0, 1].into_iter().map(|k| i.op_register(k)).filter(|r| *r != Register::None).collect();
        let memory =
            [i.op0_kind(), i.op1_kind()].contains(&OpKind::Memory).then(|| i.memory_size().size());
        self.flags_live = true;
        self.or_shadows(i, &registers, memory, (Width::Xmm, is_vex))?;
        let mut slow_path = self.a.code.create_label();
        self.test_first(Width::Xmm, is_vex, slow_path)?;
        self.a.code.jmp(cold.resume)?;
        self.a.code.set_label(&mut slow_path)?;
        self.a.code.zero_bytes()
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn asks(bytes: &[u8]) -> bool {
        let all: Vec<Instruction> =
            Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).into_iter().collect();
        assert!(all.iter().all(|i| !i.is_invalid()));
        asks_for_equality(&all)
    }

    #[test]
    fn equality_is_distinguished_from_order_and_from_other_numbers() {
        const COMPARE: [u8; 4] = [0x66, 0x0f, 0x2e, 0xc1]; // ucomisd xmm0, xmm1
        let with = |rest: &[u8]| asks(&[&COMPARE[..], rest].concat());
        assert!(with(&[0x7a, 0x10])); // jp
        assert!(with(&[0x75, 0x10])); // jne
        assert!(with(&[0x89, 0xc8, 0x0f, 0x9b, 0xc0])); // mov eax, ecx; setnp al
        assert!(with(&[0x0f, 0x44, 0xc1])); // cmove eax, ecx
        assert!(!with(&[0x77, 0x10])); // ja
        assert!(!with(&[0x76, 0x10])); // jbe
        assert!(!with(&[0x01, 0xc8, 0x74, 0x10])); // add eax, ecx; je
        assert!(!asks(&[0x66, 0x0f, 0x2e, 0xc0, 0x7a, 0x10])); // ucomisd xmm0, xmm0; jp
        assert!(asks(&[0x48, 0x39, 0xc8, 0x74, 0x10])); // cmp rax, rcx; je
        assert!(asks(&[0x48, 0x39, 0x07, 0x75, 0x10])); // cmp [rdi], rax; jne
        assert!(!asks(&[0x48, 0x39, 0xc8, 0x77, 0x10])); // cmp rax, rcx; ja
        assert!(!asks(&[0x48, 0x83, 0xf8, 0x07, 0x74, 0x10])); // cmp rax, 7; je
        assert!(!asks(&[0x66, 0x39, 0xc8, 0x74, 0x10])); // cmp ax, cx; je
        assert!(!asks(&[0x48, 0x39, 0xc0, 0x74, 0x10])); // cmp rax, rax; je
    }

    #[test]
    fn packed_words_are_compared_for_equality_but_with_themselves() {
        let compares = |bytes: &[u8]| {
            let i = Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).decode();
            assert!(i.len() == bytes.len() && !i.is_invalid());
            compares_bits(&i)
        };
        assert!(compares(&[0x66, 0x0f, 0x76, 0xc1])); // pcmpeqd xmm0, xmm1
        assert!(!compares(&[0x66, 0x0f, 0x76, 0xc0])); // pcmpeqd xmm0, xmm0
        assert!(!compares(&[0x66, 0x0f, 0x66, 0xc1])); // pcmpgtd xmm0, xmm1
        assert!(compares(&[0x62, 0xf2, 0x6f, 0x48, 0x68, 0xd3])); // vp2intersectd k2, zmm2, zmm3
        assert!(!compares(&[0x62, 0xf2, 0x6f, 0x48, 0x68, 0xd2])); // vp2intersectd k2, zmm2, zmm2
    }

    fn unit_asks(bytes: &[u8]) -> bool {
        let all: Vec<Instruction> =
            Decoder::with_ip(32, bytes, 0x1000, DecoderOptions::NONE).into_iter().collect();
        assert!(all.iter().all(|i| !i.is_invalid()));
        unit_asks_for_equality(&all[0], &all[1..])
    }

    #[test]
    fn so_it_is_in_the_x87_unit() {
        const FLAGS: [u8; 4] = [0xdf, 0xe9, 0xdd, 0xd8]; // fucomip st, st(1); fstp st(0)
        let flags = |rest: &[u8]| unit_asks(&[&FLAGS[..], rest].concat());
        assert!(flags(&[0x0f, 0x9b, 0xc0, 0x0f, 0x45, 0xc2])); // setnp al; cmovne eax, edx
        assert!(flags(&[0x7a, 0x10])); // jp
        assert!(!flags(&[0x0f, 0x97, 0xc0])); // seta al
        assert!(!unit_asks(&[0xdb, 0xe8, 0x7a, 0x10])); // fucomi st, st(0); jp
        const STATUS: [u8; 4] = [0xda, 0xe9, 0xdf, 0xe0]; // fucompp; fnstsw ax
        let status = |rest: &[u8]| unit_asks(&[&STATUS[..], rest].concat());
        assert!(status(&[0x80, 0xe4, 0x45, 0x80, 0xfc, 0x40, 0x74, 0x10])); // and ah, 45h; cmp ah, 40h; je
        assert!(status(&[0x80, 0xe4, 0x45, 0x80, 0xf4, 0x40, 0x75, 0x10])); // and ah, 45h; xor ah, 40h; jne
        assert!(status(&[0xf6, 0xc4, 0x44, 0x7b, 0x10])); // test ah, 44h; jnp
        assert!(status(&[0x9e, 0x75, 0x10])); // sahf; jne
        assert!(!status(&[0x9e, 0x77, 0x10])); // sahf; ja
        assert!(!status(&[0xf6, 0xc4, 0x45, 0x74, 0x10])); // test ah, 45h; je: greater
        assert!(!status(&[0xf6, 0xc4, 0x05, 0x7a, 0x10])); // test ah, 5; jp: less
        assert!(!status(&[0x80, 0xe4, 0x45, 0x80, 0xfc, 0x01, 0x74, 0x10])); // and ah, 45h; cmp ah, 1; je: less
        assert!(unit_asks(&[0xd9, 0xe4, 0xdf, 0xe0, 0xf6, 0xc4, 0x40, 0x75, 0x10])); // ftst; fnstsw ax; test ah, 40h; jne
    }
}
