//! All functions that a request reaches, and their summaries: made together, bottom-up over the
//! call graph.

use crate::{
    annotations::config::Config,
    canon::{Canon, Shared, stand_ins},
    codegen::{check::copied, globals, inner::Effects},
    diagnostics::{Code, Diagnostic},
    driver::{doubles, words::Facts},
    image::{
        Imported, Origins,
        unit::{self, Image, Unit},
    },
    llvm::{Function, Module, Value},
};
use adanalysis::{
    bits::{Bits, Boundaries, Boundary},
    bottom_up::{Draft, Sweep, Target},
    stats,
    types::Pointee,
};
use adir::{Body, Callee, Op, ValueId, foreign, hashed::HashMap};
use std::rc::Rc;

/// Units by function; functions that cannot be differentiated have the reason.
pub type Units = HashMap<Function, Result<Rc<Unit>, Diagnostic>>;

/// Calls to functions with a body, and what they call.
type Calls = Vec<(ValueId, Option<Function>)>;

/// What of an image the analyses do not see.
struct Prepared {
    source: Function,
    canon: Canon,
    origins: Origins,
    calls: Calls,
}

/// Where to find what calls do to memory that no analysis looks into.
pub type EffectsOf<'a> = &'a dyn Fn(Function) -> Option<Effects>;

/// Times that undecided moves are looked for: copies of memory may carry evidence to further ones.
/// What is left then is refused where it matters (codegen/check).
const MOST_REWRITES: usize = 3;

/// Adds `roots`, functions that are called from elsewhere, and all that they call to `units`. With
/// each root, what requests hand over to it.
pub fn load(
    module: Module,
    config: &Config,
    roots: &[(Function, Vec<Vec<Pointee>>)],
    shared: &mut Shared,
    units: &mut Units,
    effects: EffectsOf,
) {
    let sources: Vec<Function> = roots.iter().map(|r| r.0).collect();
    shared.add_roots(&sources);
    let mut images = images(module, &sources, shared, units, effects);
    let mut rounds = 0;
    let (prepared, drafts, summaries, bits, callees, stand_ins) = loop {
        let index: HashMap<Function, usize> =
            images.iter().enumerate().map(|(i, (source, _))| (*source, i)).collect();
        name_variables(module, &mut images, &index, units, effects);
        let (prepared, mut drafts) = split(images, roots, &index, units, effects);
        let declared = |i: usize, body: &Body, v| {
            unit::declared(module, body, prepared[i].origins.value(v), v)
        };
        let sweep = Sweep { uses: &|analysis| config.uses(analysis), declared: &declared };
        sweep.run(&mut drafts);
        let bits = stats::time("bits", || bits(&drafts, &prepared, &index, units));
        // Moves of integers that types do not decide are copies of memory from now on.
        let is_last = rounds == MOST_REWRITES;
        let moves = if is_last { vec![] } else { undecided(&drafts, &prepared, &bits) };
        if moves.is_empty() {
            let summaries: Vec<_> = drafts.iter().map(Draft::summary).collect();
            let callees: Vec<_> = drafts.iter().map(|d| d.callees(&summaries, &sweep)).collect();
            let stand_ins: Vec<_> =
                drafts.iter().map(|d| d.stand_ins(&summaries, &sweep)).collect();
            break (prepared, drafts, summaries, bits, callees, stand_ins);
        }
        rounds += 1;
        images = vec![];
        for (Prepared { source, mut canon, .. }, loads) in prepared.into_iter().zip(moves) {
            canon.move_by_memory(module, &loads);
            match Image::of(module, canon) {
                Ok(image) => images.push((source, image)),
                Err(d) => drop(units.insert(source, Err(d))),
            }
        }
    };
    let has_only_doubles = doubles::are_all(&drafts) && units_of(units).all(|u| u.has_only_doubles);
    // Copies of unknown type in earlier units add doubles.
    let adds_doubles = |u: &Rc<Unit>| u.has_only_doubles && copied::has_untyped(u);
    let adds_others = !has_only_doubles && units_of(units).any(adds_doubles);
    let misled: Vec<_> = prepared
        .iter()
        .zip(&drafts)
        .filter_map(|(p, d)| Some((p.source, misled(p, d, units, adds_others)?)))
        .collect();
    for (((((prepared, draft), summary), found), callees), stand_ins) in
        prepared.into_iter().zip(drafts).zip(&summaries).zip(bits).zip(callees).zip(stand_ins)
    {
        let Prepared { source, canon, origins, .. } = prepared;
        let Draft { body, memory, types, .. } = draft;
        let (bits, boundary, boundaries) = found;
        let unit = Unit {
            canon,
            body: Imported::join(body, origins),
            memory,
            types,
            bits,
            boundary,
            boundaries,
            summary: summary.clone(),
            callees,
            stand_ins,
            has_only_doubles,
        };
        units.insert(source, Ok(Rc::new(unit)));
    }
    units.extend(misled.into_iter().map(|(source, d)| (source, Err(d))));
}

