//! Text that libraries make of active numbers, and code compiled here where it calls libraries. It
//! has no derivative; so a number that is read from it again must not be taken for a constant: that
//! is refused at the function that reads it ([`super::checked_calls`]).
//!
//! Such text is known by where it lies, while the same characters are there, and wherever it was
//! copied to by functions that are known; numbers of many digits also by these, wherever they are
//! met: strings are copied character by character in more ways than can be followed. What no
//! function of the C library reads is not seen.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use super::memory::Call;
use crate::{
    machine::{
        state::State,
        word::{self, BYTES},
    },
    memory::space::{self, DISTANCE},
};

/// Digits of a number that is known by them.
const DIGITS: usize = 5;
/// Pieces of text that are known by their place, at most; further ones are known by their digits
/// only.
const MOST: usize = 1 << 14;
/// Characters that are looked at, at most.
const LONGEST: usize = 1 << 16;

#[derive(Default)]
struct Made {
    /// By address.
    places: BTreeMap<u64, Vec<u8>>,
    /// Digits of numbers.
    numbers: HashSet<Vec<u8>>,
    /// There is some that was not seen.
    has_more: bool,
}

static MADE: Mutex<Option<Made>> = Mutex::new(None);
/// Whether there is any: most programs make none.
static ANY: AtomicBool = AtomicBool::new(false);

fn made() -> MutexGuard<'static, Option<Made>> {
    MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// An evaluation begins: text of earlier ones is constant.
pub fn forget() {
    if ANY.swap(false, Ordering::Relaxed) {
        *made() = None;
    }
}

/// Where a function gets the numbers that it makes text of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Behind the format, which is the argument with that number.
    Behind(usize),
    /// In a list that the argument behind the format leads to.
    Listed(usize),
    /// Its only real argument.
    Argument,
}

/// Where the text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextPlace {
    /// Where that argument leads to.
    Argument(usize),
    /// Where the pointer is that this argument leads to.
    Pointee(usize),
    /// Where the result leads to.
    Result,
    /// In the file that is that argument, if it is memory: what others are given is not read
    /// here.
    File(usize),
}

/// A function that makes text of numbers.
fn writer(name: &str) -> Option<(TextPlace, Numbers)> {
    use Numbers::*;
    // Words that a real takes before other arguments.
    let real = if word::IS_64 { 0 } else { 2 };
    Some(match name {
        "sprintf" => (TextPlace::Argument(0), Behind(1)),
        "snprintf" => (TextPlace::Argument(0), Behind(2)),
        "__sprintf_chk" => (TextPlace::Argument(0), Behind(3)),
        "__snprintf_chk" => (TextPlace::Argument(0), Behind(4)),
        "asprintf" => (TextPlace::Pointee(0), Behind(1)),
        "__asprintf_chk" => (TextPlace::Pointee(0), Behind(2)),
        "vsprintf" => (TextPlace::Argument(0), Listed(1)),
        "vsnprintf" => (TextPlace::Argument(0), Listed(2)),
        "__vsprintf_chk" => (TextPlace::Argument(0), Listed(3)),
        "__vsnprintf_chk" => (TextPlace::Argument(0), Listed(4)),
        "vasprintf" => (TextPlace::Pointee(0), Listed(1)),
        "__vasprintf_chk" => (TextPlace::Pointee(0), Listed(2)),
        "fprintf" => (TextPlace::File(0), Behind(1)),
        "__fprintf_chk" => (TextPlace::File(0), Behind(2)),
        "vfprintf" => (TextPlace::File(0), Listed(1)),
        "__vfprintf_chk" => (TextPlace::File(0), Listed(2)),
        "strfromd" | "strfromf" | "strfroml" => (TextPlace::Argument(0), Argument),
        "gcvt" => (TextPlace::Argument(1 + real), Argument),
        "ecvt" | "fcvt" => (TextPlace::Result, Argument),
        _ => return None,
    })
}

/// Whether a function is about to make text of something active.
pub fn is_made(name: &str, call: &Call, state: &State) -> bool {
    let Some((_, numbers)) = writer(name) else { return false };
    let format = |i: usize| call.args.get(i).map(|&at| Format::of(at)).unwrap_or_default();
    match numbers {
        // On i386 on the stack, where long doubles are as well.
        Numbers::Argument => {
            word::IS_64 && has_vector(state, 1)
                || is_active(first_on_stack(state), 16 + 2 * BYTES as u64)
        }
        Numbers::Behind(i) if word::IS_64 => {
            let (format, in_registers) = (format(i), (state.gpr[RAX] & 0xff).min(8) as usize);
            has_vector(state, in_registers)
                || (format.is_long || format.reals > 8)
                    && is_active(first_on_stack(state), 16 * format.all)
        }
        Numbers::Behind(i) => {
            let format = format(i);
            format.reals > 0
                && is_active(first_on_stack(state) + ((i + 1) * BYTES) as u64, 12 * format.all)
        }
        Numbers::Listed(i) => {
            let (format, Some(&list)) = (format(i), call.args.get(i + 1)) else { return false };
            match format.reals {
                0 => false,
                _ if word::IS_64 => is_list_active(list, &format),
                _ => is_active(list, 12 * format.all),
            }
        }
    }
}

