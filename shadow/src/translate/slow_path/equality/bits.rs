//! Bits of active numbers that code finds equal to those of the library's variables: what compilers
//! make of `memcmp`.
//!
//! Words are examined one by one, as code does: it is unknown here whether others differ. So a
//! library that has kept one of several keys is taken for one that has kept all.

use iced_x86::{Instruction, Register};

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
    let bytes = a.bytes.min(b.bytes);
    let word = bytes.min(8);
    for from in (0..bytes).step_by(word) {
        let range = from..from + word;
        let value = &a.operand.value[range.clone()];
        if *value != b.operand.value[range.clone()] || !has_many_digits(value) {
            continue;
        }
        let compared = [a, b].map(|s| s.compared(range.clone()));
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
