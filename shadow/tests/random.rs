//! Random instructions, in all forms that have rules: run as they are and under the translator, alone and in sequences. Registers, flags and memory must be
//! the same bits, and dots those that the rules say, instruction by instruction.

#[path = "rules/forms.rs"]
#[allow(dead_code)] // `rules.rs` uses the rest.
mod forms;

use std::{collections::BTreeMap, path::PathBuf, process::Command};

use adshadow::{
    emit::Mode,
    engine,
    mirror::space::{self, DISTANCE},
    rules::{
        self, Element, Rule,
        native::{self, OPERANDS, WIDTH},
        tangent::{self, Operand},
    },
};
use forms::{Numbers, forms, instruction, variants};
use iced_x86::{Code, ConditionCode, Encoder, Instruction, InstructionInfoFactory, MemoryOperand, Mnemonic, OpAccess, OpKind, Register};

/// All that instructions read and write.
#[repr(C, align(64))]
#[derive(Clone, PartialEq)]
struct Frame {
    vectors: [[u8; 64]; 32],
    general: [u64; 16],
    flags: u64,
    masks: [u64; 8],
    target: u64,
    pad: [u64; 6],
    memory: [u8; 256],
}

impl Frame {
    fn zero() -> Box<Self> {
        Box::new(Self {
            vectors: [[0; 64]; 32],
            general: [0; 16],
            flags: 0,
            masks: [0; 8],
            target: 0,
            pad: [0; 6],
            memory: [0; 256],
        })
    }
}

const FLAGS: usize = std::mem::offset_of!(Frame, flags);
const MEMORY: usize = std::mem::offset_of!(Frame, memory);
/// Status flags that instructions define.
const STATUS: u64 = 0x8d5;

/// Loads all registers from the frame, calls the target, stores all.
fn driver() -> String {
    let (general, masks, target) = (
        std::mem::offset_of!(Frame, general),
        std::mem::offset_of!(Frame, masks),
        std::mem::offset_of!(Frame, target),
    );
    let saved = ["rbx", "rbp", "r12", "r13", "r14", "r15"];
    let names = [
        "rax", "rcx", "rdx", "rbx", "", "", "rsi", "", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    ];
    let mut text = String::from(".intel_syntax noprefix\n.text\n.globl driver\ndriver:\n");
    saved.iter().for_each(|r| text += &format!("push {r}\n"));
    (0..32).for_each(|n| text += &format!("vmovups zmm{n}, [rdi + {}]\n", 64 * n));
    (1..8).for_each(|n| text += &format!("kmovq k{n}, [rdi + {}]\n", masks + 8 * n));
    let at = |n: usize| general + 8 * n;
    names
        .iter()
        .enumerate()
        .filter(|(_, r)| !r.is_empty())
        .for_each(|(n, r)| text += &format!("mov {r}, [rdi + {}]\n", at(n)));
    text += &format!("call [rdi + {target}]\n");
    names
        .iter()
        .enumerate()
        .filter(|(_, r)| !r.is_empty())
        .for_each(|(n, r)| text += &format!("mov [rdi + {}], {r}\n", at(n)));
    (0..32).for_each(|n| text += &format!("vmovups [rdi + {}], zmm{n}\n", 64 * n));
    (1..8).for_each(|n| text += &format!("kmovq [rdi + {}], k{n}\n", masks + 8 * n));
    text += "vzeroupper\n";
    saved.iter().rev().for_each(|r| text += &format!("pop {r}\n"));
    text + "ret\n.globl code\n.balign 64\ncode: .incbin "
}

