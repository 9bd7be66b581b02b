//! Random code of doubles, with what may come between an operation and what becomes of its result:
//! copies, packed operations, branches, loops, moves through general registers, flags that are
//! looked at later. Values, flags and registers are as without the translator; bars are those that
//! tangents have, input by input.

use std::fmt::Write;

use adshadow::{
    memory::{indices, space},
    recording,
    translate::Mode,
};

use super::compiled::{Library, adjoint, alone, entry};

/// Random numbers: xorshift.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next(all.len())]
    }

    /// What makes sums round is no active number: a tangent in another one's direction would not
    /// know.
    fn number(&mut self, is_active: bool) -> f64 {
        let special: &[f64] = if is_active {
            &[0.0, -0.0, 1.0, -1.0, 2.0, 0.5]
        } else {
            &[0.0, 1.0, -2.0, 6755399441055744.0, -4503599627370496.0, 3e12]
        };
        if self.next(8) == 0 {
            self.of(special)
        } else {
            self.next(1 << 20) as f64 / (1 << 18) as f64 - 2.0
        }
    }
}

/// Vector registers, and doubles in memory: what registers hold first, operands, what they hold
/// last; then flags and general registers.
const REGISTERS: usize = 10;
const OPERANDS: usize = 12;
const FIRST: usize = 0;
const MIDDLE: usize = 2 * REGISTERS;
const LAST: usize = MIDDLE + OPERANDS;
const DOUBLES: usize = LAST + 2 * REGISTERS;
const OTHERS: usize = 8;
const WORDS: usize = DOUBLES + OTHERS;

