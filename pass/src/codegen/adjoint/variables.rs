//! Variables of the source in the reverse sweep, for debuggers.
//!
//! While statements are undone, a variable holds what it held before each of them, last to first,
//! and its adjoint is that of the value which it holds. The image of a function has values, not
//! variables: debug information says from where on a variable holds which. So
//!   present(end of b) = the last record in b, or the record that all predecessors agree on
//!   and on the way back through b, the record before.
//! An adjoint that changes is the adjoint of the variables that hold its value now; so is a value
//! that is looked up theirs. What is not known is said to be unknown: nothing shows a number of
//! another iteration. Only debug information depends on this, no instruction does.

use super::reverse::{Bar, Reverse};
use crate::{
    image::unit::Unit,
    llvm::{DebugScope, Location, Value, VariableRecord, Which},
};
use adir::{BlockId, Body, Op, ValueId, hashed::HashMap};
use std::{collections::BTreeMap, rc::Rc};

/// Records at the ends of all blocks: more, and no variables are followed.
const MOST_STATES: usize = 4_000_000;

/// What is known of one variable: a record, by number.
type State = Option<u32>;

/// Variables of the function that is being undone.
pub(super) struct Variables {
    scope: Rc<DebugScope>,
    /// Of the forward sweep, if that is in the same function.
    forward: Option<Rc<DebugScope>>,
    width: usize,
    records: Vec<VariableRecord>,
    /// Of each record, the value in the image.
    values: Vec<Option<ValueId>>,
    /// Of each record, what held before.
    earlier: Vec<State>,
    /// By instruction: records that stand before it, in order.
    before: HashMap<ValueId, Vec<u32>>,
    /// By value: variables that hold it somewhere.
    holders: HashMap<ValueId, Vec<usize>>,
    /// By variable: its value, if it only ever holds one.
    only: Vec<Option<ValueId>>,
    /// What holds at the end of each block, by variable.
    at_end: HashMap<BlockId, Vec<State>>,
    present: Vec<State>,
    /// Whether a block is being undone: on the ways between blocks, nothing is said that does not
    /// last.
    is_inside: bool,
    /// What was said in the present block, by variable, and is not true of others.
    said: BTreeMap<(usize, usize), (u32, Which)>,
}

impl Variables {
    /// Of the function of a unit, in so many directions; where both sweeps are one function, the
    /// scope is that of both.
    pub(super) fn new(
        scope: Rc<DebugScope>,
        is_joint: bool,
        unit: &Unit,
        width: usize,
    ) -> Variables {
        let (scope, forward) = match is_joint {
            true => (Rc::new(scope.nested()), Some(scope)),
            false => (scope, None),
        };
        let body = &unit.body;
        let records = unit.canon.function.variables();
        let ids: HashMap<Value, ValueId> = body.value_ids().map(|v| (body.llvm(v), v)).collect();
        let values: Vec<Option<ValueId>> =
            records.iter().map(|r| ids.get(&r.value?).copied()).collect();
        let count = records.iter().map(|r| r.variable + 1).max().unwrap_or(0);
        let mut variables = Variables {
            scope,
            forward,
            width,
            earlier: vec![None; records.len()],
            before: HashMap::default(),
            holders: HashMap::default(),
            only: vec![None; count],
            at_end: HashMap::default(),
            present: vec![None; count],
            is_inside: false,
            said: BTreeMap::new(),
            records,
            values,
        };
        if count * body.blocks.len() <= MOST_STATES {
            variables.find_holders();
            variables.find_records(body, &ids);
        }
        variables
    }

    fn find_holders(&mut self) {
        let mut held: Vec<Vec<Option<ValueId>>> = vec![vec![]; self.only.len()];
        for (record, &value) in self.records.iter().zip(&self.values) {
            let all = &mut held[record.variable];
            if !all.contains(&value) {
                all.push(value);
            }
        }
        for (variable, all) in held.into_iter().enumerate() {
            for v in all.iter().flatten() {
                self.holders.entry(*v).or_default().push(variable);
            }
            if let [Some(v)] = all[..] {
                self.only[variable] = Some(v);
            }
        }
    }

