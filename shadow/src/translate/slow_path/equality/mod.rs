//! Active numbers that a comparison found equal: reported to the program's user, once for each
//! place.
//!
//! A library may keep its last argument and what it computed of it: the same argument, with a
//! derivative now, gets the result without one. So where the other number is one of the library's
//! variables, or was loaded from there, that is an error, whether they are compared as numbers or
//! as [`bits`]. Caches that order their keys, or make other integers of them, are not seen.

pub mod bits;
mod source;

use std::{collections::HashSet, ops::Range, sync::Mutex};

use iced_x86::{Instruction, Mnemonic};

use super::site::Site;
use crate::{
    Error, error,
    machine::{running, state::State},
    memory::space::{self, DISTANCE},
    process::modules,
    rules::extended::{Dual, Extended},
    translate::{Mode, emit::equality},
};
use source::Source;

/// Places that are reported, in one process: where a recording is made, every number of an object
/// with a shadow counts as active.
const MOST: usize = 4;
/// Where variables may lie: multiples of this.
const ALIGNMENT: u64 = 4;
/// What is to be done: `error` ends the program, `quiet` says nothing.
const VARIABLE: &str = "ADSHADOW_TIES";

static REPORTED: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

/// Looks at the operands of a comparison of scalars for the flags.
pub fn look(
    site: &Site,
    state: &State,
    mode: Mode,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    let i = &site.instruction;
    let is_double = matches!(
        i.mnemonic(),
        Mnemonic::Ucomisd | Mnemonic::Comisd | Mnemonic::Vucomisd | Mnemonic::Vcomisd
    );
    match equality::flags_are_asked(site.behind()) {
        true => look_at_lane(i, &source::all(i, state), lane(0, is_double), mode, library),
        false => Ok(()),
    }
}

/// Looks at the operands of a comparison lane by lane.
pub fn look_at_lanes(
    i: &Instruction,
    state: &State,
    mode: Mode,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    let is_double = matches!(
        i.mnemonic(),
        Mnemonic::Cmppd | Mnemonic::Cmpsd | Mnemonic::Vcmppd | Mnemonic::Vcmpsd
    );
    let is_scalar = matches!(
        i.mnemonic(),
        Mnemonic::Cmpsd | Mnemonic::Cmpss | Mnemonic::Vcmpsd | Mnemonic::Vcmpss
    );
    let (sources, mask) = (source::all(i, state), source::mask(i, state));
    let count = if is_scalar { 1 } else { sources[0].bytes / lane(0, is_double).len() };
    (0..count)
        .filter(|k| mask >> k & 1 == 1)
        .try_for_each(|k| look_at_lane(i, &sources, lane(k, is_double), mode, library))
}

fn lane(k: usize, is_double: bool) -> Range<usize> {
    let bytes = if is_double { 8 } else { 4 };
    k * bytes..(k + 1) * bytes
}

fn look_at_lane(
    i: &Instruction,
    sources: &[Source],
    lane: Range<usize>,
    mode: Mode,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    let [first, second] = sources else { return Ok(()) };
    // What is broadcast is one number.
    let own = |s: &Source| if lane.end <= s.bytes { lane.clone() } else { 0..lane.len() };
    let [value, other] = [first, second].map(|s| &s.operand.value[own(s)]);
    let compared = [first, second].map(|s| s.compared(own(s)));
    if number(value) != number(other) || !may_part(&compared, mode) {
        return Ok(());
    }
    let is_of_library = is_of_library(i.ip(), &[value], &compared);
    report(
        CodePlace { address: i.ip(), instruction: i.to_string(), library: library(i.ip()) },
        number(value),
        is_of_library,
    )
}

/// Looks at the operands of a comparison of the x87 unit that comes next. The second may be in
/// memory.
pub fn look_in_unit(
    site: &Site,
    [a, b]: [Dual; 2],
    at: Option<u64>,
    mode: Mode,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    let i = &site.instruction;
    let are_equal = a.x == b.x || a.x.is_zero() && b.x.is_zero();
    let compared =
        [Compared { shadow: a.dot.bytes(), at: None }, Compared { shadow: b.dot.bytes(), at }];
    if !are_equal
        || !may_part(&compared, mode)
        || !equality::unit_asks_for_equality(i, site.behind())
    {
        return Ok(());
    }
    // As variables of the three formats have it.
    let (single, double) = (a.x.to_f32(), a.x.to_f64());
    let [short, long] = [single.to_le_bytes().to_vec(), double.to_le_bytes().to_vec()];
    let forms = [
        (Extended::from(f64::from(single)) == a.x, &short[..]),
        (Extended::from(double) == a.x, &long[..]),
        (true, a.x.bytes()),
    ];
    let forms: Vec<&[u8]> =
        forms.into_iter().filter_map(|(is_exact, form)| is_exact.then_some(form)).collect();
    let is_of_library = is_of_library(i.ip(), &forms, &compared);
    report(
        CodePlace { address: i.ip(), instruction: i.to_string(), library: library(i.ip()) },
        double,
        is_of_library,
    )
}

