//! Every form that has inline code in a recording, against the slow path's partials, on random
//! operands with special values: results, registers' other lanes, flags and the stack are as
//! without the translator, bars those of the rules.

use adshadow::{
    memory::space,
    recording,
    rules::{power::Cuts, tangent::Operand},
    translate::{Mode, slow_path::record},
};
use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};

use super::compiled::{Library, alone, entry, state};

/// Vectors that a function loads, and where it leaves the result, flags and what it kept on the
/// stack.
const OPERANDS: usize = 3;
const VECTOR: usize = 64;
const RESULT: usize = OPERANDS * VECTOR;
const MEMORY: usize = RESULT + 2 * VECTOR;

/// A form: its instruction with operands in registers or the last in memory.
struct Form {
    text: String,
    width: usize,
    /// The number of the first register.
    first: usize,
    /// Which lanes are computed, if there is a mask.
    lanes: Option<u64>,
    is_vex: bool,
    is_double: bool,
    is_scalar: bool,
    /// Of operations on bits: the operand that is a mask, and the masks that are known.
    masks: Option<(usize, Vec<u64>)>,
}

/// Forms of AVX-512: with registers that others have not, and numbers that are spread.
fn forms_of_avx512() -> Vec<Form> {
    let mut all = Vec::new();
    if admachine::lacks_partly(&["avx512vl", "avx512bw", "avx512dq"]) {
        return all;
    }
    for (r, width) in [("xmm", 16), ("ymm", 32), ("zmm", 64)] {
        for kind in ["sd", "ss", "pd", "ps"] {
            let (is_scalar, is_double) = (kind.starts_with('s'), kind.ends_with('d'));
            if is_scalar && width > 16 {
                continue;
            }
            let spread = format!("{{1to{}}}", width / if is_double { 8 } else { 4 });
            for last in 0..if is_scalar { 2 } else { 5 } {
                let first = if last == 1 { 0 } else { 16 };
                let lanes = (last > 2).then_some(0x5a36);
                let mask = ["", "", "", "{%k2}", "{%k2}{z}"][last];
                let (r0, r1) = (format!("%{r}{first}{mask}"), format!("%{r}{}", first + 1));
                let mut add = |text: String| {
                    all.push(Form {
                        text: format!("{{evex}} {text}"),
                        width,
                        first,
                        lanes,
                        is_vex: true,
                        is_double,
                        is_scalar,
                        masks: None,
                    })
                };
                let last = |k: usize| match last {
                    0 | 3 | 4 => format!("%{r}{}", first + k),
                    1 => format!("{}(%rdi)", VECTOR * k),
                    _ => format!("{}(%rdi){spread}", VECTOR * k),
                };
                for name in ["add", "sub", "mul", "div"] {
                    add(format!("v{name}{kind} {}, {r1}, {r0}", last(2)));
                }
                add(if is_scalar {
                    format!("vsqrt{kind} {}, {r1}, {r0}", last(2))
                } else {
                    format!("vsqrt{kind} {}, {r0}", last(1))
                });
                if is_scalar {
                    let other = if is_double { "cvtsd2ss" } else { "cvtss2sd" };
                    add(format!("v{other} {}, {r1}, {r0}", last(2)));
                }
                for name in ["madd", "msub", "nmadd", "nmsub"] {
                    for order in ["132", "213", "231"] {
                        add(format!("vf{name}{order}{kind} {}, {r1}, {r0}", last(2)));
                    }
                }
            }
        }
    }
    let (ones, sign) = (u64::MAX, 1 << 63);
    for (r, width) in [("xmm", 16), ("ymm", 32), ("zmm", 64)] {
        for (name, masks) in [
            ("and", vec![0, ones, ones ^ sign]),
            ("andn", vec![0, ones, sign]),
            ("or", vec![0]),
            ("xor", vec![0, sign]),
        ] {
            for (verb, kind, is_double) in
                [("v", "pd", true), ("v", "ps", false), ("vp", "q", true), ("vp", "d", true)]
            {
                let text = format!("{{evex}} {verb}{name}{kind} %{r}18, %{r}17, %{r}16");
                // The first operand of `andn` is the mask, of others the last.
                let mask = 1 + usize::from(name != "andn");
                all.push(Form {
                    text,
                    width,
                    first: 16,
                    lanes: None,
                    is_vex: true,
                    is_double,
                    is_scalar: false,
                    masks: Some((mask, masks.clone())),
                });
            }
        }
    }
    all
}

