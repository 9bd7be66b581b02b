//! Vector instructions that move numbers and do not change them.

use iced_x86::{Code, EncodingKind, Mnemonic, OpCodeOperandKind};

use super::kinds::{Rule, Steering};

/// A mask in operand `n` where the encoding is VEX.
fn masked(code: Code, n: u8) -> Rule {
    Rule::Move(if code.op_code().encoding() == EncodingKind::VEX {
        Steering::Mask(n)
    } else {
        Steering::None
    })
}

/// Indices in operand `n`, unless the last operand is an immediate.
fn unless_immediate(code: Code, n: u8) -> Rule {
    let last = code.op_code().op_kinds().last().copied();
    Rule::Move(if last == Some(OpCodeOperandKind::imm8) {
        Steering::None
    } else {
        Steering::Indices(n)
    })
}

/// The rule of an instruction, if it moves vectors or their parts.
pub(super) fn rule(code: Code) -> Option<Rule> {
    use Mnemonic::*;
    Some(match code.mnemonic() {
        Movaps | Movapd | Movups | Movupd | Movss | Movsd | Movdqa | Movdqu | Movd | Movq
        | Movhps | Movhpd | Movlps | Movlpd | Movhlps | Movlhps | Movntps | Movntpd | Movntdq
        | Movntdqa | Movntq | Movdq2q | Movq2dq | Lddqu | Movntss | Movntsd => {
            Rule::Move(Steering::None)
        }
        Vmovaps | Vmovapd | Vmovups | Vmovupd | Vmovss | Vmovsd | Vmovdqa | Vmovdqu | Vmovdqa32
        | Vmovdqa64 | Vmovdqu8 | Vmovdqu16 | Vmovdqu32 | Vmovdqu64 | Vmovd | Vmovq | Vmovhps
        | Vmovhpd | Vmovlps | Vmovlpd | Vmovhlps | Vmovlhps | Vmovntps | Vmovntpd | Vmovntdq
        | Vmovntdqa | Vlddqu => Rule::Move(Steering::None),
        Movddup | Movshdup | Movsldup | Vmovddup | Vmovshdup | Vmovsldup => {
            Rule::Move(Steering::None)
        }
        Shufps | Shufpd | Vshufps | Vshufpd | Pshufd | Pshufhw | Pshuflw | Pshufw | Vpshufd
        | Vpshufhw | Vpshuflw | Vshuff32x4 | Vshuff64x2 | Vshufi32x4 | Vshufi64x2 | Vperm2f128
        | Vperm2i128 => Rule::Move(Steering::None),
        Unpckhps | Unpckhpd | Unpcklps | Unpcklpd | Vunpckhps | Vunpckhpd | Vunpcklps
        | Vunpcklpd => Rule::Move(Steering::None),
        Punpckhbw | Punpckhwd | Punpckhdq | Punpckhqdq | Punpcklbw | Punpcklwd | Punpckldq
        | Punpcklqdq | Vpunpckhbw | Vpunpckhwd | Vpunpckhdq | Vpunpckhqdq | Vpunpcklbw
        | Vpunpcklwd | Vpunpckldq | Vpunpcklqdq => Rule::Move(Steering::None),
        Blendps | Blendpd | Pblendw | Vblendps | Vblendpd | Vpblendw | Vpblendd | Vblendmps
        | Vblendmpd | Vpblendmb | Vpblendmw | Vpblendmd | Vpblendmq => Rule::Move(Steering::None),
        Insertps | Extractps | Vinsertps | Vextractps | Pinsrb | Pinsrw | Pinsrd | Pinsrq
        | Pextrb | Pextrw | Pextrd | Pextrq | Vpinsrb | Vpinsrw | Vpinsrd | Vpinsrq | Vpextrb
        | Vpextrw | Vpextrd | Vpextrq => Rule::Move(Steering::None),
        Vinsertf128 | Vinserti128 | Vinsertf32x4 | Vinsertf32x8 | Vinsertf64x2 | Vinsertf64x4
        | Vinserti32x4 | Vinserti32x8 | Vinserti64x2 | Vinserti64x4 => Rule::Move(Steering::None),
        Vextractf128 | Vextracti128 | Vextractf32x4 | Vextractf32x8 | Vextractf64x2
        | Vextractf64x4 | Vextracti32x4 | Vextracti32x8 | Vextracti64x2 | Vextracti64x4 => {
            Rule::Move(Steering::None)
        }
        Vbroadcastss | Vbroadcastsd | Vbroadcastf128 | Vbroadcasti128 | Vbroadcastf32x2
        | Vbroadcastf32x4 | Vbroadcastf32x8 | Vbroadcastf64x2 | Vbroadcastf64x4
        | Vbroadcasti32x2 | Vbroadcasti32x4 | Vbroadcasti32x8 | Vbroadcasti64x2
        | Vbroadcasti64x4 | Vpbroadcastb | Vpbroadcastw | Vpbroadcastd | Vpbroadcastq => {
            Rule::Move(Steering::None)
        }
        Palignr | Vpalignr | Valignd | Valignq | Pslldq | Psrldq | Vpslldq | Vpsrldq => {
            Rule::Move(Steering::None)
        }
        Vcompressps | Vcompresspd | Vexpandps | Vexpandpd | Vpcompressb | Vpcompressw
        | Vpcompressd | Vpcompressq | Vpexpandb | Vpexpandw | Vpexpandd | Vpexpandq => {
            Rule::Move(Steering::None)
        }
        Vscatterdps | Vscatterdpd | Vscatterqps | Vscatterqpd | Vpscatterdd | Vpscatterdq
        | Vpscatterqd | Vpscatterqq => Rule::Move(Steering::None),
        // The mask of the older form is an operand, that of AVX-512 a register of its own.
        Vgatherdps | Vgatherdpd | Vgatherqps | Vgatherqpd | Vpgatherdd | Vpgatherdq
        | Vpgatherqd | Vpgatherqq => masked(code, 2),
        Pshufb => Rule::Move(Steering::Indices(1)),
        Vpshufb => Rule::Move(Steering::Indices(2)),
        Vpermb | Vpermw | Vpermd | Vpermps => Rule::Move(Steering::Indices(1)),
        // With an immediate nothing else steers.
        Vpermq | Vpermpd => unless_immediate(code, 1),
        Vpermilps | Vpermilpd => unless_immediate(code, 2),
        Vpermi2b | Vpermi2w | Vpermi2d | Vpermi2q | Vpermi2ps | Vpermi2pd => {
            Rule::Move(Steering::Indices(0))
        }
        Vpermt2b | Vpermt2w | Vpermt2d | Vpermt2q | Vpermt2ps | Vpermt2pd => {
            Rule::Move(Steering::Indices(1))
        }
        Blendvps | Blendvpd | Pblendvb | Maskmovq | Maskmovdqu | Vmaskmovdqu => {
            Rule::Move(Steering::Mask(2))
        }
        Vblendvps | Vblendvpd | Vpblendvb => Rule::Move(Steering::Mask(3)),
        Vmaskmovps | Vmaskmovpd | Vpmaskmovd | Vpmaskmovq => Rule::Move(Steering::Mask(1)),
        _ => return None,
    })
}
