//! Random programs of a library that calls back, in both modes, against a dense matrix.
//!
//! Everything is linear with small integers as coefficients, so numbers are exact in all kinds of
//! reals. Places are elements of three arrays of the program's, one of each kind, and of an array
//! of the library's own.

use std::{arch::asm, collections::HashMap};

use adshadow::memory::{
    indices::{self, Bars, Read, Written},
    objects::{Extent, Object, Policy, ScalarKind},
    registry::{Mode, Registry},
    space,
};
use proptest::prelude::*;

const KINDS: [ScalarKind; 4] = [ScalarKind::F64, ScalarKind::F32, ScalarKind::F80, ScalarKind::F64];
const ELEMENTS: usize = 5;
/// The array of the library's own.
const LIBRARY: usize = 3;
const PLACES: usize = 4 * ELEMENTS;

/// Arrays of all kinds, or their shadows.
struct Arrays([Vec<u128>; 4]);

impl Arrays {
    fn new() -> Self {
        Self(std::array::from_fn(|_| vec![0; ELEMENTS]))
    }

    fn at(&self, array: usize, element: usize) -> u64 {
        self.0[array].as_ptr() as u64 + element as u64 * KINDS[array].stride()
    }

    fn place(&self, place: usize) -> (u64, ScalarKind) {
        (self.at(place / ELEMENTS, place % ELEMENTS), KINDS[place / ELEMENTS])
    }
}

fn get((at, kind): (u64, ScalarKind)) -> f64 {
    let mut value = 0.0f64;
    // SAFETY: a place of an array, or its shadow memory.
    unsafe {
        match kind {
            ScalarKind::F32 => value = f64::from((at as *const f32).read()),
            ScalarKind::F80 => {
                asm!(
                    "fld tbyte ptr [{at}]", "fstp qword ptr [{to}]", at = in(reg) at as usize, to = in(reg) &raw mut value,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                );
            }
            _ => value = (at as *const f64).read(),
        }
    }
    value
}

fn put((at, kind): (u64, ScalarKind), value: f64) {
    // SAFETY: a place of an array, or its shadow memory, of at least the size of its kind.
    unsafe {
        match kind {
            ScalarKind::F32 => (at as *mut f32).write(value as f32),
            ScalarKind::F80 => {
                asm!(
                    "fld qword ptr [{from}]", "fstp tbyte ptr [{at}]", at = in(reg) at as usize, from = in(reg) &raw const value,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                );
            }
            _ => (at as *mut f64).write(value),
        }
    }
}

fn shadow_place((at, kind): (u64, ScalarKind)) -> (u64, ScalarKind) {
    (space::of(at), kind)
}

/// `to = sum of coefficient * from`.
#[derive(Clone, Debug)]
struct Step {
    to: usize,
    from: Vec<(i8, usize)>,
}

/// What happens: the library's steps and callbacks by turns.
#[derive(Clone, Debug)]
struct Program {
    /// Steps of the library, then of code compiled here, and so on; the last are the library's.
    stretches: Vec<Vec<Step>>,
    /// Whether callbacks are lent the library's array.
    lends: bool,
    /// Objects: array, first element, elements.
    objects: Vec<(usize, usize, usize)>,
    /// Whether a callback calls the library again, for its steps.
    nests: bool,
    /// Whether an exception ends the call, in the last callback if there is one.
    throws: bool,
}

fn step(places: usize) -> impl Strategy<Value = Step> {
    (0..places, proptest::collection::vec((-2i8..=2, 0..places), 0..3))
        .prop_map(|(to, from)| Step { to, from })
}

