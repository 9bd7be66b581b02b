//! Single instructions: operands and their dots, and the dot that is expected.

use adshadow::rules::{
    X87,
    extended::{self, Dual, Extended},
    native::WIDTH,
    power::{Cut, Cuts},
    tangent::{self, Operand, Refusal},
};
use iced_x86::{
    IcedError,
    code_asm::{AsmRegisterXmm, CodeAssembler, qword_ptr, registers::*},
};

type Word = (u64, u64);
const UNKNOWN: u64 = adshadow::machine::state::UNKNOWN;

/// A number and its dot, in double precision.
fn d(x: f64, dot: f64) -> Word {
    (x.to_bits(), dot.to_bits())
}

/// Two floats, the lower first, and their dots.
fn s(low: (f32, f32), high: (f32, f32)) -> Word {
    let both = |low: f32, high: f32| u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32;
    (both(low.0, high.0), both(low.1, high.1))
}

/// The lowest 64 bits of the dots of one instruction, whose operands have these lowest 64 bits.
fn of(
    make: impl Fn(&mut CodeAssembler) -> Result<(), IcedError>,
    operands: &[Word],
) -> Result<u64, Refusal> {
    let mut assembler = CodeAssembler::new(64).unwrap();
    make(&mut assembler).unwrap();
    let wide: Vec<Operand> = operands
        .iter()
        .map(|&(value, dot)| {
            let mut o = Operand::default();
            o.value[..8].copy_from_slice(&value.to_le_bytes());
            o.dot[..8].copy_from_slice(&dot.to_le_bytes());
            o
        })
        .collect();
    let result = tangent::dots(&assembler.instructions()[0], &wide, 0)?;
    Ok(u64::from_le_bytes(result[..8].try_into().unwrap()))
}

/// The same, as a double.
#[track_caller]
fn number(make: impl Fn(&mut CodeAssembler) -> Result<(), IcedError>, operands: &[Word]) -> f64 {
    f64::from_bits(of(make, operands).unwrap())
}

const ABS: Word = (0x7fff_ffff_ffff_ffff, 0);
const SIGN: Word = (0x8000_0000_0000_0000, 0);
const ONES: Word = (u64::MAX, 0);
const NONE: Word = (0, 0);

#[test]
fn points_without_a_derivative() {
    let inf = f64::INFINITY;
    assert_eq!(number(|a| a.sqrtsd(xmm1, xmm2), &[NONE, d(0.0, 0.0)]), 0.0);
    assert_eq!(number(|a| a.sqrtsd(xmm1, xmm2), &[NONE, d(0.0, 1.0)]), inf);
    assert_eq!(number(|a| a.mulsd(xmm1, xmm2), &[d(0.0, 0.0), d(inf, 0.0)]), 0.0);
    assert_eq!(number(|a| a.mulsd(xmm1, xmm2), &[d(inf, 0.0), d(2.0, 3.0)]), inf);
    assert_eq!(number(|a| a.divsd(xmm1, xmm2), &[d(1.0, 0.0), d(0.0, 0.0)]), 0.0);
    assert_eq!(
        number(|a| a.divsd(xmm1, xmm2), &[d(1.0, 3.0), d(4.0, 2.0)]),
        (3.0 - 0.25 * 2.0) / 4.0
    );
    // Equal, or no number: the second.
    assert_eq!(number(|a| a.minsd(xmm1, xmm2), &[d(1.0, 3.0), d(1.0, 5.0)]), 5.0);
    assert_eq!(number(|a| a.maxsd(xmm1, xmm2), &[d(1.0, 3.0), d(1.0, 5.0)]), 5.0);
    assert_eq!(number(|a| a.maxsd(xmm1, xmm2), &[d(f64::NAN, 3.0), d(1.0, 5.0)]), 5.0);
    assert_eq!(number(|a| a.minsd(xmm1, xmm2), &[d(1.0, 3.0), d(f64::NAN, 5.0)]), 5.0);
    assert_eq!(number(|a| a.roundsd(xmm1, xmm2, 1), &[NONE, d(1.5, 1.0)]), 0.0);
    assert_eq!(
        of(|a| a.comisd(xmm1, xmm2), &[d(1.5, 7.0), d(1.5, 1.0)]),
        Ok(7f64.to_bits()),
        "not written"
    );
    assert_eq!(number(|a| a.cmpsd_3(xmm1, xmm2, 1), &[d(1.5, 7.0), d(1.5, 1.0)]), 0.0);
}