/// Functions of one or more instructions each, in a library; returns the driver and the functions.
fn library(name: &str, functions: &[Vec<Instruction>]) -> (u64, Vec<u64>) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let flags = MemoryOperand::with_base_displ(Register::RDI, FLAGS as i64);
    let (mut code, mut starts) = (Vec::new(), Vec::new());
    for function in functions {
        starts.push(code.len() as u64);
        let mut all = vec![
            Instruction::with1(Code::Push_rm64, flags).expect("a push"),
            Instruction::with(Code::Popfq),
        ];
        all.extend(function);
        if starts.len() % 2 == 0 {
            // Nobody looks at the flags of the instructions: other code is written for them then.
            all.push(Instruction::with2(Code::Cmp_r64_rm64, Register::RDI, Register::RDI).expect("a comparison"));
        }
        all.extend([
            Instruction::with(Code::Pushfq),
            Instruction::with1(Code::Pop_rm64, flags).expect("a pop"),
            Instruction::with(Code::Retnq),
        ]);
        let mut encoder = Encoder::new(64);
        for i in &all {
            encoder.encode(i, 0).unwrap_or_else(|e| panic!("{i}: {e}"));
        }
        code.extend(encoder.take_buffer());
    }
    let (bytes, source, library) = (
        folder.join(format!("{name}.bin")),
        folder.join(format!("{name}.s")),
        folder.join(format!("lib{name}.so")),
    );
    std::fs::write(&bytes, code).expect("written");
    std::fs::write(&source, format!("{}\"{}\"\n", driver(), bytes.display())).expect("written");
    let done = Command::new("gcc")
        .args(["-shared", "-nostdlib", "-o"])
        .arg(&library)
        .arg(&source)
        .output()
        .expect("gcc is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let path = std::ffi::CString::new(library.to_str().expect("a path")).expect("a path");
    // SAFETY: a library of functions without initialisers.
    let [driver, code] = unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!handle.is_null());
        [c"driver", c"code"].map(|s| libc::dlsym(handle, s.as_ptr()) as u64)
    };
    (driver, starts.into_iter().map(|s| code + s).collect())
}

/// Runs a function as it is.
fn run(driver: u64, function: u64, frame: &mut Frame) {
    frame.target = function;
    // SAFETY: the driver takes a frame.
    unsafe { std::mem::transmute::<*const (), extern "C" fn(*mut Frame)>(driver as *const ())(frame) };
}

fn shadow_of(frame: &mut Frame) -> *mut Frame {
    ((&raw mut *frame) as u64).wrapping_add(DISTANCE) as *mut Frame
}

/// Runs it under the translator; `dots` go in and come out.
fn run_translated(entry: u64, function: u64, frame: &mut Frame, dots: &mut Frame) {
    frame.target = function;
    let shadow = shadow_of(frame);
    // SAFETY: shadow memory of the frame; the entry has the driver's signature.
    unsafe {
        std::ptr::copy_nonoverlapping(dots, shadow, 1);
        std::mem::transmute::<*const (), extern "C" fn(*mut Frame)>(entry as *const ())(frame);
        std::ptr::copy_nonoverlapping(shadow, dots, 1);
    }
}

const GENERAL: [Register; 12] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RSI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R14,
    Register::R15,
];

/// Other registers, and another place in the frame.
fn varied(i: &Instruction, seeds: &mut Numbers) -> Instruction {
    let mut i = *i;
    // Few of them, so that instructions meet.
    let most = if i.encoding() == iced_x86::EncodingKind::EVEX && seeds.next() & 1 == 0 {
        32
    } else {
        6
    };
    for k in 0..i.op_count() {
        match i.op_kind(k) {
            OpKind::Register => {
                let r = i.op_register(k);
                let n = seeds.next() as u32 % most;
                let new = if r.is_xmm() {
                    Register::XMM0 + n
                } else if r.is_ymm() {
                    Register::YMM0 + n
                } else if r.is_zmm() {
                    Register::ZMM0 + n
                } else if r.is_gpr32() {
                    GENERAL[n as usize % GENERAL.len()].full_register32()
                } else if r.is_gpr64() {
                    GENERAL[n as usize % GENERAL.len()]
                } else {
                    r
                };
                i.set_op_register(k, new);
            }
            OpKind::Memory => {
                i.set_memory_base(Register::RDI);
                i.set_memory_displacement64(MEMORY as u64 + 64 * (seeds.next() % 4));
                i.set_memory_displ_size(8);
            }
            _ => {}
        }
    }
    i
}

/// Instructions on general registers whose forms are tried.
fn is_integer(code: Code) -> bool {
    use Mnemonic::*;
    matches!(
        code.mnemonic(),
        And | Or
            | Xor
            | Not
            | Andn
            | Shl
            | Shr
            | Sar
            | Rol
            | Ror
            | Rorx
            | Shlx
            | Shrx
            | Sarx
            | Mov
            | Movzx
            | Movsx
            | Movsxd
            | Xchg
            | Xadd
            | Cmpxchg
            | Bswap
            | Add
            | Sub
            | Neg
            | Imul
            | Inc
            | Dec
            | Adc
            | Sbb
            | Popcnt
            | Cmp
            | Test
            | Cmovb
            | Cmovae
            | Cmove
            | Cmovne
            | Cmovs
            | Cmovg
            | Cmovle
            | Movbe
            | Movnti
    ) && code.op_code().mode64()
        && !code.op_code().op_kinds().is_empty()
}

