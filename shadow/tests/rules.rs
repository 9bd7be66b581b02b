//! Rules are complete: each form of an instruction that touches floating-point data has one, or is
//! refused for a reason that is written here.

#[path = "rules/cases.rs"]
mod cases;
#[path = "rules/forms.rs"]
mod forms;

use std::collections::BTreeMap;

use adshadow::rules::{
    self, Element, Lanes, Rule, Steering, X87,
    kinds::{Bitwise, Form},
    native::{OPERANDS, WIDTH},
    partials,
    tangent::{self, Operand, Refusal},
};
use forms::{Numbers, bytes, forms, numbers, register_bytes, run, touches_numbers, variants};
use iced_x86::{Code, Instruction, MemorySize, Mnemonic, OpCodeOperandKind, OpKind};

/// Reasons for refusal, and how many forms each has.
#[cfg(target_arch = "x86")]
const REFUSED: &[(&str, usize)] = &[
    (
        "16-bit numbers have no room for the index of a recording, and a tangent would lose digits",
        17,
    ),
    (
        "half precision has no room for the index of a recording, and a tangent would lose digits",
        246,
    ),
    ("it moves bit fields (SSE4a)", 4),
    ("it saves or restores registers in a format without shadows", 8),
    ("only discontinued processors have it (3DNow!)", 26),
    ("only discontinued processors have it (AVX-512 of Knights)", 6),
    ("only discontinued processors have it (Cyrix)", 12),
    ("only discontinued processors have it (FMA4, XOP)", 72),
    ("only discontinued processors have it (XOP)", 75),
];
/// The same in 64-bit mode.
#[cfg(target_arch = "x86_64")]
const REFUSED: &[(&str, usize)] = &[
    (
        "16-bit numbers have no room for the index of a recording, and a tangent would lose digits",
        17,
    ),
    (
        "half precision has no room for the index of a recording, and a tangent would lose digits",
        254,
    ),
    ("it moves bit fields (SSE4a)", 4),
    ("it saves or restores registers in a format without shadows", 10),
    ("only discontinued processors have it (3DNow!)", 24),
    ("only discontinued processors have it (AVX-512 of Knights)", 6),
    ("only discontinued processors have it (FMA4, XOP)", 72),
    ("only discontinued processors have it (XOP)", 75),
];

#[test]
fn each_form_has_a_rule() {
    let (mut counts, mut refused) =
        (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, usize>::new());
    let mut unknown = Vec::new();
    for code in forms().filter(|&c| touches_numbers(c)) {
        let rule = rules::rule(code);
        *counts.entry(rule.name()).or_default() += 1;
        match rule {
            Rule::Unknown => unknown.push(code),
            Rule::Refused(why) => *refused.entry(why).or_default() += 1,
            _ => {}
        }
    }
    println!("{counts:#?}\n{refused:#?}");
    assert!(unknown.is_empty(), "without a rule: {unknown:?}");
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), REFUSED);
    assert!(counts.values().sum::<usize>() > 3000, "all forms were looked at");
}

/// Instructions without numbers that are not expected in libraries: virtual machines, bounds (MPX),
/// keys, other processors. They are refused when they meet active data.
const NO_RULE: &[Mnemonic] = {
    use Mnemonic::*;
    &[
        Bndcl, Bndcn, Bndcu, Bndldx, Bndmk, Bndmov, Bndstx, Enclu, Enqcmd, Femms, Getsec, Lfs, Lgs,
        Lss, Mcommit, Monitor, Monitorx, Montmul, Mwait, Mwaitx, Pcommit, Ptwrite, Rdpmc, Rdpru,
        Rstorssp, Saveprevssp, Vmcall, Vmfunc, Vmmcall, Wrssd, Wrssq, Xcryptcbc, Xcryptcfb,
        Xcryptctr, Xcryptecb, Xcryptofb, Xsha1, Xsha256, Xstore, Xsusldtrk, Xresldtrk, Vmgexit,
        Getsecq, Undoc, Uiret, Testui, Clui, Stui, Senduipi, Ccs_hash, Ccs_encrypt, Xsha512,
        Xstore_alt, Xsha512_alt,
    ]
};

