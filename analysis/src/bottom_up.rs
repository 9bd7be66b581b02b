//! Summaries of functions that call each other: callees before callers, the members of a recursive
//! component again and again until none of them changes.
//!
//! Least fixpoints: a component starts from "does nothing". Pointer effects that have not settled
//! after a few rounds are unknown within the component.

use super::{
    activity::{
        foreign::{Left, has_text},
        integers,
    },
    bits::Bits,
    context::Context,
    dependency::Dependency,
    digits,
    in_out::InOut,
    locations::Locations,
    points_to::{Binding, PointsTo},
    summary::{Callees, Known, Summary},
    types::{self, Evidence, Field, Node, Pointee, ScalarKind, Types},
};
use crate::{dataflow::CallGraph, stats};
use adir::{
    Body, ValueId,
    hashed::{HashMap, HashSet},
};
use std::{collections::BTreeMap, rc::Rc};

/// Rounds after which the pointer effects of a recursive component must have settled: else calls
/// within it count as unknown.
const MOST_ROUNDS: usize = 8;
/// The same of their size ([`PointsTo::size`]), of all members together: functions that call each other
/// through pointers of one type, and hand on all memory that any of them knows, would settle on
/// little, after long.
const MOST_POINTERS: usize = 20_000;
/// Sweeps after which the other summaries of a recursive component give up: they say that
/// everything may happen.
const MOST_SWEEPS: usize = 40;

/// What a call leads to.
pub enum Target {
    /// Another function of the same sweep, by index.
    Draft(usize),
    /// One of an earlier sweep.
    Done(Rc<Summary>, Rc<Types>),
}

/// A function whose summary is in the making.
pub struct Draft {
    /// Its image.
    pub body: Body,
    /// Calls to functions with a body that are known.
    pub calls: BTreeMap<ValueId, Target>,
    /// Calls with a derivative of their own of which a function tells what they do to memory: no other
    /// analysis looks into it.
    stand_ins: BTreeMap<ValueId, Target>,
    /// If this is such a function of an adjoint: parameters that lead to adjoints.
    adjoints: Option<Vec<u32>>,
    /// What its pointers name.
    pub memory: Rc<PointsTo>,
    /// What its memory holds.
    pub types: Rc<Types>,
    /// If it is called from elsewhere, too: what is known of the memory that its parameters lead to
    /// then, in each way.
    asked: Option<Vec<Vec<Pointee>>>,
    in_out: Rc<InOut>,
    dependency: Rc<Dependency>,
    takes_apart: bool,
    text: Rc<Left>,
    reads_integers: bool,
}

/// What the declared type of an instruction says, of the function with this index (see
/// [`Types::compute`]).
pub type Declared<'a> = dyn Fn(usize, &Body, ValueId) -> Option<(Vec<Field>, u64)> + 'a;

/// How the summaries are made.
pub struct Sweep<'a> {
    /// Whether an analysis is on.
    pub uses: &'a dyn Fn(&str) -> bool,
    /// Declared types.
    pub declared: &'a Declared<'a>,
}