fn all_forms() -> Vec<Instruction> {
    let vectors = |r: Rule| !matches!(r, Rule::Refused(_) | Rule::X87(_) | Rule::Control | Rule::Unknown);
    let mut all = variants(&[0, 0x1b, 0xca], vectors);
    // MMX leaves the unit's stack in another state.
    all.retain(|i| !(0..i.op_count()).any(|k| i.op_register(k).is_mm()) && i.mnemonic() != Mnemonic::Movntdqa);
    for code in forms().filter(|c| is_integer(*c)) {
        for memory in [false, true] {
            all.extend([0, 32, 63].iter().filter_map(|&n| instruction(code, memory, n)));
        }
    }
    all
}

/// Fills a frame with numbers of this type.
fn filled(seeds: &mut Numbers, element: Element) -> Box<Frame> {
    let mut frame = Frame::zero();
    for (k, v) in frame.vectors.iter_mut().enumerate() {
        *v = seeds.reals(element, k % 8, false);
    }
    for (k, m) in frame.memory.chunks_exact_mut(64).enumerate() {
        m.copy_from_slice(&seeds.reals(element, k, false));
    }
    for (k, g) in frame.general.iter_mut().enumerate() {
        *g = match seeds.next() % 3 {
            0 => seeds.next(),
            _ => u64::from_le_bytes(seeds.reals(element, k, false)[..8].try_into().expect("eight bytes")),
        };
    }
    (frame.flags, frame.masks) = (seeds.next() & STATUS | 2, std::array::from_fn(|_| seeds.next()));
    // Masks of operations with bits.
    for n in 0..8 {
        let masks = [0, u64::MAX, 1 << 63, u64::MAX >> 1, 0x8000_0000_8000_0000, 0x7fff_ffff_7fff_ffff];
        if seeds.next().is_multiple_of(5) {
            let mask = masks[seeds.next() as usize % masks.len()];
            frame.vectors[n].chunks_exact_mut(8).for_each(|c| c.copy_from_slice(&mask.to_le_bytes()));
        }
    }
    // Constants that round, and other large numbers.
    for n in 0..8 {
        let doubles = [6755399441055744.0, 4503599627370496.0, 3298534883328.0, -1688849860263936.0, 4.503599627370496e16, 824633720832.0];
        let floats = [12582912.0f32, 8388608.0, -12582912.0, 6291456.0, 1342177280.0, 50331648.0];
        if seeds.next().is_multiple_of(6) {
            let k = seeds.next() as usize % doubles.len();
            let word = match element {
                Element::F32 => u64::from(floats[k].to_bits()) << 32 | u64::from(floats[k].to_bits()),
                _ => f64::to_bits(doubles[k]),
            };
            frame.vectors[n].chunks_exact_mut(8).for_each(|c| c.copy_from_slice(&word.to_le_bytes()));
        }
    }
    frame
}

/// Dots for a frame: some are zero.
fn dots_for(seeds: &mut Numbers, element: Element) -> Box<Frame> {
    let mut dots = filled(seeds, element);
    dots.general.iter_mut().for_each(|g| {
        *g = if seeds.next() & 1 == 0 {
            0
        } else {
            u64::from_le_bytes(seeds.reals(element, 1, false)[..8].try_into().expect("eight bytes"))
        }
    });
    dots.vectors.iter_mut().for_each(|v| {
        if seeds.next() & 1 == 0 {
            *v = [0; 64]
        }
    });
    dots.memory.chunks_exact_mut(64).for_each(|m| {
        if seeds.next() & 1 == 0 {
            m.fill(0)
        }
    });
    (dots.flags, dots.masks, dots.target, dots.pad) = (0, [0; 8], 0, [0; 6]);
    without_signs(&mut dots);
    // Those of registers that the driver needs.
    (dots.general[4], dots.general[5], dots.general[7]) = (0, 0, 0);
    dots
}

fn number(r: Register) -> usize {
    r.full_register().number()
}