/// Conversions of several numbers.
fn conversions(has_avx: bool) -> Vec<Form> {
    let mut all = vec![
        ("cvtps2pd %xmm1, %xmm0", 16, false),
        ("cvtps2pd 64(%rdi), %xmm0", 16, false),
        ("cvtpd2ps %xmm1, %xmm0", 16, true),
        ("cvtpd2ps 64(%rdi), %xmm0", 16, true),
    ];
    if has_avx {
        all.extend([
            ("vcvtps2pd %xmm1, %xmm0", 16, false),
            ("vcvtps2pd %xmm1, %ymm0", 32, false),
            ("vcvtps2pd 64(%rdi), %ymm0", 32, false),
        ]);
        all.extend([
            ("vcvtpd2ps %xmm1, %xmm0", 16, true),
            ("vcvtpd2ps %ymm1, %xmm0", 32, true),
            ("vcvtpd2psy 64(%rdi), %xmm0", 32, true),
        ]);
    }
    if !admachine::lacks_partly(&["avx512bw", "avx512dq"]) {
        all.extend([
            ("vcvtps2pd %ymm1, %zmm0", 64, false),
            ("vcvtps2pd 64(%rdi), %zmm0", 64, false),
            ("vcvtpd2ps %zmm1, %ymm0", 64, true),
            ("vcvtpd2ps 64(%rdi), %ymm0", 64, true),
        ]);
    }
    let form = |(text, width, is_double): (&str, usize, bool)| Form {
        text: text.into(),
        width,
        first: 0,
        lanes: None,
        is_vex: text.starts_with('v'),
        is_double,
        is_scalar: false,
        masks: None,
    };
    all.into_iter().map(form).collect()
}

fn forms() -> Vec<Form> {
    let mut all = forms_of_avx512();
    let has_avx = !admachine::lacks_partly(&["avx2", "fma"]);
    all.extend(conversions(has_avx));
    let widths: &[(bool, bool)] =
        if has_avx { &[(false, false), (true, false), (true, true)] } else { &[(false, false)] };
    for &(is_vex, is_wide) in widths {
        for kind in ["sd", "ss", "pd", "ps"] {
            let (is_scalar, is_double) = (kind.starts_with('s'), kind.ends_with('d'));
            if is_scalar && is_wide {
                continue;
            }
            let r = if is_wide { "ymm" } else { "xmm" };
            for in_memory in [false, true] {
                let mut add = |text: String| {
                    all.push(Form {
                        text,
                        width: if is_wide { 32 } else { 16 },
                        first: 0,
                        lanes: None,
                        is_vex,
                        is_double,
                        is_scalar,
                        masks: None,
                    })
                };
                let last = |k: usize| {
                    if in_memory { format!("{}(%rdi)", VECTOR * k) } else { format!("%{r}{k}") }
                };
                for name in ["add", "sub", "mul", "div", "min", "max"] {
                    add(if is_vex {
                        format!("v{name}{kind} {}, %{r}1, %{r}0", last(2))
                    } else {
                        format!("{name}{kind} {}, %xmm0", last(1))
                    });
                }
                add(match (is_vex, is_scalar) {
                    (true, true) => format!("vsqrt{kind} {}, %xmm1, %xmm0", last(2)),
                    (true, false) => format!("vsqrt{kind} {}, %{r}0", last(1)),
                    (false, _) => format!("sqrt{kind} {}, %xmm0", last(1)),
                });
                if is_scalar {
                    let other = if is_double { "cvtsd2ss" } else { "cvtss2sd" };
                    add(if is_vex {
                        format!("v{other} {}, %xmm1, %xmm0", last(2))
                    } else {
                        format!("{other} {}, %xmm0", last(1))
                    });
                }
                for predicate in [1, 4] {
                    add(if is_vex {
                        format!("vcmp{kind} ${predicate}, {}, %{r}1, %{r}0", last(2))
                    } else {
                        format!("cmp{kind} ${predicate}, {}, %xmm0", last(1))
                    });
                }
                if is_vex && !is_scalar {
                    add(format!("vblendv{kind} %{r}2, {}, %{r}1, %{r}0", last(0)));
                }
                if is_vex {
                    for name in ["madd", "msub", "nmadd", "nmsub"] {
                        for order in ["132", "213", "231"] {
                            add(format!("vf{name}{order}{kind} {}, %{r}1, %{r}0", last(2)));
                        }
                    }
                }
            }
        }
    }
    let (ones, sign) = (u64::MAX, 1 << 63);
    for &(is_vex, is_wide) in widths {
        for (name, masks) in [
            ("and", vec![0, ones, ones ^ sign]),
            ("andn", vec![0, ones, sign]),
            ("or", vec![0]),
            ("xor", vec![0, sign]),
        ] {
            for is_double in [true, false] {
                let kind = if is_double { "pd" } else { "ps" };
                let r = if is_wide { "ymm" } else { "xmm" };
                let text = if is_vex {
                    format!("v{name}{kind} %{r}2, %{r}1, %{r}0")
                } else {
                    format!("{name}{kind} %xmm1, %xmm0")
                };
                // The first operand of `andn` is the mask, of others the last.
                let mask = usize::from(is_vex) + usize::from(name != "andn");
                all.push(Form {
                    text,
                    width: if is_wide { 32 } else { 16 },
                    first: 0,
                    lanes: None,
                    is_vex,
                    is_double,
                    is_scalar: false,
                    masks: Some((mask, masks.clone())),
                });
            }
        }
    }
    all
}