fn program() -> impl Strategy<Value = Program> {
    let part = (0..3usize, 0..ELEMENTS, 1..=ELEMENTS)
        .prop_map(|(array, from, count)| (array, from, count.min(ELEMENTS - from)));
    let all = [(0, 0, ELEMENTS), (1, 0, ELEMENTS), (2, 0, ELEMENTS)];
    let objects = proptest::collection::vec(part, 0..4).prop_map(move |mut parts| {
        parts.extend(all);
        parts
    });
    (objects, any::<[bool; 3]>(), 0..3usize)
        .prop_flat_map(|(objects, [lends, nests, throws], callbacks)| {
            let of_callback = if lends { PLACES } else { PLACES - ELEMENTS };
            let library = proptest::collection::vec(
                proptest::collection::vec(step(PLACES), 0..4),
                callbacks + 1,
            );
            let here = proptest::collection::vec(
                proptest::collection::vec(step(of_callback), 0..3),
                callbacks,
            );
            (Just((objects, lends, nests, throws)), library, here)
        })
        .prop_map(|((objects, lends, nests, throws), library, here)| {
            let mut stretches = Vec::new();
            let mut here = here.into_iter();
            for steps in library {
                stretches.push(steps);
                stretches.extend(here.next());
            }
            Program { stretches, lends, objects, nests, throws }
        })
}

/// The derivatives of all places with respect to all places before.
fn jacobian(program: &Program) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = (0..PLACES)
        .map(|i| {
            (0..PLACES).map(|j| f64::from(u8::from(i == j && i / ELEMENTS != LIBRARY))).collect()
        })
        .collect();
    for step in program.stretches.iter().flatten() {
        let mut row = vec![0.0; PLACES];
        for (c, from) in &step.from {
            for (sum, x) in row.iter_mut().zip(&rows[*from]) {
                *sum += f64::from(*c) * x;
            }
        }
        rows[step.to] = row;
    }
    rows
}

fn objects(program: &Program, primal: &Arrays, shadow: &Arrays) -> Vec<Object> {
    let object = |(array, from, count): (usize, usize, usize)| Object {
        name: "array",
        primal: primal.at(array, from),
        shadow: Some(shadow.at(array, from)),
        extent: Extent::Bytes(count as u64 * KINDS[array].stride()),
        kind: KINDS[array],
    };
    program.objects.iter().copied().map(object).collect()
}

/// A recording: what happened, in order.
#[derive(Default)]
struct Recording {
    events: Vec<Event>,
    indices: u32,
    bars: HashMap<u32, f64>,
}

enum Event {
    Read(Vec<Read>),
    Written(Vec<Written>),
    Operation(u32, Vec<(f64, u32)>),
    Here(Step),
}

impl Bars for Recording {
    fn add(&mut self, index: u32, bar: f64) {
        assert!((1..=self.indices).contains(&index), "an index that was given out");
        *self.bars.entry(index).or_default() += bar;
    }

    fn bar(&self, index: u32) -> f64 {
        self.bars.get(&index).copied().unwrap_or(0.0)
    }
}

impl Recording {
    fn fresh(&mut self, count: u32) -> u32 {
        let first = self.indices + 1;
        self.indices += count;
        first
    }

    /// The library's step, on shadow memory.
    fn record(&mut self, primal: &Arrays, step: &Step) {
        let (at, kind) = primal.place(step.to);
        let index_of = |place: usize| {
            let (at, kind) = primal.place(place);
            // SAFETY: shadow memory of an array.
            let found = unsafe {
                match kind {
                    ScalarKind::F32 => {
                        indices::index_of_float((space::of(at) as *const u32).read())
                    }
                    _ => indices::index_of_double((space::of(at) as *const u64).read()),
                }
            };
            found.expect("an index")
        };
        let operands: Vec<_> = step
            .from
            .iter()
            .map(|(c, from)| (f64::from(*c), index_of(*from)))
            .filter(|(_, i)| *i != 0)
            .collect();
        // A copy keeps its index, as a move in machine code does.
        let index = match operands[..] {
            [] => 0,
            [(1.0, from)] => from,
            _ => {
                let index = self.fresh(1);
                self.events.push(Event::Operation(index, operands));
                index
            }
        };
        // SAFETY: shadow memory of a place of an array.
        unsafe {
            (space::of(at) as *mut u8).write_bytes(0, kind.stride() as usize);
            match kind {
                ScalarKind::F32 => (space::of(at) as *mut u32).write(index),
                _ => (space::of(at) as *mut u64).write(indices::of_double(index)),
            }
            if kind == ScalarKind::F80 {
                (space::of(at) as *mut u16).add(4).write(indices::behind_extended(index));
            }
        }
    }
}

