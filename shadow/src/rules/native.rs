//! One instruction, run on data of ours.
//!
//! Its operands are put into registers of our choice, those in memory beside them. So moves,
//! shuffles and conversions of dots are what the processor makes of them, in all forms that it
//! knows, with masks. Exceptions are masked meanwhile.

use std::{cell::RefCell, collections::HashMap};

use crate::machine::word;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Mnemonic, OpKind, Register};

/// Operands that an instruction has at most, with hidden ones.
pub const OPERANDS: usize = 5;
/// Bytes of an operand.
pub const WIDTH: usize = 64;
/// Bytes of memory for code, taken at once.
const CHUNK: usize = 64 << 10;
/// Bytes that the code of one instruction takes at most.
const MOST: usize = 512;

/// Operands, and what else is loaded.
#[repr(C, align(64))]
#[derive(Clone)]
pub struct Frame {
    /// Operands in their order, registers from their lowest byte; the result is the first.
    pub operands: [[u8; WIDTH]; OPERANDS],
    /// The mask register.
    pub mask: u64,
    /// Where indices of a gather or scatter are relative to: base register and displacement.
    pub base: u64,
    /// Indices of a gather or scatter.
    pub index: [u8; WIDTH],
    kept: u32,
    control: u32,
}

/// Where the frame is.
const FRAME: Register = if word::IS_64 { Register::RDI } else { Register::EDI };
/// What indices are relative to.
const BASE: Register = if word::IS_64 { Register::RSI } else { Register::ESI };
/// Where indices are put.
const INDEX: Register = Register::XMM7;
/// All exceptions masked, rounding to nearest.
const CONTROL: u32 = 0x1f80;

impl Frame {
    /// Operands and a mask.
    pub fn new(operands: [[u8; WIDTH]; OPERANDS], mask: u64) -> Self {
        Self { operands, mask, base: 0, index: [0; WIDTH], kept: 0, control: CONTROL }
    }
}

/// Why an instruction cannot be run on its own.
#[derive(Debug)]
pub enum Failure {
    /// It has an operand that is no data: what it is.
    Operand(&'static str),
    /// It cannot be encoded.
    Encoding(IcedError),
    /// There is no memory for its code.
    Memory,
}

impl From<IcedError> for Failure {
    fn from(e: IcedError) -> Self {
        Failure::Encoding(e)
    }
}

type Run = unsafe extern "C" fn(*mut Frame);

#[derive(Default)]
struct Cache {
    /// By the code of the instruction with registers of ours.
    known: HashMap<Vec<u8>, Run>,
    /// The same by the instruction as the program has it, so that it need not be encoded again.
    met: HashMap<Instruction, Run>,
    chunk: usize,
    used: usize,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// Runs the instruction, on the frame's operands.
pub fn run(i: &Instruction, frame: &mut Frame) -> Result<(), Failure> {
    if is_indexed(i) {
        return Err(Failure::Operand("many places in memory"));
    }
    // SAFETY: it touches the frame alone.
    unsafe { run_anywhere(i, frame) }
}

/// Whether it is a gather or a scatter.
pub fn is_indexed(i: &Instruction) -> bool {
    i.memory_index().is_vector_register()
}

/// Runs the instruction also if it is a gather or scatter, with the frame's indices and base.
///
/// # Safety
/// The places that a gather or scatter touches can be read or written, and nobody else uses them.
pub unsafe fn run_anywhere(i: &Instruction, frame: &mut Frame) -> Result<(), Failure> {
    if let Some(run) = CACHE.with_borrow(|cache| cache.met.get(i).copied()) {
        // SAFETY: code that was placed takes a frame, and leaves registers as a function may.
        unsafe { run(frame) };
        return Ok(());
    }
    let own = renamed(i)?;
    let mut key = encoded(&[own])?;
    key.push(u8::from(has_hidden_mask(i)));
    let run = CACHE.with_borrow_mut(|cache| {
        let run = match cache.known.get(&key) {
            Some(&run) => run,
            None => cache.place(&encoded(&surrounded(&own, has_hidden_mask(i))?)?)?,
        };
        cache.known.insert(key, run);
        cache.met.insert(*i, run);
        Ok::<_, Failure>(run)
    })?;
    // SAFETY: the code takes a frame, and leaves registers as a function may.
    unsafe { run(frame) };
    Ok(())
}

impl Cache {
    fn place(&mut self, code: &[u8]) -> Result<Run, Failure> {
        assert!(code.len() <= MOST, "a few instructions");
        if self.chunk == 0 || self.used + MOST > CHUNK {
            // SAFETY: new memory.
            let at = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    CHUNK,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0,
                )
            };
            if at == libc::MAP_FAILED {
                return Err(Failure::Memory);
            }
            (self.chunk, self.used) = (at as usize, 0);
        }
        let at = (self.chunk + self.used) as *mut u8;
        let protect = |how| {
            // SAFETY: our own memory; only this thread runs code in it, and none now.
            if unsafe { libc::mprotect(self.chunk as *mut libc::c_void, CHUNK, how) } == 0 {
                Ok(())
            } else {
                Err(Failure::Memory)
            }
        };
        protect(libc::PROT_READ | libc::PROT_WRITE)?;
        // SAFETY: there is room.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), at, code.len()) };
        protect(libc::PROT_READ | libc::PROT_EXEC)?;
        self.used += MOST;
        // SAFETY: code of a function of this type.
        Ok(unsafe { std::mem::transmute::<*mut u8, Run>(at) })
    }
}