fn units_of(units: &Units) -> impl Iterator<Item = &Rc<Unit>> {
    units.values().filter_map(|unit| unit.as_ref().ok())
}

/// Per function, the loads that move bits of which types do not say what they are; nothing if there
/// are none at all.
fn undecided(
    drafts: &[Draft],
    prepared: &[Prepared],
    bits: &[(Bits, Rc<Boundary>, Boundaries)],
) -> Vec<Vec<Value>> {
    let of = |((draft, prepared), (bits, ..)): ((&Draft, &Prepared), &(Bits, _, _))| {
        let Draft { body, memory, types, .. } = draft;
        let facts = Facts { body, origins: &prepared.origins, memory, types, bits };
        facts.undecided().into_iter().map(|v| prepared.origins.value(v)).collect::<Vec<_>>()
    };
    let found: Vec<_> = drafts.iter().zip(prepared).zip(bits).map(of).collect();
    if found.iter().all(Vec::is_empty) { vec![] } else { found }
}

/// Images as analyses read them, and what they do not see of them.
fn split(
    images: Vec<(Function, Image)>,
    roots: &[(Function, Vec<Vec<Pointee>>)],
    index: &HashMap<Function, usize>,
    units: &Units,
    effects: EffectsOf,
) -> (Vec<Prepared>, Vec<Draft>) {
    let of = |(source, image): (Function, Image)| {
        let target = |(call, callee): (ValueId, Function)| {
            let target = match (index.get(&callee), units.get(&callee)) {
                (Some(&i), _) => Target::Draft(i),
                (None, Some(Ok(unit))) => Target::Done(unit.summary.clone(), unit.types.clone()),
                _ => return None,
            };
            Some((call, target))
        };
        let calls = calls(&image.body);
        let known = calls.iter().filter_map(|(call, callee)| Some((*call, (*callee)?)));
        let targets = known.filter_map(target).collect();
        let stand_ins = stand_ins(&image.body, effects).into_iter().filter_map(target).collect();
        let asked = roots.iter().find(|r| r.0 == source).map(|r| r.1.clone());
        let (body, origins) = image.body.split();
        let mut draft = Draft::new(body, targets, asked).with_stand_ins(stand_ins);
        let mut calls = calls;
        if let Some(adjoints) = effects(source).map(|effects| effects.adjoints) {
            // It only tells what another function does.
            draft = draft.of_adjoint(adjoints);
            calls.clear();
        }
        (Prepared { source, canon: image.canon, origins, calls }, draft)
    };
    images.into_iter().map(of).unzip()
}

/// A call of an earlier unit which relied on what its callers said of memory then, and not on what
/// this one says; or on that all reals are doubles (`adds_others`: they are not).
fn misled(
    prepared: &Prepared,
    draft: &Draft,
    units: &Units,
    adds_others: bool,
) -> Option<Diagnostic> {
    let (call, callee) = prepared.calls.iter().find(|(call, callee)| {
        let unit = callee.and_then(|f| units.get(&f)?.as_ref().ok());
        let binding = draft.memory.binding(*call);
        unit.is_some_and(|u| {
            adds_others
                || !u.types.suits(&u.memory, &draft.types.passed_on(&draft.memory, binding))
                || !u.types.suits_call(&draft.body, *call, &draft.types)
        })
    })?;
    let text = format!(
        "this request makes '{}' copy data of another type than an earlier request did",
        (*callee)?.name()
    );
    Some(Diagnostic::new(
        Code::CopyType,
        Some(prepared.origins.value(*call)),
        text,
        "copy member by member there, or make the function static inline",
    ))
}

/// Gives each image names for the global variables of what it calls.
fn name_variables(
    module: Module,
    images: &mut [(Function, Image)],
    index: &HashMap<Function, usize>,
    units: &Units,
    effects: EffectsOf,
) {
    for (_, image) in images.iter_mut() {
        let body = &mut image.body;
        if body.insts().any(|v| {
            matches!(body[v].op, Op::Call(Callee::Unknown | Callee::Indirect))
                && foreign::is_call(body, v)
        }) {
            body.add_variable(stand_ins::outside_memory(module));
        }
    }
    let (mut inner, mut outer) = (vec![], vec![]);
    for (_, image) in images.iter() {
        let callees: Vec<Function> = called(&image.body, effects).collect();
        inner.push(callees.iter().filter_map(|f| index.get(f).copied()).collect());
        let done = callees
            .iter()
            .filter(|f| !index.contains_key(f))
            .filter_map(|f| units.get(f)?.as_ref().ok());
        outer.push(done.flat_map(|unit| globals::named(&unit.body)).collect());
    }
    let mut bodies: Vec<&mut Imported> =
        images.iter_mut().map(|(_, image)| &mut image.body).collect();
    globals::spread(&mut bodies, &inner, &outer);
}

