//! Arithmetic instructions by family: those of one encoding, element type and width.

use iced_x86::Code;

/// What an instruction of a family computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// a + b, a - b.
    Sum,
    /// a b.
    Product,
    /// a / b.
    Quotient,
    /// The square root of b.
    Root,
    /// The smaller one, b where they compare neither way.
    Least,
    /// The larger one, b where they compare neither way.
    Greatest,
}

/// Instructions of one encoding, element type and width.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Bytes of the operand in memory.
    pub bytes: usize,
    /// Whether three operands are given, and the rest of the register becomes zero.
    pub is_vex: bool,
    /// Whether the encoding is that of AVX-512: comparisons make masks in registers of their own.
    pub is_evex: bool,
    /// Whether only the lowest element is computed.
    pub is_scalar: bool,
    /// a + b.
    pub add: Code,
    /// a - b.
    pub sub: Code,
    /// a b.
    pub mul: Code,
    /// a / b.
    pub div: Code,
    /// The root of b.
    pub sqrt: Code,
    /// The smaller one.
    pub min: Code,
    /// The larger one.
    pub max: Code,
    /// Masks of comparisons by a predicate.
    pub cmp: Code,
    /// All bits of a and b.
    pub and: Code,
    /// All bits of b without a.
    pub andn: Code,
    /// All bits of a or b.
    pub or: Code,
    /// A load or move of all that the operation writes.
    pub load: Code,
    /// The store of it.
    pub store: Code,
}

macro_rules! family {
    ($vex:literal, $bytes:literal, $scalar:literal, $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $min:ident $max:ident $cmp:ident, $and:ident $andn:ident $or:ident, $load:ident $store:ident) => {
        Family {
            bytes: $bytes,
            is_vex: $vex,
            is_evex: false,
            is_scalar: $scalar,
            add: Code::$add,
            sub: Code::$sub,
            mul: Code::$mul,
            div: Code::$div,
            sqrt: Code::$sqrt,
            min: Code::$min,
            max: Code::$max,
            cmp: Code::$cmp,
            and: Code::$and,
            andn: Code::$andn,
            or: Code::$or,
            load: Code::$load,
            store: Code::$store,
        }
    };
}

macro_rules! evex {
    ($bytes:literal, $scalar:literal, $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $min:ident $max:ident $cmp:ident, $and:ident $andn:ident $or:ident, $load:ident $store:ident) => {
        Family {
            is_evex: true,
            ..family!(true, $bytes, $scalar, $add $sub $mul $div $sqrt $min $max $cmp, $and $andn $or, $load $store)
        }
    };
}

impl Family {
    /// Whether elements are doubles.
    pub fn is_double(&self) -> bool {
        matches!(
            self.and,
            Code::Andpd_xmm_xmmm128
                | Code::VEX_Vandpd_xmm_xmm_xmmm128
                | Code::VEX_Vandpd_ymm_ymm_ymmm256
                | Code::EVEX_Vandpd_xmm_k1z_xmm_xmmm128b64
                | Code::EVEX_Vandpd_ymm_k1z_ymm_ymmm256b64
                | Code::EVEX_Vandpd_zmm_k1z_zmm_zmmm512b64
        )
    }
}

