//! Integer arithmetic in the elements of vectors, on bits of numbers. As in general registers, what
//! is computed of them is unknown, and an error only where it is used as a number: compilers that
//! vectorise compute both sides of a choice, and take one of them. Elements that nothing active
//! went into are inactive.
//!
//! A shift that leaves sign and exponent is known, and so is a number's extension and what takes
//! the lower half of each element.

use iced_x86::{Mnemonic, OpKind, Register};

use super::{
    integer::shifted,
    kinds::Direction,
    native::WIDTH,
    tangent::{Case, Refusal, With, is_active},
};

/// How the result of an instruction depends on its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depends {
    /// Each element on those at its place, of so many bytes. Below four bytes, four together:
    /// nothing smaller is a number.
    Elementwise(usize),
    /// As elementwise, where the last operand says by how many bits the one before is shifted.
    Shift(Direction, usize),
    /// On the elements of four bytes that become eight.
    Extension,
    /// On the lower halves of elements of eight bytes, which are moved.
    LowerHalves,
    /// All of it on everything.
    Together,
}

fn depends(mnemonic: Mnemonic) -> Depends {
    use Mnemonic::*;
    match mnemonic {
        Vpsllvd => Depends::Shift(Direction::Left, 4),
        Vpsllvq => Depends::Shift(Direction::Left, 8),
        Vpsrlvd | Vpsravd => Depends::Shift(Direction::Right, 4),
        Vpsrlvq | Vpsravq => Depends::Shift(Direction::Right, 8),
        Pmovzxdq | Vpmovzxdq | Pmovsxdq | Vpmovsxdq => Depends::Extension,
        Vpmovqd => Depends::LowerHalves,
        Paddb | Paddw | Paddsb | Paddsw | Paddusb | Paddusw | Psubb | Psubw | Psubsb | Psubsw
        | Psubusb | Psubusw | Pavgb | Pavgw => Depends::Elementwise(4),
        Pmulhw | Pmullw | Pmulhuw | Pmulhrsw | Pmulld | Pmaddwd | Pmaddubsw | Pabsb | Pabsw
        | Pabsd | Psignb | Psignw | Psignd => Depends::Elementwise(4),
        Pmaxsb | Pmaxsw | Pmaxsd | Pmaxub | Pmaxuw | Pmaxud | Pminsb | Pminsw | Pminsd | Pminub
        | Pminuw | Pminud | Psraw | Psllw | Psrlw => Depends::Elementwise(4),
        Vpaddb | Vpaddw | Vpaddsb | Vpaddsw | Vpaddusb | Vpaddusw | Vpsubb | Vpsubw | Vpsubsb
        | Vpsubsw | Vpsubusb | Vpsubusw | Vpavgb | Vpavgw => Depends::Elementwise(4),
        Vpmulhw | Vpmullw | Vpmulhuw | Vpmulhrsw | Vpmulld | Vpmaddwd | Vpmaddubsw | Vpabsb
        | Vpabsw | Vpabsd | Vpsignb | Vpsignw | Vpsignd => Depends::Elementwise(4),
        Vpmaxsb | Vpmaxsw | Vpmaxsd | Vpmaxub | Vpmaxuw | Vpmaxud | Vpminsb | Vpminsw | Vpminsd
        | Vpminub | Vpminuw | Vpminud => Depends::Elementwise(4),
        Vpsllvw | Vpsrlvw | Vpsravw | Vpshldw | Vpshldd | Vpshldvw | Vpshldvd | Vpshrdw
        | Vpshrdd | Vpshrdvw | Vpshrdvd => Depends::Elementwise(4),
        Vprold | Vprolvd | Vprord | Vprorvd | Vplzcntd | Vpopcntb | Vpopcntw | Vpopcntd => {
            Depends::Elementwise(4)
        }
        Pmuludq | Pmuldq | Vpmuludq | Vpmuldq | Vpmullq | Vpabsq | Vpmaxsq | Vpmaxuq | Vpminsq
        | Vpminuq | Vpshldq | Vpshldvq | Vpshrdq | Vpshrdvq => Depends::Elementwise(8),
        Vprolq | Vprolvq | Vprorq | Vprorvq | Vplzcntq | Vpopcntq | Vpmadd52huq | Vpmadd52luq
        | Vpmultishiftqb => Depends::Elementwise(8),
        _ => Depends::Together,
    }
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|b| bytes.get(b).copied().unwrap_or(0)))
}

/// The shadow of a vector register that integer arithmetic writes.
pub(super) fn dots(case: &Case, read: &[usize]) -> Result<[u8; WIDTH], Refusal> {
    let width = case.width(0).min(WIDTH);
    let last = case.i.op_count() as usize - 1;
    // An operand in memory, or the source of an extension, may be shorter.
    let dot = |k: usize| &case.operands[k].dot[..case.width(k).min(WIDTH)];
    let mut bytes = [0; WIDTH];
    if is_difference_of_same(case) {
        return Ok(case.finished(bytes));
    }
    match depends(case.i.mnemonic()) {
        Depends::Extension => {
            let source = &case.operands[last].dot;
            (0..width / 8).for_each(|lane| {
                bytes[8 * lane..8 * lane + 4].copy_from_slice(&source[4 * lane..4 * lane + 4])
            });
        }
        Depends::LowerHalves => return case.native(|_| With::Dot),
        Depends::Shift(direction, size) => {
            let (data, count) = (&case.operands[last - 1], &case.operands[last]);
            for at in (0..width).step_by(size) {
                let (x, dot) = (word(&data.value[at..at + size]), word(&data.dot[at..at + size]));
                let known = if is_active(&count.dot[at..at + size]) {
                    None
                } else {
                    shifted(direction, 8 * size as u64, word(&count.value[at..at + size]), x, dot)
                };
                bytes[at..at + size]
                    .copy_from_slice(&known.unwrap_or(u64::MAX).to_le_bytes()[..size]);
            }
        }
        Depends::Elementwise(size) => {
            for at in (0..width).step_by(size) {
                let is_active =
                    read.iter().any(|&k| dot(k).get(at..at + size).is_some_and(is_active));
                bytes[at..at + size].fill(if is_active { 0xff } else { 0 });
            }
        }
        Depends::Together => {
            if read.iter().any(|&k| is_active(dot(k))) {
                bytes[..width].fill(0xff);
            }
        }
    }
    Ok(case.finished(bytes))
}

/// Whether a register is subtracted from itself.
pub(super) fn is_difference_of_same(case: &Case) -> bool {
    use Mnemonic::*;
    let is_difference = matches!(
        case.i.mnemonic(),
        Psubsb
            | Psubsw
            | Psubusb
            | Psubusw
            | Vpsubb
            | Vpsubw
            | Vpsubd
            | Vpsubq
            | Vpsubsb
            | Vpsubsw
            | Vpsubusb
            | Vpsubusw
    );
    let last = case.i.op_count() - 1;
    let is_register = |k: u32| case.i.op_kind(k) == OpKind::Register;
    is_difference
        && is_register(last)
        && is_register(last - 1)
        && case.i.op_register(last) == case.i.op_register(last - 1)
}

/// Whether an instruction's result is one of these: another's (a general register, memory) is the
/// caller's, who refuses it.
pub(super) fn is_of(case: &Case) -> bool {
    let register = case.i.op0_register();
    case.i.op0_kind() == OpKind::Register
        && register != Register::None
        && (register.is_vector_register() || register.is_mm())
}
