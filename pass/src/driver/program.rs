//! All functions that a request reaches, and their summaries: made together, bottom-up over the
//! call graph.

use crate::{
    annotations::config::Config,
    canon::{Canon, Shared, stand_ins},
    codegen::globals,
    diagnostics::{Code, Diagnostic},
    image::{
        Imported, Origins,
        unit::{self, Image, Unit},
    },
    llvm::{Function, Module},
};
use adanalysis::{
    bits::{Bits, Boundaries, Boundary},
    bottom_up::{Draft, Sweep, Target},
    stats,
    types::Pointee,
};
use adir::{Body, Callee, Op, ValueId, foreign};
use std::{collections::HashMap, rc::Rc};

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

/// Adds `roots`, functions that are called from elsewhere, and all that they call to `units`. With
/// each root, what requests hand over to it.
pub fn load(
    module: Module,
    config: &Config,
    roots: &[(Function, Vec<Vec<Pointee>>)],
    shared: &mut Shared,
    units: &mut Units,
) {
    let sources: Vec<Function> = roots.iter().map(|r| r.0).collect();
    let mut images = images(module, &sources, shared, units);
    let index: HashMap<Function, usize> =
        images.iter().enumerate().map(|(i, (source, _))| (*source, i)).collect();
    name_variables(module, &mut images, &index, units);
    let (mut prepared, mut drafts) = (vec![], vec![]);
    for (source, image) in images {
        let target = |(call, callee): (ValueId, Option<Function>)| {
            let callee = callee?;
            let target = match (index.get(&callee), units.get(&callee)) {
                (Some(&i), _) => Target::Draft(i),
                (None, Some(Ok(unit))) => Target::Done(unit.summary.clone(), unit.types.clone()),
                _ => return None,
            };
            Some((call, target))
        };
        let calls = calls(&image.body);
        let targets = calls.iter().copied().filter_map(target).collect();
        let asked = roots.iter().find(|r| r.0 == source).map(|r| r.1.clone());
        let (body, origins) = image.body.split();
        drafts.push(Draft::new(body, targets, asked));
        prepared.push(Prepared { source, canon: image.canon, origins, calls });
    }
    let declared =
        |i: usize, body: &Body, v| unit::declared(module, body, prepared[i].origins.value(v), v);
    let sweep = Sweep { uses: &|analysis| config.uses(analysis), declared: &declared };
    sweep.run(&mut drafts);
    let summaries: Vec<_> = drafts.iter().map(Draft::summary).collect();
    let bits = stats::time("bits", || bits(&drafts, &prepared, &index, units));
    let misled: Vec<_> = prepared
        .iter()
        .zip(&drafts)
        .filter_map(|(p, d)| Some((p.source, misled(p, d, units)?)))
        .collect();
    let callees: Vec<_> = drafts.iter().map(|d| d.callees(&summaries, &sweep)).collect();
    for ((((prepared, draft), summary), found), callees) in
        prepared.into_iter().zip(drafts).zip(&summaries).zip(bits).zip(callees)
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
        };
        units.insert(source, Ok(Rc::new(unit)));
    }
    units.extend(misled.into_iter().map(|(source, d)| (source, Err(d))));
}

/// A call of an earlier unit which relied on what its callers said of memory then, and not on what
/// this one says.
fn misled(prepared: &Prepared, draft: &Draft, units: &Units) -> Option<Diagnostic> {
    let (call, callee) = prepared.calls.iter().find(|(call, callee)| {
        let unit = callee.and_then(|f| units.get(&f)?.as_ref().ok());
        let binding = draft.memory.binding(*call);
        unit.is_some_and(|u| {
            !u.types.suits(&u.memory, &draft.types.passed_on(&draft.memory, binding))
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
        let callees: Vec<Function> =
            calls(&image.body).into_iter().filter_map(|(_, callee)| callee).collect();
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
    for round in 0.. {
        let found: Vec<_> = drafts
            .iter()
            .zip(prepared)
            .zip(&given)
            .map(|((draft, prepared), given)| {
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
        known = found.into_iter().map(|f| f.1).collect();
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
) -> Vec<(Function, Image)> {
    let mut found: Vec<(Function, Image)> = vec![];
    let mut queue = roots.to_vec();
    while let Some(source) = queue.pop() {
        if units.contains_key(&source) || found.iter().any(|(f, _)| *f == source) {
            continue;
        }
        match Image::new(module, source, shared) {
            Ok(image) => {
                queue.extend(calls(&image.body).into_iter().filter_map(|(_, callee)| callee));
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