/// What was compared.
struct Compared<'a> {
    shadow: &'a [u8],
    /// Where it is, if it was in memory.
    at: Option<u64>,
}

impl Compared<'_> {
    fn is_passive(&self) -> bool {
        self.shadow.iter().all(|byte| *byte == 0)
    }
}

/// Whether numbers that are equal may part. With the same dot both stay equal. Of two indices
/// nobody can say it, and mostly one number was computed twice.
fn may_part(compared: &[Compared; 2], mode: Mode) -> bool {
    compared[0].shadow != compared[1].shadow
        && (mode == Mode::Tangent || compared.iter().any(Compared::is_passive))
}

/// Where numbers were compared.
struct CodePlace {
    address: u64,
    instruction: String,
    library: String,
}

/// The C library found so many bytes equal, for code that goes on at an address.
pub fn look_at_bytes(
    name: &str,
    at: [u64; 2],
    bytes: u64,
    (back, library): (u64, &str),
) -> Result<(), Error> {
    const WORD: usize = 8;
    for offset in (0..bytes - bytes % WORD as u64).step_by(WORD) {
        // SAFETY: bytes that were compared, and their shadows.
        let of = |start: u64| unsafe { ((start + offset) as *const [u8; WORD]).read_unaligned() };
        let shadows = at.map(|start| of(start.wrapping_add(DISTANCE)));
        let compared = [0, 1].map(|k| Compared { shadow: &shadows[k], at: Some(at[k] + offset) });
        if compared[0].is_passive() == compared[1].is_passive() {
            continue;
        }
        let place = CodePlace { address: back, instruction: name.into(), library: library.into() };
        return report(
            place,
            f64::from_le_bytes(of(at[0])),
            is_of_library(back, &[&of(at[0])], &compared),
        );
    }
    Ok(())
}

/// Whether a number, in one of these forms, is one that the library with this code has in its
/// variables, without a derivative: the one that was compared, if it was in memory. In the
/// program's own variables others may well be the same. Numbers of few digits may be anywhere.
fn is_of_library(code: u64, forms: &[&[u8]], compared: &[Compared; 2]) -> bool {
    let forms: Vec<&[u8]> = forms.iter().copied().filter(|form| has_many_digits(form)).collect();
    let Some(passive) = compared.iter().find(|c| c.is_passive() && !forms.is_empty()) else {
        return false;
    };
    let modules = modules::loaded();
    let Some(module) = modules.iter().find(|m| m.has_code(code)) else { return false };
    let mut data = module.data.iter().chain(&module.own);
    if let Some(at) = passive.at {
        return data.any(|range| range.contains(&at));
    }
    // SAFETY: variables of a loaded module, and their shadows.
    let bytes = |range: &Range<u64>| unsafe {
        std::slice::from_raw_parts(range.start as *const u8, (range.end - range.start) as usize)
    };
    let has = |range: &Range<u64>| {
        let aligned = range.start.next_multiple_of(ALIGNMENT)..range.end;
        let shadow = aligned.start.wrapping_add(DISTANCE)..aligned.end.wrapping_add(DISTANCE);
        !aligned.is_empty()
            && space::covers(aligned.clone()).is_ok()
            && forms.iter().any(|form| {
                let all =
                    bytes(&aligned).windows(form.len()).zip(bytes(&shadow).windows(form.len()));
                all.step_by(ALIGNMENT as usize)
                    .any(|(value, shadow)| value == *form && shadow.iter().all(|b| *b == 0))
            })
    };
    !module.path.is_empty() && data.any(has)
}

/// Whether the last digits of a number, in one of the formats, are not all zero.
fn has_many_digits(form: &[u8]) -> bool {
    let last = u32::from_le_bytes(form[..4].try_into().expect("four bytes at least"));
    if form.len() == 4 { last & 0xfff != 0 } else { last != 0 }
}

fn number(bytes: &[u8]) -> f64 {
    match *bytes {
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
        _ => f64::from_le_bytes(std::array::from_fn(|k| bytes[k])),
    }
}

fn report(
    CodePlace { address, instruction, library }: CodePlace,
    value: f64,
    is_of_library: bool,
) -> Result<(), Error> {
    let found = match is_of_library {
        true => Error::EqualToLibrary { library, address, instruction, value },
        false => Error::Equality { library, address, instruction, value },
    };
    match std::env::var(VARIABLE).as_deref() {
        Ok("quiet") => return Ok(()),
        Ok("error") => return Err(found),
        _ if is_of_library => return Err(found),
        _ => {}
    }
    let mut reported = REPORTED.lock().unwrap_or_else(|e| e.into_inner());
    let reported = reported.get_or_insert_default();
    if reported.len() < MOST && reported.insert(address) {
        error::note(&found, &running::function_name().unwrap_or("?".into()));
    }
    Ok(())
}