/// What the rules say of a step from these values and dots; none if they refuse.
fn expected(i: &Instruction, frame: &Frame, dots: &Frame) -> Option<Box<Frame>> {
    let mut operands = [Operand::default(); OPERANDS];
    let mut used: Vec<Register> = (0..i.op_count()).map(|k| i.op_register(k)).collect();
    if native::has_hidden_mask(i) {
        used.push(Register::XMM0);
    }
    let place = i.memory_displacement64() as usize - if i.memory_base() == Register::RDI { MEMORY } else { 0 };
    for (k, o) in operands.iter_mut().enumerate() {
        if k < i.op_count() as usize && i.op_kind(k as u32) == OpKind::Memory {
            let n = i.memory_size().size().min(WIDTH);
            o.value[..n].copy_from_slice(&frame.memory[place..place + n]);
            o.dot[..n].copy_from_slice(&dots.memory[place..place + n]);
        } else if let Some(r) = used.get(k) {
            if r.is_vector_register() {
                *o = Operand {
                    value: frame.vectors[r.number()],
                    dot: dots.vectors[r.number()],
                };
            } else if r.is_gpr() {
                o.value[..8].copy_from_slice(&frame.general[number(*r)].to_le_bytes());
                o.dot[..8].copy_from_slice(&dots.general[number(*r)].to_le_bytes());
            }
        }
    }
    let mut after = Box::new(dots.clone());
    if i.mnemonic() == Mnemonic::Vzeroupper {
        after.vectors[..16].iter_mut().for_each(|v| v[16..].fill(0));
        return Some(after);
    }
    if i.mnemonic() == Mnemonic::Vzeroall {
        after.vectors[..16].fill([0; 64]);
        return Some(after);
    }
    let mask = if i.has_op_mask() { frame.masks[i.op_mask().number()] } else { u64::MAX };
    let result = tangent::dots(i, &operands, mask).ok()?;
    match i.op0_kind() {
        OpKind::Register if i.op0_register().is_vector_register() => after.vectors[i.op0_register().number()] = result,
        OpKind::Register if i.op0_register().is_gpr() => {
            after.general[number(i.op0_register())] = u64::from_le_bytes(result[..8].try_into().expect("eight bytes"))
        }
        OpKind::Memory => {
            let n = i.memory_size().size();
            after.memory[place..place + n].copy_from_slice(&result[..n]);
        }
        _ => {}
    }
    Some(after)
}

/// The same numbers, in one of the ways in which bytes are numbers: zeros have two signs, and what is no number has many forms.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.chunks_exact(8).zip(b.chunks_exact(8)).all(|(a, b)| {
        let (x, y) = (
            u64::from_le_bytes(a.try_into().expect("eight bytes")),
            u64::from_le_bytes(b.try_into().expect("eight bytes")),
        );
        // The signs of two floats that are zero are a small double.
        let is_tiny = |x: f64| x.abs() < f64::MIN_POSITIVE;
        let equal = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan() || is_tiny(x) && is_tiny(y);
        let half = |n: u64, by: u32| f64::from(f32::from_bits((n >> by) as u32));
        x == y || equal(f64::from_bits(x), f64::from_bits(y)) || equal(half(x, 0), half(y, 0)) && equal(half(x, 32), half(y, 32))
    })
}

/// Zeros lose their signs: two signs of floats would be a small double.
fn without_signs(dots: &mut Frame) {
    const SIGNS: u64 = 1 << 63 | 1 << 31;
    let plain = |c: &mut [u8]| {
        if c.iter().zip(SIGNS.to_le_bytes()).all(|(b, s)| b & !s == 0) {
            c.fill(0);
        }
    };
    dots.vectors.iter_mut().for_each(|v| v.chunks_exact_mut(8).for_each(plain));
    dots.memory.chunks_exact_mut(8).for_each(plain);
}

fn differences(got: &Frame, expected: &Frame) -> Vec<String> {
    let mut all = Vec::new();
    for n in 0..32 {
        if !same(&got.vectors[n], &expected.vectors[n]) {
            all.push(format!("zmm{n}: {:x?}, not {:x?}", words(&got.vectors[n]), words(&expected.vectors[n])));
        }
    }
    for n in (0..16).filter(|n| ![4, 5, 7].contains(n)) {
        if !same(&got.general[n].to_le_bytes(), &expected.general[n].to_le_bytes()) {
            all.push(format!("general {n}: {:x}, not {:x}", got.general[n], expected.general[n]));
        }
    }
    if !same(&got.memory, &expected.memory) {
        all.push(format!("memory: {:x?}, not {:x?}", words(&got.memory), words(&expected.memory)));
    }
    all
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(8)
        .map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes")))
        .collect()
}

