//! SSE, AVX, FMA and AVX-512: instructions that compute.
//!
//! Tables by mnemonic, from which [`rule`] makes one array. No mnemonic is in two rows: a test sees
//! to that.

use std::sync::LazyLock;

use iced_x86::Mnemonic::{self, *};

use super::kinds::{
    Addend::{self, Minus, MinusPlus, Plus, PlusMinus},
    Bitwise, Element, Form,
    Order::{self, O132, O213, O231},
    PB, PD, PS, Rule, SD, SS,
};

/// Mnemonics of an operation, by form.
type Columns = [&'static [Mnemonic]; 4];
/// The rule of an operation on numbers of a form.
type ByForm = fn(Form) -> Rule;

/// The forms of the columns.
const FORMS: [Form; 4] = [PS, SS, PD, SD];

/// Operations that have a mnemonic for each form: packed and scalar floats, packed and scalar
/// doubles.
#[rustfmt::skip]
const BY_FORM: &[(ByForm, Columns)] = &[
    (Rule::Add, [&[Addps, Vaddps], &[Addss, Vaddss], &[Addpd, Vaddpd], &[Addsd, Vaddsd]]),
    (Rule::Sub, [&[Subps, Vsubps], &[Subss, Vsubss], &[Subpd, Vsubpd], &[Subsd, Vsubsd]]),
    (Rule::Mul, [&[Mulps, Vmulps], &[Mulss, Vmulss], &[Mulpd, Vmulpd], &[Mulsd, Vmulsd]]),
    (Rule::Div, [&[Divps, Vdivps], &[Divss, Vdivss], &[Divpd, Vdivpd], &[Divsd, Vdivsd]]),
    (Rule::Sqrt, [&[Sqrtps, Vsqrtps], &[Sqrtss, Vsqrtss], &[Sqrtpd, Vsqrtpd], &[Sqrtsd, Vsqrtsd]]),
    (Rule::Min, [&[Minps, Vminps], &[Minss, Vminss], &[Minpd, Vminpd], &[Minsd, Vminsd]]),
    (Rule::Max, [&[Maxps, Vmaxps], &[Maxss, Vmaxss], &[Maxpd, Vmaxpd], &[Maxsd, Vmaxsd]]),
    (Rule::AddSub, [&[Addsubps, Vaddsubps], &[], &[Addsubpd, Vaddsubpd], &[]]),
    (Rule::HorizontalAdd, [&[Haddps, Vhaddps], &[], &[Haddpd, Vhaddpd], &[]]),
    (Rule::HorizontalSub, [&[Hsubps, Vhsubps], &[], &[Hsubpd, Vhsubpd], &[]]),
    (Rule::DotProduct, [&[Dpps, Vdpps], &[], &[Dppd, Vdppd], &[]]),
    (Rule::Rounding, [&[Roundps, Vroundps, Vrndscaleps], &[Roundss, Vroundss, Vrndscaless], &[Roundpd, Vroundpd, Vrndscalepd], &[Roundsd, Vroundsd, Vrndscalesd]]),
    (Rule::Reduce, [&[Vreduceps], &[Vreducess], &[Vreducepd], &[Vreducesd]]),
    (Rule::ScaleByPower, [&[Vscalefps], &[Vscalefss], &[Vscalefpd], &[Vscalefsd]]),
    (Rule::GetExponent, [&[Vgetexpps], &[Vgetexpss], &[Vgetexppd], &[Vgetexpsd]]),
    (Rule::GetMantissa, [&[Vgetmantps], &[Vgetmantss], &[Vgetmantpd], &[Vgetmantsd]]),
    (Rule::Range, [&[Vrangeps], &[Vrangess], &[Vrangepd], &[Vrangesd]]),
    (Rule::FixupImm, [&[Vfixupimmps], &[Vfixupimmss], &[Vfixupimmpd], &[Vfixupimmsd]]),
    (Rule::Reciprocal, [&[Rcpps, Vrcpps, Vrcp14ps, Vrcp28ps], &[Rcpss, Vrcpss, Vrcp14ss, Vrcp28ss], &[Vrcp14pd, Vrcp28pd], &[Vrcp14sd, Vrcp28sd]]),
    (Rule::ReciprocalSqrt, [&[Rsqrtps, Vrsqrtps, Vrsqrt14ps, Vrsqrt28ps], &[Rsqrtss, Vrsqrtss, Vrsqrt14ss, Vrsqrt28ss], &[Vrsqrt14pd, Vrsqrt28pd], &[Vrsqrt14sd, Vrsqrt28sd]]),
    (Rule::FromInteger, [&[Cvtdq2ps, Vcvtdq2ps, Cvtpi2ps, Vcvtudq2ps, Vcvtqq2ps, Vcvtuqq2ps], &[Cvtsi2ss, Vcvtsi2ss, Vcvtusi2ss], &[Cvtdq2pd, Vcvtdq2pd, Cvtpi2pd, Vcvtudq2pd, Vcvtqq2pd, Vcvtuqq2pd], &[Cvtsi2sd, Vcvtsi2sd, Vcvtusi2sd]]),
];

/// Fused operations: whether the product is negated, what becomes of the addend, the order of the
/// operands, and the mnemonics by form.
#[rustfmt::skip]
const FUSED: &[(bool, Addend, Order, Columns)] = &[
    (false, Plus, O132, [&[Vfmadd132ps], &[Vfmadd132ss], &[Vfmadd132pd], &[Vfmadd132sd]]),
    (false, Plus, O213, [&[Vfmadd213ps], &[Vfmadd213ss], &[Vfmadd213pd], &[Vfmadd213sd]]),
    (false, Plus, O231, [&[Vfmadd231ps], &[Vfmadd231ss], &[Vfmadd231pd], &[Vfmadd231sd]]),
    (false, Minus, O132, [&[Vfmsub132ps], &[Vfmsub132ss], &[Vfmsub132pd], &[Vfmsub132sd]]),
    (false, Minus, O213, [&[Vfmsub213ps], &[Vfmsub213ss], &[Vfmsub213pd], &[Vfmsub213sd]]),
    (false, Minus, O231, [&[Vfmsub231ps], &[Vfmsub231ss], &[Vfmsub231pd], &[Vfmsub231sd]]),
    (true, Plus, O132, [&[Vfnmadd132ps], &[Vfnmadd132ss], &[Vfnmadd132pd], &[Vfnmadd132sd]]),
    (true, Plus, O213, [&[Vfnmadd213ps], &[Vfnmadd213ss], &[Vfnmadd213pd], &[Vfnmadd213sd]]),
    (true, Plus, O231, [&[Vfnmadd231ps], &[Vfnmadd231ss], &[Vfnmadd231pd], &[Vfnmadd231sd]]),
    (true, Minus, O132, [&[Vfnmsub132ps], &[Vfnmsub132ss], &[Vfnmsub132pd], &[Vfnmsub132sd]]),
    (true, Minus, O213, [&[Vfnmsub213ps], &[Vfnmsub213ss], &[Vfnmsub213pd], &[Vfnmsub213sd]]),
    (true, Minus, O231, [&[Vfnmsub231ps], &[Vfnmsub231ss], &[Vfnmsub231pd], &[Vfnmsub231sd]]),
    (false, MinusPlus, O132, [&[Vfmaddsub132ps], &[], &[Vfmaddsub132pd], &[]]),
    (false, MinusPlus, O213, [&[Vfmaddsub213ps], &[], &[Vfmaddsub213pd], &[]]),
    (false, MinusPlus, O231, [&[Vfmaddsub231ps], &[], &[Vfmaddsub231pd], &[]]),
    (false, PlusMinus, O132, [&[Vfmsubadd132ps], &[], &[Vfmsubadd132pd], &[]]),
    (false, PlusMinus, O213, [&[Vfmsubadd213ps], &[], &[Vfmsubadd213pd], &[]]),
    (false, PlusMinus, O231, [&[Vfmsubadd231ps], &[], &[Vfmsubadd231pd], &[]]),
];

/// Operations whose mnemonics say more than a form, or that have one rule for all forms.
#[rustfmt::skip]
const OTHERS: &[(Rule, &[Mnemonic])] = &[
    (Rule::Logic(Bitwise::And, PS), &[Andps, Vandps]),
    (Rule::Logic(Bitwise::And, PD), &[Andpd, Vandpd]),
    (Rule::Logic(Bitwise::And, PB), &[Pand, Vpand, Vpandd, Vpandq]),
    (Rule::Logic(Bitwise::AndNot, PS), &[Andnps, Vandnps]),
    (Rule::Logic(Bitwise::AndNot, PD), &[Andnpd, Vandnpd]),
    (Rule::Logic(Bitwise::AndNot, PB), &[Pandn, Vpandn, Vpandnd, Vpandnq]),
    (Rule::Logic(Bitwise::Or, PS), &[Orps, Vorps]),
    (Rule::Logic(Bitwise::Or, PD), &[Orpd, Vorpd]),
    (Rule::Logic(Bitwise::Or, PB), &[Por, Vpor, Vpord, Vporq]),
    (Rule::Logic(Bitwise::Xor, PS), &[Xorps, Vxorps]),
    (Rule::Logic(Bitwise::Xor, PD), &[Xorpd, Vxorpd]),
    (Rule::Logic(Bitwise::Xor, PB), &[Pxor, Vpxor, Vpxord, Vpxorq]),
    (Rule::Logic(Bitwise::Table, PB), &[Vpternlogd, Vpternlogq]),
    (Rule::Convert { from: Element::F32, to: PD }, &[Cvtps2pd, Vcvtps2pd]),
    (Rule::Convert { from: Element::F32, to: SD }, &[Cvtss2sd, Vcvtss2sd]),
    (Rule::Convert { from: Element::F64, to: PS }, &[Cvtpd2ps, Vcvtpd2ps]),
    (Rule::Convert { from: Element::F64, to: SS }, &[Cvtsd2ss, Vcvtsd2ss]),
    (Rule::ToInteger, &[
        Cvtps2dq, Vcvtps2dq, Cvttps2dq, Vcvttps2dq, Cvtpd2dq, Vcvtpd2dq, Cvttpd2dq, Vcvttpd2dq,
        Cvtps2pi, Cvttps2pi, Cvtpd2pi, Cvttpd2pi, Cvtsd2si, Vcvtsd2si, Cvttsd2si, Vcvttsd2si,
        Cvtss2si, Vcvtss2si, Cvttss2si, Vcvttss2si, Vcvtpd2qq, Vcvtpd2uqq, Vcvtps2qq, Vcvtps2uqq,
        Vcvttpd2qq, Vcvttpd2uqq, Vcvttps2qq, Vcvttps2uqq, Vcvtpd2udq, Vcvtps2udq, Vcvttpd2udq,
        Vcvttps2udq, Vcvtsd2usi, Vcvtss2usi, Vcvttsd2usi, Vcvttss2usi,
    ]),
    (Rule::Compare, &[
        Cmpps, Vcmpps, Cmpss, Vcmpss, Cmppd, Vcmppd, Cmpsd, Vcmpsd, Comiss, Vcomiss, Comisd,
        Vcomisd, Ucomiss, Vucomiss, Ucomisd, Vucomisd, Movmskps, Vmovmskps, Movmskpd, Vmovmskpd,
        Pmovmskb, Vpmovmskb, Ptest, Vptest, Vtestps, Vtestpd, Vfpclassps, Vfpclassss, Vfpclasspd,
        Vfpclasssd, Pcmpeqb, Pcmpeqw, Pcmpeqd, Pcmpeqq, Pcmpgtb, Pcmpgtw, Pcmpgtd, Pcmpgtq,
        Vpcmpeqb, Vpcmpeqw, Vpcmpeqd, Vpcmpeqq, Vpcmpgtb, Vpcmpgtw, Vpcmpgtd, Vpcmpgtq, Vpcmpb,
        Vpcmpub, Vpcmpw, Vpcmpuw, Vpcmpd, Vpcmpud, Vpcmpq, Vpcmpuq, Vptestmb, Vptestmw, Vptestmd,
        Vptestmq, Vptestnmb, Vptestnmw, Vptestnmd, Vptestnmq, Vpmovb2m, Vpmovw2m, Vpmovd2m,
        Vpmovq2m, Vpmovm2b, Vpmovm2w, Vpmovm2d, Vpmovm2q, Vpbroadcastmb2q, Vpbroadcastmw2d,
        Pcmpestri, Pcmpestri64, Pcmpestrm, Pcmpestrm64, Pcmpistri, Pcmpistrm, Vpcmpestri,
        Vpcmpestri64, Vpcmpestrm, Vpcmpestrm64, Vpcmpistri, Vpcmpistrm, Vpshufbitqmb,
        Vp2intersectd, Vp2intersectq,
    ]),
];

/// Visits all mnemonics of the tables, with their rules.
fn each(mut visit: impl FnMut(Mnemonic, Rule)) {
    let mut row = |columns: &Columns, rule: &dyn Fn(Form) -> Rule| {
        for (form, mnemonics) in FORMS.into_iter().zip(columns) {
            mnemonics.iter().for_each(|mnemonic| visit(*mnemonic, rule(form)));
        }
    };
    for (rule, columns) in BY_FORM {
        row(columns, rule);
    }
    for &(negated, addend, order, ref columns) in FUSED {
        row(columns, &|form| Rule::Fma { form, order, negated, addend });
    }
    for (rule, mnemonics) in OTHERS {
        mnemonics.iter().for_each(|mnemonic| visit(*mnemonic, *rule));
    }
}

/// The rule of a mnemonic, if it computes with floating-point numbers or their bits.
pub(super) fn rule(mnemonic: Mnemonic) -> Option<Rule> {
    static RULES: LazyLock<Vec<Option<Rule>>> = LazyLock::new(|| {
        let mut all = vec![None; Mnemonic::values().len()];
        each(|mnemonic, rule| all[mnemonic as usize] = Some(rule));
        all
    });
    RULES[mnemonic as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_mnemonic_is_in_two_rows() {
        let mut met = HashSet::new();
        each(|mnemonic, rule| {
            assert!(met.insert(mnemonic), "{mnemonic:?} is in two rows, one of them {rule:?}");
        });
    }
}
