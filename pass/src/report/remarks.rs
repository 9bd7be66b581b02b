//! Remarks of pass `ad`: what was done (`-Rpass=ad`), what costs (`-Rpass-missed=ad`), why
//! (`-Rpass-analysis=ad`).

use super::{LoopRecords, Mode, Record, Reports, Variant, What, bytes, copies, text};
use crate::{
    image::{
        names::{self, Id, Step},
        unit::Unit,
    },
    llvm::{Location, Remark},
};
use adir::Op;

/// Gives the remarks that somebody listens to.
pub fn give(reports: &Reports, unit: &Unit, variant: &Variant) {
    let emitter = Emitter { unit, variant };
    if reports.passed {
        emitter.passed();
    }
    if reports.missed {
        emitter.missed();
    }
    if reports.analysis {
        emitter.analysis();
    }
}

/// A remark to emit.
#[derive(PartialEq)]
struct Message {
    name: &'static str,
    text: String,
    at: Option<Location>,
}

struct Emitter<'a> {
    unit: &'a Unit,
    variant: &'a Variant,
}

impl Emitter<'_> {
    /// Gives the remarks of one kind in order, those of copies of the same code once.
    fn emit(&self, kind: Remark, messages: Vec<Message>) {
        let mut all: Vec<(Message, usize)> = vec![];
        for new in messages {
            match all.iter_mut().find(|(known, _)| *known == new) {
                Some((_, n)) => *n += 1,
                None => all.push((new, 1)),
            }
        }
        for (messages, n) in all {
            self.unit.canon.source.remark(
                kind,
                messages.name,
                &format!("{}{}", messages.text, copies(n)),
                messages.at,
            );
        }
    }

    fn location(&self, id: Id) -> Option<Location> {
        let body = &self.unit.body;
        let value = match id {
            Id::Loop(l) => return names::loop_location(body, l).filter(|l| l.line() != 0),
            Id::Block(b) => body.terminator(body.idom(b)?),
            Id::Value(v) if body[v].block.is_some() => v,
            Id::Value(_) => return None,
        };
        let own = body.llvm(value).debug_location().filter(|l| l.line() != 0);
        // A phi has no place: its loop has.
        own.or_else(|| names::loop_location(body, body.loop_of(value)?))
    }

    fn loops(&self) -> impl Iterator<Item = &LoopRecords> {
        self.variant.records.iter().flat_map(|r| &r.loops).filter(|l| !l.records.is_empty())
    }

    fn passed(&self) {
        let v = self.variant;
        let mode = if v.mode == Mode::Adjoint { "adjoint" } else { "tangent" };
        let mut text = format!(
            "differentiated '{}' in {mode} mode: {} of {} values active",
            v.name, v.counts.active, v.counts.values
        );
        if let Some(records) = &v.records {
            text.push_str(&format!("; records {}", records.total));
        }
        if !v.apart.is_empty() {
            text.push_str(&format!("; runs if these do not overlap: {}", text::pairs(&v.apart)));
        }
        let mut messages = vec![Message { name: "Differentiated", text, at: None }];
        for l in self.loops() {
            let kept =
                if l.counted { "in one array per record" } else { "in one block per iteration" };
            let text = format!(
                "records {} per iteration of this loop in '{}', {kept}",
                bytes(l.bytes_per_iteration),
                v.name
            );
            messages.push(Message { name: "LoopRecords", text, at: self.location(l.id) });
        }
        self.emit(Remark::Passed, messages);
    }

    fn missed(&self) {
        let gave_up = self.variant.gave_up.iter().map(|g| Message {
            name: "GaveUp",
            text: format!(
                "{} gave up in '{}': {}; this costs {}",
                g.analysis, self.variant.name, g.reason, g.cost
            ),
            at: None,
        });
        let mut messages: Vec<Message> = gave_up.collect();
        for l in self.loops() {
            for r in &l.records {
                let text = format!(
                    "records {} per iteration, {}: {}",
                    r.bits.map_or_else(|| bytes(r.bytes), |_| r.size()),
                    r.text,
                    r.reason
                );
                messages.push(Message { name: "Recorded", text, at: self.location(r.id) });
            }
            if !l.counted {
                let text = "the number of iterations is not known at this loop's entry: \
                            each iteration takes a block of its own for its records";
                messages.push(Message {
                    name: "UncountedLoop",
                    text: text.into(),
                    at: self.location(l.id),
                });
            }
        }
        for r in self.variant.records.iter().flat_map(|r| &r.frame).filter(|r| r.what == What::Tape)
        {
            let text = format!("{}: the call is not inlined; {}", r.text, r.reason);
            messages.push(Message { name: "CallApart", text, at: self.location(r.id) });
        }
        self.emit(Remark::Missed, messages);
    }

    fn analysis(&self) {
        let Some(records) = &self.variant.records else { return };
        let all = self.loops().flat_map(|l| &l.records).chain(&records.frame);
        // Parameters and addresses of stack variables have no place that would tell anything.
        let is_taken_along = |r: &&Record| matches!(r.id, Id::Value(v) if matches!(self.unit.body[v].op, Op::Param(_) | Op::Alloca(_)));
        let why = |r: &Record| Message {
            name: "WhyRecorded",
            text: self.why(r),
            at: self.location(r.id),
        };
        self.emit(Remark::Analysis, all.filter(|r| !is_taken_along(r)).map(why).collect());
    }

    fn why(&self, r: &Record) -> String {
        let list = |steps: &[Step]| {
            steps.iter().map(|s| text::step(s, None)).collect::<Vec<_>>().join(", ")
        };
        let more = if r.more_readers { ", …" } else { "" };
        let mut why = format!(
            "{} is recorded: {}; the reverse sweep reads it for {}{more}",
            r.text,
            r.reason,
            list(&r.read_by)
        );
        if !r.varied_because.is_empty() {
            why.push_str(&format!("; varied because {}", text::chain(&r.varied_because, None)));
        }
        why
    }
}