/// One instruction or a few. `label` is new.
fn step(seeds: &mut Numbers, is_vex: bool, label: usize) -> String {
    let (a, b, c) = (seeds.next(REGISTERS), seeds.next(REGISTERS), seeds.next(REGISTERS));
    let memory = 8 * (MIDDLE + seeds.next(OPERANDS));
    let aligned = 16 * (MIDDLE / 2 + seeds.next(OPERANDS / 2));
    let any = if seeds.next(3) == 0 { format!("{memory}(%rdi)") } else { format!("%xmm{b}") };
    let any_packed =
        if seeds.next(3) == 0 { format!("{aligned}(%rdi)") } else { format!("%xmm{b}") };
    let operation = seeds.of(&["add", "sub", "mul", "add", "sub", "mul", "div"]);
    match seeds.next(40) {
        0..=13 if is_vex => format!("v{operation}sd {any}, %xmm{c}, %xmm{a}"),
        0..=13 => format!("{operation}sd {any}, %xmm{a}"),
        14..=17 if is_vex => {
            let (name, order) = (
                seeds.of(&["fmadd", "fmsub", "fnmadd", "fnmsub"]),
                seeds.of(&["132", "213", "231"]),
            );
            format!("v{name}{order}sd {any}, %xmm{c}, %xmm{a}")
        }
        14..=17 => {
            format!("{} %xmm{b}, %xmm{a}", seeds.of(&["movapd", "movaps", "movdqa", "movupd"]))
        }
        18..=20 if is_vex => format!("vmovsd {memory}(%rdi), %xmm{a}"),
        18..=20 => format!("{} {memory}(%rdi), %xmm{a}", seeds.of(&["movsd", "movq"])),
        21..=23 if is_vex => format!("vmovsd %xmm{a}, {memory}(%rdi)"),
        21..=23 => format!("{} %xmm{a}, {memory}(%rdi)", seeds.of(&["movsd", "movlpd", "movq"])),
        24 if is_vex => format!("vmovapd %xmm{b}, %xmm{a}"),
        24 => format!("movapd %xmm{b}, %xmm{a}"),
        25 if is_vex => format!("v{operation}pd {any_packed}, %xmm{c}, %xmm{a}"),
        25 => format!("{operation}pd {any_packed}, %xmm{a}"),
        26 if is_vex => format!(
            "{} %xmm{b}, %xmm{c}, %xmm{a}",
            seeds.of(&["vunpcklpd", "vunpckhpd", "vmovsd", "vmovhlps"])
        ),
        26 => {
            format!("{} %xmm{b}, %xmm{a}", seeds.of(&["unpcklpd", "unpckhpd", "movsd", "movhlps"]))
        }
        27 if is_vex => format!("vmaxsd {any}, %xmm{c}, %xmm{a}"),
        27 => format!("{} {any}, %xmm{a}", seeds.of(&["minsd", "maxsd"])),
        28 if is_vex => format!("vxorpd %xmm{a}, %xmm{a}, %xmm{a}"),
        28 => format!("{} %xmm{a}, %xmm{a}", seeds.of(&["xorpd", "pxor", "xorps"])),
        29 if is_vex => format!("vmovhpd {memory}(%rdi), %xmm{b}, %xmm{a}"),
        29 => format!("{} {memory}(%rdi), %xmm{a}", seeds.of(&["movhpd", "movlpd"])),
        30 => format!(
            "movq {memory}(%rdi), %rax\\n movq %rax, {}(%rdi)",
            8 * (MIDDLE + seeds.next(OPERANDS))
        ),
        31 => format!("movq {}(%rdi), %rcx", 8 * (DOUBLES + 6)),
        32 => format!("cmpq ${}, %rdx", seeds.next(4)),
        33 => format!(
            "{} {}(%rdi)",
            seeds.of(&["setb", "sete", "sets", "seto"]),
            8 * DOUBLES + seeds.next(16)
        ),
        34 | 35 => {
            let other = step(seeds, is_vex, label + 1000);
            let (compare, jump) =
                (if is_vex { "vucomisd" } else { "ucomisd" }, seeds.of(&["ja", "jb", "jne", "jp"]));
            format!("{compare} {any}, %xmm{a}\\n {jump} 1{label}f\\n {other}\\n 1{label}:")
        }
        36 if is_vex => format!("vsqrtsd %xmm{b}, %xmm{c}, %xmm{a}"),
        36 => format!("sqrtsd {any}, %xmm{a}"),
        37 if is_vex => "vzeroupper".into(),
        37 => format!("cvtsi2sdq %rdx, %xmm{a}"),
        38 => "leaq 1(%rdx), %rdx".into(),
        _ if is_vex => format!("vmulpd %ymm{b}, %ymm{c}, %ymm{a}"),
        _ => format!("mulpd %xmm{b}, %xmm{a}"),
    }
}

fn function(seeds: &mut Numbers, k: usize, is_vex: bool) -> String {
    let mut code: Vec<String> = Vec::new();
    let (load, store) = if is_vex { ("vmovupd", "vmovupd") } else { ("movupd", "movups") };
    (0..REGISTERS)
        .for_each(|r| code.push(format!("{load} {}(%rdi), %xmm{r}", 8 * (FIRST + 2 * r))));
    code.extend([
        "movq %rdi, -120(%rsp)".into(),
        "movl $3, %ecx".into(),
        "movl $1, %edx".into(),
        "movl $7, %eax".into(),
        "cmpl $9, %eax".into(),
    ]);
    // Half of them have a loop, whose numbers live on from round to round.
    let is_loop = seeds.next(2) == 0;
    if is_loop {
        code.extend(["movl $3, %esi".into(), "77:".into()]);
    }
    (0..4 + seeds.next(36)).for_each(|label| code.push(step(seeds, is_vex, 10 + label)));
    if is_loop {
        code.extend(["decl %esi".into(), "jnz 77b".into()]);
    }
    let last = |k: usize| 8 * (DOUBLES + k);
    code.extend([
        format!("setb {}(%rdi)", last(2)),
        format!("movq %rcx, {}(%rdi)", last(3)),
        format!("movq %rdx, {}(%rdi)", last(4)),
    ]);
    code.extend(["movq -120(%rsp), %rcx".into(), format!("movq %rcx, {}(%rdi)", last(5))]);
    // Some are not looked at any more.
    let looked_at: Vec<usize> = (0..REGISTERS).filter(|_| seeds.next(3) > 0).collect();
    looked_at
        .iter()
        .for_each(|r| code.push(format!("{store} %xmm{r}, {}(%rdi)", 8 * (LAST + 2 * r))));
    code.extend(if is_vex {
        vec!["vzeroupper".to_string(), "ret".into()]
    } else {
        vec!["ret".into()]
    });
    let mut text = String::new();
    let lines: String = code.iter().map(|c| format!("\"{c}\\n\"")).collect();
    writeln!(text, "__asm__(\".globl code{k}\\n.type code{k}, @function\\ncode{k}:\\n\" {lines} \".size code{k}, .-code{k}\\n\");").expect("to a string");
    text
}