    /// Which record holds where.
    fn find_records(&mut self, body: &Body, ids: &HashMap<Value, ValueId>) {
        let mut inside: HashMap<BlockId, Vec<u32>> = HashMap::default();
        for (number, record) in self.records.iter().enumerate() {
            let Some(&v) = ids.get(&record.before) else { continue };
            self.before.entry(v).or_default().push(number as u32);
            inside.entry(body.block_of(v)).or_default().push(number as u32);
        }
        let none: Vec<State> = vec![None; self.only.len()];
        let mut changes = true;
        while changes {
            changes = false;
            for &b in &body.order {
                let mut state: Option<Vec<State>> = None;
                for end in body[b].preds.iter().filter_map(|p| self.at_end.get(p)) {
                    match &mut state {
                        None => state = Some(end.clone()),
                        Some(state) => state.iter_mut().zip(end).for_each(|(known, other)| {
                            *known = known.filter(|_| *known == *other);
                        }),
                    }
                }
                let mut state = state.unwrap_or_else(|| none.clone());
                for &number in inside.get(&b).into_iter().flatten() {
                    let variable = self.records[number as usize].variable;
                    self.earlier[number as usize] = state[variable];
                    state[variable] = Some(number);
                }
                if self.at_end.get(&b) != Some(&state) {
                    self.at_end.insert(b, state);
                    changes = true;
                }
            }
        }
    }

    /// The record by which a variable holds `v` now.
    fn holding(&self, variable: usize, v: ValueId) -> Option<u32> {
        self.present[variable].filter(|&r| self.values[r as usize] == Some(v))
    }
}

impl Reverse<'_, '_> {
    /// What is emitted from here on undoes `v`.
    pub(super) fn visit(&self, v: ValueId) {
        self.locate(self.place(v));
    }
    /// What is emitted from here on belongs to one end of a block.
    pub(super) fn visit_first(&self, b: BlockId, from_end: bool) {
        if self.variables.is_none() {
            return;
        }
        let mut insts = self.unit.body[b].insts.iter();
        let place = match from_end {
            true => insts.rev().find_map(|&v| self.place(v)),
            false => insts.find_map(|&v| self.place(v)),
        };
        self.locate(place);
    }
    fn place(&self, v: ValueId) -> Option<Location> {
        self.variables.as_ref()?.scope.location(self.unit.body.llvm(v))
    }
    fn locate(&self, place: Option<Location>) {
        let Some(variables) = &self.variables else { return };
        if place.is_some() || self.builder.location().is_none() {
            self.builder.locate(place.or_else(|| Some(variables.scope.start())));
        }
    }

    /// The reverse sweep begins: what variables held at the end of the forward sweep is past, but
    /// for what they always hold.
    pub(super) fn begin_variables(&mut self) {
        let Some(variables) = &self.variables else { return };
        let body = &self.unit.body;
        let mut done = vec![false; variables.only.len()];
        for &record in &variables.records {
            if std::mem::replace(&mut done[record.variable], true) {
                continue;
            }
            let only = variables.only[record.variable];
            let is_past = only.is_none_or(|v| match body[v].op {
                Op::Param(_) => false,
                _ => body[v].block.is_some_and(|b| body[b].innermost.is_some()),
            });
            if is_past {
                for scope in variables.forward.iter().chain([&variables.scope]) {
                    scope.say(&self.builder, record, None, Which::Primal);
                }
            }
            let Some(v) = only else { continue };
            for direction in 0..variables.width {
                let which = Which::Shadow(direction, variables.width);
                if let Some(Bar::Variable(_)) = self.bars[direction].get(&v) {
                    let zero = self.unit.body.llvm(v).ty().zero();
                    variables.scope.say(&self.builder, record, Some(zero), which);
                }
            }
        }
    }