/// What compilers make of general registers has rules, too.
#[test]
fn general_instructions_have_rules() {
    let unknown: Vec<Mnemonic> = forms()
        .filter(|&c| {
            !c.op_code().is_privileged() && !touches_numbers(c) && rules::rule(c) == Rule::Unknown
        })
        .map(|c| c.mnemonic())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    if cfg!(target_arch = "x86") {
        // Some are of 64-bit mode, some of the first processors of 32 bits.
        use Mnemonic::{Altinst, Fnstdw, Fnstsg, Frstpm, Fstdw, Fstsg, Ibts, Jmpe, Umov, Xbts};
        let old = [Frstpm, Fstdw, Fstsg, Ibts, Jmpe, Umov, Xbts, Fnstdw, Fnstsg, Altinst];
        assert!(unknown.iter().all(|m| NO_RULE.contains(m) || old.contains(m)), "{unknown:?}");
    } else {
        assert_eq!(unknown, NO_RULE);
    }
    for code in [
        Code::Mov_r64_rm64,
        Code::Push_r64,
        Code::Add_rm64_r64,
        Code::Setb_rm8,
        Code::Movsq_m64_m64,
        Code::Call_rel32_64,
    ] {
        assert_ne!(rules::rule(code), Rule::Unknown, "{code:?}");
    }
    assert_eq!(rules::rule(Code::Movsd_m32_m32), Rule::MoveString);
    assert_eq!(rules::rule(Code::Movsd_xmm_xmmm64), Rule::Move(Steering::None));
    assert_eq!(rules::rule(Code::Cmpsd_m32_m32), Rule::Compare);
}

fn element_of(size: MemorySize) -> Element {
    match size.element_type() {
        MemorySize::Float16 => Element::F16,
        MemorySize::Float32 => Element::F32,
        MemorySize::Float64 => Element::F64,
        MemorySize::Float80 => Element::F80,
        _ => Element::Bits,
    }
}

/// The last two letters of a mnemonic say lanes and type.
#[test]
fn rules_agree_with_names() {
    let mut checked = 0;
    for code in forms().filter(|&c| touches_numbers(c)) {
        let rule = rules::rule(code);
        let Some(Form { element, lanes }) = rule.form() else { continue };
        let name = format!("{:?}", code.mnemonic());
        let expected = match (lanes, element) {
            _ if element == Element::Bits => continue,
            (Lanes::Packed, Element::F32) => "ps",
            (Lanes::Packed, Element::F64) => "pd",
            (Lanes::Scalar, Element::F32) => "ss",
            (Lanes::Scalar, Element::F64) => "sd",
            other => panic!("{code:?} {other:?}"),
        };
        assert!(name.ends_with(expected), "{name}: {rule:?}");
        checked += 1;
    }
    println!("{checked} forms");
    assert!(checked > 500);
}

#[test]
fn rules_agree_with_what_the_decoder_knows_of_memory() {
    let mut checked = 0;
    for code in forms().filter(|&c| touches_numbers(c)) {
        let form = code.op_code();
        let size = form.memory_size();
        let rule = rules::rule(code);
        if size == MemorySize::Unknown {
            continue;
        }
        let expected = match rule {
            Rule::Convert { from, .. } => Some(from),
            Rule::FromInteger(_)
            | Rule::Integer
            | Rule::AddInteger(_)
            | Rule::SubInteger(_)
            | Rule::X87(X87::FromInteger | X87::ToInteger) => Some(Element::Bits),
            // The table is one of integers.
            Rule::FixupImm(f) if element_of(size) != Element::Bits => Some(f.element),
            Rule::FixupImm(_) | Rule::ToInteger | Rule::Compare => None,
            _ => rule.form().map(|f| f.element),
        };
        let Some(expected) = expected else { continue };
        assert_eq!(element_of(size), expected, "{code:?}: {size:?} {rule:?}");
        if let Rule::FromInteger(f) | Rule::Convert { to: f, .. } = rule {
            assert_eq!(f.lanes == Lanes::Packed, size.is_packed(), "{code:?}: {size:?} {rule:?}");
        } else if let Some(f) = rule.form() {
            assert!(
                f.element == Element::Bits || (f.lanes == Lanes::Packed) == size.is_packed(),
                "{code:?}: {size:?} {rule:?}"
            );
        }
        checked += 1;
    }
    println!("{checked} forms");
    assert!(checked > 1000);
}