impl Draft {
    /// Nothing is known yet. `asked`: it is called from elsewhere, too, with such memory.
    pub fn new(
        body: Body,
        calls: BTreeMap<ValueId, Target>,
        asked: Option<Vec<Vec<Pointee>>>,
    ) -> Draft {
        let memory = Rc::new(PointsTo::unknown(&body));
        Draft {
            body,
            calls,
            stand_ins: BTreeMap::new(),
            adjoints: None,
            memory,
            types: Rc::default(),
            asked,
            in_out: Rc::default(),
            dependency: Rc::default(),
            takes_apart: false,
            text: Rc::default(),
            reads_integers: false,
        }
    }
    /// The same, with calls of which a function tells what they do to memory.
    pub fn with_stand_ins(self, stand_ins: BTreeMap<ValueId, Target>) -> Draft {
        Draft { stand_ins, ..self }
    }
    /// The same for a function that tells what an adjoint does to memory: these parameters lead to
    /// adjoints (see [`InOut::of_adjoint`]), and only its effects on memory are known of what it calls.
    pub fn of_adjoint(mut self, adjoints: Vec<u32>) -> Draft {
        self.stand_ins.append(&mut self.calls);
        Draft { adjoints: Some(adjoints), ..self }
    }
    /// What tells what a call does to memory.
    fn effect(&self, call: ValueId) -> Option<&Target> {
        self.calls.get(&call).or_else(|| self.stand_ins.get(&call))
    }
    /// All of these.
    fn effects(&self) -> impl Iterator<Item = &Target> {
        self.calls.values().chain(self.stand_ins.values())
    }
    /// Whether it is called from elsewhere, too.
    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }
    /// What surely lies in the memory that those pass who call it from elsewhere, as far as they tell.
    pub fn passed(&self) -> impl Iterator<Item = ScalarKind> {
        self.asked.iter().flatten().flatten().map(|&(_, _, kind, _)| kind)
    }
    /// What callers read of it.
    pub fn summary(&self) -> Rc<Summary> {
        Rc::new(Summary {
            memory: self.memory.clone(),
            in_out: self.in_out.clone(),
            dependency: self.dependency.clone(),
            takes_apart: self.takes_apart,
            text: self.text.clone(),
            reads_integers: self.reads_integers,
        })
    }
    /// Calls of which it is known what the callee's names stand for.
    fn bound(&self) -> impl Iterator<Item = (&Binding, &Target)> {
        self.calls.iter().filter_map(|(call, target)| Some((self.memory.binding(*call)?, target)))
    }
    /// Summaries of the calls that can be bound; `summaries` are those of the sweep.
    pub fn callees(&self, summaries: &[Rc<Summary>], sweep: &Sweep) -> Callees {
        self.summaries_of(&self.calls, summaries, sweep)
    }
    /// The same of calls of which a function tells what they do to memory.
    pub fn stand_ins(&self, summaries: &[Rc<Summary>], sweep: &Sweep) -> Callees {
        self.summaries_of(&self.stand_ins, summaries, sweep)
    }
    fn summaries_of(
        &self,
        calls: &BTreeMap<ValueId, Target>,
        summaries: &[Rc<Summary>],
        sweep: &Sweep,
    ) -> Callees {
        let of = |target: &Target| match target {
            Target::Draft(i) => summaries[*i].clone(),
            Target::Done(summary, _) => summary.clone(),
        };
        let (mut known, mut nameless) = (HashMap::default(), HashMap::default());
        for (call, target) in calls {
            let summary = of(target);
            if (sweep.uses)("in-out") && self.memory.binding(*call).is_some() {
                known.insert(*call, summary);
            } else {
                nameless.insert(*call, summary.text.clone());
            }
        }
        Callees::new(known, nameless)
    }
}