/// Blends of the older encodings have a third operand that is not written.
pub fn has_hidden_mask(i: &Instruction) -> bool {
    matches!(i.mnemonic(), Mnemonic::Blendvps | Mnemonic::Blendvpd | Mnemonic::Pblendvb)
        && i.op_count() == 2
}

fn place(operand: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ(FRAME, i64::from(operand) * WIDTH as i64)
}

/// Register number `n` of a kind.
fn numbered(first: Register, n: u32) -> Register {
    first + n
}

/// Which register an operand is put into.
fn renamed_register(register: Register, operand: u32) -> Result<Register, Failure> {
    Ok(if register.is_xmm() {
        numbered(Register::XMM1, operand)
    } else if register.is_ymm() {
        numbered(Register::YMM1, operand)
    } else if register.is_zmm() {
        numbered(Register::ZMM1, operand)
    } else if register.is_mm() {
        numbered(Register::MM1, operand)
    } else if register.is_gpr() {
        match register.size() {
            1 => Register::AL,
            2 => Register::AX,
            4 => Register::EAX,
            _ => Register::RAX,
        }
    } else {
        return Err(Failure::Operand("a register that holds no data"));
    })
}

/// The instruction with registers and memory of ours.
fn renamed(i: &Instruction) -> Result<Instruction, Failure> {
    let mut own = *i;
    let mut general = 0;
    for operand in 0..i.op_count() {
        match i.op_kind(operand) {
            OpKind::Register => {
                let register = renamed_register(i.op_register(operand), operand)?;
                general += u32::from(register.is_gpr());
                own.set_op_register(operand, register);
            }
            OpKind::Memory if is_indexed(i) => {
                let index = match i.memory_index() {
                    r if r.is_xmm() => INDEX,
                    r if r.is_ymm() => Register::YMM7,
                    _ => Register::ZMM7,
                };
                own.set_memory_base(BASE);
                own.set_memory_index(index);
                own.set_segment_prefix(Register::None);
                own.set_memory_displ_size(0);
                own.set_memory_displacement64(0);
            }
            OpKind::Memory => {
                own.set_memory_base(FRAME);
                own.set_memory_index(Register::None);
                own.set_memory_index_scale(1);
                own.set_segment_prefix(Register::None);
                own.set_memory_displ_size(word::BYTES as u32);
                own.set_memory_displacement64(u64::from(operand) * WIDTH as u64);
            }
            OpKind::Immediate8 | OpKind::Immediate8_2nd => {}
            _ => return Err(Failure::Operand("an operand that is no vector")),
        }
    }
    if general > 1 {
        return Err(Failure::Operand("two general registers"));
    }
    if i.has_op_mask() {
        own.set_op_mask(Register::K1);
    }
    own.set_ip(0);
    Ok(own)
}