#[test]
fn sums_that_round_have_derivative_zero() {
    let shift = 1.5 * 2f64.powi(52);
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(1.7, 1.0), d(shift, 0.0)]), 0.0);
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(shift, 0.0), d(-1.7, 1.0)]), 0.0);
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(1.7, 1.0), d(2f64.powi(52), 0.0)]), 0.0);
    assert_eq!(number(|a| a.subsd(xmm1, xmm2), &[d(-1.7, 1.0), d(2f64.powi(52), 0.0)]), 0.0);
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(1.7, 1.0), d(shift / 128.0, 0.0)]), 0.0);
    assert_eq!(
        of(|a| a.addss(xmm1, xmm2), &[s((1.7, 1.0), (0.0, 0.0)), s((12582912.0, 0.0), (0.0, 0.0))]),
        Ok(0)
    );
    // Active, or no such number, or too small: sums.
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(1.7, 1.0), d(shift, 2.0)]), 3.0);
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(1.7, 1.0), d(shift + 2.0, 0.0)]), 1.0);
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(1e16, 1.0), d(shift, 0.0)]), 1.0);
    assert_eq!(number(|a| a.addsd(xmm1, xmm2), &[d(1.7, 1.0), d(1.5, 0.0)]), 1.0);
    assert_eq!(
        of(|a| a.addss(xmm1, xmm2), &[s((1.7, 1.0), (0.0, 0.0)), s((393216.0, 0.0), (0.0, 0.0))]),
        Ok(s((0.0, 1.0), (0.0, 0.0)).1)
    );
    if !admachine::lacks_partly(&["fma"]) {
        assert_eq!(
            number(
                |a| a.vfmadd213sd(xmm1, xmm2, xmm3),
                &[d(1.7, 1.0), d(92.3, 0.0), d(shift, 0.0)]
            ),
            0.0
        );
    }
}

#[test]
fn reciprocals_have_the_derivative_of_what_they_approximate() {
    let single = |r: Result<u64, Refusal>| f32::from_bits(r.unwrap() as u32);
    assert_eq!(
        single(of(|a| a.rcpss(xmm1, xmm2), &[NONE, s((4.0, 1.0), (0.0, 0.0))])),
        -1.0 / 16.0
    );
    assert_eq!(
        single(of(|a| a.rsqrtss(xmm1, xmm2), &[NONE, s((4.0, 1.0), (0.0, 0.0))])),
        -1.0 / 16.0
    );
    assert_eq!(single(of(|a| a.rcpps(xmm1, xmm2), &[NONE, s((0.0, 0.0), (0.0, 0.0))])), 0.0);
    if !admachine::lacks_partly(&["avx512f"]) {
        assert_eq!(
            number(|a| a.vrcp14sd(xmm1, xmm2, xmm3), &[NONE, NONE, d(4.0, 1.0)]),
            -1.0 / 16.0
        );
        assert_eq!(
            number(|a| a.vrsqrt14sd(xmm1, xmm2, xmm3), &[NONE, NONE, d(4.0, 1.0)]),
            -1.0 / 16.0
        );
        // Negative: -1 for what is below zero (6), the operand for what is above (7), the old value
        // for zero (2).
        let table = (0x1900_0000, 0);
        let fixed = |x: f64| {
            number(|a| a.vfixupimmsd(xmm1, xmm2, xmm3, 0), &[d(7.0, 5.0), d(x, 3.0), table])
        };
        assert_eq!([fixed(-2.0), fixed(2.0), fixed(0.0)], [0.0, 3.0, 5.0]);
    }
}

#[test]
fn conversions_convert_dots() {
    assert_eq!(
        of(|a| a.cvtsd2ss(xmm1, xmm2), &[s((0.0, 0.0), (1.0, 9.0)), d(1.5, 0.1)]),
        Ok(s((0.0, 0.1), (0.0, 9.0)).1)
    );
    assert_eq!(number(|a| a.cvtss2sd(xmm1, xmm2), &[d(0.0, 3.0), s((1.0, 0.5), (1.0, 9.0))]), 0.5);
    assert_eq!(
        of(|a| a.cvtps2pd(xmm1, xmm2), &[NONE, s((1.0, 0.5), (1.0, 9.0))]),
        Ok(0.5f64.to_bits())
    );
    assert_eq!(of(|a| a.cvttsd2si(eax, xmm2), &[NONE, d(1.5, 0.1)]), Ok(0));
    // An integer that has all of a number is unknown.
    assert_eq!(of(|a| a.cvttsd2si(eax, xmm2), &[NONE, d(1e6, 0.1)]), Ok(0));
    assert_eq!(of(|a| a.cvttsd2si(eax, xmm2), &[NONE, d(2f64.powi(53), 0.1)]), Ok(0xffff_ffff));
    assert_eq!(of(|a| a.cvttsd2si(eax, xmm2), &[NONE, d(2f64.powi(53), 0.0)]), Ok(0));
    assert_eq!(
        of(|a| a.cvttss2si(eax, xmm2), &[NONE, s((2f32.powi(24), 0.1), (1.0, 0.0))]),
        Ok(0xffff_ffff)
    );
    assert_eq!(number(|a| a.cvtsi2sd(xmm1, eax), &[d(1.0, 5.0), (7, 0)]), 0.0);
    assert_eq!(
        of(|a| a.cvtsi2sd(xmm1, eax), &[d(1.0, 5.0), (7, 1)]),
        Err(Refusal::Active(1, "from integer"))
    );
    assert_eq!(number(|a| a.cvtdq2pd(xmm1, xmm2), &[d(1.0, 5.0), (7, 0)]), 0.0);
}