/// Instructions before the one that is tested.
fn before(form: &Form) -> Vec<String> {
    let (load, r) = match (form.is_vex, form.width) {
        (_, 64) => ("vmovups", "zmm"),
        (_, 32) => ("vmovups", "ymm"),
        (true, _) => ("vmovups", "xmm"),
        (false, _) => ("movups", "xmm"),
    };
    let mut code: Vec<String> = (0..OPERANDS)
        .map(|k| format!("{load} {}(%rdi), %{r}{}", VECTOR * k, form.first + k))
        .collect();
    if let Some(lanes) = form.lanes {
        code.extend([format!("movl ${lanes}, %eax"), "kmovd %eax, %k2".into()]);
    }
    code.extend(["movq %rdi, -120(%rsp)".into(), "movl $1, %eax".into(), "cmpl $2, %eax".into()]);
    code
}

fn source(forms: &[Form]) -> String {
    let mut text = String::new();
    for (k, form, needs_flags) in
        forms.iter().enumerate().flat_map(|(k, form)| [(k, form, true), (k, form, false)])
    {
        let store = match (form.is_vex, form.width) {
            (_, 64) => "vmovups %zmm",
            (_, 32) => "vmovups %ymm",
            (true, _) => "vmovups %xmm",
            (false, _) => "movups %xmm",
        };
        let mut code = before(form);
        code.push(form.text.clone());
        if !needs_flags {
            // Nobody looks at those of before: other code is written then.
            code.push("cmpl $2, %eax".into());
        }
        let name = name(k, needs_flags);
        code.extend([
            format!("setb {}(%rdi)", RESULT + VECTOR),
            format!("seto {}(%rdi)", RESULT + VECTOR + 1),
            format!("sets {}(%rdi)", RESULT + VECTOR + 2),
            "movq -120(%rsp), %rax".into(),
            format!("movq %rax, {}(%rdi)", RESULT + VECTOR + 8),
            format!("{store}{}, {RESULT}(%rdi)", form.first),
            "ret".into(),
        ]);
        let lines: String = code.iter().map(|c| format!("\"{c}\\n\"")).collect();
        text += &format!(
            "__asm__(\".globl {name}\\n.type {name}, @function\\n{name}:\\n\" {lines} \".size {name}, .-{name}\\n\");\n"
        );
    }
    text
}

