//! Bits of active numbers that code finds equal to those of the library's variables: what compilers
//! make of `memcmp`.
//!
//! Words are examined one by one, as code does: it is unknown here whether others differ. So a
//! library that has kept one of several keys is taken for one that has kept all.

use std::ops::Range;

use iced_x86::{Instruction, Mnemonic, Register};

use super::{
    CodePlace, has_many_digits, is_of_library, look_at_bytes, number, report,
    source::{self, Source},
};
use crate::{Error, machine::state::State};

/// General registers by number: what a string instruction counts, and where it reads.
const COUNT: usize = 1;
const SOURCE: usize = 6;
const DESTINATION: usize = 7;

/// Looks at the operands of an instruction that compares bits.
pub fn look(i: &Instruction, state: &State, library: &dyn Fn(u64) -> String) -> Result<(), Error> {
    if i.is_string_instruction() {
        return of_strings(i, state, library);
    }
    let sources = source::all(i, state);
    for (n, a) in sources.iter().enumerate() {
        for b in &sources[n + 1..] {
            of_words(i, a, b, library)?;
        }
    }
    Ok(())
}

fn of_words(
    i: &Instruction,
    a: &Source,
    b: &Source,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    for [of_a, of_b] in words(i.mnemonic(), [a.bytes, b.bytes]) {
        let value = &a.operand.value[of_a.clone()];
        if *value != b.operand.value[of_b.clone()] || !has_many_digits(value) {
            continue;
        }
        let compared = [a.compared(of_a), b.compared(of_b)];
        if compared[0].is_passive() != compared[1].is_passive()
            && is_of_library(i.ip(), &[value], &compared)
        {
            return report(
                CodePlace { address: i.ip(), instruction: i.to_string(), library: library(i.ip()) },
                number(value),
                true,
            );
        }
    }
    Ok(())
}

/// The words of two operands of so many bytes that are compared with each other: those at the same
/// place, or each with each.
fn words(m: Mnemonic, [a, b]: [usize; 2]) -> impl Iterator<Item = [Range<usize>; 2]> {
    let common = a.min(b);
    let (each_with_each, bytes, word) = match m {
        Mnemonic::Vp2intersectd => (true, a, 4),
        Mnemonic::Vp2intersectq => (true, a, 8),
        _ => (false, common, common.min(8)),
    };
    (0..bytes).step_by(word).flat_map(move |from| {
        let others = if each_with_each { 0..b } else { from..from + word };
        others.step_by(word).map(move |other| [from..from + word, other..other + word])
    })
}

/// Strings that are about to be found equal.
fn of_strings(
    i: &Instruction,
    state: &State,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    const DIRECTION: u64 = 0x400;
    if !i.has_repe_prefix() || state.flags & DIRECTION != 0 || i.segment_prefix() != Register::None
    {
        return Ok(());
    }
    let (at, bytes) = (
        [SOURCE, DESTINATION].map(|n| state.gpr[n]),
        state.gpr[COUNT] * i.memory_size().size() as u64,
    );
    // SAFETY: the instruction reads both as far as they are the same.
    let byte = |start: u64, offset: u64| unsafe { *((start + offset) as *const u8) };
    if !(0..bytes).all(|offset| byte(at[0], offset) == byte(at[1], offset)) {
        return Ok(());
    }
    look_at_bytes(&i.to_string(), at, bytes, (i.ip(), &library(i.ip())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(m: Mnemonic, bytes: [usize; 2]) -> Vec<[usize; 2]> {
        words(m, bytes).map(|pair| pair.map(|range| range.start)).collect()
    }

    #[test]
    fn words_are_compared_at_their_place_and_intersected_with_all() {
        assert_eq!(starts(Mnemonic::Cmp, [4, 4]), [[0, 0]]);
        assert_eq!(starts(Mnemonic::Vpcmpeqd, [16, 16]), [[0, 0], [8, 8]]);
        let all = [[0, 0], [0, 8], [8, 0], [8, 8]];
        assert_eq!(starts(Mnemonic::Vp2intersectq, [16, 16]), all);
        assert_eq!(starts(Mnemonic::Vp2intersectd, [64, 64]).len(), 16 * 16);
        // One element of memory in all lanes.
        assert_eq!(starts(Mnemonic::Vp2intersectq, [16, 8]), [[0, 0], [8, 0]]);
    }
}