/// Results that are no numbers are one lane; what is beside it stays active.
#[test]
fn other_lanes_stay() {
    let active = Operand { value: [0; WIDTH], dot: std::array::from_fn(|b| b as u8 + 1) };
    let other = Operand { value: [0; WIDTH], dot: std::array::from_fn(|b| b as u8 + 101) };
    let of = |make: &dyn Fn(&mut CodeAssembler) -> Result<(), IcedError>| {
        let mut assembler = CodeAssembler::new(64).unwrap();
        make(&mut assembler).unwrap();
        tangent::dots(&assembler.instructions()[0], &[active, other, Operand::default()], 0)
            .unwrap()
    };
    for (zeros, dots) in [
        (8, of(&|a| a.cmpsd_3(xmm1, xmm2, 1))),
        (4, of(&|a| a.cmpss(xmm1, xmm2, 1))),
        (8, of(&|a| a.roundsd(xmm1, xmm2, 1))),
        (4, of(&|a| a.roundss(xmm1, xmm2, 1))),
        (16, of(&|a| a.cmppd(xmm1, xmm2, 1))),
        (16, of(&|a| a.pcmpeqd(xmm1, xmm2))),
        (16, of(&|a| a.xorps(xmm1, xmm1))),
    ] {
        assert_eq!(dots[..zeros], vec![0; zeros]);
        assert_eq!(dots[zeros..], active.dot[zeros..]);
    }
    if admachine::lacks_partly(&["avx"]) {
        return;
    }
    for (zeros, dots) in [
        (8, of(&|a| a.vcmpsd(xmm1, xmm2, xmm3, 1))),
        (4, of(&|a| a.vcmpss(xmm1, xmm2, xmm3, 1))),
        (8, of(&|a| a.vroundsd(xmm1, xmm2, xmm3, 1))),
        (4, of(&|a| a.vcvtsi2ss(xmm1, xmm2, eax))),
        (16, of(&|a| a.vcmppd(xmm1, xmm2, xmm3, 1))),
    ] {
        assert_eq!(dots[..zeros], vec![0; zeros]);
        assert_eq!(dots[zeros..16], other.dot[zeros..16]);
        assert_eq!(
            dots[16..crate::forms::register_bytes()],
            vec![0; crate::forms::register_bytes() - 16]
        );
    }
}