/// The start of such a function. On i386 the argument is on the stack, and the registers that it
/// takes are the caller's.
fn entered() -> Result<Vec<Instruction>, IcedError> {
    if word::IS_64 {
        return Ok(Vec::new());
    }
    let argument = MemoryOperand::with_base_displ(word::SP, 3 * word::BYTES as i64);
    Ok(vec![
        Instruction::with1(Code::Push_r32, FRAME)?,
        Instruction::with1(Code::Push_r32, BASE)?,
        Instruction::with2(word::LOAD, FRAME, argument)?,
    ])
}

/// Its end.
fn left() -> Result<Vec<Instruction>, IcedError> {
    if word::IS_64 {
        return Ok(vec![Instruction::with(Code::Retnq)]);
    }
    Ok(vec![
        Instruction::with1(Code::Pop_r32, BASE)?,
        Instruction::with1(Code::Pop_r32, FRAME)?,
        Instruction::with(Code::Retnd),
    ])
}

/// The instruction between code that loads its operands and code that stores its result.
fn surrounded(own: &Instruction, hidden: bool) -> Result<Vec<Instruction>, Failure> {
    let wide = std::arch::is_x86_feature_detected!("avx512f");
    let avx = std::arch::is_x86_feature_detected!("avx");
    let (first, load, store) = match (wide, avx) {
        (true, _) => (
            Register::ZMM0,
            Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
        ),
        (false, true) => {
            (Register::YMM0, Code::VEX_Vmovdqu_ymm_ymmm256, Code::VEX_Vmovdqu_ymmm256_ymm)
        }
        (false, false) => (Register::XMM0, Code::Movups_xmm_xmmm128, Code::Movups_xmmm128_xmm),
    };
    let member = |offset: usize| MemoryOperand::with_base_displ(FRAME, offset as i64);
    let (mask, kept, control) = (
        member(std::mem::offset_of!(Frame, mask)),
        member(std::mem::offset_of!(Frame, kept)),
        member(std::mem::offset_of!(Frame, control)),
    );
    let mut code = entered()?;
    code.extend([
        Instruction::with1(Code::Stmxcsr_m32, kept)?,
        Instruction::with1(Code::Ldmxcsr_m32, control)?,
    ]);
    if own.has_op_mask() {
        let bytes = std::arch::is_x86_feature_detected!("avx512bw");
        code.push(Instruction::with2(
            if bytes { Code::VEX_Kmovq_kr_km64 } else { Code::VEX_Kmovw_kr_km16 },
            Register::K1,
            mask,
        )?);
    }
    if is_indexed(own) {
        let (base, index) =
            (member(std::mem::offset_of!(Frame, base)), member(std::mem::offset_of!(Frame, index)));
        code.push(Instruction::with2(word::LOAD, BASE, base)?);
        code.push(Instruction::with2(
            load,
            numbered(first, INDEX as u32 - Register::XMM0 as u32),
            index,
        )?);
    }
    let (mut result, mut mmx) = (None, false);
    for operand in 0..own.op_count() {
        if own.op_kind(operand) != OpKind::Register {
            continue;
        }
        let register = own.op_register(operand);
        let (load, store) = if register.is_mm() {
            mmx = true;
            let load = Instruction::with2(Code::Movq_mm_mmm64, register, place(operand))?;
            (load, Instruction::with2(Code::Movq_mmm64_mm, place(operand), register)?)
        } else if register.is_gpr() {
            let load = Instruction::with2(word::LOAD, word::A, place(operand))?;
            (load, Instruction::with2(word::STORE, place(operand), word::A)?)
        } else {
            let whole = numbered(first, operand + 1);
            (
                Instruction::with2(load, whole, place(operand))?,
                Instruction::with2(store, place(operand), whole)?,
            )
        };
        code.push(load);
        if operand == 0 {
            result = Some(store);
        }
    }
    if hidden {
        code.push(Instruction::with2(load, first, place(2))?);
    }
    code.push(*own);
    code.extend(result);
    if mmx {
        code.push(Instruction::with(Code::Emms));
    }
    if avx {
        code.push(Instruction::with(Code::VEX_Vzeroupper));
    }
    code.push(Instruction::with1(Code::Ldmxcsr_m32, kept)?);
    code.extend(left()?);
    Ok(code)
}

fn encoded(code: &[Instruction]) -> Result<Vec<u8>, Failure> {
    let mut encoder = Encoder::new(word::BITS);
    for i in code {
        encoder.encode(i, 0)?;
    }
    Ok(encoder.take_buffer())
}