const RAX: usize = 0;
const RSP: usize = 4;

/// Where arguments on the stack begin.
fn first_on_stack(state: &State) -> u64 {
    state.gpr[RSP] + BYTES as u64
}

/// Whether one of the first vector registers is active.
fn has_vector(state: &State, most: usize) -> bool {
    state.vectors[..most].iter().any(|v| v.0[0] != 0)
}

/// A `va_list` of x86-64: offsets of the next arguments in what was saved of registers, the rest,
/// and where registers were saved.
fn is_list_active(list: u64, format: &Format) -> bool {
    // SAFETY: the function reads it next.
    let (offset, rest, saved) =
        unsafe { (*((list + 4) as *const u32), word::at(list + 8), word::at(list + 16)) };
    let (offset, end) = (u64::from(offset), 176);
    let in_registers = end_of(offset, end).min(format.reals);
    is_active(saved + offset, 16 * in_registers)
        || (format.is_long || format.reals > in_registers) && is_active(rest, 16 * format.all)
}

/// How many registers are left in what was saved.
fn end_of(offset: u64, end: u64) -> u64 {
    end.saturating_sub(offset) / 16
}

/// Whether memory has a shadow that is not zero.
fn is_active(at: u64, bytes: u64) -> bool {
    let (first, end) = (at & !3, (at + bytes) & !3);
    if bytes == 0 || space::covers(first..end).is_err() {
        return false;
    }
    // SAFETY: shadow memory that is in reach, in whole cells.
    (first..end)
        .step_by(4)
        .any(|cell| unsafe { (cell.wrapping_add(DISTANCE) as *const u32).read() } != 0)
}

/// What a format asks for.
#[derive(Default)]
struct Format {
    /// Numbers with a fraction.
    reals: u64,
    /// All items.
    all: u64,
    /// Long doubles are among them.
    is_long: bool,
}

impl Format {
    fn of(at: u64) -> Format {
        let mut format = Format::default();
        let text = characters(at, LONGEST, |_| true);
        let mut rest = text.iter().copied();
        while let Some(c) = rest.next() {
            if c != b'%' {
                continue;
            }
            format.all += 1;
            let mut is_long = false;
            for c in rest.by_ref() {
                match c {
                    b'L' => is_long = true,
                    // A width or precision that is an argument.
                    b'*' => format.all += 1,
                    b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                        format.reals += 1;
                        format.is_long |= is_long;
                        break;
                    }
                    c if c.is_ascii_alphabetic()
                        && !matches!(c, b'h' | b'l' | b'q' | b'j' | b'z' | b't') =>
                    {
                        break;
                    }
                    b'%' => break,
                    _ => {}
                }
            }
        }
        format
    }
}

/// The characters at an address that are of a kind, up to the end of the text.
fn characters(at: u64, most: usize, is: impl Fn(u8) -> bool) -> Vec<u8> {
    if at == 0 {
        return vec![];
    }
    // SAFETY: text that a function is given or has made, read to its end or to what is not of the
    // kind.
    let each = (0..most as u64).map(|i| unsafe { *((at + i) as *const u8) });
    each.take_while(|&c| c != 0 && is(c)).collect()
}

/// A function has made text of something active.
pub fn make(name: &str, call: &Call) {
    let Some((place, _)) = writer(name) else { return };
    let at = match place {
        TextPlace::Argument(i) => call.args[i],
        // SAFETY: the function has stored it there.
        TextPlace::Pointee(i) if call.result as i32 >= 0 => unsafe { word::at(call.args[i]) },
        TextPlace::Pointee(_) => return,
        TextPlace::Result => call.result,
        TextPlace::File(i) => return make_in_file(call.args[i], call.result as i32),
    };
    // Of a buffer without room nothing was written.
    let is_empty = name.contains("snprintf") || name.starts_with("strfrom");
    if is_empty && call.args[1] == 0 {
        return;
    }
    add(at, characters(at, LONGEST, |_| true));
}

/// So many characters were added to a file. One that has no number at the system is memory; what
/// was written is in its buffer.
fn make_in_file(file: u64, count: i32) {
    let file = file as *mut libc::FILE;
    // SAFETY: a function has just written to it; an error leaves a number in `errno`, which is not
    // the program's.
    let is_memory = unsafe {
        let kept = *libc::__errno_location();
        let number = libc::fileno(file);
        *libc::__errno_location() = kept;
        number < 0
    };
    if !is_memory || count <= 0 {
        return;
    }
    // glibc's `_IO_FILE`: flags, three pointers to read, then the first character that was written
    // and the place of the next. SAFETY: a file of glibc.
    let (first, next) = unsafe {
        (word::at(file as u64 + 4 * BYTES as u64), word::at(file as u64 + 5 * BYTES as u64))
    };
    let count = count as u64;
    if first == 0 || next.wrapping_sub(first) < count {
        made().get_or_insert_default().has_more = true;
        ANY.store(true, Ordering::Relaxed);
        return;
    }
    add(next - count, characters(next - count, (count as usize).min(LONGEST), |_| true));
}