/// A step in place, on dots.
fn dots(at: impl Fn(usize) -> (u64, ScalarKind), step: &Step) {
    let sum = step.from.iter().map(|(c, from)| f64::from(*c) * get(at(*from))).sum();
    put(at(step.to), sum);
}

/// A step's reverse, on adjoints.
fn reverse(shadow: &Arrays, step: &Step) {
    let bar = get(shadow.place(step.to));
    put(shadow.place(step.to), 0.0);
    for (c, from) in &step.from {
        let at = shadow.place(*from);
        put(at, get(at) + f64::from(*c) * bar);
    }
}

/// Runs a program, in tangent mode without a recording.
fn run(program: &Program, primal: &Arrays, shadow: &Arrays, mut recording: Option<&mut Recording>) {
    let objects = objects(program, primal, shadow);
    let lent = Object {
        name: "lent",
        primal: primal.at(LIBRARY, 0),
        shadow: Some(shadow.at(LIBRARY, 0)),
        extent: Extent::Whole(8 * ELEMENTS as u64),
        kind: ScalarKind::F64,
    };
    let lent = &[lent][..usize::from(program.lends)];
    let mut registry = Registry::default();
    let registry = &mut registry;
    for array in 0..LIBRARY {
        let range = primal.at(array, 0)..primal.at(array, ELEMENTS);
        space::covers(range.clone()).expect("heap");
        // SAFETY: covered. Something is left there, of a library that freed this memory.
        unsafe {
            (space::of(range.start) as *mut u8)
                .write_bytes(0x55, (range.end - range.start) as usize)
        };
    }
    macro_rules! crossing {
        ($call:expr) => {
            match &mut recording {
                None => drop($call(Mode::Tangent).expect("a crossing")),
                Some(recording) => {
                    let read = $call(Mode::Recording(&mut |count| Some(recording.fresh(count))))
                        .expect("a crossing");
                    recording.events.push(Event::Read(read));
                }
            }
        };
    }
    macro_rules! written {
        ($call:expr) => {{
            let written = $call.expect("a crossing");
            match &mut recording {
                None => assert!(written.is_empty()),
                Some(recording) => recording.events.push(Event::Written(written)),
            }
        }};
    }
    macro_rules! library {
        ($step:expr) => {
            match &mut recording {
                None => dots(|place| shadow_place(primal.place(place)), $step),
                Some(recording) => recording.record(primal, $step),
            }
        };
    }
    let callbacks = program.stretches.len() / 2;
    // SAFETY: the arrays are there all the time.
    unsafe {
        crossing!(|mode| registry.enter(&objects, Policy::Refuse, mode));
        for (i, steps) in program.stretches.iter().enumerate() {
            if i % 2 == 0 {
                steps.iter().for_each(|step| library!(step));
                continue;
            }
            let here = 0u8;
            written!(registry.begin_callback(lent, &raw const here as u64));
            for step in steps {
                if program.nests {
                    // What the calls outside have needs no word.
                    crossing!(|mode| registry.enter(&[], Policy::Refuse, mode));
                    library!(step);
                    written!(registry.leave());
                } else {
                    match &mut recording {
                        None => dots(|place| shadow.place(place), step),
                        Some(recording) => recording.events.push(Event::Here(step.clone())),
                    }
                }
            }
            if i / 2 + 1 == callbacks && program.throws {
                // The library runs no more.
                break;
            }
            crossing!(|mode| registry.end_callback(mode));
        }
        if program.throws {
            let mut events = Vec::new();
            match &mut recording {
                None => drop(registry.unwind(Mode::Tangent).expect("a crossing")),
                Some(recording) => {
                    let (read, written) = registry
                        .unwind(Mode::Recording(&mut |count| Some(recording.fresh(count))))
                        .expect("a crossing");
                    events.extend([Event::Read(read), Event::Written(written)]);
                    recording.events.append(&mut events);
                }
            }
        } else {
            written!(registry.leave());
        }
        assert_eq!(registry.depth(), 0);
    }
    for (array, kind) in KINDS.iter().enumerate().take(LIBRARY) {
        let bytes = ELEMENTS * kind.stride() as usize;
        // SAFETY: shadow memory of an array.
        let in_shadow_memory = unsafe {
            std::slice::from_raw_parts(space::of(primal.at(array, 0)) as *const u8, bytes)
        };
        assert!(
            in_shadow_memory.iter().all(|b| *b == 0),
            "shadow memory of objects is zero after the call"
        );
    }
}