#[test]
fn arithmetic_agrees_with_central_differences() {
    let smooth = |rule| {
        matches!(
            rule,
            Rule::Add(_)
                | Rule::Sub(_)
                | Rule::AddSub(_)
                | Rule::Mul(_)
                | Rule::Div(_)
                | Rule::Sqrt(_)
                | Rule::Min(_)
                | Rule::Max(_)
                | Rule::Fma { .. }
                | Rule::HorizontalAdd(_)
                | Rule::HorizontalSub(_)
                | Rule::DotProduct(_)
                | Rule::Rounding(_)
                | Rule::Reduce(_)
                | Rule::ScaleByPower(_)
                | Rule::GetExponent(_)
                | Rule::GetMantissa(_)
                | Rule::Range(_)
        )
    };
    let mut seeds = Numbers(7);
    let mut ran = BTreeMap::<&str, usize>::new();
    for i in variants(&(0..=255).collect::<Vec<u8>>(), smooth) {
        let rule = rules::rule(i.code());
        let Some(Form { element, .. }) = rule.form() else { panic!("{i} has a type") };
        // Steps of rounding and signs that are no numbers are left out.
        let wanted = match rule {
            Rule::Rounding(_) | Rule::Reduce(_) => i.immediate8() < 4,
            Rule::GetMantissa(_) => i.immediate8() < 8,
            Rule::Range(_) => i.immediate8() < 16,
            _ => true,
        };
        if !wanted {
            continue;
        }
        *ran.entry(rule.name()).or_default() += 1;
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            *o = Operand {
                value: seeds.reals(element, k, matches!(rule, Rule::Sqrt(_))),
                dot: seeds.reals(element, k, false),
            };
        }
        let mask = seeds.next();
        let dots = tangent::dots(&i, &operands, mask).unwrap_or_else(|e| panic!("{i}: {e:?}"));
        // Float: 24 bits, of which differences lose half.
        let (h, tolerance) =
            if element == Element::F32 { (1.0 / 512.0, 2e-3) } else { (1e-6, 1e-7) };
        let moved = |h: f64| {
            let operands = operands.map(|o| {
                let (x, d) = (numbers(&o.value, element), numbers(&o.dot, element));
                bytes(&x.iter().zip(&d).map(|(x, d)| x + h * d).collect::<Vec<_>>(), element)
            });
            numbers(&run(&i, operands, mask), element)
        };
        let (above, below) = (moved(h), moved(-h));
        for (lane, dot) in numbers(&dots[..register_bytes()], element).into_iter().enumerate() {
            let expected = (above[lane] - below[lane]) / (2.0 * h);
            let error = (dot - expected).abs() / (1.0 + expected.abs());
            assert!(
                error < tolerance,
                "{i} lane {lane}: {dot}, by differences {expected}\n{rule:?} mask {mask:x} {operands:x?}"
            );
        }
    }
    println!("{ran:#?}");
    assert!(ran.len() >= 11 && ran.values().sum::<usize>() > 100);
}

