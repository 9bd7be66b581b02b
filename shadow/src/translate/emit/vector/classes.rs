//! Classes of vector instructions: what their mnemonics say of the shadow of the result.

use iced_x86::{Instruction, Mnemonic, OpKind};

/// Instructions whose result's shadow is the same instruction on shadows.
#[rustfmt::skip]
pub(in crate::translate::emit) fn is_linear(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Movsd | Movss | Movapd | Movaps | Movupd | Movups | Movdqa | Movdqu | Movq | Movd | Movhpd
        | Movlpd | Movhps | Movlps | Movhlps | Movlhps | Movddup | Movshdup | Movsldup | Lddqu
        | Movntps | Movntpd | Movntdq | Unpckhpd | Unpcklpd | Unpckhps | Unpcklps | Shufpd | Shufps
        | Pshufd | Pshuflw | Pshufhw | Punpcklqdq | Punpckhqdq | Punpckldq | Punpckhdq | Punpcklwd
        | Punpckhwd | Punpcklbw | Punpckhbw | Palignr | Pslldq | Psrldq | Blendpd | Blendps
        | Pblendw | Insertps | Extractps | Pinsrb | Pinsrw | Pinsrd | Pinsrq | Pextrb | Pextrw
        | Pextrd | Pextrq | Addsubpd | Addsubps | Haddpd | Haddps | Hsubpd | Hsubps | Cvtss2sd
        | Cvtsd2ss | Cvtps2pd | Cvtpd2ps | Vmovsd | Vmovss | Vmovapd | Vmovaps | Vmovupd | Vmovups
        | Vmovdqa | Vmovdqu | Vmovq | Vmovd | Vmovhpd | Vmovlpd | Vmovhps | Vmovlps | Vmovhlps
        | Vmovlhps | Vmovddup | Vmovshdup | Vmovsldup | Vlddqu | Vmovntps | Vmovntpd | Vmovntdq
        | Vunpckhpd | Vunpcklpd | Vunpckhps | Vunpcklps | Vshufpd | Vshufps | Vpshufd | Vpshuflw
        | Vpshufhw | Vpunpcklqdq | Vpunpckhqdq | Vpunpckldq | Vpunpckhdq | Vpunpcklwd | Vpunpckhwd
        | Vpunpcklbw | Vpunpckhbw | Vpalignr | Vpslldq | Vpsrldq | Vblendpd | Vblendps | Vpblendw
        | Vpblendd | Vinsertps | Vextractps | Vpinsrb | Vpinsrw | Vpinsrd | Vpinsrq | Vpextrb
        | Vpextrw | Vpextrd | Vpextrq | Vaddsubpd | Vaddsubps | Vhaddpd | Vhaddps | Vhsubpd
        | Vhsubps | Vcvtss2sd | Vcvtsd2ss | Vcvtps2pd | Vcvtpd2ps | Vbroadcastsd | Vbroadcastss
        | Vbroadcastf128 | Vbroadcasti128 | Vpbroadcastq | Vpbroadcastd | Vinsertf128 | Vinserti128
        | Vextractf128 | Vextracti128 | Vperm2f128 | Vperm2i128 | Vpermpd | Vpermq
    )
}

/// The same of AVX-512.
#[rustfmt::skip]
pub(in crate::translate::emit) fn is_linear_wide(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Vmovdqa32 | Vmovdqa64 | Vmovdqu8 | Vmovdqu16 | Vmovdqu32 | Vmovdqu64 | Vshuff32x4
        | Vshuff64x2 | Vshufi32x4 | Vshufi64x2 | Vblendmps | Vblendmpd | Vpblendmd | Vpblendmq
        | Vinsertf32x4 | Vinsertf32x8 | Vinsertf64x2 | Vinsertf64x4 | Vinserti32x4 | Vinserti32x8
        | Vinserti64x2 | Vinserti64x4 | Vextractf32x4 | Vextractf32x8 | Vextractf64x2
        | Vextractf64x4 | Vextracti32x4 | Vextracti32x8 | Vextracti64x2 | Vextracti64x4
        | Vbroadcastf32x2 | Vbroadcastf32x4 | Vbroadcastf32x8 | Vbroadcastf64x2 | Vbroadcastf64x4
        | Vbroadcasti32x2 | Vbroadcasti32x4 | Vbroadcasti32x8 | Vbroadcasti64x2 | Vbroadcasti64x4
        | Valignd | Valignq
    )
}

/// Instructions that read reals and whose results are none: comparisons for the flags, and numbers
/// of other kinds.
#[rustfmt::skip]
pub(in crate::translate::emit) fn has_no_real_result(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Ucomisd | Ucomiss | Comisd | Comiss | Vucomisd | Vucomiss | Vcomisd | Vcomiss | Ptest
        | Vptest | Vtestpd | Vtestps | Cvttsd2si | Cvtsd2si | Cvttss2si | Cvtss2si | Vcvttsd2si
        | Vcvtsd2si | Vcvttss2si | Vcvtss2si | Movmskpd | Movmskps | Pmovmskb | Vmovmskpd
        | Vmovmskps | Vpmovmskb
    )
}

/// Comparisons whose results are masks in all of a register.
#[rustfmt::skip]
pub(super) fn is_packed_comparison(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Cmppd | Cmpps | Vcmppd | Vcmpps | Pcmpeqb | Pcmpeqw | Pcmpeqd | Pcmpeqq | Pcmpgtb | Pcmpgtw
        | Pcmpgtd | Pcmpgtq | Vpcmpeqb | Vpcmpeqw | Vpcmpeqd | Vpcmpeqq | Vpcmpgtb | Vpcmpgtw
        | Vpcmpgtd | Vpcmpgtq
    )
}

/// Instructions that make reals of integers: the lanes that they write have shadow zero.
pub(in crate::translate::emit) fn is_from_integer(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(m, Cvtsi2sd | Cvtsi2ss | Vcvtsi2sd | Vcvtsi2ss)
}

/// Instructions whose result is zero if both sources are the same.
pub(super) fn is_zeroing(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(m, Xorps | Xorpd | Pxor | Vxorps | Vxorpd | Vpxor | Vpxord | Vpxorq)
}

/// Whether an instruction makes a register zero.
pub(in crate::translate::emit) fn is_cleared(i: &Instruction) -> bool {
    let last = i.op_count() - 1;
    is_zeroing(i.mnemonic())
        && i.op_kind(last) == OpKind::Register
        && i.op_register(last) == i.op_register(last - 1)
}

/// Whether an instruction has a mask that inline code does not know: of one number, or beside
/// memory, which may be read where the mask is set only.
pub(in crate::translate::emit) fn has_odd_mask(i: &Instruction, is_scalar: bool) -> bool {
    i.has_op_mask() && (is_scalar || (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory))
}

/// Whether a whole register is copied to another.
pub(super) fn is_copy(i: &Instruction) -> bool {
    use Mnemonic::*;
    matches!(i.mnemonic(), Movapd | Movaps | Movdqa | Movups | Movupd | Movdqu)
        && i.op0_kind() == OpKind::Register
        && i.op1_kind() == OpKind::Register
}