/// The program without what an exception leaves out.
fn without_rest(program: &Program) -> Program {
    let mut program = program.clone();
    if program.throws && program.stretches.len() > 1 {
        program.stretches.pop();
    }
    program
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn tangent(program in program(), seeds in proptest::collection::vec(-3i8..=3, PLACES)) {
        let (primal, shadow) = (Arrays::new(), Arrays::new());
        for (place, seed) in seeds.iter().enumerate().take(PLACES - ELEMENTS) {
            put(shadow.place(place), f64::from(*seed));
        }
        run(&program, &primal, &shadow, None);
        let jacobian = jacobian(&without_rest(&program));
        for (place, row) in jacobian.iter().enumerate().take(PLACES - ELEMENTS) {
            let expected: f64 = row.iter().zip(&seeds).map(|(j, s)| j * f64::from(*s)).sum();
            prop_assert_eq!(get(shadow.place(place)), expected, "place {}", place);
        }
        for (place, row) in jacobian.iter().enumerate().skip(PLACES - ELEMENTS) {
            let expected: f64 = row.iter().zip(&seeds).map(|(j, s)| j * f64::from(*s)).sum();
            prop_assert_eq!(get(shadow_place(primal.place(place))), expected, "the library keeps place {}", place);
        }
        space::clear(primal.at(LIBRARY, 0)..primal.at(LIBRARY, ELEMENTS)).expect("heap");
    }

    #[test]
    fn adjoint(program in program(), seeds in proptest::collection::vec(-3i8..=3, PLACES)) {
        let (primal, shadow) = (Arrays::new(), Arrays::new());
        let mut recording = Recording::default();
        run(&program, &primal, &shadow, Some(&mut recording));
        for (place, seed) in seeds.iter().enumerate().take(PLACES - ELEMENTS) {
            prop_assert_eq!(get(shadow.place(place)), 0.0, "a recording leaves shadows alone");
            put(shadow.place(place), f64::from(*seed));
        }
        for event in std::mem::take(&mut recording.events).into_iter().rev() {
            // SAFETY: the shadows are there.
            unsafe {
                match event {
                    Event::Written(written) => written.iter().for_each(|w| indices::hand_over(w, &mut recording)),
                    Event::Read(read) => read.iter().for_each(|r| indices::give_back(r, &recording)),
                    Event::Here(step) => reverse(&shadow, &step),
                    Event::Operation(index, operands) => {
                        let bar = recording.bar(index);
                        operands.iter().for_each(|(c, from)| recording.add(*from, c * bar));
                    }
                }
            }
        }
        let jacobian = jacobian(&without_rest(&program));
        for place in 0..PLACES - ELEMENTS {
            let expected: f64 = jacobian.iter().zip(&seeds).take(PLACES - ELEMENTS).map(|(row, s)| f64::from(*s) * row[place]).sum();
            prop_assert_eq!(get(shadow.place(place)), expected, "place {}", place);
        }
        space::clear(primal.at(LIBRARY, 0)..primal.at(LIBRARY, ELEMENTS)).expect("heap");
    }
}
