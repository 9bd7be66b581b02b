//! Why something is recorded rather than computed or loaded again, in words.

use crate::{
    annotations::config::Config,
    codegen::adjoint::{
        FrameStorage,
        needs::Node,
        predecessors::Recovery,
        sources::{Origin, Sources},
    },
    image::{names::Names, unit::Unit},
};
use adanalysis::{calls::Caller, points_to::Object};
use adir::{Callee, Op, ValueId};

/// How many of the nodes from which something could be computed are named.
const SOURCES_SHOWN: usize = 3;

/// Explains the records of one adjoint.
pub struct Reasons<'a> {
    unit: &'a Unit,
    config: &'a Config,
    names: &'a Names<'a>,
    sources: &'a Sources<'a>,
    caller: &'a Caller<'a>,
    place: FrameStorage,
}

impl<'a> Reasons<'a> {
    /// For one plan.
    pub fn new(
        config: &'a Config,
        unit: &'a Unit,
        names: &'a Names<'a>,
        caller: &'a Caller<'a>,
        sources: &'a Sources<'a>,
        place: FrameStorage,
    ) -> Self {
        Reasons { unit, config, names, caller, sources, place }
    }

    /// The reason, and what may overwrite the memory where that is it.
    pub fn of(&self, node: Node) -> (String, Option<ValueId>) {
        let body = &self.unit.body;
        match (node, self.sources.origin(node)) {
            (Node::Tape(v), _) => {
                (format!("'{}' keeps it for its own reverse sweep", self.names.callee(v)), None)
            }
            (Node::Once(..), _) => ("all iterations of a loop read the same".into(), None),
            (Node::Array(_) | Node::Section(..), _) => (
                "one copy of the array costs less than a record of each value that is read from it"
                    .into(),
                None,
            ),
            (Node::Entry(..), Origin::From(from)) => (self.shorter(&from), None),
            (_, Origin::From(from)) => (self.cheaper(&from), None),
            (_, Origin::Free) => ("at hand".into(), None),
            (Node::Pred(b), _) if Recovery::into(body, b).is_none() => {
                ("the branches before the join do not determine its predecessor".into(), None)
            }
            (Node::Primal(v) | Node::Shadow(v), _) if matches!(body[v].op, Op::Load) => {
                self.load(v)
            }
            _ if !self.config.uses("recompute") => {
                ("recomputation is off: -ad-disable=recompute".into(), None)
            }
            (Node::Entry(..), _) => ("it is not computed again".into(), None),
            (Node::Pred(_), _) => ("its condition is not available".into(), None),
            (Node::Primal(v) | Node::Shadow(v), _) => (self.value(v), None),
        }
    }

    fn shorter(&self, from: &[Node]) -> String {
        match self.listed(from) {
            parts if parts.is_empty() => "recording it costs less than computing it again".into(),
            parts => {
                format!("one number takes less than what the derivatives in between read: {parts}")
            }
        }
    }

    fn cheaper(&self, from: &[Node]) -> String {
        match self.listed(from) {
            parts if parts.is_empty() => "recording it costs less than computing it again".into(),
            parts => {
                format!("recording it costs less than restoring what it is computed from: {parts}")
            }
        }
    }

    /// Some of them, without what is at hand.
    fn listed(&self, from: &[Node]) -> String {
        let text = |n: &Node| match *n {
            Node::Primal(v) | Node::Tape(v) | Node::Once(v, _) => self.names.text(v),
            Node::Shadow(v) => format!("the shadow of {}", self.names.text(v)),
            Node::Array(v) | Node::Section(v, _) => {
                format!("the array of {}", self.names.text(v))
            }
            Node::Pred(_) => "a branch".into(),
            Node::Entry(y, _) => format!("a derivative of {}", self.names.text(y)),
        };
        let mut parts: Vec<String> = from
            .iter()
            .filter(|n| !matches!(self.sources.origin(**n), Origin::Free))
            .map(text)
            .collect();
        parts.dedup();
        let more = if parts.len() > SOURCES_SHOWN { ", …" } else { "" };
        parts.truncate(SOURCES_SHOWN);
        format!("{}{more}", parts.join(", "))
    }

    fn value(&self, v: ValueId) -> String {
        let body = &self.unit.body;
        match &body[v].op {
            Op::Phi(_) if body[v].block.is_some_and(|b| body.loop_headed_by(b).is_some()) => {
                "carried from iteration to iteration: earlier values are overwritten".into()
            }
            Op::Phi(_) => "it depends on the path that control took".into(),
            Op::Param(_) => {
                "the reverse sweep is a function of its own, without this parameter".into()
            }
            Op::Call(Callee::Defined) => "the result of a call is not computed again".into(),
            Op::FDiv | Op::FRem | Op::Call(Callee::Rule(..)) => {
                "computing it again costs more than reading a record".into()
            }
            Op::Alloca(_) | Op::Call(Callee::Allocate(_)) => {
                "the address of memory that the reverse sweep accesses".into()
            }
            _ => "it is not computed again".into(),
        }
    }

    fn load(&self, v: ValueId) -> (String, Option<ValueId>) {
        let (unit, names) = (self.unit, self.names);
        let (body, memory) = (&unit.body, &unit.memory);
        let address = body.operand(v, 0);
        let objects: Vec<usize> = memory.points_to(address).collect();
        let text = names.memory(address, body[v].bytes);
        let Some(w) = self.caller.tbr.and_then(|t| t.culprit(v)) else {
            let caller = objects.iter().any(|&o| !matches!(memory.objects[o], Object::Local(_)));
            let why = if !self.config.uses("tbr") {
                "loads are not repeated: -ad-disable=tbr".into()
            } else if caller && self.place.is_apart() {
                format!(
                    "{text} belongs to the caller, which may overwrite it before this call is \
                    reversed"
                )
            } else {
                format!("adcc cannot prove that {text} keeps its value")
            };
            return (why, None);
        };
        let place = names
            .place(w)
            .map_or_else(String::new, |p| format!(" at {}:{}:{}", p.file, p.line, p.column));
        let kind = match &body[w].op {
            Op::Store => "the store".to_string(),
            Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                format!("the {}", names.text(w))
            }
            Op::Call(_) => format!("the call of '{}'", names.callee(w)),
            _ => "the instruction".into(),
        };
        let what =
            format!("{text} may be overwritten by {kind}{place} before the reverse sweep needs it");
        let name = |o: usize| match memory.objects[o] {
            Object::Param(i) => Some(names.text(body.params[i as usize])),
            _ => None,
        };
        // Two parameters that may be the same memory, as far as anybody knows.
        let written =
            self.caller.known.locations.access(w).map(|a| a.writes.own.clone()).unwrap_or_default();
        let written = written.iter_ones().map(|l| self.caller.known.locations.component(l).object);
        let pair = written.flat_map(|t| objects.iter().map(move |&o| (t, o))).find(|&(t, o)| {
            t != o && memory.may_alias(t, o) && !self.caller.context.are_disjoint(memory, t, o)
        });
        let same = self.caller.known.locations.access(w).is_some_and(|a| {
            a.writes
                .own
                .iter_ones()
                .any(|l| objects.contains(&self.caller.known.locations.component(l).object))
        });
        let why = match pair.and_then(|(t, o)| Some((name(o)?, name(t)?))) {
            Some((from, to)) if !same => {
                format!(
                    "{what}: {from} and {to} may be the same memory ('restrict' would say that they are not)"
                )
            }
            _ => what,
        };
        (why, Some(w))
    }
}
