//! Shadow code of gathers and scatters: the same instruction on shadow memory, with the program's
//! indices and under a copy of its mask, which it uses up.

use iced_x86::{Code, EncodingKind, IcedError, Instruction, Mnemonic, Register};

use super::{
    Done, Emitter,
    scratch::{self, Width},
    vector::class_of,
};

/// Whether this is a gather or a scatter.
pub fn is_any(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Vgatherdps
            | Vgatherdpd
            | Vgatherqps
            | Vgatherqpd
            | Vpgatherdd
            | Vpgatherdq
            | Vpgatherqd
            | Vpgatherqq
            | Vscatterdps
            | Vscatterdpd
            | Vscatterqps
            | Vscatterqpd
            | Vpscatterdd
            | Vpscatterdq
            | Vpscatterqd
            | Vpscatterqq
    )
}

impl Emitter<'_> {
    /// Indices and masks are no reals: their shadows are not looked at.
    pub(super) fn gather(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let data = if i.op0_register().is_vector_register() { 0 } else { 1 };
        let register = i.op_register(data);
        let [n0, n1, _] = self.scratch.numbers;
        let mut copy = *i;
        // Two instructions of one place confuse the assembler.
        copy.set_ip(0);
        copy.set_segment_prefix(Register::GS);
        copy.set_op_register(data, class_of(register.size()) + n0);
        scratch::load_as(self.a, Width::of(register), true, n0, Self::slot(register))?;
        if i.encoding() == EncodingKind::EVEX {
            copy.set_op_mask(Register::K1);
            self.borrow_mask()?;
            self.a.code.add_instruction(Instruction::with2(
                Code::VEX_Kmovq_kr_km64,
                Register::K1,
                i.op_mask(),
            )?)?;
            self.a.code.add_instruction(copy)?;
            self.give_mask_back()?;
        } else {
            let mask = i.op2_register();
            let code = if mask.is_ymm() {
                Code::VEX_Vmovaps_ymm_ymmm256
            } else {
                Code::VEX_Vmovaps_xmm_xmmm128
            };
            let own = class_of(mask.size()) + n1;
            copy.set_op_register(2, own);
            self.a.code.add_instruction(Instruction::with2(code, own, mask)?)?;
            self.a.code.add_instruction(copy)?;
            // The copy is zero by now, as the program's mask will be. The result goes first: its
            // upper part may take the copy's register, to be zero as well.
            self.put_whole(register, 0)?;
            self.put_whole(mask, 1)?;
            return Ok(Done::Before);
        }
        if data == 0 {
            self.put_whole(register, 0)?;
        }
        Ok(Done::Before)
    }
}