#[test]
fn tricks_with_bits_are_known_by_their_masks() {
    let x = -1.25f64;
    // The form for floats is used for doubles, and that for integers for both.
    let forms = [
        CodeAssembler::andps::<AsmRegisterXmm, AsmRegisterXmm>,
        CodeAssembler::andpd,
        CodeAssembler::pand,
    ];
    for (and, is_double) in forms.into_iter().zip([false, true, false]) {
        assert_eq!(number(|a| and(a, xmm1, xmm2), &[d(x, 3.0), ABS]), -3.0, "abs of a negative");
        assert_eq!(number(|a| and(a, xmm1, xmm2), &[ABS, d(-x, 3.0)]), 3.0, "abs of a positive");
        assert_eq!(number(|a| and(a, xmm1, xmm2), &[d(x, 3.0), ONES]), 3.0, "selected");
        assert_eq!(number(|a| and(a, xmm1, xmm2), &[d(x, 3.0), NONE]), 0.0, "not selected");
        assert_eq!(number(|a| and(a, xmm1, xmm2), &[d(x, 0.1), SIGN]), 0.0, "sign");
        let floats = s((-1.0, 3.0), (-2.0, 5.0));
        let expected = if is_double { Ok(UNKNOWN) } else { Ok(s((0.0, -3.0), (0.0, -5.0)).1) };
        assert_eq!(of(|a| and(a, xmm1, xmm2), &[floats, (0x7fff_ffff_7fff_ffff, 0)]), expected);
        assert_eq!(
            number(|a| and(a, xmm1, xmm2), &[d(x, 0.1), (0x000f_ffff_ffff_ffff, 0)]),
            -0.1,
            "the digits, of 1.25"
        );
        assert_eq!(
            number(|a| and(a, xmm1, xmm2), &[d(8.0 * x, 0.1), (0x000f_ffff_ffff_ffff, 0)]),
            -0.0125,
            "the digits, of 1.25"
        );
        assert_eq!(
            number(|a| and(a, xmm1, xmm2), &[d(8.0 * x, 0.1), (0x800f_ffff_ffff_ffff, 0)]),
            0.0125,
            "digits and sign"
        );
        assert_eq!(
            of(|a| and(a, xmm1, xmm2), &[d(x, 0.1), d(1.0 / 3.0, 0.3)]),
            Ok(UNKNOWN),
            "both active"
        );
        assert_eq!(number(|a| and(a, xmm1, xmm2), &[d(x, 0.1), d(x, 0.1)]), 0.1, "with itself");
        // The first 27 bits of the significand.
        assert_eq!(
            number(|a| and(a, xmm1, xmm2), &[d(x, 0.1), (0xffff_ffff_fc00_0000, 0)]),
            0.1,
            "shortened"
        );
    }
    // One float of two, or the upper half of a double.
    let (pair, mask) = (s((1.0, 0.3), (2.0, 0.7)), (0xffff_ffff_0000_0000, 0));
    assert_eq!(of(|a| a.andps(xmm1, xmm2), &[pair, mask]), Ok(s((0.0, 0.0), (0.0, 0.7)).1));
    assert_eq!(number(|a| a.andpd(xmm1, xmm2), &[d(x, 0.1), mask]), 0.1);
    assert_eq!(of(|a| a.pand(xmm1, xmm2), &[pair, mask]), Ok(0xffff_ffff_0000_0000));
    // Exponents: for an operation for floats it could be a float with three digits.
    let exponent = (0x7ff0_0000_0000_0000, 0);
    assert_eq!(number(|a| a.andpd(xmm1, xmm2), &[d(x, 0.1), exponent]), 0.0);
    assert_eq!(of(|a| a.andps(xmm1, xmm2), &[d(x, 0.1), exponent]), Ok(0xffff_ffff_0000_0000));

    assert_eq!(number(|a| a.andnpd(xmm1, xmm2), &[SIGN, d(x, 3.0)]), -3.0, "abs");
    assert_eq!(number(|a| a.andnps(xmm1, xmm2), &[ONES, d(x, 3.0)]), 0.0, "not selected");
    assert_eq!(of(|a| a.andnpd(xmm1, xmm2), &[d(x, 3.1), ONES]), Ok(UNKNOWN), "complement");
    assert_eq!(number(|a| a.orpd(xmm1, xmm2), &[d(-x, 3.0), SIGN]), -3.0, "-abs");
    assert_eq!(number(|a| a.orps(xmm1, xmm2), &[d(x, 3.0), SIGN]), 3.0, "-abs");
    assert_eq!(number(|a| a.por(xmm1, xmm2), &[NONE, d(x, 3.0)]), 3.0, "merged");
    assert_eq!(number(|a| a.orpd(xmm1, xmm2), &[d(x, 3.0), ONES]), 0.0, "a mask");
    assert_eq!(of(|a| a.orpd(xmm1, xmm2), &[d(x, 3.1), (1, 0)]), Ok(UNKNOWN), "digits changed");
    assert_eq!(
        number(|a| a.orpd(xmm1, xmm2), &[(0x0004_0000_0000_0000, 3.1f64.to_bits()), d(-8.0, 0.0)]),
        -24.8,
        "digits with an exponent"
    );
    assert_eq!(number(|a| a.xorps(xmm1, xmm2), &[d(x, 3.0), SIGN]), -3.0, "negated");
    assert_eq!(number(|a| a.pxor(xmm1, xmm2), &[d(x, 3.0), NONE]), 3.0, "not negated");
    assert_eq!(number(|a| a.xorpd(xmm1, xmm1), &[d(x, 3.0), d(x, 3.0)]), 0.0, "zero");
    assert_eq!(number(|a| a.xorpd(xmm1, xmm2), &[d(x, 3.0), d(x, 3.0)]), 0.0, "the same number");
    assert_eq!(of(|a| a.xorpd(xmm1, xmm2), &[d(x, 3.1), d(x, 4.1)]), Ok(UNKNOWN));
    assert_eq!(
        of(|a| a.xorps(xmm1, xmm2), &[s((1.0, 2.0), (3.0, 4.0)), (1 << 63, 0)]),
        Ok(s((0.0, 2.0), (0.0, -4.0)).1)
    );
    if !admachine::lacks_partly(&["avx512vl"]) {
        // The magnitude of the second, the sign of the third, by the mask that is the first.
        let copysign =
            |mask, x, sign| of(|a| a.vpternlogq(xmm1, xmm2, xmm3, 0xca), &[mask, x, sign]);
        assert_eq!(copysign(ABS, d(2.0, 3.0), d(-1.0, 0.0)).map(f64::from_bits), Ok(-3.0));
        assert_eq!(
            copysign(ABS, d(2.0, 3.0), d(-1.0, 5.0)),
            Ok((-3f64).to_bits()),
            "the sign of another active number"
        );
        assert_eq!(copysign(ONES, d(2.0, 3.0), d(-1.0, 5.0)).map(f64::from_bits), Ok(3.0));
        assert_eq!(copysign(NONE, d(2.0, 3.0), d(-1.0, 5.0)).map(f64::from_bits), Ok(5.0));
    }
}