#[repr(C, align(64))]
#[derive(Clone)]
struct Memory([u64; WORDS]);

impl Memory {
    fn shadow(&self) -> *mut u64 {
        space::of(self.0.as_ptr() as u64) as *mut u64
    }
}

type Function = extern "C" fn(*mut u64);

fn code(address: u64) -> Function {
    // SAFETY: functions here have this signature, and so have their translations.
    unsafe { std::mem::transmute(address as *const ()) }
}

/// Runs it in a mode, with shadows before and after; memory afterwards.
fn run(f: Function, start: &Memory, shadows: &mut [u64; WORDS]) -> Memory {
    let mut memory = start.clone();
    // SAFETY: the shadow of the memory.
    unsafe {
        std::ptr::copy_nonoverlapping(shadows.as_ptr(), memory.shadow(), WORDS);
        f(memory.0.as_mut_ptr());
        std::ptr::copy_nonoverlapping(memory.shadow(), shadows.as_mut_ptr(), WORDS);
    }
    memory.0[DOUBLES + 5] = u64::from(memory.0[DOUBLES + 5] == memory.0.as_ptr() as u64);
    memory
}

fn weight(k: usize) -> f64 {
    ((k * 104_729) % 977) as f64 / 977.0 + 0.3
}

const FUNCTIONS: usize = 1200;