/// Flags that an instruction leaves undefined differ from run to run.
fn undefined(i: &Instruction) -> u64 {
    use iced_x86::RflagsBits as R;
    let bits = [(R::CF, 1), (R::PF, 4), (R::AF, 0x10), (R::ZF, 0x40), (R::SF, 0x80), (R::OF, 0x800)];
    bits.iter().filter(|(r, _)| i.rflags_undefined() & r != 0).map(|(_, b)| b).sum()
}

fn element_of(i: &Instruction) -> Element {
    let is_double = format!("{:?}", i.mnemonic()).ends_with('d') || matches!(rules::rule(i.code()).form(), Some(f) if f.element == Element::F64);
    if is_double { Element::F64 } else { Element::F32 }
}

/// Forms whose dots depend on more than operands: values and flags are compared, dots by other tests.
fn is_elsewhere(i: &Instruction) -> bool {
    i.condition_code() != ConditionCode::None || matches!(i.mnemonic(), Mnemonic::Xchg | Mnemonic::Cmpxchg | Mnemonic::Xadd)
}

/// Dots of whatever an instruction touches become zero.
fn calm(i: &Instruction, dots: &mut Frame) {
    let mut factory = InstructionInfoFactory::new();
    for used in factory.info(i).used_registers() {
        let r = used.register();
        if used.access() == OpAccess::None {
            continue;
        }
        if r.is_vector_register() {
            dots.vectors[r.number()] = [0; 64];
        } else if r.is_gpr() {
            dots.general[number(r)] = 0;
        }
    }
    if i.memory_base() == Register::RDI {
        dots.memory.fill(0);
    }
}

#[test]
fn random_instructions_do_what_rules_say() {
    if !std::arch::is_x86_feature_detected!("avx512bw") || !std::arch::is_x86_feature_detected!("avx512dq") {
        println!("only where there are all vector registers");
        return;
    }
    space::install_on_thread().expect("shadow memory");
    let mut seeds = Numbers(7);
    let steps: Vec<Instruction> = all_forms().iter().flat_map(|i| [varied(i, &mut seeds), varied(i, &mut seeds)]).collect();
    let singles: Vec<Vec<Instruction>> = steps.iter().map(|i| vec![*i]).collect();
    let (driver, functions) = library("randomsingles", &singles);
    let entry = engine::entry(driver, Mode::Tangent).expect("an entry");
    let (mut wrong, mut compared, mut active) = (BTreeMap::<String, String>::new(), 0, 0);
    for (i, function) in steps.iter().zip(&functions) {
        for round in 0..3 {
            let element = element_of(i);
            let start = filled(&mut seeds, element);
            let mut dots = if round == 0 { Frame::zero() } else { dots_for(&mut seeds, element) };
            let mut says = expected(i, &start, &dots);
            if says.is_none() && !is_elsewhere(i) {
                calm(i, &mut dots);
                says = expected(i, &start, &dots);
            }
            if std::env::var_os("SHOW").is_some() {
                println!("{i}");
            }
            let (mut native, mut translated) = (start.clone(), start.clone());
            run(driver, *function, &mut native);
            run_translated(entry, *function, &mut translated, &mut dots);
            let flags = STATUS & !undefined(i);
            (native.flags, translated.flags) = (native.flags & flags, translated.flags & flags);
            native.target = translated.target;
            if *native != *translated {
                wrong.insert(i.to_string(), format!("values differ: {:?}", differences(&translated, &native)));
            }
            if let Some(says) = says.filter(|_| !is_elsewhere(i)) {
                compared += 1;
                active += usize::from(round > 0);
                let found = differences(&dots, &says);
                if !found.is_empty() {
                    wrong.entry(i.to_string()).or_insert(found.join("; "));
                }
            }
        }
    }
    println!("{} instructions, {compared} compared, {active} with dots", steps.len());
    let text: Vec<String> = wrong.iter().take(40).map(|(i, why)| format!("{i}: {why}")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), steps.len(), text.join("\n"));
    assert!(compared > 10_000 && active > 5_000);
}