#[test]
fn general_registers_carry_numbers() {
    let x = d(-1.25, 0.1);
    assert_eq!(number(|a| a.mov(rax, rcx), &[d(1.0, 2.0), x]), 0.1);
    assert_eq!(of(|a| a.mov(eax, ecx), &[d(1.0, 2.0), x]), Ok(x.1 & 0xffff_ffff));
    assert_eq!(of(|a| a.mov(ax, cx), &[(0, 0x1111_1111), (0, 0x2222)]), Ok(0x1111_2222));
    assert_eq!(of(|a| a.movzx(eax, cx), &[(0, u64::MAX), (0, 0x2222)]), Ok(0x2222));
    assert_eq!(of(|a| a.bswap(rax), &[(0, 0x0102_0304_0506_0708)]), Ok(0x0807_0605_0403_0201));
    assert_eq!(of(|a| a.bswap(eax), &[(0, 0x0506_0708)]), Ok(0x0807_0605));
    assert_eq!(number(|a| a.and(rax, rcx), &[x, ABS]), -0.1);
    assert_eq!(number(|a| a.btr(rax, 63), &[x]), -0.1);
    assert_eq!(number(|a| a.btc(rax, 63), &[x]), -0.1);
    assert_eq!(number(|a| a.bts(rax, 63), &[x]), 0.1);
    assert_eq!(of(|a| a.bts(rax, 3), &[x]), Ok(UNKNOWN));
    assert_eq!(of(|a| a.xor(eax, eax), &[x, x]), Ok(0));
    assert_eq!(of(|a| a.sub(rax, rax), &[x, x]), Ok(0));
    assert_eq!(number(|a| a.add(rax, rcx), &[x, NONE]), 0.1);
    assert_eq!(number(|a| a.add(rax, rcx), &[SIGN, x]), -0.1, "the sign changes");
    assert_eq!(number(|a| a.sub(rax, rcx), &[x, (2 << 52, 0)]), 0.025, "the exponent changes");
    assert_eq!(of(|a| a.sub(rax, rcx), &[(2 << 52, 0), x]), Err(Refusal::Active(1, "integer sum")));
    assert_eq!(of(|a| a.add(rax, rcx), &[x, (1, 0)]), Err(Refusal::Active(0, "integer sum")));
    assert_eq!(of(|a| a.add(rax, rcx), &[(1, 0), (2, 0)]), Ok(0));
    assert_eq!(of(|a| a.cmp(rax, rcx), &[x, NONE]), Ok(x.1), "not written");
    assert!(matches!(of(|a| a.mul(rcx), &[x]), Err(Refusal::Elsewhere(_))));
    // Taken apart into halves, and put together.
    let high = of(|a| a.shr(rax, 32), &[x]).unwrap();
    assert_eq!(high, x.1 >> 32);
    let back = of(|a| a.shl(rax, 32), &[(x.0 >> 32, high)]).unwrap();
    let low = of(|a| a.mov(eax, ecx), &[NONE, x]).unwrap();
    assert_eq!(
        of(|a| a.or(rax, rcx), &[(x.0 >> 32 << 32, back), (x.0 & 0xffff_ffff, low)]),
        Ok(x.1)
    );
    assert_eq!(of(|a| a.shr(rax, 52), &[x]), Ok(0), "sign and exponent");
    assert_eq!(of(|a| a.sar(rax, 52), &[x]), Ok(0), "sign and exponent");
    assert_eq!(of(|a| a.shr(rax, 51), &[x]), Err(Refusal::Active(0, "shift")));
    assert_eq!(of(|a| a.shr(eax, 19), &[x]), Err(Refusal::Active(0, "shift")));
    assert_eq!(of(|a| a.shr(rax, cl), &[x, (32, 0)]), Ok(x.1 >> 32));
    assert_eq!(of(|a| a.psrlq(xmm1, 32), &[x]), Ok(x.1 >> 32));
    assert_eq!(of(|a| a.psrlq(xmm1, 52), &[x]), Ok(0));
    // In vectors what is made of bits is unknown, not an error yet.
    assert_eq!(of(|a| a.psrlq(xmm1, 51), &[x]), Ok(u64::MAX));
    assert_eq!(of(|a| a.psrad(xmm1, 23), &[x]), Ok(0), "sign and exponent of floats");
    assert_eq!(
        of(|a| a.psrad(xmm1, 19), &[s((1.5, 0.1), (2.5, 0.0))]),
        Ok(0xffff_ffff),
        "nothing active went into the second"
    );
    assert_eq!(of(|a| a.psllq(xmm1, xmm2), &[x, (64, 0)]), Ok(0));
    assert_eq!(of(|a| a.pcmpeqd(xmm1, xmm2), &[x, x]), Ok(0));
    assert_eq!(of(|a| a.vptestmd(k2, xmm1, xmm2), &[NONE, x, x]), Ok(0));
    assert_eq!(of(|a| a.vp2intersectd(k2, xmm1, xmm2), &[NONE, x, x]), Ok(0));
    assert_eq!(of(|a| a.vp2intersectq(k2, xmm1, xmm2), &[NONE, x, x]), Ok(0));
    // A negative zero is inactive.
    assert_eq!(of(|a| a.paddq(xmm1, xmm2), &[d(1.0, -0.0), NONE]), Ok(0));
}

