//! The search for the function whose derivative is wrong: the tangent of a function runs with a stop
//! before each call in it, where the derivatives of what is called are checked.

use super::{
    Thunks,
    check::Subject,
    description::{Description, Layout, layout},
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
    /// What the function was called with.
    outside: Reals,
    /// What it has allocated, by address.
    own: BTreeMap<usize, Own>,
}

/// Memory of a function that is searched.
struct Own {
    shadow: usize,
    bytes: usize,
    name: String,
    layout: Layout,
}

impl Search {
    /// All memory with shadows that is known.
    fn known(&self) -> Reals {
        let mut all = self.outside.clone();
        for (&at, own) in &self.own {
            all.add(&own.name, &own.layout, (at, own.shadow), own.bytes);
        }
        all
    }
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
        SEARCH.replace(Some(Search {
            report: report.clone(),
            calls: BTreeMap::new(),
            outside: reals.memory(),
            own: BTreeMap::new(),
        }));
        // SAFETY: the frame is one that the function takes.
        unsafe { tangent(of.frame.cast::<c_void>()) }
    });
    Some(report.read()).filter(|text| !text.is_empty())
}

/// A tangent with stops has memory of its own, with a shadow: its calls may use it.
///
/// # Safety
/// `name` and `layout_text` are C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_validate_object(
    primal: *mut c_void,
    shadow: *mut c_void,
    bytes: u64,
    name: *const c_char,
    layout_text: *const c_char,
) {
    if primal.is_null() || shadow.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let text = |of: *const c_char| unsafe { CStr::from_ptr(of) }.to_string_lossy();
    SEARCH.with_borrow_mut(|search| {
        let Some(search) = search else { return };
        let own = Own {
            shadow: shadow as usize,
            bytes: bytes as usize,
            name: text(name).into_owned(),
            layout: layout(&text(layout_text)),
        };
        search.own.insert(primal as usize, own);
    });
}

/// It frees a block of the heap.
///
/// # Safety
/// It is null or one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_validate_freed(primal: *mut c_void) {
    SEARCH.with_borrow_mut(|search| {
        let Some(search) = search else { return };
        search.own.remove(&(primal as usize));
        // SAFETY: the caller's promise.
        let bytes = unsafe { libc::malloc_usable_size(primal) };
        search.outside.remove(primal as usize, bytes);
    });
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
        let count = *count;
        is_due.then(|| (search.report.clone(), count, search.known()))
    });
    let Some((report, count, known)) = started else { return };
    // SAFETY: the caller's promise.
    let (text, thunks) = unsafe { (CStr::from_ptr(text).to_string_lossy(), *thunks) };
    let of = Description::read(&text);
    let called = Subject { of: &of, frame: frame.cast(), thunks, number: CALLS + count };
    // Derivatives of what an inactive function writes do not change: its result is checked.
    let known = if of.is_inactive { Reals::default() } else { known };
    let (reals, found) = called.call(&known);
    let Some(fault) = found.fault else { return };
    let parts = [&of.name, &of.definition, &of.place, &fault.text];
    report.write(&parts.map(String::as_str).join(&BETWEEN.to_string()));
    if let Some(deeper) = descend(&called, &reals, &fault.direction) {
        report.write(&deeper);
    }
    // SAFETY: this process is none of the user's: nothing of the program runs at the end.
    unsafe { libc::_exit(0) }
}