impl Sweep<'_> {
    /// Makes all summaries.
    pub fn run(&self, drafts: &mut [Draft]) {
        let inner = |(i, d): (usize, &Draft)| {
            let of =
                |c: &Target| if let Target::Draft(callee) = c { Some((i, *callee)) } else { None };
            d.effects().filter_map(of).collect::<Vec<_>>()
        };
        let graph = CallGraph::new(drafts.len(), drafts.iter().enumerate().flat_map(inner));
        stats::time("points-to", || self.points_to(&graph, drafts));
        stats::time("types", || self.types(&graph, drafts));
        stats::time("in-out", || self.in_out(&graph, drafts));
        stats::time("dependency", || self.dependency(&graph, drafts));
        graph.bottom_up(|f| {
            let of = |target: &Target| match target {
                Target::Draft(i) => drafts[*i].takes_apart,
                Target::Done(summary, _) => summary.takes_apart,
            };
            let new = drafts[f].calls.values().any(of) || digits::takes_apart(&drafts[f].body);
            new != std::mem::replace(&mut drafts[f].takes_apart, new)
        });
        stats::time("text", || self.text(&graph, drafts));
        let reads: Vec<bool> =
            drafts.iter().map(|d| integers::reads_any(&d.body, &d.memory, &d.types)).collect();
        graph.bottom_up(|f| {
            let of = |target: &Target| match target {
                Target::Draft(i) => drafts[*i].reads_integers,
                Target::Done(summary, _) => summary.reads_integers,
            };
            let new = reads[f] || drafts[f].calls.values().any(of);
            new != std::mem::replace(&mut drafts[f].reads_integers, new)
        });
    }

    /// Pointer effects. A member of a recursive component is composed with the others' last ones
    /// until none changes.
    fn points_to(&self, graph: &CallGraph, drafts: &mut [Draft]) {
        let tracks = (self.uses)("points-to");
        for component in graph.components() {
            let recursive = graph.is_recursive(&component);
            let start = |&f: &usize| (f, Rc::new(PointsTo::nothing(&drafts[f].body)));
            let mut known: HashMap<usize, Rc<PointsTo>> = component.iter().map(start).collect();
            // Members that call one whose effect has changed since they were composed.
            let mut pending: HashSet<usize> = component.iter().copied().collect();
            for round in 0..=MOST_ROUNDS {
                let size: usize = known.values().map(|memory| memory.size()).sum();
                // In the last round the component does not settle, and nothing is known of it.
                let gives_up = recursive && (round == MOST_ROUNDS || size > MOST_POINTERS);
                if gives_up {
                    known.clear();
                    pending.extend(&component);
                }
                for &f in &component {
                    if !pending.remove(&f) {
                        continue;
                    }
                    let none = HashMap::default();
                    let inner = if gives_up { &none } else { &known };
                    let mut new = memory_of(drafts, f, &component, inner, tracks);
                    new.gave_up = gives_up;
                    if !known.get(&f).is_some_and(|old| old.has_same_effect(&new)) {
                        pending
                            .extend(graph.callers(f).filter(|caller| known.contains_key(caller)));
                    }
                    known.insert(f, Rc::new(new));
                }
                if !recursive || gives_up || pending.is_empty() {
                    break;
                }
            }
            for (f, memory) in known {
                drafts[f].memory = memory;
            }
        }
    }

    /// What memory holds: the evidence of each function, what its callees know of the memory that
    /// they are given, what copies carry, and what its callers know.
    fn types(&self, graph: &CallGraph, drafts: &mut [Draft]) {
        let targets = drafts.iter().flat_map(|d| d.calls.values());
        let called: HashSet<usize> = targets
            .filter_map(|t| if let Target::Draft(i) = t { Some(*i) } else { None })
            .collect();
        for (i, d) in drafts.iter_mut().enumerate() {
            let mut types = Types::compute(&d.body, &d.memory, |v| (self.declared)(i, &d.body, v));
            if d.asked.is_some() && !called.contains(&i) {
                types.complete();
            }
            d.types = Rc::new(types);
        }
        let mut components = graph.components();
        let mut component_of = vec![0; drafts.len()];
        components
            .iter()
            .enumerate()
            .for_each(|(c, members)| members.iter().for_each(|&f| component_of[f] = c));
        let is_recursive = |f: usize, callee: &Target| matches!(callee, Target::Draft(i) if component_of[*i] == component_of[f]);
        graph.bottom_up(|f| {
            let draft = &drafts[f];
            let mut types = Types::clone(&draft.types);
            let mut grew = false;
            let is_single = |o| draft.memory.is_single(&draft.body, o);
            for (binding, target) in draft.bound() {
                let callee = types_of(drafts, target);
                grew |= types.learn(binding, &callee, is_recursive(f, target), &is_single);
            }
            for (call, target) in &draft.calls {
                grew |= types.note_call(*call, &types_of(drafts, target));
            }
            grew |= types.note_parameters(&draft.body);
            drafts[f].types = Rc::new(types);
            grew
        });
        graph.bottom_up(|f| {
            let draft = &drafts[f];
            let mut learned = Evidence::default();
            for (binding, target) in draft.bound() {
                learned.learn(
                    binding,
                    types_of(drafts, target).known(),
                    is_recursive(f, target),
                    &|_| false,
                );
            }
            let mut moved = types::Called::default();
            for (call, target) in &draft.calls {
                let Some(binding) = draft.memory.binding(*call) else { continue };
                let callee = types_of(drafts, target);
                moved.add(&draft.body, *call, &callee, binding, is_recursive(f, target));
            }
            let mut types = Types::clone(&draft.types);
            let grew = types.carry(&draft.body, &draft.memory, &learned, moved);
            drafts[f].types = Rc::new(types);
            grew
        });
        components.reverse();
        self.hand_down(&components.concat(), drafts);
    }

    /// What callers know of the memory that they pass on; `order` has callers first.
    fn hand_down(&self, order: &[usize], drafts: &mut [Draft]) {
        let mut types: Vec<Types> = drafts.iter().map(|d| Types::clone(&d.types)).collect();
        let mut nodes = vec![];
        for d in drafts.iter() {
            let calls = d.calls.iter().filter_map(|(call, target)| match target {
                Target::Draft(callee) => Some(types::Call {
                    at: *call,
                    binding: d.memory.binding(*call).cloned(),
                    callee: *callee,
                }),
                Target::Done(..) => None,
            });
            let asked = d.asked.as_ref().map(|views| {
                views.iter().map(|all| Evidence::from_request(&d.memory, all)).collect()
            });
            nodes.push(Node { body: &d.body, memory: &d.memory, calls: calls.collect(), asked });
        }
        types::hand_down(&nodes, order, &mut types);
        for (draft, types) in drafts.iter_mut().zip(types) {
            draft.types = Rc::new(types);
        }
    }

    /// Memory of a body in pieces, for any caller.
    fn locations(&self, drafts: &[Draft], f: usize) -> Locations {
        let draft = &drafts[f];
        let summaries = |call: ValueId| {
            if !(self.uses)("in-out") {
                return None;
            }
            match draft.effect(call)? {
                Target::Done(summary, _) => Some(summary.in_out.clone()),
                Target::Draft(i) => Some(drafts[*i].in_out.clone()),
            }
        };
        Locations::compute(
            &draft.body,
            &draft.memory,
            &summaries,
            &Context::unknown(draft.body.params.len()),
        )
    }

    fn in_out(&self, graph: &CallGraph, drafts: &mut [Draft]) {
        let mut rounds = vec![0; drafts.len()];
        graph.bottom_up(|f| {
            rounds[f] += 1;
            let locations = self.locations(drafts, f);
            let draft = &drafts[f];
            let returns = |call: ValueId| match draft.effect(call) {
                Some(Target::Done(summary, _)) => summary.in_out.returns(),
                Some(Target::Draft(i)) => drafts[*i].in_out.returns(),
                None => true,
            };
            let new = match rounds[f] > MOST_SWEEPS {
                true => InOut::everything(&draft.memory),
                false => InOut::compute(&draft.body, &draft.memory, &locations, &returns),
            };
            let new = match &draft.adjoints {
                Some(params) => new.of_adjoint(&draft.memory, params),
                None => new,
            };
            let grew = new != *draft.in_out;
            drafts[f].in_out = Rc::new(new);
            grew
        });
    }

    fn dependency(&self, graph: &CallGraph, drafts: &mut [Draft]) {
        let mut rounds = vec![0; drafts.len()];
        graph.bottom_up(|f| {
            rounds[f] += 1;
            let draft = &drafts[f];
            let new = if (self.uses)("dependency") && rounds[f] <= MOST_SWEEPS {
                let locations = self.locations(drafts, f);
                let summaries = |call: ValueId| match draft.calls.get(&call)? {
                    _ if !(self.uses)("in-out") || draft.memory.binding(call).is_none() => None,
                    Target::Done(summary, _) => Some(summary.dependency.clone()),
                    Target::Draft(i) => Some(drafts[*i].dependency.clone()),
                };
                Dependency::compute(&draft.body, &draft.memory, &locations, &summaries)
            } else {
                Dependency::everything(&draft.body, &draft.in_out)
            };
            let grew = new != *draft.dependency;
            drafts[f].dependency = Rc::new(new);
            grew
        });
    }

    /// What functions leave of text. Reals in integers that only callers know of do not matter: what is
    /// moved as an integer may be text, unless evidence says that it is none.
    fn text(&self, graph: &CallGraph, drafts: &mut [Draft]) {
        let has_any = |target: &Target| matches!(target, Target::Done(summary, _) if *summary.text != Left::default());
        if !drafts.iter().any(|d| has_text(&d.body) || d.calls.values().any(has_any)) {
            return;
        }
        let mut rounds = vec![0; drafts.len()];
        let callees = Callees::default();
        graph.bottom_up(|f| {
            rounds[f] += 1;
            let draft = &drafts[f];
            let lefts = |call: ValueId| match draft.calls.get(&call)? {
                Target::Done(summary, _) => Some(summary.text.clone()),
                Target::Draft(i) => Some(drafts[*i].text.clone()),
            };
            let new = match rounds[f] > MOST_SWEEPS {
                true => Left::everything(&draft.memory),
                false => {
                    let Draft { body, memory, types, .. } = draft;
                    let locations = &self.locations(drafts, f);
                    let none = (&Default::default(), &Default::default());
                    let bits = &Bits::compute(body, memory, types, none.0, none.1);
                    let callees = &callees;
                    Left::compute(Known { body, memory, types, bits, locations, callees }, &lefts)
                }
            };
            let grew = new != *draft.text;
            drafts[f].text = Rc::new(new);
            grew
        });
    }
}

fn types_of(drafts: &[Draft], target: &Target) -> Rc<Types> {
    match target {
        Target::Done(_, types) => types.clone(),
        Target::Draft(i) => drafts[*i].types.clone(),
    }
}

fn memory_of(
    drafts: &[Draft],
    f: usize,
    component: &[usize],
    inner: &HashMap<usize, Rc<PointsTo>>,
    tracks: bool,
) -> PointsTo {
    let draft = &drafts[f];
    let effects = |call: ValueId| match draft.effect(call)? {
        Target::Done(summary, _) => Some(summary.memory.clone()),
        Target::Draft(i) if component.contains(i) => inner.get(i).cloned(),
        Target::Draft(i) => Some(drafts[*i].memory.clone()),
    };
    PointsTo::compute(&draft.body, &effects, tracks, inner.get(&f).map(|last| &**last))
}