#[test]
fn sums_of_exponents_scale() {
    let x = d(-1.25, 0.1);
    let sum = |x: Word, c: u64| of(|a| a.paddq(xmm1, xmm2), &[x, (c, 0)]).map(f64::from_bits);
    let unknown = Ok(u64::MAX);
    let is_unknown = |sum: Result<f64, Refusal>| sum.map(f64::to_bits) == unknown;
    assert_eq!(sum(x, 0), Ok(0.1));
    assert_eq!(sum(x, 3 << 52), Ok(0.8));
    assert_eq!(sum(x, (3u64 << 52).wrapping_neg()), Ok(0.0125));
    assert_eq!(sum(d(1e-300, 1e-300), 1900 << 52), Ok(1e-300 * 2f64.powi(950) * 2f64.powi(950)));
    assert!(is_unknown(sum(x, (3 << 52) + 1)), "digits change");
    assert!(is_unknown(sum(x, 1024 << 52)), "too large");
    assert!(is_unknown(sum(d(0.0, 0.1), 1 << 52)), "zero is not scaled");
    assert!(is_unknown(sum(x, (1022u64 << 52).wrapping_neg())), "the dot would lose digits");
    assert_eq!(sum((0x3ff0_0000_0000_0000, x.1), 1 << 63), Ok(-0.1), "the sign changes");
    assert_eq!(of(|a| a.paddq(xmm1, xmm2), &[(2 << 52, 0), x]), Ok(0.4f64.to_bits()));
    assert_eq!(of(|a| a.psubq(xmm1, xmm2), &[x, (2 << 52, 0)]), Ok(0.025f64.to_bits()));
    assert_eq!(of(|a| a.psubq(xmm1, xmm2), &[(2 << 52, 0), x]), unknown);
    assert_eq!(of(|a| a.paddq(xmm1, xmm2), &[x, x]), unknown);
    // By halves: of a double the upper one has the exponent.
    assert_eq!(of(|a| a.paddd(xmm1, xmm2), &[x, (3 << 52, 0)]), Ok(0.8f64.to_bits()));
    assert_eq!(
        of(|a| a.paddd(xmm1, xmm2), &[x, (8 << 52, 0)]),
        Ok(25.6f64.to_bits()),
        "it could be two floats as well"
    );
    let pair = s((1.5, 0.1), (-2.5, 0.7));
    assert_eq!(
        of(|a| a.paddd(xmm1, xmm2), &[pair, ((2 << 23) | (1 << 55), 0)]),
        Ok(s((0.0, 0.4), (0.0, 1.4)).1)
    );
    assert_eq!(
        of(|a| a.psubd(xmm1, xmm2), &[pair, ((2 << 23) | (1 << 55), 0)]),
        Ok(s((0.0, 0.025), (0.0, 0.35)).1)
    );
    assert_eq!(of(|a| a.paddd(xmm1, xmm2), &[pair, (1, 0)]), unknown);
}