/// Bitwise operations with constants that change signs, with masks and broadcasts, against
/// differences.
#[test]
fn signs_agree_with_central_differences() {
    let mut seeds = Numbers(19);
    let mut ran = 0;
    let is_logic = |r| matches!(r, Rule::Logic(Bitwise::And | Bitwise::AndNot | Bitwise::Or | Bitwise::Xor, f) if f.lanes == Lanes::Packed);
    for i in variants(&[0], is_logic) {
        let Rule::Logic(operation, _) = rules::rule(i.code()) else { unreachable!() };
        let element = if i.code().op_code().broadcast_memory_size().size() == 4 {
            Element::F32
        } else {
            Element::F64
        };
        let sign: &[u8] =
            if element == Element::F32 { &[0, 0, 0, 0x80] } else { &[0, 0, 0, 0, 0, 0, 0, 0x80] };
        let last = i.op_count() as usize - 1;
        let constant = if operation == Bitwise::AndNot { last - 1 } else { last };
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            *o = Operand {
                value: seeds.reals(element, k, false),
                dot: seeds.reals(element, k, false),
            };
            if k == constant {
                o.value = std::array::from_fn(|b| {
                    if operation == Bitwise::And {
                        !sign[b % sign.len()]
                    } else {
                        sign[b % sign.len()]
                    }
                });
                o.dot = [0; WIDTH];
            }
        }
        let mask = seeds.next();
        let dots = tangent::dots(&i, &operands, mask).unwrap_or_else(|e| panic!("{i}: {e:?}"));
        let h = 1.0 / 1024.0;
        let moved = |h: f64| {
            let mut values = operands.map(|o| o.value);
            for (k, o) in operands.iter().enumerate().filter(|&(k, _)| k != constant) {
                let (x, d) = (numbers(&o.value, element), numbers(&o.dot, element));
                values[k] =
                    bytes(&x.iter().zip(&d).map(|(x, d)| x + h * d).collect::<Vec<_>>(), element);
            }
            numbers(&run(&i, values, mask), element)
        };
        let (above, below) = (moved(h), moved(-h));
        for (lane, dot) in numbers(&dots[..register_bytes()], element).into_iter().enumerate() {
            let expected = (above[lane] - below[lane]) / (2.0 * h);
            // Float: 24 bits, of which differences lose half.
            assert!(
                (dot - expected).abs() < 1e-3,
                "{i} lane {lane}: {dot}, by differences {expected}"
            );
        }
        ran += 1;
    }
    println!("{ran} forms");
    assert!(ran >= 24);
}

/// Partials times dots are dots.
#[test]
fn partials_make_the_same_dots() {
    let mut seeds = Numbers(17);
    let mut ran = 0;
    for i in variants(&[0, 1, 0x31, 0xf3, 0xff], |r| r.form().is_some()) {
        let element = rules::rule(i.code()).form().unwrap().element;
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            *o = Operand {
                value: seeds.reals(element, k, true),
                dot: seeds.reals(element, k, false),
            };
        }
        let (mask, some) = (seeds.next(), seeds.next());
        let active = |k: usize, lane: usize| some >> (5 * k + lane % 5) & 1 == 1;
        let partials = match partials::partials(&i, &operands, mask, active) {
            Err(Refusal::Elsewhere(_)) => continue,
            other => other.unwrap_or_else(|e| panic!("{i}: {e:?}")),
        };
        // Those that are found at once are among them.
        let at_once = partials::computed(&i, &operands, mask, active).expect("as above");
        let is = |p: &partials::Partial, q: &partials::Partial| {
            (p.result, p.operand, p.lane) == (q.result, q.operand, q.lane) && p.value == q.value
        };
        assert!(
            at_once.iter().all(|p| partials.iter().any(|q| is(p, q))),
            "{i}: {at_once:?}, not {partials:?}"
        );
        let computed = |p: &&partials::Partial| at_once.iter().any(|q| q.result == p.result);
        assert!(
            partials.iter().filter(computed).all(|p| at_once.iter().any(|q| is(p, q))),
            "{i}: {at_once:?}, not {partials:?}"
        );
        for (k, o) in operands.iter_mut().enumerate() {
            let broadcast = i.is_broadcast()
                && i.op_count() as usize > k
                && i.op_kind(k as u32) == OpKind::Memory;
            let dots = numbers(&o.dot, element).into_iter().enumerate();
            let kept: Vec<f64> = dots
                .map(|(l, d)| if active(k, if broadcast { 0 } else { l }) { d } else { 0.0 })
                .collect();
            o.dot = bytes(&kept, element);
        }
        let mut sums = vec![0.0; WIDTH];
        for p in partials {
            sums[p.result] += p.value * numbers(&operands[p.operand].dot, element)[p.lane];
        }
        let dots = tangent::dots(&i, &operands, mask).unwrap_or_else(|e| panic!("{i}: {e:?}"));
        // Float: 24 bits, and sums of several products.
        let tolerance = if element == Element::F32 { 1e-5 } else { 1e-13 };
        for (dot, sum) in numbers(&dots, element).into_iter().zip(sums) {
            assert!(
                (dot - sum).abs() <= tolerance * (1.0 + dot.abs()),
                "{i}: {dot}, by partials {sum}"
            );
        }
        ran += 1;
    }
    println!("{ran} forms");
    assert!(ran > 200);
}

