//! Calls any function of the table as machine code calls it: registers and stack are filled, the
//! function called, and all of them kept.

use adshadow::machine::word::{self, BYTES};
use adshadow::models::{
    eval::{Frame, Value},
    number::{Format, Real},
    table::{Function, Parameter, Target, ValuePlace},
};

/// Registers and stack of a call. The assembly below knows the layout.
#[repr(C, align(64))]
pub struct Registers {
    pub general: [u64; 16],
    pub vector: [[u8; 64]; 8],
    pub stack: [u8; 128],
    /// What `fxsave` writes.
    pub x87: [u8; 512],
}

#[cfg(target_arch = "x86_64")]
macro_rules! trampoline {
    ($name:literal, $move:literal, $register:literal, $after:literal) => {
        std::arch::global_asm!(
            concat!($name, ":"),
            "push rbp",
            "mov rbp, rsp",
            "push rbx",
            "push r12",
            "mov rbx, rdi",
            "mov r11, rsi",
            "and rsp, -64",
            "sub rsp, 128",
            ".set word, 0",
            ".rept 16",
            "mov rax, [rbx + 640 + word]",
            "mov [rsp + word], rax",
            ".set word, word + 8",
            ".endr",
            concat!($move, " ", $register, "0, [rbx + 128]"),
            concat!($move, " ", $register, "1, [rbx + 192]"),
            concat!($move, " ", $register, "2, [rbx + 256]"),
            concat!($move, " ", $register, "3, [rbx + 320]"),
            concat!($move, " ", $register, "4, [rbx + 384]"),
            concat!($move, " ", $register, "5, [rbx + 448]"),
            concat!($move, " ", $register, "6, [rbx + 512]"),
            concat!($move, " ", $register, "7, [rbx + 576]"),
            "mov rcx, [rbx + 8]",
            "mov rdx, [rbx + 16]",
            "mov rsi, [rbx + 48]",
            "mov rdi, [rbx + 56]",
            "mov r8, [rbx + 64]",
            "mov r9, [rbx + 72]",
            "call r11",
            "mov [rbx], rax",
            concat!($move, " [rbx + 128], ", $register, "0"),
            concat!($move, " [rbx + 192], ", $register, "1"),
            "fxsave64 [rbx + 768]",
            "fninit",
            $after,
            "lea rsp, [rbp - 16]",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret",
        );
    };
}
#[cfg(target_arch = "x86_64")]
trampoline!("adshadow_test_call_16", "movups", "xmm", "nop");
#[cfg(target_arch = "x86_64")]
trampoline!("adshadow_test_call_32", "vmovups", "ymm", "vzeroupper");
#[cfg(target_arch = "x86_64")]
trampoline!("adshadow_test_call_64", "vmovups", "zmm", "vzeroupper");

// All arguments are on the stack; of wider registers there are no functions.
#[cfg(target_arch = "x86")]
std::arch::global_asm!(
    "adshadow_test_call_16:", "adshadow_test_call_32:", "adshadow_test_call_64:", "push ebp",
    "mov ebp, esp", "push ebx", "sub esp, 128", "and esp, -64", "mov ebx, [ebp + 8]",
    ".set word, 0", ".rept 32", "mov eax, [ebx + 640 + word]", "mov [esp + word], eax",
    ".set word, word + 4", ".endr", "call [ebp + 12]", "mov [ebx], eax", "mov [ebx + 16], edx",
    "fxsave [ebx + 768]", "fninit", "lea esp, [ebp - 4]", "pop ebx", "pop ebp", "ret",
);

unsafe extern "C" {
    fn adshadow_test_call_16(registers: *mut Registers, function: usize);
    fn adshadow_test_call_32(registers: *mut Registers, function: usize);
    fn adshadow_test_call_64(registers: *mut Registers, function: usize);
}

impl Registers {
    pub fn new() -> Registers {
        Registers { general: [0; 16], vector: [[0; 64]; 8], stack: [0; 128], x87: [0; 512] }
    }

    fn write(&mut self, place: ValuePlace, bytes: &[u8]) {
        let to = match place {
            ValuePlace::Vector(register, at) => &mut self.vector[register][at..],
            ValuePlace::Stack(at) => &mut self.stack[at..],
            ValuePlace::General(number) => return self.general[number] = word(bytes),
            ValuePlace::X87(_) => panic!("no argument is on the x87's stack"),
        };
        to[..bytes.len()].copy_from_slice(bytes);
    }