/// Steps of one sequence at most.
const STEPS: usize = 24;
const SEQUENCES: usize = 1500;

#[test]
fn random_sequences_do_what_rules_say() {
    if !std::arch::is_x86_feature_detected!("avx512bw") || !std::arch::is_x86_feature_detected!("avx512dq") {
        println!("only where there are all vector registers");
        return;
    }
    space::install_on_thread().expect("shadow memory");
    let mut seeds = Numbers(11);
    // Forms before AVX, those of AVX, and all together.
    let legacy = |i: &Instruction| i.encoding() == iced_x86::EncodingKind::Legacy;
    let steps: Vec<Instruction> = all_forms().iter().map(|i| varied(i, &mut seeds)).filter(|i| !is_elsewhere(i)).collect();
    let kinds: [Vec<usize>; 3] = [
        (0..steps.len()).filter(|&k| legacy(&steps[k])).collect(),
        (0..steps.len())
            .filter(|&k| legacy(&steps[k]) || steps[k].encoding() == iced_x86::EncodingKind::VEX)
            .collect(),
        (0..steps.len()).collect(),
    ];
    let singles: Vec<Vec<Instruction>> = steps.iter().map(|i| vec![*i]).collect();
    let (one, singles_at) = library("randomsteps", &singles);
    // What is run, from what, and what comes out by the rules.
    let mut all = Vec::new();
    for n in 0..SEQUENCES {
        let element = if seeds.next() & 1 == 0 { Element::F64 } else { Element::F32 };
        let (start, dots) = (filled(&mut seeds, element), dots_for(&mut seeds, element));
        let (mut frame, mut says, mut taken) = (start.clone(), dots.clone(), Vec::new());
        for _ in 0..4 * STEPS {
            let kind = &kinds[n % kinds.len()];
            let k = kind[seeds.next() as usize % kind.len()];
            let Some(after) = expected(&steps[k], &frame, &says) else { continue };
            says = after;
            without_signs(&mut says);
            run(one, singles_at[k], &mut frame);
            taken.push(k);
            if taken.len() == STEPS {
                break;
            }
        }
        all.push((taken, start, dots, says));
    }
    let sequences: Vec<Vec<Instruction>> = all.iter().map(|(taken, ..)| taken.iter().map(|&k| steps[k]).collect()).collect();
    let (driver, functions) = library("randomsequences", &sequences);
    let entry = engine::entry(driver, Mode::Tangent).expect("an entry");
    let (mut wrong, mut ran) = (Vec::new(), 0);
    let step = engine::entry(one, Mode::Tangent).expect("an entry");
    for (((taken, start, dots_before, says), sequence), function) in all.iter().zip(&sequences).zip(&functions) {
        let flags = STATUS & !sequence.iter().map(undefined).fold(0, |a, b| a | b);
        // The first time code is found, the second time it is there.
        for _ in 0..2 {
            let (mut native, mut translated, mut dots) = (start.clone(), start.clone(), dots_before.clone());
            run(driver, *function, &mut native);
            run_translated(entry, *function, &mut translated, &mut dots);
            (native.flags, translated.flags) = (native.flags & flags, translated.flags & flags);
            let mut found = differences(&dots, says);
            if *native != *translated {
                found.extend(differences(&translated, &native).into_iter().map(|d| format!("value {d}")));
                found.push(format!("flags {:x}, {:x}", translated.flags, native.flags));
            }
            if !found.is_empty() {
                // Which step is it, on its own?
                let (mut frame, mut rules, mut dots) = (start.clone(), dots_before.clone(), dots_before.clone());
                for &k in taken {
                    rules = expected(&steps[k], &frame, &rules).expect("as before");
                    without_signs(&mut rules);
                    run_translated(step, singles_at[k], &mut frame, &mut dots);
                    let found = differences(&dots, &rules);
                    if !found.is_empty() {
                        wrong.push(format!("step {}: {}", steps[k], found.join("; ")));
                        break;
                    }
                }
                let text: Vec<String> = sequence.iter().map(|i| i.to_string()).collect();
                wrong.push(format!("{}\n    {}", text.join("; "), found.join("\n    ")));
            }
            ran += sequence.len();
        }
    }
    println!("{ran} steps");
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        2 * all.len(),
        wrong.iter().take(6).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(ran > 10 * SEQUENCES);
}