/// The function of a form, where flags are needed behind it and where they are not.
fn name(k: usize, needs_flags: bool) -> String {
    format!("form{k}{}", if needs_flags { "" } else { "_free" })
}

/// The instruction that a function tests.
fn instruction(function: u64, form: &Form) -> Instruction {
    // SAFETY: code of a library, longer than that.
    let bytes = unsafe { std::slice::from_raw_parts(function as *const u8, 64) };
    Decoder::with_ip(64, bytes, function, DecoderOptions::NONE)
        .into_iter()
        .nth(before(form).len())
        .expect("an instruction")
}

fn double() -> impl Strategy<Value = f64> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        4_503_599_627_370_496.0,
        -6_755_399_441_055_744.0,
        1_649_267_441_664.0,
        0.3,
        1e300,
        -1e-300,
    ];
    proptest::prop_oneof![3 => -10.0..10.0, 2 => proptest::sample::select(special.to_vec())]
}

fn float() -> impl Strategy<Value = f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        f32::INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        1e-45,
        f32::MAX,
        8_388_608.0,
        12_582_912.0,
        -12_582_912.0,
        0.3,
        1e30,
    ];
    proptest::prop_oneof![3 => -10f32..10.0, 2 => proptest::sample::select(special.to_vec())]
}

#[repr(C, align(64))]
struct Memory([u8; MEMORY]);

/// Which lanes are active, of each operand.
type Active = [[bool; 16]; OPERANDS];

#[test]
fn inline_code_agrees_with_the_slow_path() {
    let _alone = alone();
    let forms = forms();
    let library = Library::new("shapes", &source(&forms), &["-O1"]);
    let mut runner = TestRunner::deterministic();
    let mut recorded = 0;
    for (k, form, needs_flags) in
        forms.iter().enumerate().flat_map(|(k, form)| [(k, form, true), (k, form, false)])
    {
        let function = library.function(&name(k, needs_flags));
        let i = instruction(function, form);
        let translated = entry(function, Mode::Recording);
        for round in 0..60 {
            let lanes = if form.is_double { 8 } else { 4 };
            let mut memory = Memory([0; MEMORY]);
            for at in (0..RESULT).step_by(lanes) {
                if form.is_double {
                    let x = double().new_tree(&mut runner).expect("a number").current();
                    memory.0[at..at + 8].copy_from_slice(&x.to_le_bytes());
                } else {
                    let x = float().new_tree(&mut runner).expect("a number").current();
                    memory.0[at..at + 4].copy_from_slice(&x.to_le_bytes());
                }
            }
            // None, all, or some.
            let some: Active =
                proptest::array::uniform3(proptest::array::uniform16(proptest::bool::ANY))
                    .new_tree(&mut runner)
                    .expect("bits")
                    .current();
            let mut active = some.map(|o| o.map(|bit| round % 4 == 1 || round % 4 > 1 && bit));
            if let Some((mask, known)) = &form.masks {
                active[*mask] = [false; 16];
                for (k, lane) in
                    memory.0[VECTOR * mask..VECTOR * (mask + 1)].chunks_exact_mut(lanes).enumerate()
                {
                    lane.copy_from_slice(
                        &known[(k + round) % known.len()].to_le_bytes()[8 - lanes..],
                    );
                }
            }
            recorded += usize::from(round % 4 != 0);
            check(form, &i, (function, translated), &memory, &active);
        }
    }
    assert!(recorded > 10_000, "{recorded}");
}

/// Makes the shadows of the operands in a buffer, and says which indices they have.
fn number(active: &Active, is_double: bool) -> ([u8; RESULT], Vec<u32>) {
    let (mut shadow, mut inputs) = ([0; RESULT], Vec::new());
    let size = if is_double { 8 } else { 4 };
    for at in (0..RESULT).step_by(size) {
        if active[at / VECTOR][at % VECTOR / size] {
            let index = recording::inputs(1).expect("an index");
            record::put(index, &mut shadow[at..], size);
            inputs.push(index);
        } else {
            inputs.push(0);
        }
    }
    (shadow, inputs)
}

