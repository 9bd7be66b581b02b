//! Whether the shadows that a request is given are memory of their own, and large enough: with
//! `ADRT_CHECK=1` in the environment.
//!
//! The compiler refuses shadows that it sees to be arguments. Of all others, code before the
//! request says how far the accesses behind each argument reach (pass/src/request/shadows.rs).
//! Reach is that of loops as a whole: it is too large rather than too small where accesses depend
//! on conditions.

use std::{
    borrow::Cow,
    ffi::{CStr, c_char},
    sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed},
};

const VARIABLE: &str = "ADRT_CHECK";
/// Values of [`adrt_checks`].
const OFF: u8 = 1;
const ON: u8 = 2;
/// Flags of a row; the same numbers as in the compiler.
const KNOWN: u32 = 1;
const BEHIND: u32 = 2;
const CONSTANT: u32 = 4;
const WRITTEN: u32 = 8;
/// The request is a tangent.
const TANGENT: u64 = 1;
/// Sizes: not known; that of the block of the heap.
const UNKNOWN: u64 = u64::MAX;
const BLOCK: u64 = u64::MAX - 1;

/// Whether requests are checked: 0 where nobody has looked, 1 if not. Generated code looks here
/// before it calls.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static adrt_checks: AtomicU8 = AtomicU8::new(0);

/// What the environment says, once somebody has looked: unset, off, on, on
/// with errors, on with what was compared.
static WANTED: AtomicU8 = AtomicU8::new(0);
const UNSAID: u8 = 1;
const ERRORS: u8 = 4;
const VERBOSE: u8 = 5;

fn wanted() -> u8 {
    if WANTED.load(Relaxed) == 0 {
        let text = std::env::var_os(VARIABLE).filter(|v| !v.is_empty());
        let found = match text.as_deref().map(std::ffi::OsStr::as_encoded_bytes) {
            None => UNSAID,
            Some(b"0") => UNSAID + OFF,
            Some(b"error") => ERRORS,
            Some(b"verbose") => VERBOSE,
            Some(_) => UNSAID + ON,
        };
        WANTED.store(found, Relaxed);
    }
    WANTED.load(Relaxed)
}

/// Whether derivatives are validated in programs that have code for it: unless that is switched off.
pub fn validates() -> bool {
    wanted() != UNSAID + OFF
}

/// Whether checks say what they compared (`ADRT_CHECK=verbose`).
pub fn is_verbose() -> bool {
    wanted() == VERBOSE
}

/// Whether derivatives that are wrong end the program (`ADRT_CHECK=error`).
pub fn wants_errors() -> bool {
    wanted() == ERRORS
}

/// An argument, or memory behind pointers there, and one of its shadows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Row {
    primal: u64,
    /// First byte of all accesses, and the one behind the last.
    low: u64,
    high: u64,
    shadow: u64,
    shadow_low: u64,
    shadow_high: u64,
    /// How many bytes there are from the shadow on.
    bytes: u64,
    /// Number of the argument, from 1.
    argument: u32,
    flags: u32,
    direction: u32,
    unused: u32,
}

/// What is wrong with shadows.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    code: &'static str,
    /// Whether it is one whatever the function accesses of what it may reach.
    is_certain: bool,
    reason: String,
    remedy: &'static str,
}

impl Row {
    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
    fn name(&self) -> String {
        let argument = format!("argument {}", self.argument);
        if self.has(BEHIND) {
            format!("the memory behind pointers in {argument}")
        } else {
            argument
        }
    }
    fn shadow_name(&self) -> String {
        format!("the shadow of {}", self.name())
    }
    fn meets(&self, a: (u64, u64), other: &Row, b: (u64, u64)) -> bool {
        if self.has(KNOWN) && other.has(KNOWN) {
            return a.0 < b.1 && b.0 < a.1 && a.0 < a.1 && b.0 < b.1;
        }
        // Only the pointers are known.
        !self.has(BEHIND) && !other.has(BEHIND) && a.0 == b.0
    }
    fn span(&self) -> (u64, u64) {
        self.from(self.primal, (self.low, self.high))
    }
    fn shadow_span(&self) -> (u64, u64) {
        self.from(self.shadow, (self.shadow_low, self.shadow_high))
    }
    /// What is known of a reach.
    fn from(&self, pointer: u64, span: (u64, u64)) -> (u64, u64) {
        if self.has(KNOWN) { span } else { (pointer, pointer) }
    }
    /// Whether nothing is accessed.
    fn is_empty(&self) -> bool {
        self.has(KNOWN) && self.low >= self.high
    }
}

