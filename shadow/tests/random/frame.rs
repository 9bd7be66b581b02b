//! All registers and some memory: what random instructions start from, and how they are run.

use std::{path::PathBuf, process::Command};

use adshadow::memory::space::DISTANCE;
use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

/// All that instructions read and write.
#[repr(C, align(64))]
#[derive(Clone, PartialEq)]
pub struct Frame {
    pub vectors: [[u8; 64]; 32],
    pub general: [u64; 16],
    pub flags: u64,
    pub masks: [u64; 8],
    pub target: u64,
    pub pad: [u64; 6],
    pub memory: [u8; 256],
}

impl Frame {
    pub fn zero() -> Box<Self> {
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

pub const FLAGS: usize = std::mem::offset_of!(Frame, flags);
pub const MEMORY: usize = std::mem::offset_of!(Frame, memory);
/// Status flags that instructions define.
pub const STATUS: u64 = 0x8d5;

/// What a processor has with all vector and mask registers.
pub const WORDS: [&str; 2] = ["avx512bw", "avx512dq"];

/// Vector registers as this processor has them: how many, with how many bytes; and whether there
/// are mask registers. `SURVEY_REGISTERS=ymm` or `xmm` is for who wants to see tests as on a
/// processor that has no others.
pub fn registers() -> (usize, usize, bool) {
    static REGISTERS: std::sync::OnceLock<(usize, usize, bool)> = std::sync::OnceLock::new();
    *REGISTERS.get_or_init(|| {
        let most = std::env::var("SURVEY_REGISTERS").unwrap_or_default();
        match admachine::has(&["avx"]) && most != "xmm" {
            true if admachine::has(&WORDS) && most != "ymm" => (32, 64, true),
            true => (16, 32, false),
            false => (16, 16, false),
        }
    })
}

/// Loads all registers from the frame, calls the target, stores all.
pub fn driver() -> String {
    let (general, masks, target) = (
        std::mem::offset_of!(Frame, general),
        std::mem::offset_of!(Frame, masks),
        std::mem::offset_of!(Frame, target),
    );
    let saved = ["rbx", "rbp", "r12", "r13", "r14", "r15"];
    let names = [
        "rax", "rcx", "rdx", "rbx", "", "", "rsi", "", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "r15",
    ];
    let mut text = String::from(".intel_syntax noprefix\n.text\n.globl driver\ndriver:\n");
    saved.iter().for_each(|r| text += &format!("push {r}\n"));
    let (count, width, has_masks) = registers();
    let (moves, class) = match width {
        64 => ("vmovups", "zmm"),
        32 => ("vmovups", "ymm"),
        _ => ("movups", "xmm"),
    };
    let masks_there = if has_masks { 1..8 } else { 0..0 };
    (0..count).for_each(|n| text += &format!("{moves} {class}{n}, [rdi + {}]\n", 64 * n));
    masks_there.clone().for_each(|n| text += &format!("kmovq k{n}, [rdi + {}]\n", masks + 8 * n));
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
    (0..count).for_each(|n| text += &format!("{moves} [rdi + {}], {class}{n}\n", 64 * n));
    masks_there.for_each(|n| text += &format!("kmovq [rdi + {}], k{n}\n", masks + 8 * n));
    if width > 16 {
        text += "vzeroupper\n";
    }
    saved.iter().rev().for_each(|r| text += &format!("pop {r}\n"));
    text + "ret\n.globl code\n.balign 64\ncode: .incbin "
}

/// Functions of one or more instructions each, in a library; returns the driver and the functions.
/// Behind half of them flags are dead, unless all are to be live.
pub fn library(name: &str, functions: &[Vec<Instruction>], flags_live: bool) -> (u64, Vec<u64>) {
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
        if !flags_live && starts.len() % 2 == 0 {
            // Nobody looks at the flags of the instructions: other code is written for them then.
            all.push(
                Instruction::with2(Code::Cmp_r64_rm64, Register::RDI, Register::RDI)
                    .expect("a comparison"),
            );
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
pub fn run(driver: u64, function: u64, frame: &mut Frame) {
    frame.target = function;
    // SAFETY: the driver takes a frame.
    unsafe {
        std::mem::transmute::<*const (), extern "C" fn(*mut Frame)>(driver as *const ())(frame)
    };
}

pub fn shadow_of(frame: &mut Frame) -> *mut Frame {
    ((&raw mut *frame) as u64).wrapping_add(DISTANCE) as *mut Frame
}

/// Runs it under the translator; `dots` go in and come out.
pub fn run_translated(entry: u64, function: u64, frame: &mut Frame, dots: &mut Frame) {
    frame.target = function;
    let shadow = shadow_of(frame);
    // SAFETY: shadow memory of the frame; the entry has the driver's signature.
    unsafe {
        std::ptr::copy_nonoverlapping(dots, shadow, 1);
        std::mem::transmute::<*const (), extern "C" fn(*mut Frame)>(entry as *const ())(frame);
        std::ptr::copy_nonoverlapping(shadow, dots, 1);
    }
}
