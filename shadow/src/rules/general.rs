//! General registers: moves, for they carry numbers; arithmetic, for it must not meet them; jumps.

use iced_x86::{Code, Mnemonic, OpCodeOperandKind};

use super::kinds::{Bitwise, Direction, Element, Form, Lanes, Rule, Steering};

/// Bits of a general register.
const BITS: Form = Form { element: Element::Bits, lanes: Lanes::Scalar };

/// A move between general registers and memory; those of segment, control and debug registers carry
/// no data.
fn plain_move(code: Code) -> Rule {
    use OpCodeOperandKind as K;
    let special = |k: &K| matches!(k, K::seg_reg | K::cr_reg | K::dr_reg | K::tr_reg);
    let mut kinds = code.op_code().op_kinds().iter();
    match kinds.position(special) {
        Some(0) => Rule::Control,
        Some(_) => Rule::Compare,
        None => Rule::Move(Steering::None),
    }
}

/// Bits of the operand that is shifted.
fn bits(code: Code) -> u8 {
    (8 * code.op_code().memory_size().size()).try_into().unwrap_or(64)
}

/// String instructions whose mnemonics others have, too.
fn string(code: Code) -> Option<Rule> {
    Some(match code {
        Code::Movsb_m8_m8 | Code::Movsw_m16_m16 | Code::Movsd_m32_m32 | Code::Movsq_m64_m64 => {
            Rule::MoveString
        }
        Code::Cmpsb_m8_m8 | Code::Cmpsw_m16_m16 | Code::Cmpsd_m32_m32 | Code::Cmpsq_m64_m64 => {
            Rule::Compare
        }
        _ => return None,
    })
}

/// The rule of an instruction that touches general registers only, or none.
pub(super) fn rule(code: Code) -> Option<Rule> {
    use Mnemonic::*;
    if let Some(rule) = string(code) {
        return Some(rule);
    }
    Some(match code.mnemonic() {
        Mov => plain_move(code),
        // Partial moves and those with bytes turned round are moves of bits: what comes back
        // together is the same number.
        Movzx | Movsx | Movsxd => Rule::Extend,
        Push | Pop | Bswap | Movbe | Movnti | Movdiri | Movdir64b => Rule::Move(Steering::None),
        Cmova | Cmovae | Cmovb | Cmovbe | Cmove | Cmovg | Cmovge | Cmovl | Cmovle | Cmovne
        | Cmovno | Cmovnp | Cmovns | Cmovo | Cmovp | Cmovs => Rule::Move(Steering::None),
        // The frame pointer is taken from the stack.
        Leave => Rule::Move(Steering::None),
        Xchg => Rule::Exchange,
        Cmpxchg | Cmpxchg8b | Cmpxchg16b => Rule::CompareExchange,
        Stosb | Stosw | Stosd | Stosq => Rule::StoreString,
        Lodsb | Lodsw | Lodsd | Lodsq => Rule::LoadString,
        And => Rule::Logic(Bitwise::And, BITS),
        Andn => Rule::Logic(Bitwise::AndNot, BITS),
        Or => Rule::Logic(Bitwise::Or, BITS),
        Xor => Rule::Logic(Bitwise::Xor, BITS),
        Not => Rule::Logic(Bitwise::Not, BITS),
        Btr => Rule::Logic(Bitwise::Reset, BITS),
        Bts => Rule::Logic(Bitwise::Set, BITS),
        Btc => Rule::Logic(Bitwise::Complement, BITS),
        Shl | Sal | Shlx => Rule::Shift(Direction::Left, bits(code)),
        Shr | Shrx | Sar | Sarx => Rule::Shift(Direction::Right, bits(code)),
        Rol => Rule::Shift(Direction::RotateLeft, bits(code)),
        Ror | Rorx => Rule::Shift(Direction::RotateRight, bits(code)),
        Add => Rule::AddInteger(bits(code)),
        Sub => Rule::SubInteger(bits(code)),
        Adc | Adcx | Adox | Sbb | Neg | Inc | Dec | Mul | Imul | Mulx | Div | Idiv | Lea | Xadd
        | Shld | Shrd | Rcl | Rcr | Cbw | Cwde | Cdqe | Cwd | Cdq | Cqo | Bsf | Bsr | Lzcnt
        | Tzcnt | Popcnt | Bextr | Blsi | Blsmsk | Blsr | Bzhi | Pdep | Pext | Crc32 | Xlatb
        | Aadd | Aand | Aor | Axor | Blcfill | Blci | Blcic | Blcmsk | Blcs | Blsfill | Blsic
        | T1mskc | Tzmsk | Cmpbexadd | Cmpbxadd | Cmplexadd | Cmplxadd | Cmpnbexadd | Cmpnbxadd
        | Cmpnlexadd | Cmpnlxadd | Cmpnoxadd | Cmpnpxadd | Cmpnsxadd | Cmpnzxadd | Cmpoxadd
        | Cmppxadd | Cmpsxadd | Cmpzxadd => Rule::Integer,
        Aaa | Aad | Aam | Aas | Daa | Das | Arpl => Rule::Integer,
        // What they leave in registers or memory is no number.
        Cmp | Test | Bt | Scasb | Scasw | Scasd | Scasq | Seta | Setae | Setb | Setbe | Sete
        | Setg | Setge | Setl | Setle | Setne | Setno | Setnp | Setns | Seto | Setp | Sets
        | Lahf | Sahf | Pushf | Pushfq | Popf | Popfq | Cpuid | Rdtsc | Rdtscp | Rdpid | Rdrand
        | Rdseed | Rdfsbase | Rdgsbase | Xgetbv | Rdpkru | Rdsspd | Rdsspq | Syscall | Xbegin
        | Xtest | Lsl | Lar | Sgdt | Sidt | Sldt | Smsw | Str | Pushfd | Popfd | Salc | Bound => {
            Rule::Compare
        }
        Ja | Jae | Jb | Jbe | Je | Jcxz | Into | Jecxz | Jg | Jge | Jl | Jle | Jmp | Jne | Jno
        | Jnp | Jns | Jo | Jp | Jrcxz | Js | Loop | Loope | Loopne | Nop | Reservednop | Pause
        | Endbr32 | Endbr64 | Mfence | Lfence | Sfence | Prefetch | Prefetchw | Prefetchnta
        | Prefetcht0 | Prefetcht1 | Prefetcht2 | Prefetchwt1 | Prefetchit0 | Prefetchit1
        | Cldemote | Clflush | Clflushopt | Clwb | Clc | Cld | Cmc | Stc | Std | Int3 | Int1
        | Int | Hlt | Ud0 | Ud1 | Ud2 | Serialize | Wrfsbase | Wrgsbase | Wrpkru | Incsspd
        | Incsspq | Xabort | Xend | Tpause | Umwait | Umonitor | Verr | Verw => Rule::Control,
        // A return address is put on the stack: its shadow becomes zero.
        Call => Rule::Compare,
        Ret => Rule::Control,
        Enter => Rule::Refused("it makes a stack frame in several steps"),
        Pusha | Pushad | Popa | Popad => Rule::Refused("it moves all general registers at once"),
        Les | Lds => Rule::Refused("it loads a segment register"),
        Clzero => Rule::Refused("it clears a whole cache line"),
        Insb | Insw | Insd | In | Out | Outsb | Outsw | Outsd => Rule::Refused(
            "it accesses \
            devices",
        ),
        Iret | Iretd | Iretq | Retf | Sysexit | Sysexitq | Sysret | Sysretq | Sysenter => {
            Rule::Refused("it leaves user mode or changes the code segment")
        }
        _ => return None,
    })
}