#[test]
fn random_code_has_the_bars_that_tangents_say_or_unknown_outputs() {
    let _alone = alone();
    let has_avx = !admachine::lacks_partly(&["avx2", "fma"]);
    let mut seeds = Numbers(0x9e37_79b9_7f4a_7c15);
    let source: String =
        (0..FUNCTIONS).map(|k| function(&mut seeds, k, has_avx && k % 2 == 1)).collect();
    let library = Library::new("statements", &source, &["-O1"]);
    space::install_on_thread().expect("shadow memory");
    let (mut compared, mut unknown, mut infinite, mut wrong) = (0, 0, 0, Vec::new());
    for k in 0..FUNCTIONS {
        let function = library.function(&format!("code{k}"));
        for round in 0..6 {
            let mut start = Memory([0; WORDS]);
            // None, all, or some are active.
            let active: Vec<usize> =
                (0..LAST).filter(|_| round > 0 && (round % 2 == 1 || seeds.next(3) > 0)).collect();
            (0..LAST).for_each(|j| start.0[j] = seeds.number(active.contains(&j)).to_bits());
            start.0[DOUBLES + 6] = 5;
            let native = run(code(function), &start, &mut [0; WORDS]);

            if std::env::var_os("SHOW").is_some() {
                println!(
                    "code{k} round {round}: {}",
                    source.lines().nth(k).unwrap_or("").replace("\\n", "\n").replace('"', "")
                );
            }
            let segment = recording::begin().expect("a segment");
            let mut shadows = [0; WORDS];
            let first = recording::inputs(LAST as u32).expect("indices");
            active.iter().for_each(|&j| shadows[j] = indices::of_double(first + j as u32));
            let memory = run(code(entry(function, Mode::Recording)), &start, &mut shadows);
            let text =
                || source.lines().nth(k).unwrap_or("").replace("\\n", "\n").replace("\"", "");
            assert!(
                memory.0 == native.0,
                "code{k} round {round}: {:x?} {:x?} {}",
                memory.0,
                native.0,
                text()
            );
            recording::end(&segment).expect("it was begun");
            let outputs: Vec<Option<u32>> =
                shadows[..DOUBLES].iter().map(|s| indices::index_of_double(*s)).collect();
            outputs
                .iter()
                .enumerate()
                .for_each(|(o, index)| recording::add_bar(index.unwrap_or(0), weight(o)));
            recording::evaluate(segment).expect("the last");
            let bars: Vec<f64> = active.iter().map(|&j| recording::bar(first + j as u32)).collect();
            if outputs.contains(&None) {
                // Halves of numbers, by moves of words.
                unknown += 1;
                continue;
            }
            let mut scale = 1.0f64;
            let tangent = code(entry(function, Mode::Tangent));
            let columns: Vec<f64> = active
                .iter()
                .map(|&j| {
                    let mut dots = [0; WORDS];
                    dots[j] = 1f64.to_bits();
                    run(tangent, &start, &mut dots);
                    let products = dots[..DOUBLES]
                        .iter()
                        .enumerate()
                        .map(|(o, dot)| weight(o) * f64::from_bits(*dot));
                    let (sum, size) = products
                        .fold((0.0, 0.0), |(sum, size): (f64, f64), p| (sum + p, size + p.abs()));
                    scale = scale.max(size);
                    sum
                })
                .collect();
            if !scale.is_finite() || scale > 1e12 || columns.iter().any(|c| !c.is_finite()) {
                continue;
            }
            compared += 1;
            // The root of x - x, or a quotient by it: two infinite bars of x, where a tangent has a
            // dot that is zero. Only such partials may do that.
            infinite += usize::from(bars.iter().any(|b| b.is_nan()));
            let is_infinite = |l: &str| {
                l.contains(&format!(".globl code{k}\\n"))
                    && (l.contains("sqrt") || l.contains("div"))
            };
            if columns.iter().zip(&bars).any(|(c, b)| {
                if b.is_nan() {
                    !source.lines().any(is_infinite)
                } else {
                    (c - b).abs() > 1e-9 * scale
                }
            }) {
                wrong.push(format!("code{k} round {round}: {columns:?}\n {bars:?}"));
            }
        }
    }
    println!("{compared} compared, {unknown} with halves, {infinite} with infinite bars");
    let text: Vec<&str> = wrong.iter().take(4).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}\n{}",
        wrong.len(),
        text.join("\n"),
        wrong.first().map_or("", |w| {
            let name = w.split(' ').next().unwrap_or("");
            source.lines().find(|l| l.contains(&format!(".globl {name}\\n"))).unwrap_or("")
        })
    );
    assert!(compared > 4 * FUNCTIONS && infinite < FUNCTIONS / 20, "{compared} {infinite}");
}

#[test]
fn zero_times_infinite_is_zero_in_expressions_too() {
    let _alone = alone();
    let source = "
    #include <math.h>
    double root(double x) { double r; __asm__(\"sqrtsd %1, %0\" : \"=x\"(r) : \"x\"(x)); return 0.0 * r + x; }
    double deep(double x) { double r; __asm__(\"sqrtsd %1, %0\" : \"=x\"(r) : \"x\"(x)); return (r * 0.0) * 3.0 + x * x; }
    ";
    let library = Library::new("infinite", source, &["-O1"]);
    assert_eq!(adjoint(library.function("root"), 0.0), (0.0, 1.0));
    assert_eq!(adjoint(library.function("deep"), 0.0), (0.0, 0.0));
}