/// What is wrong with a request's shadows: the first fault that is certain, or the first. `block`
/// gives the size of a block of the heap.
fn fault(rows: &[Row], is_tangent: bool, block: impl Fn(u64) -> u64) -> Option<Fault> {
    let rows: Vec<&Row> = rows.iter().filter(|r| r.primal != 0 && !r.is_empty()).collect();
    let shadowed: Vec<&Row> = rows.iter().copied().filter(|r| !r.has(CONSTANT)).collect();
    let matters = |a: &Row, b: &Row| !is_tangent || a.has(WRITTEN) || b.has(WRITTEN);

    let null = shadowed.iter().filter_map(|r| null(r));
    let on_arguments = shadowed
        .iter()
        .flat_map(|r| rows.iter().filter(|p| matters(r, p)).filter_map(|p| on_argument(r, p)));
    let pairs = shadowed
        .iter()
        .enumerate()
        .flat_map(|(n, r)| shadowed[n + 1..].iter().map(move |s| (r, s)));
    let on_shadows = pairs.filter(|(r, s)| matters(r, s)).filter_map(|(r, s)| on_shadow(r, s));
    let short = shadowed.iter().filter_map(|r| too_short(r, &block));
    let mut faults: Vec<Fault> = null.chain(on_arguments).chain(on_shadows).chain(short).collect();
    let at = faults.iter().position(|f| f.is_certain).unwrap_or(0);
    (at < faults.len()).then(|| faults.swap_remove(at))
}

fn null(r: &Row) -> Option<Fault> {
    // What lies behind a null pointer is near it.
    let is_null = if r.has(BEHIND) { r.shadow_low < 4096 && r.low >= 4096 } else { r.shadow == 0 };
    let remedy = "give the shadow memory of the same size; or mark the argument ad_const and pass \
        no shadow";
    is_null.then(|| Fault {
        code: "AD218",
        is_certain: true,
        reason: format!("{} is null", r.shadow_name()),
        remedy,
    })
}

fn on_argument(r: &Row, p: &Row) -> Option<Fault> {
    let reason = || format!("{} overlaps {}", r.shadow_name(), p.name());
    let is_certain = r.shadow_span().0 == p.span().0;
    let remedy = "give each argument a shadow of its own, apart from all arguments";
    r.meets(r.shadow_span(), p, p.span()).then(|| Fault {
        code: "AD215",
        is_certain,
        reason: reason(),
        remedy,
    })
}

fn on_shadow(r: &Row, s: &Row) -> Option<Fault> {
    // Arguments that overlap have shadows that overlap in the same way.
    let distance = |x: &Row| x.shadow_span().0.wrapping_sub(x.span().0);
    let is_same_memory = || {
        r.direction == s.direction && r.meets(r.span(), s, s.span()) && distance(r) == distance(s)
    };
    if !r.meets(r.shadow_span(), s, s.shadow_span()) || is_same_memory() {
        return None;
    }
    let reason = match r.argument == s.argument && r.flags & BEHIND == s.flags & BEHIND {
        true => format!(
            "the shadows of {} overlap in directions {} and {}",
            r.name(),
            r.direction + 1,
            s.direction + 1
        ),
        false => format!("{} overlaps {}", r.shadow_name(), s.shadow_name()),
    };
    let remedy = "let shadows overlap only where their arguments overlap, and in the same way; \
        keep shadows of different directions apart";
    Some(Fault {
        code: "AD216",
        is_certain: r.shadow_span().0 == s.shadow_span().0,
        reason,
        remedy,
    })
}

fn too_short(r: &Row, block: impl Fn(u64) -> u64) -> Option<Fault> {
    let bytes = match r.bytes {
        _ if !r.has(KNOWN) || r.has(BEHIND) => return None,
        UNKNOWN => return None,
        BLOCK => block(r.shadow),
        bytes => bytes,
    };
    let needed = r.shadow_high.saturating_sub(r.shadow);
    let reason = || {
        format!(
            "{} has {bytes} bytes, but the function accesses the first {needed} bytes of the \
            argument",
            r.shadow_name()
        )
    };
    (needed > bytes).then(|| Fault {
        code: "AD217",
        is_certain: true,
        reason: reason(),
        remedy: "give the shadow the size of the argument",
    })
}

/// Warnings that a process prints.
const MOST_WARNINGS: u32 = 4;
static WARNINGS: AtomicU32 = AtomicU32::new(0);

