//! Comparisons that find active numbers equal, where code asks for equality: `if (x != 0) sum += a * x`.
//!
//! The derivative is that of the branch taken, which may leave a part out: with `x` zero, `a` times its dot. So whoever asks is told.
//! Comparisons for order meet ties at kinks only, where either branch gives a one-sided derivative; those are not looked at.

use iced_x86::{ConditionCode, FlowControl, IcedError, Instruction, Mnemonic, OpKind, Register, RflagsBits};

use super::{Cold, Emitter, scratch::Width};

/// Whether this is a comparison of scalars for the flags.
pub fn is_comparison(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(m, Ucomisd | Ucomiss | Comisd | Comiss | Vucomisd | Vucomiss | Vcomisd | Vcomiss)
}

/// Whether the first instruction compares two numbers, and one behind it asks whether they are equal. A number is compared with itself to see
/// whether it is one.
pub fn asks_for_equality(from: &[Instruction]) -> bool {
    let Some((first, behind)) = from.split_first() else { return false };
    let is_itself = first.op1_kind() == OpKind::Register && first.op0_register() == first.op1_register();
    if !is_comparison(first.mnemonic()) || is_itself {
        return false;
    }
    for i in behind {
        let is_equality = matches!(i.condition_code(), ConditionCode::e | ConditionCode::ne | ConditionCode::p | ConditionCode::np);
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
    pub fn test_tie(&mut self, i: &Instruction) -> Result<(), IcedError> {
        let cold = self.cold(i, false);
        self.a.code.je(cold.label)?;
        self.resume(cold)
    }

    /// Out of line: back if no operand is active. Flags are live there.
    pub fn filter_tie(&mut self, cold: &Cold) -> Result<(), IcedError> {
        let i = &cold.instruction;
        if !is_comparison(i.mnemonic()) {
            return Ok(());
        }
        let is_vex = matches!(i.mnemonic(), Mnemonic::Vucomisd | Mnemonic::Vucomiss | Mnemonic::Vcomisd | Mnemonic::Vcomiss);
        let registers: Vec<Register> = [0, 1].into_iter().map(|k| i.op_register(k)).filter(|r| *r != Register::None).collect();
        let memory = (i.op1_kind() == OpKind::Memory).then(|| i.memory_size().size());
        self.flags_live = true;
        self.or_shadows(i, &registers, memory, (Width::Xmm, is_vex))?;
        let mut slow = self.a.code.create_label();
        self.test_first(Width::Xmm, is_vex, slow)?;
        self.a.code.jmp(cold.resume)?;
        self.a.code.set_label(&mut slow)?;
        self.a.code.zero_bytes()
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn asks(bytes: &[u8]) -> bool {
        let all: Vec<Instruction> = Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).into_iter().collect();
        assert!(all.iter().all(|i| !i.is_invalid()));
        asks_for_equality(&all)
    }

    #[test]
    fn equality_is_told_from_order_and_from_numbers_at_all() {
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
        assert!(!asks(&[0x39, 0xc8, 0x74, 0x10])); // cmp eax, ecx; je
    }
}