/// Evaluates the segment with all numbers of a result seeded: the bars of the inputs.
fn bars(segment: recording::Segment, result: &[u8], size: usize, inputs: &[u32]) -> Vec<f64> {
    recording::end(&segment).expect("it was begun");
    for number in result.chunks_exact(size) {
        recording::add_bar(record::index(number, size).expect("an index"), 1.0);
    }
    recording::evaluate(segment).expect("the last");
    inputs.iter().map(|&i| recording::bar(i)).collect()
}

fn check(
    form: &Form,
    i: &Instruction,
    (function, translated): (u64, u64),
    start: &Memory,
    active: &Active,
) {
    type Function = extern "C" fn(*mut u8);
    // SAFETY: both have this signature.
    let [native, translated] = [function, translated]
        .map(|f| unsafe { std::mem::transmute::<*const (), Function>(f as *const ()) });
    let mut expected = Memory(start.0);
    native(expected.0.as_mut_ptr());
    let width = form.width;
    let context = || format!("{} {active:?} {:?}", form.text, &start.0[..RESULT]);

    let mut memory = Memory(start.0);
    let shadow = space::of(memory.0.as_ptr() as u64) as *mut u8;
    let segment = recording::begin().expect("a segment");
    let (own, inputs) = number(active, form.is_double);
    // SAFETY: the shadow of the buffer.
    let result = unsafe {
        shadow.write_bytes(0, MEMORY);
        std::ptr::copy_nonoverlapping(own.as_ptr(), shadow, RESULT);
        translated(memory.0.as_mut_ptr());
        std::slice::from_raw_parts(shadow.add(RESULT), width).to_vec()
    };
    let address = |m: &Memory| (RESULT + VECTOR + 8, (m.0.as_ptr() as u64).to_le_bytes());
    let (at, own_address) = address(&memory);
    assert_eq!(memory.0[at..at + 8], own_address, "below the stack pointer: {}", context());
    memory.0[at..at + 8].copy_from_slice(&address(&expected).1);
    assert!(
        memory.0 == expected.0,
        "{}: {:?} {:?}",
        context(),
        &memory.0[RESULT..],
        &expected.0[RESULT..]
    );
    let converts = form.text.contains("cvt");
    // A conversion's result has the first number in the other width.
    let size_of = |at: usize| match (converts && at == 0, form.is_double) {
        (false, true) | (true, false) => 8,
        (false, false) | (true, true) => 4,
    };
    let is_mixed = converts && form.is_scalar;
    let found = if is_mixed {
        // Numbers beside the first may be halves of others: only that is looked at.
        bars(segment, &result[..size_of(0)], size_of(0), &inputs)
    } else {
        bars(segment, &result, size_of(0), &inputs)
    };

    let segment = recording::begin().expect("a segment");
    let (own, inputs) = number(active, form.is_double);
    let operands: Vec<Operand> = (0..i.op_count())
        .map(|k| {
            let mut operand = Operand::default();
            let (at, bytes) = match i.op_kind(k) {
                OpKind::Register => (VECTOR * (i.op_register(k).number() - form.first), width),
                _ => (i.memory_displacement64() as usize, i.memory_size().size()),
            };
            operand.value[..bytes].copy_from_slice(&start.0[at..at + bytes]);
            operand.dot[..bytes].copy_from_slice(&own[at..at + bytes]);
            operand
        })
        .collect();
    let slow =
        record::shadow(i, &operands, form.lanes.unwrap_or(u64::MAX), state(), &Cuts::default())
            .unwrap_or_else(|e| panic!("{e}: {}", context()));
    let wanted =
        bars(segment, &slow[..if is_mixed { size_of(0) } else { width }], size_of(0), &inputs);
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    assert!(
        found.iter().zip(&wanted).all(|(a, b)| same(*a, *b)),
        "{}: {found:?} {wanted:?}",
        context()
    );
}