/// Ends the process where the shadows of a request are not what they must be; warns where they may
/// not be. The first time, finds out whether anybody wants to know.
///
/// # Safety
/// `function` and `place` are C strings; there are `count` rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_check_shadows(
    function: *const c_char,
    place: *const c_char,
    rows: *const Row,
    count: u64,
    mode: u64,
) {
    if adrt_checks.load(Relaxed) == 0 {
        let is_on = wanted() > UNSAID + OFF;
        adrt_checks.store(if is_on { ON } else { OFF }, Relaxed);
    }
    if adrt_checks.load(Relaxed) == OFF || count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let rows = unsafe { std::slice::from_raw_parts(rows, count as usize) };
    // SAFETY: the compiler says so only of pointers that an allocation function returned.
    let block =
        |at: u64| unsafe { libc::malloc_usable_size(at as usize as *mut libc::c_void) as u64 };
    let Some(Fault { code, is_certain, reason, remedy }) = fault(rows, mode & TANGENT != 0, block)
    else {
        return;
    };
    let place = format!("in a request on '{}' {}", text(function), text(place));
    if is_certain {
        eprintln!("adrt: error {code}: {reason}, {place}; remedy: {remedy}");
        std::process::abort()
    }
    if WARNINGS.fetch_add(1, Relaxed) < MOST_WARNINGS {
        eprintln!(
            "adrt: warning {code}: {reason}, if the loops of the function reach their bounds, \
            {place}; remedy: {remedy}"
        );
    }
}

fn text<'a>(string: *const c_char) -> Cow<'a, str> {
    // SAFETY: generated code gives C strings that live as long as the program.
    unsafe { CStr::from_ptr(string) }.to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(argument: u32, primal: u64, shadow: u64, bytes: u64) -> Row {
        Row {
            primal,
            low: primal,
            high: primal + bytes,
            shadow,
            shadow_low: shadow,
            shadow_high: shadow + bytes,
            bytes: UNKNOWN,
            argument,
            flags: KNOWN,
            direction: 0,
            unused: 0,
        }
    }
    fn code(rows: &[Row], is_tangent: bool) -> Option<&'static str> {
        fault(rows, is_tangent, |_| 8).map(|f| f.code)
    }

    #[test]
    fn memory_of_its_own_is_right() {
        assert_eq!(code(&[row(1, 1000, 2000, 24), row(2, 1024, 2024, 8)], false), None);
        assert_eq!(code(&[row(1, 0, 0, 24)], false), None);
        assert_eq!(code(&[row(1, 1000, 1000, 0)], false), None, "nothing is accessed");
    }

    #[test]
    fn shadows_do_not_overlap_arguments() {
        assert_eq!(code(&[row(1, 1000, 1016, 24)], false), Some("AD215"));
        assert_eq!(code(&[row(1, 1000, 2000, 24), row(2, 2016, 4000, 8)], false), Some("AD215"));
        assert_eq!(code(&[row(1, 1000, 1000, 24)], true), None, "a tangent only reads it");
        assert_eq!(
            code(&[Row { flags: KNOWN | WRITTEN, ..row(1, 1000, 1000, 24) }], true),
            Some("AD215")
        );
        let constant = Row { flags: KNOWN | CONSTANT, shadow: 0, ..row(2, 2000, 0, 8) };
        assert_eq!(code(&[row(1, 1000, 2000, 24), constant], false), Some("AD215"));
    }

    #[test]
    fn shadows_overlap_as_their_arguments_do() {
        assert_eq!(code(&[row(1, 1000, 2000, 24), row(2, 3000, 2016, 24)], false), Some("AD216"));
        assert_eq!(code(&[row(1, 1000, 2000, 24), row(2, 1008, 2008, 24)], false), None);
        assert_eq!(code(&[row(1, 1000, 2000, 24), row(2, 1008, 2000, 24)], false), Some("AD216"));
        assert_eq!(
            code(&[row(1, 1000, 2000, 24), Row { direction: 1, ..row(1, 1000, 2000, 24) }], false),
            Some("AD216")
        );
    }

    #[test]
    fn shadows_are_large_enough_and_there() {
        assert_eq!(code(&[Row { bytes: 24, ..row(1, 1000, 2000, 24) }], false), None);
        assert_eq!(code(&[Row { bytes: 16, ..row(1, 1000, 2000, 24) }], false), Some("AD217"));
        assert_eq!(code(&[Row { bytes: BLOCK, ..row(1, 1000, 2000, 24) }], false), Some("AD217"));
        assert_eq!(code(&[row(1, 1000, 0, 24)], false), Some("AD218"));
    }

    #[test]
    fn what_is_certain_comes_first() {
        let short = Row { bytes: 16, ..row(1, 1000, 984, 24) };
        assert_eq!(code(&[short], false), Some("AD217"), "and it may overlap the argument");
    }

    #[test]
    fn pointers_alone_are_compared_where_nothing_is_known_of_accesses() {
        let unknown = |primal, shadow| Row { flags: 0, ..row(1, primal, shadow, 0) };
        assert_eq!(code(&[unknown(1000, 1000)], false), Some("AD215"));
        assert_eq!(code(&[unknown(1000, 1008)], false), None);
    }
}
