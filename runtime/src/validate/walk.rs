//! The search for the function whose derivative is wrong: the tangent of a function runs with a stop
//! before each call in it, where the derivatives of what is called are checked.

use super::{
    Thunks,
    check::Subject,
    description::Description,
    isolation::{self, Report},
    memory::Reals,
};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    ffi::{CStr, c_char, c_void},
    rc::Rc,
};

/// Seconds of a search in one function.
const SECONDS: u32 = 600;
/// Runs of one call that are checked each; later ones where their number is a power of 2.
const FIRST: u64 = 100;
/// Distinguishes the directions of calls from those of requests.
const CALLS: u64 = 1 << 20;

/// A search in one function.
struct Search {
    report: Rc<Report>,
    /// How often each call came, by its text.
    calls: BTreeMap<usize, u64>,
}

thread_local! {
    static SEARCH: RefCell<Option<Search>> = const { RefCell::new(None) };
}

/// What was found: the innermost function whose derivative is wrong.
pub struct Guilty {
    pub name: String,
    pub definition: String,
    /// Where it was called.
    pub place: String,
    /// What was compared.
    pub why: String,
}

/// Between the parts of a report.
const BETWEEN: char = '\u{1f}';

/// Looks into the calls of a function, in a direction in which its derivatives disagree.
pub fn search(of: &Subject, reals: &Reals, direction: &[f64]) -> Option<Guilty> {
    let text = descend(of, reals, direction)?;
    let mut parts = text.split(BETWEEN).map(String::from);
    let mut next = || parts.next();
    Some(Guilty { name: next()?, definition: next()?, place: next()?, why: next()? })
}

/// Runs the tangent of a function with its stops: a report, if one of its calls is to blame.
fn descend(of: &Subject, reals: &Reals, direction: &[f64]) -> Option<String> {
    let tangent = of.thunks.walk?;
    let report = Rc::new(Report::new()?);
    isolation::run(SECONDS, || {
        for (r, d) in reals.all.iter().zip(direction).filter(|(r, _)| r.is_input()) {
            // SAFETY: the shadow is there.
            unsafe { r.set_dot(*d) }
        }
        SEARCH.replace(Some(Search { report: report.clone(), calls: BTreeMap::new() }));
        // SAFETY: the frame is one that the function takes.
        unsafe { tangent(of.frame.cast::<c_void>()) }
    });
    Some(report.read()).filter(|text| !text.is_empty())
}

/// A tangent with stops is about to call a derivative. Where that is wrong, the search is over.
///
/// # Safety
/// As of [`super::adrt_validate_request`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_validate_call(
    text: *const c_char,
    frame: *mut c_void,
    thunks: *const Thunks,
) {
    let started = SEARCH.with_borrow_mut(|search| {
        let search = search.as_mut()?;
        let count = search.calls.entry(text as usize).or_default();
        *count += 1;
        let is_due = *count <= FIRST || count.is_power_of_two();
        is_due.then(|| (search.report.clone(), *count))
    });
    let Some((report, count)) = started else { return };
    // SAFETY: the caller's promise.
    let (text, thunks) = unsafe { (CStr::from_ptr(text).to_string_lossy(), *thunks) };
    let of = Description::read(&text);
    let called = Subject { of: &of, frame: frame.cast(), thunks, number: CALLS + count };
    let (reals, found) = called.call();
    let Some(fault) = found.fault else { return };
    let parts = [&of.name, &of.definition, &of.place, &fault.text];
    report.write(&parts.map(String::as_str).join(&BETWEEN.to_string()));
    if let Some(deeper) = descend(&called, &reals, &fault.direction) {
        report.write(&deeper);
    }
    // SAFETY: this process is none of the user's: nothing of the program runs at the end.
    unsafe { libc::_exit(0) }
}
