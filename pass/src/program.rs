//! All functions that a request reaches, and their summaries: made together, bottom-up over the
//! call graph.

use crate::{
    analysis::{
        bits::{Bits, Boundaries, Boundary},
        bottom_up::{Draft, Sweep, Target},
        types::Pointee,
    },
    canon::Shared,
    config::Config,
    diag::{Code, Diagnostic},
    globals,
    ir::{Body, Callee, Op, ValueData, ValueId},
    llvm::{Function, Module},
    prebuilt, stats,
    unit::{self, Image, Unit},
};
use std::{collections::HashMap, rc::Rc};

/// Units by function; functions that cannot be differentiated have the reason.
pub type Units = HashMap<Function, Result<Rc<Unit>, Diagnostic>>;

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
    let (mut canons, mut drafts) = (vec![], vec![]);
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
        let calls = calls(&image.body).filter_map(target).collect();
        canons.push((source, image.canon));
        drafts.push(Draft::new(
            image.body,
            calls,
            roots.iter().find(|r| r.0 == source).map(|r| r.1.clone()),
        ));
    }
    let declared = |_, body: &Body, v| unit::declared(module, body, v);
    let sweep = Sweep { uses: &|analysis| config.uses(analysis), declared: &declared };
    sweep.run(&mut drafts);
    let summaries: Vec<_> = drafts.iter().map(Draft::summary).collect();
    let bits = stats::time("bits", || {
        bits(&drafts, &canons.iter().map(|(f, _)| *f).collect::<Vec<_>>(), &index, units)
    });
    let misled: Vec<_> = canons
        .iter()
        .zip(&drafts)
        .filter_map(|((f, _), d)| Some((*f, misled(d, units)?)))
        .collect();
    for ((((source, canon), draft), summary), found) in
        canons.into_iter().zip(drafts).zip(&summaries).zip(bits)
    {
        let callees = draft.callees(&summaries, &sweep);
        let Draft { body, memory, types, .. } = draft;
        let (bits, boundary, boundaries) = found;
        let unit = Unit {
            canon,
            body,
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
fn misled(draft: &Draft, units: &Units) -> Option<Diagnostic> {
    let (call, callee) = calls(&draft.body).find(|(call, callee)| {
        let unit = callee.and_then(|f| units.get(&f)?.as_ref().ok());
        let binding = draft.memory.binding(*call);
        unit.is_some_and(|u| {
            !u.types.suits(&u.memory, &draft.types.handed_on(&draft.memory, binding))
        })
    })?;
    let text = format!(
        "'{}' copies memory of one type for one request, and of another for this one",
        callee?.name()
    );
    Some(Diagnostic::new(
        Code::CopyType,
        draft.body[call].llvm,
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
                && prebuilt::is_foreign(body, v)
        }) {
            body.add_leaf(ValueData::of_variable(prebuilt::outside_memory(module)));
        }
    }
    let (mut inner, mut outer) = (vec![], vec![]);
    for (_, image) in images.iter() {
        let callees: Vec<Function> = calls(&image.body).filter_map(|(_, callee)| callee).collect();
        inner.push(callees.iter().filter_map(|f| index.get(f).copied()).collect());
        let done = callees
            .iter()
            .filter(|f| !index.contains_key(f))
            .filter_map(|f| units.get(f)?.as_ref().ok());
        outer.push(done.flat_map(|unit| globals::named(&unit.body)).collect());
    }
    let mut bodies: Vec<&mut Body> = images.iter_mut().map(|(_, image)| &mut image.body).collect();
    globals::spread(&mut bodies, &inner, &outer);
}

/// Rounds in which reals in the arguments of functions that call each other are found; what is not
/// settled then is refused where it matters (check.rs).
const MOST_ROUNDS: usize = 8;

/// The reals in the integers of each function, what of them its callers see, and the same of those
/// that it calls. A function that only hands an integer on knows from its callers what that is.
fn bits(
    drafts: &[Draft],
    sources: &[Function],
    index: &HashMap<Function, usize>,
    units: &Units,
) -> Vec<(Bits, Rc<Boundary>, Boundaries)> {
    let inner = |draft: &Draft| {
        calls(&draft.body)
            .filter_map(|(call, callee)| Some((call, *index.get(&callee?)?)))
            .collect::<Vec<_>>()
    };
    let inner: Vec<_> = drafts.iter().map(inner).collect();
    let mut known: Vec<Rc<Boundary>> = vec![Rc::default(); sources.len()];
    let mut given: Vec<Boundary> = vec![Boundary::default(); sources.len()];
    for round in 0.. {
        let found: Vec<_> = drafts
            .iter()
            .zip(&given)
            .map(|(draft, given)| {
                let boundary = |(call, callee): (ValueId, Option<Function>)| {
                    let callee = callee?;
                    let boundary = match (index.get(&callee), units.get(&callee)) {
                        (Some(&i), _) => known[i].clone(),
                        (None, Some(Ok(unit))) => unit.boundary.clone(),
                        _ => return None,
                    };
                    Some((call, boundary))
                };
                let called: Boundaries = calls(&draft.body).filter_map(boundary).collect();
                let bits = Bits::compute(&draft.body, &draft.memory, &draft.types, &called, given);
                let boundary = Rc::new(bits.boundary(&draft.body));
                (bits, boundary, called)
            })
            .collect();
        let mut now = vec![Boundary::default(); sources.len()];
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
                queue.extend(calls(&image.body).filter_map(|(_, callee)| callee));
                found.push((source, image));
            }
            Err(d) => drop(units.insert(source, Err(d))),
        }
    }
    found
}

/// Calls to functions with a body, and what they call.
fn calls(body: &Body) -> impl Iterator<Item = (ValueId, Option<Function>)> + '_ {
    let calls = body.insts().filter(|&v| matches!(body[v].op, Op::Call(Callee::Defined)));
    calls.map(|v| (v, body[v].llvm.and_then(|c| c.called().as_function())))
}
