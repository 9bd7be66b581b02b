//! The parameters of a generated function, in order.

use super::{Mode, Resolved};
use crate::{
    frontend::Host,
    llvm::{Function, Type, Value},
};
use adanalysis::activity::Param;

/// What a parameter of a generated function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// The parameter of that number.
    Own(usize),
    /// Its shadow in a direction; the tangent of a number by value, where there is one direction.
    Shadow(usize, usize),
    /// The place of the derivatives of a number by value, one for each direction.
    Numbers(usize),
    /// The place of the primal result.
    Value,
    /// The adjoint of the result, where there is one direction: its place for Fortran.
    Seed,
    /// The place of the derivatives of the result, one for each direction.
    Results,
    /// The shadow of the variable of that number, in a direction.
    Variable(usize, usize),
}

/// Those of what a head generates.
pub(super) fn of(head: &Resolved) -> Vec<Slot> {
    let is_several = head.asked.directions.is_some();
    let directions = 0..head.width();
    let mut added = vec![];
    if head.result {
        added.extend(match (head.mode(), is_several) {
            (Mode::Adjoint, false) => vec![Slot::Seed],
            (Mode::Adjoint, true) => vec![Slot::Results],
            (Mode::Tangent | Mode::Pattern, false) => vec![Slot::Value],
            (Mode::Tangent | Mode::Pattern, true) => vec![Slot::Results, Slot::Value],
        });
    }
    let of_variable = |v: usize| directions.clone().map(move |d| Slot::Variable(v, d));
    added.extend((0..head.variables.len()).flat_map(of_variable));
    let mut all = vec![];
    for (i, param) in head.params[..head.own()].iter().enumerate() {
        if i == head.before_lengths() {
            all.append(&mut added);
        }
        all.push(Slot::Own(i));
        match param {
            Param::Const | Param::Exception => {}
            Param::Active if is_several || head.is_adjoint() => all.push(Slot::Numbers(i)),
            Param::Active => all.push(Slot::Shadow(i, 0)),
            Param::Shadowed => all.extend(directions.clone().map(|d| Slot::Shadow(i, d))),
        }
    }
    all.append(&mut added);
    all
}

/// The type of what a head generates.
pub(super) fn function_type(host: &dyn Host, head: &Resolved) -> Type {
    let context = host.module().context();
    let source = head.named.ty();
    let (given, result) = (source.function_params(), source.function_result());
    let of = |slot: &Slot| match *slot {
        Slot::Own(i) | Slot::Shadow(i, _) => given[i],
        Slot::Seed if !head.fortran => result,
        _ => context.ptr(),
    };
    let slots = self::of(head);
    let types: Vec<Type> = slots.iter().map(of).collect();
    let returns_nothing = head.is_adjoint() || slots.contains(&Slot::Results);
    let result = if returns_nothing { context.void() } else { result };
    Type::function(result, &types, false)
}

/// What a generated function is given.
pub(super) struct Given {
    slots: Vec<(Slot, Value)>,
}

impl Given {
    pub(super) fn new(head: &Resolved, f: Function) -> Given {
        Given { slots: of(head).into_iter().zip(f.params()).collect() }
    }
    /// What it is given for a parameter.
    pub(super) fn get(&self, slot: Slot) -> Option<Value> {
        self.slots.iter().find(|(s, _)| *s == slot).map(|(_, v)| *v)
    }
    /// What it is given for those that a function picks, in order.
    pub(super) fn all(&self, is_wanted: impl Fn(Slot) -> bool) -> Vec<Value> {
        self.slots.iter().filter(|(s, _)| is_wanted(*s)).map(|(_, v)| *v).collect()
    }
    pub(super) fn iter(&self) -> impl Iterator<Item = (Slot, Value)> {
        self.slots.iter().copied()
    }
}
