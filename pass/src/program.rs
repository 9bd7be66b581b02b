//! All functions that a request reaches, and their summaries: made together, bottom-up over the call graph.

use crate::{
    analysis::bottom_up::{Draft, Sweep, Target},
    canon::Shared,
    config::Config,
    diag::Diagnostic,
    globals,
    ir::{Body, Callee, Op, ValueId},
    llvm::{Function, Module},
    unit::{self, Image, Unit},
};
use std::{collections::HashMap, rc::Rc};

/// Units by function; functions that cannot be differentiated have the reason.
pub type Units = HashMap<Function, Result<Rc<Unit>, Diagnostic>>;

/// Adds `root` and all that it calls to `units`.
pub fn load(module: Module, config: &Config, root: Function, shared: &mut Shared, units: &mut Units) {
    let mut images = images(module, root, shared, units);
    let index: HashMap<Function, usize> = images.iter().enumerate().map(|(i, (source, _))| (*source, i)).collect();
    name_variables(&mut images, &index, units);
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
        drafts.push(Draft::new(image.body, calls));
    }
    let declared = |_, body: &Body, v| unit::declared(module, body, v);
    let sweep = Sweep { uses: &|analysis| config.uses(analysis), declared: &declared };
    sweep.run(&mut drafts);
    let summaries: Vec<_> = drafts.iter().map(Draft::summary).collect();
    for (((source, canon), draft), summary) in canons.into_iter().zip(drafts).zip(&summaries) {
        let callees = draft.callees(&summaries, &sweep);
        let Draft { body, memory, types, .. } = draft;
        let unit = Unit { canon, body, memory, types, summary: summary.clone(), callees };
        units.insert(source, Ok(Rc::new(unit)));
    }
}

/// Gives each image names for the global variables of what it calls.
fn name_variables(images: &mut [(Function, Image)], index: &HashMap<Function, usize>, units: &Units) {
    let (mut inner, mut outer) = (vec![], vec![]);
    for (_, image) in images.iter() {
        let callees: Vec<Function> = calls(&image.body).filter_map(|(_, callee)| callee).collect();
        inner.push(callees.iter().filter_map(|f| index.get(f).copied()).collect());
        let done = callees.iter().filter(|f| !index.contains_key(f)).filter_map(|f| units.get(f)?.as_ref().ok());
        outer.push(done.flat_map(|unit| globals::named(&unit.body)).collect());
    }
    let mut bodies: Vec<&mut Body> = images.iter_mut().map(|(_, image)| &mut image.body).collect();
    globals::spread(&mut bodies, &inner, &outer);
}

/// Canonical copies and images of `root` and all that it calls, as far as they are not known.
fn images(module: Module, root: Function, shared: &mut Shared, units: &mut Units) -> Vec<(Function, Image)> {
    let mut found: Vec<(Function, Image)> = vec![];
    let mut queue = vec![root];
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