/// Data that differ in each byte come out with the shadows that they went in with.
#[test]
fn moves_take_shadows_along() {
    let mut seeds = Numbers(11);
    let (mut ran, mut names) = (0, std::collections::BTreeSet::new());
    for i in variants(&[0, 1, 2, 3, 4, 5, 8, 0x1b, 0x4e, 0x93, 0xb1, 0xe4, 0xff], |r| {
        matches!(r, Rule::Move(_))
    }) {
        let Rule::Move(steering) = rules::rule(i.code()) else { unreachable!() };
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            let steers =
                matches!(steering, Steering::Indices(n) | Steering::Mask(n) if usize::from(n) == k);
            o.value = std::array::from_fn(|_| seeds.next() as u8);
            if !steers || matches!(steering, Steering::Mask(_)) {
                o.dot = o.value.map(|b| b.rotate_left(3));
            }
        }
        let mask = seeds.next();
        let dots = match tangent::dots(&i, &operands, mask) {
            Ok(dots) => dots,
            Err(Refusal::Elsewhere(_)) => continue,
            Err(e) => panic!("{i}: {e:?}"),
        };
        let mut own = i;
        if steering == Steering::Indices(0) && i.has_op_mask() {
            // What stays of indices has no shadow.
            own.set_zeroing_masking(true);
        }
        let result = run(&own, operands.map(|o| o.value), mask);
        assert_eq!(dots, result.map(|b| b.rotate_left(3)), "{i} mask {mask:x}");
        ran += 1;
        names.insert(i.mnemonic());
    }
    println!("{ran} forms of {} instructions", names.len());
    assert!(names.len() > 30);
}

/// What meets nothing active leaves nothing active, in all forms.
#[test]
fn inactive_operands_make_inactive_results() {
    let mut seeds = Numbers(13);
    let mut ran = 0;
    for i in variants(&[0, 0x1b, 0xff], |r| !matches!(r, Rule::Refused(_))) {
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            o.value = seeds.reals(Element::F64, k, false);
        }
        match tangent::dots(&i, &operands, seeds.next()) {
            Ok(dots) => assert_eq!(dots, [0; WIDTH], "{i}"),
            Err(Refusal::Elsewhere(_)) => continue,
            Err(e) => panic!("{i}: {e:?}"),
        }
        ran += 1;
    }
    println!("{ran} forms");
    assert!(ran > 1000);
}