/// Rounds in which reals in the arguments of functions that call each other are found; what is not
/// settled then is refused where it matters (check.rs).
const MOST_ROUNDS: usize = 8;

/// The reals in the integers of each function, what of them its callers see, and the same of those
/// that it calls. A function that only hands an integer on knows from its callers what that is.
fn bits(
    drafts: &[Draft],
    prepared: &[Prepared],
    index: &HashMap<Function, usize>,
    units: &Units,
) -> Vec<(Bits, Rc<Boundary>, Boundaries)> {
    let inner = |p: &Prepared| -> Vec<_> {
        p.calls
            .iter()
            .filter_map(|(call, callee)| Some((*call, *index.get(callee.as_ref()?)?)))
            .collect()
    };
    let inner: Vec<_> = prepared.iter().map(inner).collect();
    let mut known: Vec<Rc<Boundary>> = vec![Rc::default(); drafts.len()];
    let mut given: Vec<Boundary> = vec![Boundary::default(); drafts.len()];
    // What the last round found, if nothing has changed since of what it relied on.
    let mut last: Vec<Option<(Bits, Rc<Boundary>, Boundaries)>> =
        drafts.iter().map(|_| None).collect();
    for round in 0.. {
        let found: Vec<_> = drafts
            .iter()
            .zip(prepared)
            .zip(&given)
            .zip(last)
            .map(|(((draft, prepared), given), last)| {
                let boundary = |&(call, callee): &(ValueId, Option<Function>)| {
                    let callee = callee?;
                    let boundary = match (index.get(&callee), units.get(&callee)) {
                        (Some(&i), _) => known[i].clone(),
                        (None, Some(Ok(unit))) => unit.boundary.clone(),
                        _ => return None,
                    };
                    Some((call, boundary))
                };
                let called: Boundaries = prepared.calls.iter().filter_map(boundary).collect();
                if let Some(same) = last.filter(|last| last.2 == called) {
                    return same;
                }
                let bits = Bits::compute(&draft.body, &draft.memory, &draft.types, &called, given);
                let boundary = Rc::new(bits.boundary(&draft.body));
                (bits, boundary, called)
            })
            .collect();
        let mut now = vec![Boundary::default(); drafts.len()];
        for ((draft, (bits, ..)), calls) in drafts.iter().zip(&found).zip(&inner) {
            calls
                .iter()
                .for_each(|(call, callee)| now[*callee].join(&bits.given(&draft.body, *call)));
        }
        let is_settled = given == now && found.iter().zip(&known).all(|(f, k)| f.1 == *k);
        if is_settled || round == MOST_ROUNDS {
            return found;
        }
        known = found.iter().map(|f| f.1.clone()).collect();
        last =
            found.into_iter().enumerate().map(|(i, f)| (given[i] == now[i]).then_some(f)).collect();
        given = now;
    }
    unreachable!("the last round returns")
}

/// Canonical copies and images of `roots` and all that they call, as far as they are not known.
fn images(
    module: Module,
    roots: &[Function],
    shared: &mut Shared,
    units: &mut Units,
    effects: EffectsOf,
) -> Vec<(Function, Image)> {
    let mut found: Vec<(Function, Image)> = vec![];
    let mut queue = roots.to_vec();
    while let Some(source) = queue.pop() {
        if units.contains_key(&source) || found.iter().any(|(f, _)| *f == source) {
            continue;
        }
        match Image::new(module, source, shared) {
            Ok(image) => {
                queue.extend(called(&image.body, effects));
                found.push((source, image));
            }
            Err(d) => drop(units.insert(source, Err(d))),
        }
    }
    found
}

fn calls(body: &Imported) -> Calls {
    let calls = body.insts().filter(|&v| matches!(body[v].op, Op::Call(Callee::Defined)));
    calls.map(|v| (v, body.called(v))).collect()
}

/// Calls of which a function tells what they do to memory, and that function.
fn stand_ins(body: &Imported, effects: EffectsOf) -> Vec<(ValueId, Function)> {
    let calls = body.insts().filter(|&v| matches!(body[v].op, Op::Call(Callee::Custom)));
    calls.filter_map(|v| Some((v, effects(body.callee(v))?.function))).collect()
}

/// The functions that a body calls or that tell what its calls do to memory.
fn called(body: &Imported, effects: EffectsOf) -> impl Iterator<Item = Function> + use<> {
    let calls = calls(body).into_iter().filter_map(|(_, callee)| callee);
    calls.chain(stand_ins(body, effects).into_iter().map(|(_, f)| f))
}