fn add(at: u64, text: Vec<u8>) {
    let mut made = made();
    let all = made.get_or_insert_default();
    all.numbers.extend(
        numbers(&text)
            .into_iter()
            .map(|(_, digits)| digits)
            .filter(|digits| digits.len() >= DIGITS),
    );
    all.place(at, text);
    ANY.store(true, Ordering::Relaxed);
}

/// Text was copied.
pub fn copy(from: u64, to: u64, bytes: u64) {
    if !ANY.load(Ordering::Relaxed) {
        return;
    }
    let mut made = made();
    let Some(all) = made.as_mut() else { return };
    let pieces: Vec<(u64, Vec<u8>)> = all
        .places
        .range(..from.saturating_add(bytes))
        .filter_map(|(&at, text)| {
            let (first, end) = (at.max(from), (at + text.len() as u64).min(from + bytes));
            (first < end).then(|| {
                (first - from + to, text[(first - at) as usize..(end - at) as usize].to_vec())
            })
        })
        .collect();
    pieces.into_iter().for_each(|(at, text)| all.place(at, text));
}

impl Made {
    fn place(&mut self, at: u64, text: Vec<u8>) {
        if self.places.len() < MOST || self.places.contains_key(&at) {
            self.places.insert(at, text);
        }
    }

    /// Whether one of these characters is of such text.
    fn is_placed(&self, at: u64, characters: &[u8]) -> bool {
        let end = at + characters.len() as u64;
        self.places.range(..end).any(|(&start, text)| {
            let (first, last) = (start.max(at), (start + text.len() as u64).min(end));
            (first..last).any(|k| text[(k - start) as usize] == characters[(k - at) as usize])
        })
    }
}

/// The numbers in a text: where each begins, and its digits without leading zeros.
fn numbers(text: &[u8]) -> Vec<(std::ops::Range<usize>, Vec<u8>)> {
    let mut all = vec![];
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|c| c.is_ascii_digit() || **c == b'.').count();
        if length == 0 {
            at += 1;
            continue;
        }
        let digits = text[at..at + length].iter().copied().filter(u8::is_ascii_digit);
        all.push((at..at + length, digits.skip_while(|c| *c == b'0').collect()));
        at += length;
    }
    all
}

/// Whether a number that is read there, or any up to the end of the text, is one of an active
/// number's text. Of the last argument, the format, it is known whether it asks for reals.
pub fn is_read(at: u64, end: Option<u64>, format: Option<u64>) -> bool {
    if !ANY.load(Ordering::Relaxed) || format.is_some_and(|at| Format::of(at).reals == 0) {
        return false;
    }
    let most = end.map_or(LONGEST, |end| end.saturating_sub(at) as usize);
    // One number is read to where it ends; with a format all of the text may be.
    let is_of_number = |c: u8| {
        c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || matches!(c, b'.' | b'+' | b'-')
    };
    let text = match format {
        Some(_) => characters(at, most, |_| true),
        None => characters(at, most, is_of_number),
    };
    let made = made();
    let Some(all) = made.as_ref() else { return false };
    let count = if format.is_some() { usize::MAX } else { 1 };
    numbers(&text).into_iter().take(count).any(|(range, digits)| {
        all.has_more
            || all.numbers.contains(&digits)
            || all.is_placed(at + range.start as u64, &text[range])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_their_digits() {
        let found: Vec<String> = numbers(b"x = -0.0012500e+03, 7;")
            .into_iter()
            .map(|(_, d)| String::from_utf8(d).unwrap())
            .collect();
        assert_eq!(found, ["12500", "3", "7"]);
        assert!(numbers(b"no number").is_empty());
    }

    #[test]
    fn formats_say_how_many_reals_are_asked_for() {
        let of = |text: &'static std::ffi::CStr| {
            let f = Format::of(text.as_ptr() as u64);
            (f.reals, f.all, f.is_long)
        };
        assert_eq!(of(c"%d of %5.2f, %s"), (1, 3, false));
        assert_eq!(of(c"%.*Lg %lf 100%%"), (2, 4, true));
        assert_eq!(of(c"nothing"), (0, 0, false));
    }

    #[test]
    fn text_is_known_where_it_lies_and_where_it_was_copied_to() {
        let mut all = Made::default();
        all.place(100, b"2.5".to_vec());
        assert!(
            all.is_placed(100, b"2.5")
                && all.is_placed(102, b"5")
                && !all.is_placed(103, b"5")
                && !all.is_placed(100, b"7x")
        );
    }
}