/// All families that have inline code.
pub static FAMILIES: [Family; 18] = [
    family!(false, 8, true, Addsd_xmm_xmmm64 Subsd_xmm_xmmm64 Mulsd_xmm_xmmm64 Divsd_xmm_xmmm64 Sqrtsd_xmm_xmmm64 Minsd_xmm_xmmm64
        Maxsd_xmm_xmmm64 Cmpsd_xmm_xmmm64_imm8, Andpd_xmm_xmmm128 Andnpd_xmm_xmmm128 Orpd_xmm_xmmm128, Movsd_xmm_xmmm64 Movsd_xmmm64_xmm),
    family!(false, 4, true, Addss_xmm_xmmm32 Subss_xmm_xmmm32 Mulss_xmm_xmmm32 Divss_xmm_xmmm32 Sqrtss_xmm_xmmm32 Minss_xmm_xmmm32
        Maxss_xmm_xmmm32 Cmpss_xmm_xmmm32_imm8, Andps_xmm_xmmm128 Andnps_xmm_xmmm128 Orps_xmm_xmmm128, Movss_xmm_xmmm32 Movss_xmmm32_xmm),
    family!(false, 16, false, Addpd_xmm_xmmm128 Subpd_xmm_xmmm128 Mulpd_xmm_xmmm128 Divpd_xmm_xmmm128 Sqrtpd_xmm_xmmm128 Minpd_xmm_xmmm128
        Maxpd_xmm_xmmm128 Cmppd_xmm_xmmm128_imm8, Andpd_xmm_xmmm128 Andnpd_xmm_xmmm128 Orpd_xmm_xmmm128, Movups_xmm_xmmm128 Movups_xmmm128_xmm),
    family!(false, 16, false, Addps_xmm_xmmm128 Subps_xmm_xmmm128 Mulps_xmm_xmmm128 Divps_xmm_xmmm128 Sqrtps_xmm_xmmm128 Minps_xmm_xmmm128
        Maxps_xmm_xmmm128 Cmpps_xmm_xmmm128_imm8, Andps_xmm_xmmm128 Andnps_xmm_xmmm128 Orps_xmm_xmmm128, Movups_xmm_xmmm128 Movups_xmmm128_xmm),
    family!(true, 8, true, VEX_Vaddsd_xmm_xmm_xmmm64 VEX_Vsubsd_xmm_xmm_xmmm64 VEX_Vmulsd_xmm_xmm_xmmm64 VEX_Vdivsd_xmm_xmm_xmmm64
        VEX_Vsqrtsd_xmm_xmm_xmmm64 VEX_Vminsd_xmm_xmm_xmmm64 VEX_Vmaxsd_xmm_xmm_xmmm64 VEX_Vcmpsd_xmm_xmm_xmmm64_imm8,
        VEX_Vandpd_xmm_xmm_xmmm128 VEX_Vandnpd_xmm_xmm_xmmm128 VEX_Vorpd_xmm_xmm_xmmm128, VEX_Vmovsd_xmm_m64 VEX_Vmovsd_m64_xmm),
    family!(true, 4, true, VEX_Vaddss_xmm_xmm_xmmm32 VEX_Vsubss_xmm_xmm_xmmm32 VEX_Vmulss_xmm_xmm_xmmm32 VEX_Vdivss_xmm_xmm_xmmm32
        VEX_Vsqrtss_xmm_xmm_xmmm32 VEX_Vminss_xmm_xmm_xmmm32 VEX_Vmaxss_xmm_xmm_xmmm32 VEX_Vcmpss_xmm_xmm_xmmm32_imm8,
        VEX_Vandps_xmm_xmm_xmmm128 VEX_Vandnps_xmm_xmm_xmmm128 VEX_Vorps_xmm_xmm_xmmm128, VEX_Vmovss_xmm_m32 VEX_Vmovss_m32_xmm),
    family!(true, 16, false, VEX_Vaddpd_xmm_xmm_xmmm128 VEX_Vsubpd_xmm_xmm_xmmm128 VEX_Vmulpd_xmm_xmm_xmmm128 VEX_Vdivpd_xmm_xmm_xmmm128
        VEX_Vsqrtpd_xmm_xmmm128 VEX_Vminpd_xmm_xmm_xmmm128 VEX_Vmaxpd_xmm_xmm_xmmm128 VEX_Vcmppd_xmm_xmm_xmmm128_imm8,
        VEX_Vandpd_xmm_xmm_xmmm128 VEX_Vandnpd_xmm_xmm_xmmm128 VEX_Vorpd_xmm_xmm_xmmm128, VEX_Vmovups_xmm_xmmm128 VEX_Vmovups_xmmm128_xmm),
    family!(true, 16, false, VEX_Vaddps_xmm_xmm_xmmm128 VEX_Vsubps_xmm_xmm_xmmm128 VEX_Vmulps_xmm_xmm_xmmm128 VEX_Vdivps_xmm_xmm_xmmm128
        VEX_Vsqrtps_xmm_xmmm128 VEX_Vminps_xmm_xmm_xmmm128 VEX_Vmaxps_xmm_xmm_xmmm128 VEX_Vcmpps_xmm_xmm_xmmm128_imm8,
        VEX_Vandps_xmm_xmm_xmmm128 VEX_Vandnps_xmm_xmm_xmmm128 VEX_Vorps_xmm_xmm_xmmm128, VEX_Vmovups_xmm_xmmm128 VEX_Vmovups_xmmm128_xmm),
    family!(true, 32, false, VEX_Vaddpd_ymm_ymm_ymmm256 VEX_Vsubpd_ymm_ymm_ymmm256 VEX_Vmulpd_ymm_ymm_ymmm256 VEX_Vdivpd_ymm_ymm_ymmm256
        VEX_Vsqrtpd_ymm_ymmm256 VEX_Vminpd_ymm_ymm_ymmm256 VEX_Vmaxpd_ymm_ymm_ymmm256 VEX_Vcmppd_ymm_ymm_ymmm256_imm8,
        VEX_Vandpd_ymm_ymm_ymmm256 VEX_Vandnpd_ymm_ymm_ymmm256 VEX_Vorpd_ymm_ymm_ymmm256, VEX_Vmovups_ymm_ymmm256 VEX_Vmovups_ymmm256_ymm),
    family!(true, 32, false, VEX_Vaddps_ymm_ymm_ymmm256 VEX_Vsubps_ymm_ymm_ymmm256 VEX_Vmulps_ymm_ymm_ymmm256 VEX_Vdivps_ymm_ymm_ymmm256
        VEX_Vsqrtps_ymm_ymmm256 VEX_Vminps_ymm_ymm_ymmm256 VEX_Vmaxps_ymm_ymm_ymmm256 VEX_Vcmpps_ymm_ymm_ymmm256_imm8,
        VEX_Vandps_ymm_ymm_ymmm256 VEX_Vandnps_ymm_ymm_ymmm256 VEX_Vorps_ymm_ymm_ymmm256, VEX_Vmovups_ymm_ymmm256 VEX_Vmovups_ymmm256_ymm),
    evex!(8, true, EVEX_Vaddsd_xmm_k1z_xmm_xmmm64_er EVEX_Vsubsd_xmm_k1z_xmm_xmmm64_er EVEX_Vmulsd_xmm_k1z_xmm_xmmm64_er
        EVEX_Vdivsd_xmm_k1z_xmm_xmmm64_er EVEX_Vsqrtsd_xmm_k1z_xmm_xmmm64_er EVEX_Vminsd_xmm_k1z_xmm_xmmm64_sae
        EVEX_Vmaxsd_xmm_k1z_xmm_xmmm64_sae EVEX_Vcmpsd_kr_k1_xmm_xmmm64_imm8_sae, EVEX_Vandpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vandnpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vorpd_xmm_k1z_xmm_xmmm128b64, EVEX_Vmovsd_xmm_k1z_m64 EVEX_Vmovsd_m64_k1_xmm),
    evex!(16, false, EVEX_Vaddpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vsubpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vmulpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vdivpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vsqrtpd_xmm_k1z_xmmm128b64 EVEX_Vminpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vmaxpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vcmppd_kr_k1_xmm_xmmm128b64_imm8, EVEX_Vandpd_xmm_k1z_xmm_xmmm128b64
        EVEX_Vandnpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vorpd_xmm_k1z_xmm_xmmm128b64, EVEX_Vmovups_xmm_k1z_xmmm128 EVEX_Vmovups_xmmm128_k1z_xmm),
    evex!(32, false, EVEX_Vaddpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vsubpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vmulpd_ymm_k1z_ymm_ymmm256b64
        EVEX_Vdivpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vsqrtpd_ymm_k1z_ymmm256b64 EVEX_Vminpd_ymm_k1z_ymm_ymmm256b64
        EVEX_Vmaxpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vcmppd_kr_k1_ymm_ymmm256b64_imm8, EVEX_Vandpd_ymm_k1z_ymm_ymmm256b64
        EVEX_Vandnpd_ymm_k1z_ymm_ymmm256b64 EVEX_Vorpd_ymm_k1z_ymm_ymmm256b64, EVEX_Vmovups_ymm_k1z_ymmm256 EVEX_Vmovups_ymmm256_k1z_ymm),
    evex!(64, false, EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er
        EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae
        EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae, EVEX_Vandpd_zmm_k1z_zmm_zmmm512b64
        EVEX_Vandnpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vorpd_zmm_k1z_zmm_zmmm512b64, EVEX_Vmovups_zmm_k1z_zmmm512 EVEX_Vmovups_zmmm512_k1z_zmm),
    evex!(4, true, EVEX_Vaddss_xmm_k1z_xmm_xmmm32_er EVEX_Vsubss_xmm_k1z_xmm_xmmm32_er EVEX_Vmulss_xmm_k1z_xmm_xmmm32_er
        EVEX_Vdivss_xmm_k1z_xmm_xmmm32_er EVEX_Vsqrtss_xmm_k1z_xmm_xmmm32_er EVEX_Vminss_xmm_k1z_xmm_xmmm32_sae
        EVEX_Vmaxss_xmm_k1z_xmm_xmmm32_sae EVEX_Vcmpss_kr_k1_xmm_xmmm32_imm8_sae, EVEX_Vandps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vandnps_xmm_k1z_xmm_xmmm128b32 EVEX_Vorps_xmm_k1z_xmm_xmmm128b32, EVEX_Vmovss_xmm_k1z_m32 EVEX_Vmovss_m32_k1_xmm),
    evex!(16, false, EVEX_Vaddps_xmm_k1z_xmm_xmmm128b32 EVEX_Vsubps_xmm_k1z_xmm_xmmm128b32 EVEX_Vmulps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vdivps_xmm_k1z_xmm_xmmm128b32 EVEX_Vsqrtps_xmm_k1z_xmmm128b32 EVEX_Vminps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vmaxps_xmm_k1z_xmm_xmmm128b32 EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8, EVEX_Vandps_xmm_k1z_xmm_xmmm128b32
        EVEX_Vandnps_xmm_k1z_xmm_xmmm128b32 EVEX_Vorps_xmm_k1z_xmm_xmmm128b32, EVEX_Vmovups_xmm_k1z_xmmm128 EVEX_Vmovups_xmmm128_k1z_xmm),
    evex!(32, false, EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32 EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32 EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32 EVEX_Vsqrtps_ymm_k1z_ymmm256b32 EVEX_Vminps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32 EVEX_Vcmpps_kr_k1_ymm_ymmm256b32_imm8, EVEX_Vandps_ymm_k1z_ymm_ymmm256b32
        EVEX_Vandnps_ymm_k1z_ymm_ymmm256b32 EVEX_Vorps_ymm_k1z_ymm_ymmm256b32, EVEX_Vmovups_ymm_k1z_ymmm256 EVEX_Vmovups_ymmm256_k1z_ymm),
    evex!(64, false, EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er
        EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae
        EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, EVEX_Vandps_zmm_k1z_zmm_zmmm512b32
        EVEX_Vandnps_zmm_k1z_zmm_zmmm512b32 EVEX_Vorps_zmm_k1z_zmm_zmmm512b32, EVEX_Vmovups_zmm_k1z_zmmm512 EVEX_Vmovups_zmmm512_k1z_zmm),
];

/// The family of an instruction, and what it computes.
pub fn of(code: Code) -> Option<(&'static Family, Operation)> {
    FAMILIES.iter().find_map(|f| {
        let operation = match code {
            c if c == f.add || c == f.sub => Operation::Sum,
            c if c == f.mul => Operation::Product,
            c if c == f.div => Operation::Quotient,
            c if c == f.sqrt => Operation::Root,
            c if c == f.min => Operation::Least,
            c if c == f.max => Operation::Greatest,
            _ => return None,
        };
        Some((f, operation))
    })
}

/// The family of one number.
pub fn scalar(is_vex: bool, is_double: bool) -> &'static Family {
    let bytes = if is_double { 8 } else { 4 };
    FAMILIES
        .iter()
        .find(|f| f.is_vex == is_vex && !f.is_evex && f.bytes == bytes)
        .expect("there are four")
}