    /// A block is to be undone.
    pub(super) fn enter_variables(&mut self, b: BlockId) {
        let Some(variables) = &mut self.variables else { return };
        variables.is_inside = true;
        if let Some(state) = variables.at_end.get(&b) {
            variables.present.clone_from(state);
        }
    }

    /// `v` is undone: what variables held before it, they hold again.
    pub(super) fn undo_variables(&mut self, v: ValueId) {
        let Some(variables) = &mut self.variables else { return };
        let Some(records) = variables.before.get(&v) else { return };
        let mut crossed = vec![];
        for &number in records.iter().rev() {
            let variable = variables.records[number as usize].variable;
            variables.present[variable] = variables.earlier[number as usize];
            crossed.push(variable);
        }
        for variable in crossed {
            self.stop_saying(variable);
            self.say_again(variable);
        }
    }

    /// The adjoint of what a variable holds again, where it is no memory.
    fn say_again(&mut self, variable: usize) {
        let Some(variables) = &self.variables else { return };
        let Some(v) = variables.present[variable].and_then(|r| variables.values[r as usize]) else {
            return;
        };
        self.each(|this| {
            let d = match this.bar(v) {
                Some(Bar::Value(d)) => d,
                Some(Bar::Zero) => this.bar_type(v).zero(),
                Some(Bar::Variable(_)) | None => return,
            };
            this.say_adjoint(v, d);
        });
    }

    /// The block is undone: what was said of its values is not true of others.
    pub(super) fn leave_variables(&mut self) {
        let Some(variables) = &mut self.variables else { return };
        variables.is_inside = false;
        let all: Vec<usize> = variables.said.keys().map(|&(variable, _)| variable).collect();
        all.into_iter().for_each(|variable| self.stop_saying(variable));
    }

    fn stop_saying(&mut self, variable: usize) {
        let Some(variables) = &mut self.variables else { return };
        let keys = (variable, 0)..(variable + 1, 0);
        let stale: Vec<_> = variables.said.range(keys).map(|(&key, &said)| (key, said)).collect();
        for (key, (record, which)) in stale {
            let record = variables.records[record as usize];
            variables.scope.say(&self.builder, record, None, which);
            variables.said.remove(&key);
        }
    }

    /// The adjoint of `v` in the present direction is `d` now.
    pub(super) fn say_adjoint(&mut self, v: ValueId, d: Value) {
        let direction = self.direction;
        if let Some(variables) = &self.variables {
            self.say(v, d, Which::Shadow(direction, variables.width), 1 + direction);
        }
    }
    /// `v` is at hand.
    pub(super) fn say_primal(&mut self, v: ValueId, value: Value) {
        self.say(v, value, Which::Primal, 0);
    }

    fn say(&mut self, v: ValueId, value: Value, which: Which, key: usize) {
        let Some(variables) = &mut self.variables else { return };
        let Some(holders) = variables.holders.get(&v) else { return };
        if value.ty() != self.unit.body.llvm(v).ty() {
            return;
        }
        for &variable in holders {
            let is_adjoint = which != Which::Primal;
            let only = variables.only[variable].is_some();
            let number = match variables.holding(variable, v) {
                Some(number) => number,
                // Before the record is reached that says so, the adjoint already grows.
                None if only && is_adjoint => {
                    let is_its = |r: &VariableRecord| r.variable == variable;
                    match variables.records.iter().position(is_its) {
                        Some(number) => number as u32,
                        None => continue,
                    }
                }
                None => continue,
            };
            let lasts = only && (is_adjoint || self.unit.body[v].block.is_none());
            if !lasts && !variables.is_inside {
                continue;
            }
            let record = variables.records[number as usize];
            variables.scope.say(&self.builder, record, Some(value), which);
            if !lasts {
                variables.said.insert((variable, key), (number, which));
            }
        }
    }
}