/// Bytes that come out as they went in, whatever they are, keep their shadows: no form clears lanes
/// that it does not write.
#[test]
fn what_is_not_written_stays_active() {
    let mut seeds = Numbers(23);
    let (mut ran, mut kept) = (0, 0);
    let is_of_interest = |r| !matches!(r, Rule::Refused(_) | Rule::X87(_));
    for i in variants(&[0, 0x1b, 0xff], is_of_interest)
        .into_iter()
        .filter(|i| i.op0_register().is_vector_register())
    {
        let mask = seeds.next();
        let mut trials = Vec::new();
        for _ in 0..24 {
            let values: [[u8; WIDTH]; OPERANDS] =
                std::array::from_fn(|_| std::array::from_fn(|_| seeds.next() as u8));
            trials.push((values, run(&i, values, mask)));
        }
        let mut operands = [Operand::default(); OPERANDS];
        for (k, o) in operands.iter_mut().enumerate() {
            *o = Operand {
                value: trials[0].0[k],
                dot: std::array::from_fn(|b| (b + 64 * k % 191) as u8 | 1),
            };
        }
        if let Rule::Move(Steering::Indices(k)) = rules::rule(i.code()) {
            operands[usize::from(k)].dot = [0; WIDTH];
        }
        let from = if i.op_count() > 2 { 2 } else { 1 };
        if matches!(rules::rule(i.code()), Rule::FromInteger(_)) {
            operands[from].dot = [0; WIDTH];
        }
        let Ok(dots) = tangent::dots(&i, &operands, mask) else { continue };
        let is_integer = matches!(
            rules::rule(i.code()),
            Rule::Integer | Rule::AddInteger(_) | Rule::SubInteger(_) | Rule::Shift(..)
        );
        let size = if rules::rule(i.code()).form().is_some_and(|f| f.element == Element::F64) {
            8
        } else {
            4
        };
        for at in (0..register_bytes()).step_by(size).map(|b| b..b + size) {
            for k in 0..i.op_count() as usize {
                // Integer arithmetic may leave what it does not know.
                if is_integer && dots[at.clone()].iter().all(|b| *b == 0xff) {
                    continue;
                }
                if trials.iter().all(|(values, result)| result[at.clone()] == values[k][at.clone()])
                {
                    assert_eq!(
                        dots[at.clone()],
                        operands[k].dot[at.clone()],
                        "{i}: bytes {at:?} of operand {k}, mask {mask:x}"
                    );
                    kept += 1;
                }
            }
        }
        ran += 1;
    }
    println!("{ran} forms, {kept} bytes");
    let least = if register_bytes() == 64 { 10_000 } else { 4_000 };
    assert!(ran > 1000 && kept > least);
}

/// What integer arithmetic makes of active data is refused or unknown, whichever operand is active,
/// in all forms: where the mask lets it be computed. A number that is extended is there still.
#[test]
fn integer_arithmetic_on_active_data_is_refused_or_unknown() {
    let mut ran = 0;
    for i in variants(&[0, 3], |r| {
        matches!(r, Rule::Integer | Rule::AddInteger(_) | Rule::SubInteger(_))
    }) {
        if rules::is_constant(&i) {
            continue;
        }
        let reads_first = i.op_count() == 2
            && i.code().op_code().op_kinds().last() != Some(&OpCodeOperandKind::imm8);
        let unary = i.op_count() == 2;
        for k in usize::from(!reads_first || unary)..i.op_count() as usize {
            if !matches!(i.op_kind(k as u32), OpKind::Register | OpKind::Memory) {
                continue;
            }
            let mut operands = [Operand::default(); OPERANDS];
            operands.iter_mut().for_each(|o| o.value = [0x3c; WIDTH]);
            operands[k].dot = [0x3c; WIDTH];
            match tangent::dots(&i, &operands, u64::MAX) {
                Err(Refusal::Active(at, "integer" | "integer sum")) => assert_eq!(at, k, "{i}"),
                Err(Refusal::Elsewhere(_)) => continue,
                Ok(dots) if is_moved(&i) => assert_eq!(dots[..4], [0x3c; 4], "{i}"),
                Ok(dots) if is_shifted_away(&i) => {
                    assert_eq!(dots, if k == 1 { [0; WIDTH] } else { dots }, "{i}")
                }
                Ok(dots) => {
                    let width = i.op0_register().size();
                    assert!(dots[..width].iter().all(|b| *b == 0xff), "{i} operand {k}: {dots:x?}");
                }
                other => panic!("{i} operand {k}: {other:?}"),
            }
            ran += 1;
        }
    }
    println!("{ran} operands");
    assert!(ran > 500);
}

fn is_moved(i: &Instruction) -> bool {
    use Mnemonic::*;
    matches!(i.mnemonic(), Pmovzxdq | Vpmovzxdq | Pmovsxdq | Vpmovsxdq | Vpmovqd)
}

/// Shifts by so many bits as the operands here say: nothing is left.
fn is_shifted_away(i: &Instruction) -> bool {
    use Mnemonic::*;
    matches!(i.mnemonic(), Vpsllvd | Vpsllvq | Vpsrlvd | Vpsrlvq | Vpsravd | Vpsravq)
}