#[test]
fn cuts_at_the_point_make_integers() {
    const POINT: fn(u32) -> Word = |kept| (u64::MAX << (52 - kept), 0);
    let and = |x: Word, kept: u32| number(|a| a.and(rax, rcx), &[x, POINT(kept)]);
    for kept in [1, 5, 12, 31, 40] {
        let x = 2f64.powi(kept as i32) * 1.7;
        assert_eq!(and(d(x, 0.1), kept), 0.0, "towards zero");
        assert_eq!(
            number(|a| a.andpd(xmm1, xmm2), &[d(-x, 0.1), POINT(kept)]),
            0.0,
            "towards zero"
        );
        assert_eq!(
            number(|a| a.andnpd(xmm1, xmm2), &[(!POINT(kept).0, 0), d(x, 0.1)]),
            0.0,
            "towards zero"
        );
        assert_eq!(
            number(|a| a.andpd(xmm1, xmm2), &[d(2.0 * x, 0.1), POINT(kept)]),
            0.1,
            "elsewhere: shortened"
        );
    }
    assert!(
        and(d(1.7 * 2f64.powi(20), 0.1), 20).is_nan(),
        "the mask is one that is customary as a constant"
    );
    // The upper half of a double, alone: of 13.3 with three digits before the point, and two.
    let upper =
        |x: Word, mask: u32| of(|a| a.and(eax, ecx), &[(x.0 >> 32, x.1 >> 32), (mask.into(), 0)]);
    assert_eq!(upper(d(13.3, 0.1), 0xffff_ffff << 17), Ok(0));
    assert_eq!(upper(d(13.3, 0.1), 0xffff_ffff << 15), Ok(0.1f64.to_bits() >> 32));
    assert_eq!(upper(d(13.3, 0.1), 0x7ff0_0000), Ok(0), "its exponent");
    assert_eq!(upper(d(13.3, 0.1), 0x000f_ffff), Ok((0.1f64 / 8.0).to_bits() >> 32), "its digits");
    // A float, alone.
    let float = |x: f32, dot: f32, mask: u32| {
        of(|a| a.and(eax, ecx), &[(x.to_bits().into(), dot.to_bits().into()), (mask.into(), 0)])
    };
    assert_eq!(float(13.3, 0.1, 0xffff_ffff << 20), Ok(0));
    assert_eq!(float(13.3, 0.1, 0x807f_ffff), Ok((0.1f32 / 8.0).to_bits().into()));
}

#[test]
fn an_instruction_cuts_in_one_way() {
    let cuts = Cuts::default();
    assert_eq!(
        cuts.make_integer(0, Cut::AtPointByCustomaryMask { kept: 20 }),
        None,
        "it may be a constant"
    );
    assert_eq!(cuts.make_integer(0, Cut::AtPoint { kept: 5 }), Some(true));
    assert_eq!(
        cuts.make_integer(0, Cut::AtPointByCustomaryMask { kept: 20 }),
        Some(true),
        "it is none"
    );
    assert_eq!(cuts.make_integer(0, Cut::Elsewhere), None, "now it is one");
    assert_eq!(cuts.make_integer(1, Cut::Elsewhere), Some(false), "other formats are apart");
    let kept = Cuts::from_bits(cuts.bits());
    assert_eq!(
        kept.make_integer(1, Cut::AtPoint { kept: 5 }),
        Some(false),
        "a constant by chance at the point"
    );
}

#[test]
fn the_stack_computes_with_80_bits() {
    let dual = |x: f64, dot: f64| Dual { x: x.into(), dot: dot.into() };
    let result = |operation, a: (f64, f64), b: (f64, f64)| {
        let results = extended::dots(operation, dual(a.0, a.1), dual(b.0, b.1)).unwrap();
        (results.result.to_f64(), results.pushed.map(Extended::to_f64))
    };
    // Operation, the function, values.
    type Function = fn(f64, f64) -> f64;
    let smooth: [(X87, Function, f64, f64); 21] = [
        (X87::Add, |a, b| a + b, 1.3, 0.7),
        (X87::Sub, |a, b| a - b, 1.3, 0.7),
        (X87::SubReversed, |a, b| b - a, 1.3, 0.7),
        (X87::Mul, |a, b| a * b, 1.3, -0.7),
        (X87::Div, |a, b| a / b, 1.3, -0.7),
        (X87::DivReversed, |a, b| b / a, 1.3, -0.7),
        (X87::Sqrt, |a, _| a.sqrt(), 1.3, 0.7),
        (X87::Abs, |a, _| a.abs(), -1.3, 0.7),
        (X87::Negate, |a, _| -a, -1.3, 0.7),
        (X87::Round, |a, _| a.round(), 1.3, 0.7),
        (X87::Remainder, |a, b| a % b, 7.9, -0.7),
        (X87::RemainderNearest, |a, b| a - b * (a / b).round_ties_even(), 7.9, 0.7),
        (X87::Sin, |a, _| a.sin(), 1.3, 0.7),
        (X87::Cos, |a, _| a.cos(), 1.3, 0.7),
        (X87::Tan, |a, _| a.tan(), 1.3, 0.7),
        (X87::Atan, |a, b| b.atan2(a), -1.3, 0.7),
        (X87::Atan, |a, b| b.atan2(a), 0.3, -0.7),
        (X87::Exp2m1, |a, _| a.exp2() - 1.0, 0.6, 0.7),
        (X87::Log2, |a, b| b * a.log2(), 1.3, 0.7),
        (X87::Log2p1, |a, b| b * (1.0 + a).log2(), 0.2, 0.7),
        (X87::Scale, |a, b| a * b.trunc().exp2(), 1.3, -3.4),
    ];
    for (operation, f, a, b) in smooth {
        let (da, db, h) = (0.9, -1.7, 1e-6);
        let expected = (f(a + h * da, b + h * db) - f(a - h * da, b - h * db)) / (2.0 * h);
        let (dot, _) = result(operation, (a, da), (b, db));
        assert!(
            (dot - expected).abs() < 1e-8 * (1.0 + expected.abs()),
            "{operation:?}: {dot}, by differences {expected}"
        );
        assert_eq!(
            result(operation, (a, 0.0), (b, 0.0)).0.to_bits(),
            0,
            "{operation:?} of inactive operands"
        );
    }
    let (sine, cosine) = result(X87::SinCos, (1.3, 2.0), (0.0, 0.0));
    assert_eq!((sine, cosine), (2.0 * 1.3f64.cos(), Some(-2.0 * 1.3f64.sin())));
    assert_eq!(result(X87::Extract, (-12.0, 1.0), (0.0, 0.0)), (0.0, Some(0.125)));
    assert_eq!(
        result(X87::Sin, (1e30, 3.0), (0.0, 0.0)),
        (3.0, None),
        "out of range nothing happens"
    );
    assert_eq!(result(X87::Sqrt, (0.0, 0.0), (0.0, 0.0)).0, 0.0);
    assert_eq!(result(X87::Log2, (0.0, 0.0), (0.0, 0.0)).0, 0.0);
    // 1 + 2^-60 is no double.
    let fine = Dual { x: 1.0.into(), dot: Extended::from(1.0 + 0.5f64.powi(52)) };
    let third = Dual { x: 3.0.into(), dot: Extended::ZERO };
    let exact = extended::dots(X87::Div, fine, third).unwrap().result;
    let back = extended::dots(X87::Mul, Dual { x: 1.0.into(), dot: exact }, third).unwrap().result;
    assert_ne!(exact, Extended::from(exact.to_f64()), "a third needs all 80 bits");
    assert_eq!(back, fine.dot);
}