    pub fn set(&mut self, parameter: &Parameter, value: &Value) {
        match (*parameter, value) {
            (Parameter::Real(format, place), Value::Real(x)) => {
                assert_eq!(format, x.format());
                let (bytes, n) = x.bytes();
                self.write(place, &bytes[..n]);
            }
            // What is above an int in its register is nobody's.
            (Parameter::Integer(4, place), Value::Integer(n)) => {
                self.write(place, &((*n as u32 as u64) | 0xabcd << 32).to_le_bytes()[..BYTES])
            }
            (Parameter::Integer(_, place), Value::Integer(n)) => {
                self.write(place, &n.to_le_bytes())
            }
            (Parameter::Pointer(place), Value::Pointer(p)) => {
                self.write(place, &p.to_le_bytes()[..BYTES])
            }
            other => panic!("{other:?}"),
        }
    }
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().unwrap())
}

impl Frame for Registers {
    fn read(&self, place: ValuePlace, bytes: &mut [u8]) {
        let general;
        let from = match place {
            ValuePlace::Vector(register, at) => &self.vector[register][at..],
            ValuePlace::Stack(at) => &self.stack[at..],
            ValuePlace::X87(depth) => &self.x87[32 + 16 * depth..],
            ValuePlace::General(number) => {
                general = self.general[number].to_le_bytes();
                &general[..]
            }
        };
        bytes.copy_from_slice(&from[..bytes.len()]);
    }
    fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        // SAFETY: storage of `call` below.
        unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), bytes.len())
        };
    }
}

/// Whether the processor has what a function of libmvec needs.
pub fn is_supported(name: &str) -> bool {
    match name.strip_prefix("_ZGV").and_then(|n| n.chars().next()) {
        Some('c') => !admachine::lacks_partly(&["avx"]),
        Some('d') => !admachine::lacks_partly(&["avx2"]),
        Some('e') => !admachine::lacks_partly(&["avx512f"]),
        _ => true,
    }
}

/// Calls the function at an address: arguments of each lane (of pointers, anything), outputs of
/// each lane. Checks that the arguments are read back.
pub fn call(function: &Function, address: u64, args: &[Vec<Value>]) -> Vec<Vec<Real>> {
    let mut registers = Registers::new();
    let mut storage = vec![[[0u64; 2]; 3]; args.len()];
    let mut given = args.to_vec();
    for (k, lane) in function.lanes.iter().enumerate() {
        for (i, parameter) in lane.parameters.iter().enumerate() {
            if let Parameter::Pointer(_) = parameter {
                given[k][i] = Value::Pointer(storage[k][i.min(2)].as_mut_ptr() as u64);
            }
            registers.set(parameter, &given[k][i]);
        }
    }
    let mut returned = [0u64; 4];
    if function.lanes.iter().flat_map(|l| &l.outputs).any(|o| matches!(o.at, Target::Returned(_))) {
        let to = returned.as_mut_ptr() as u64;
        // The pointer to it is the first argument.
        registers.general[7] = to;
        if !word::IS_64 {
            registers.stack[..BYTES].copy_from_slice(&to.to_le_bytes()[..BYTES]);
        }
    }
    for (lane, given) in function.lanes.iter().zip(&given) {
        for (read, given) in lane.arguments(&registers).iter().zip(given) {
            assert_eq!(format!("{read:?}"), format!("{given:?}"), "{}", function.name);
        }
    }
    let word = address as usize;
    // SAFETY: the function takes what its row says; the tests compare what it makes of it. Pointers
    // lead to 16 bytes each.
    unsafe {
        match function.name.as_bytes() {
            [b'_', b'Z', b'G', b'V', b'c' | b'd', ..] => {
                adshadow_test_call_32(&mut registers, word)
            }
            [b'_', b'Z', b'G', b'V', b'e', ..] => adshadow_test_call_64(&mut registers, word),
            _ => adshadow_test_call_16(&mut registers, word),
        }
    }
    function.lanes.iter().zip(&given).map(|(lane, args)| lane.results(&registers, args)).collect()
}

/// A number of a format, of the value of a double.
pub fn number(format: Format, x: f64) -> Real {
    match format {
        Format::F32 => Real::F32(x as f32),
        Format::F64 => Real::F64(x),
        Format::F80 => Real::F80(adshadow::models::number::Extended::from_f64(x)),
        Format::F128 => panic!("no tests of 128 bits"),
    }
}
