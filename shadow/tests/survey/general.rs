//! The table's part for general registers and memory, which carry numbers as bits, and what is
//! tested elsewhere.

use iced_x86::{Code, Mnemonic};

use super::table::{
    Expect::{Carries, Divides, Extends, Integers, MaskedBits, Moves, NoData, Shifts, Zero},
    Row, row, with,
};

const ONES: u64 = u64::MAX;
const SIGN: u64 = 1 << 63;
const SIGNS: u64 = 1 << 63 | 1 << 31;

pub static TABLE: &[Row] = &[
    // Moves of bits.
    with("mov xchg bswap movbe movnti", Moves, &[0x1234_5678]),
    row("cmov{a,ae,b,be,e,g,ge,l,le,ne,no,np,ns,o,p,s}", Moves),
    row("{movs,stos,lods}{b,w,d,q}@", Moves),
    row("movsxd", Extends),
    row("movzx movsx movdiri cmpxchg cmpxchg8b cmpxchg16b", Carries),
    // Signs taken, given and changed.
    with("and", MaskedBits(1, &[ONES, 0, !SIGN, !SIGNS]), &[ONES, 0]),
    row("andn", MaskedBits(1, &[ONES, 0, SIGN, SIGNS])),
    row("bzhi", MaskedBits(2, &[])),
    with("btr bts btc", MaskedBits(1, &[]), &[63]),
    with("or xor", MaskedBits(1, &[0, SIGN, SIGNS]), &[0]),
    with("shl sal shr sar rol ror", Shifts(1), &[3, 0, 32, 63]),
    row("shlx shrx sarx", Shifts(2)),
    with("rorx", Shifts(2), &[3, 0, 32]),
    // Integers.
    with("add sub adc sbb imul", Integers, &[0x1234_5677]),
    row(
        "adcx adox neg inc dec mul mulx not cbw cwde cdqe cwd cdq cqo bsf bsr lzcnt tzcnt popcnt blsi blsmsk blsr pdep pext xadd",
        Integers,
    ),
    with("rcl rcr shld shrd crc32", Integers, &[3]),
    row("bextr", Integers),
    row("div idiv", Divides),
    row("lea", Integers),
    row("a{add,and,or,xor} cmp{o,no,b,nb,z,nz,be,nbe,s,ns,p,np,l,nl,le,nle}xadd", Integers),
    // Flags, and what they say.
    with("cmp test", Zero, &[5]),
    with("bt", Shifts(1), &[5]),
    row("set{a,ae,b,be,e,g,ge,l,le,ne,no,np,ns,o,p,s} lahf", Zero),
    row("{cmps,scas}{b,w,d,q}@", Zero),
    row(
        "nop reservednop pause sahf clc stc cmc cld mfence lfence sfence endbr32 endbr64 prefetchnta prefetcht0 prefetcht1 prefetcht2 prefetchw",
        NoData,
    ),
    row(
        "prefetch cldemote clflush clflushopt clwb serialize prefetchit0 prefetchit1 prefetchwt1",
        NoData,
    ),
];

/// Why a form that has a rule, and that this processor has, has no case here: where it is tested,
/// or why it cannot be.
pub fn elsewhere(code: Code) -> Option<&'static str> {
    use Mnemonic::*;
    if matches!(code.mnemonic(), Mov) && super::instances::instances(code, &[0]).is_empty() {
        // Compilers write neither.
        return Some(
            "moves of segment registers, which hold no data, and at absolute addresses of 64 bits: no case",
        );
    }
    if code == Code::Bswap_r16 {
        return Some("what it does is not defined");
    }
    Some(match code.mnemonic() {
        Call | Ret | Jmp | Jrcxz | Jecxz | Loop | Loope | Loopne | Ja | Jae | Jb | Jbe | Je
        | Jg | Jge | Jl | Jle | Jne | Jno | Jnp | Jns | Jo | Jp | Js => {
            "control: tests/native.rs, tests/library_models.rs"
        }
        Push | Pop | Leave | Pushf | Pushfq | Popf | Popfq => {
            "the stack: tests/forms.rs (general_registers_carry_reals), and the driver of each case here"
        }
        Xlatb | Movdir64b => "a register of its own is an address: no case",
        Syscall => "tests/forms.rs (kernel)",
        Ffree | Ffreep | Fincstp | Fdecstp | Finit | Fninit | Fldenv | Fstenv | Fnstenv | Emms => {
            "the state of the x87 unit: tests/forms.rs (the_x87_unit_carries_dots), and around each case here"
        }
        Vzeroall | Vzeroupper => "tests/random.rs",
        Std | Int | Int1 | Int3 | Hlt | Ud0 | Ud1 | Ud2 | Xbegin | Xend | Xabort | Xtest => {
            "ends or interrupts the program, or changes how it goes on"
        }
        Cpuid | Rdtsc | Rdtscp | Rdrand | Rdseed | Rdpid | Xgetbv | Rdfsbase | Rdgsbase
        | Wrfsbase | Wrgsbase | Rdpkru | Wrpkru => "differs from run to run, or is of the system",
        Sldt | Str | Sgdt | Sidt | Smsw | Lar | Lsl | Verr | Verw | Lss | Lfs | Lgs | Bound
        | Tpause | Umwait | Umonitor => "of the system",
        Incsspd | Incsspq | Rdsspd | Rdsspq => "of the system",
        _ => return None,
    })
}