#[test]
fn gathers_and_scatters_take_shadows_from_shadow_memory() {
    if admachine::lacks(&["avx2"]) {
        return;
    }
    let made = |make: &dyn Fn(&mut CodeAssembler) -> Result<(), IcedError>| {
        let mut assembler = CodeAssembler::new(64).unwrap();
        make(&mut assembler).unwrap();
        assembler.instructions()[0]
    };
    let words = |w: [u64; 4]| {
        let mut bytes = [0; WIDTH];
        bytes.chunks_mut(8).zip(w).for_each(|(b, w)| b.copy_from_slice(&w.to_le_bytes()));
        bytes
    };
    let doubles = |x: [f64; 4]| words(x.map(f64::to_bits));
    let mut shadows: Vec<f64> = (0..10).map(|k| 0.5 + f64::from(k)).collect();
    let index = words([9, 0, 4, 4]);
    let plain = |dot| Operand { value: [0; WIDTH], dot };
    let mask = Operand { value: words([u64::MAX, 0, 1 << 63, 0]), dot: [0; WIDTH] };
    let gather = made(&|a| a.vgatherqpd_3(ymm1, qword_ptr(rax + ymm2 * 8), ymm3));
    let operands = [plain(doubles([1.0, 2.0, 3.0, 4.0])), Operand::default(), mask];
    // SAFETY: the array has what the indices name.
    let got =
        unsafe { tangent::dots_in_memory(&gather, &operands, 0, &index, shadows.as_ptr() as u64) };
    assert_eq!(got, Ok(doubles([9.5, 2.0, 4.5, 4.0])));
    assert!(matches!(tangent::dots(&gather, &operands, 0), Err(Refusal::Elsewhere(_))));
    if admachine::lacks_partly(&["avx512vl"]) {
        return;
    }
    let scatter = made(&|a| a.vscatterqpd(qword_ptr(rax + ymm2 * 8).k2(), ymm1));
    let operands = [Operand::default(), plain(doubles([1.25, 2.25, 3.25, 4.25]))];
    // SAFETY: the arrays have the elements that the indices name, and are of this test.
    unsafe {
        tangent::dots_in_memory(&scatter, &operands, 0b1011, &index, shadows.as_mut_ptr() as u64)
    }
    .unwrap();
    assert_eq!(shadows, [2.25, 1.5, 2.5, 3.5, 4.25, 5.5, 6.5, 7.5, 8.5, 1.25]);
    let gather = made(&|a| a.vgatherqpd(ymm1.k1(), qword_ptr(rax + ymm2 * 8)));
    let operands = [plain(doubles([1.0, 2.0, 3.0, 4.0])), Operand::default()];
    // SAFETY: the arrays have the elements that the indices name.
    let got = unsafe {
        tangent::dots_in_memory(&gather, &operands, 0b0110, &index, shadows.as_ptr() as u64)
    };
    assert_eq!(got, Ok(doubles([1.0, 2.25, 4.25, 4.0])));
}
