//! Fills the report's model from one derivative's analyses.

use super::{
    Addition, CallFacts, Counts, How, LoopRecords, Mode, Parameter, Purpose, Recomputed, Record,
    Records, ValueFacts, Variant, What, bytes, copies, reasons::Reasons, why::Why,
};
use crate::{
    annotations::{config::Config, joint},
    codegen::adjoint::{
        self, Planned,
        needs::{Needs, Node},
        plan::{Plan, bytes_of},
        shared::{self, Added},
        sources::{Origin, Sources},
    },
    diagnostics::names::readable,
    image::{
        names::{Id, Names, SourcePlace, Step, type_name},
        unit::Unit,
    },
};
use adanalysis::{
    activity::{Param, Shadow},
    adjoint_out::AdjointOut,
    calls::Caller,
    snapshot::snapshot,
};
use adir::{
    BlockId, Callee, Cast, LoopId, Op, Ty, ValueId,
    hashed::{HashMap, HashSet},
};
use std::collections::BTreeMap;

/// Readers of a record that are listed.
const READERS_SHOWN: usize = 3;
/// Nodes that are passed on the way from a record to its readers.
const READERS_WALK: usize = 1000;

/// A variant, and folders of the files that it names.
pub type Found = (Variant, BTreeMap<String, String>);

/// The model of an adjoint.
pub fn adjoint(
    config: &Config,
    unit: &Unit,
    place: adjoint::FrameStorage,
    planned: &Planned,
) -> Found {
    let &Planned { ref caller, needs, sources, plan } = planned;
    let activity = caller.activity;
    let names = Names::new(config, unit);
    let why = Why::compute(unit, activity);
    let made_for =
        if place == adjoint::FrameStorage::Caller { Purpose::Request } else { Purpose::Call };
    let mut variant = base(unit, caller, &names, &why, Mode::Adjoint, made_for);
    variant.calls = calls(unit, caller, &names);
    variant.additions = additions(caller, &names);
    let readers = Readers::new(unit, needs, sources, plan);
    let mut recording = Recording {
        unit,
        names: &names,
        why: &why,
        plan,
        readers,
        reasons: Reasons::new(config, unit, &names, caller, sources, place),
    };
    variant.records = Some(recording.all(sources));
    (variant, names.into_folders())
}

/// The model of a tangent.
pub fn tangent(config: &Config, unit: &Unit, caller: &Caller, made_for: Purpose) -> Found {
    let names = Names::new(config, unit);
    let why = Why::compute(unit, caller.activity);
    let variant = base(unit, caller, &names, &why, Mode::Tangent, made_for);
    (variant, names.into_folders())
}

/// How threads add what reads contribute: one of several reads at one place.
fn additions(caller: &Caller, names: &Names) -> Vec<Addition> {
    let mut all: Vec<Addition> = vec![];
    for (v, added) in shared::additions(caller) {
        let how = match added {
            Added::Plainly => How::Plain,
            Added::InTurn => How::InTurn,
        };
        let read = names.step(v);
        let is_same =
            |a: &Addition| a.how == how && a.read.text == read.text && a.read.place == read.place;
        if !all.iter().any(is_same) {
            all.push(Addition { read, how });
        }
    }
    all
}

/// Calls to functions with a body, and what a checkpoint of each would save.
fn calls(unit: &Unit, caller: &Caller, names: &Names) -> Vec<CallFacts> {
    let body = caller.known.body;
    let out = AdjointOut::compute(caller.known, &|v| caller.live.is_present(v));
    let is_call = |v: &ValueId| matches!(body[*v].op, Op::Call(Callee::Defined));
    let facts = |v| CallFacts {
        call: names.step(v),
        callee: names.callee(v),
        active: caller.activity.is_active_call(v),
        split_because: unit.body.called(v).and_then(joint::why_split),
        snapshot: snapshot(caller.known, &out, v)
            .map(|saved| saved.iter().map(|c| names.component(c)).collect()),
    };
    body.insts().filter(is_call).map(facts).collect()
}

fn base(
    unit: &Unit,
    caller: &Caller,
    names: &Names,
    why: &Why,
    mode: Mode,
    made_for: Purpose,
) -> Variant {
    let body = &unit.body;
    let activity = caller.activity;
    let mut counts = Counts { values: 0, varied: 0, useful: 0, active: 0 };
    let mut values = vec![];
    for v in body.params.iter().copied().chain(body.insts()) {
        let data = &body[v];
        let (varied, useful, active) =
            (activity.is_varied(v), activity.is_useful(v), activity.is_active(v));
        if data.ty.holds_float() || varied {
            counts.values += 1;
            counts.varied += usize::from(varied);
            counts.useful += usize::from(useful);
            counts.active += usize::from(active);
        }
        if matches!(data.op, Op::Br) {
            continue;
        }
        let shadow = (data.ty == Ty::Ptr).then(|| match activity.shadow(v) {
            Shadow::None => "none",
            Shadow::Yes => "yes",
            Shadow::No => "no",
            Shadow::Mixed => "mixed",
        });
        values.push(ValueFacts {
            id: Id::Value(v),
            op: names.opcode(v),
            text: names.text(v),
            variable: names.variable(v),
            ty: type_name(data.ty),
            place: names.place(v),
            varied,
            useful,
            active,
            shadow,
            varied_from: why.varied_from(v).map(Id::Value),
            useful_to: why.useful_to(v).map(Id::Value),
        });
    }
    let chain = |v| steps(unit, names, &why.useful_chain(v));
    let parameter = |(&p, param): (&ValueId, &Param)| Parameter {
        value: Id::Value(p),
        name: names.text(p),
        ty: type_name(body[p].ty),
        activity: match param {
            Param::Const | Param::Exception => "const",
            Param::Active => "active",
            Param::Shadowed => "shadowed",
        },
        useful_because: match param {
            Param::Const | Param::Exception => vec![],
            _ => chain(p),
        },
    };
    let named = |(i, steps): (u32, u32)| {
        format!("{}{}", if steps == 0 { "" } else { "*" }, names.text(body.params[i as usize]))
    };
    Variant {
        apart: match made_for {
            Purpose::Request => {
                caller.context.apart().iter().map(|&(p, q)| [named(p), named(q)]).collect()
            }
            Purpose::Call => vec![],
        },
        symbol: body.name.clone(),
        name: readable(&unit.canon.source.source_name()),
        mode,
        made_for,
        place: names.definition(),
        parameters: body.params.iter().zip(&activity.params).map(parameter).collect(),
        gave_up: vec![],
        counts,
        left_out: body
            .insts()
            .filter(|&v| !caller.live.is_present(v))
            .map(|v| names.step(v))
            .collect(),
        calls: vec![],
        additions: vec![],
        values,
        records: None,
    }
}

/// The chain in words, without what leaves a loop under a new name and without arithmetic on
/// addresses.
fn steps(unit: &Unit, names: &Names, chain: &[ValueId]) -> Vec<Step> {
    let body = &unit.body;
    let tells = |v: ValueId| match &body[v].op {
        Op::Phi(from) => from.len() > 1 && body[v].ty != Ty::Ptr,
        Op::Gep(..) | Op::Cast(Cast::AddressSpace) | Op::Freeze => false,
        Op::Select => body[v].ty != Ty::Ptr,
        _ => true,
    };
    let mut steps: Vec<Step> =
        chain.iter().filter(|&&v| tells(v)).map(|&v| names.step(v)).collect();
    steps.dedup_by(|a, b| a.text == b.text && a.place == b.place);
    steps
}

/// What reads a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Reader {
    /// The reverse of an instruction.
    Inst(ValueId),
    /// The reverse of a join.
    Join(BlockId),
    /// The reverse of a loop, which must know how often it ran.
    Loop(LoopId),
    /// The computation of another node.
    Node(Node),
}

/// Who reads each node, directly or to compute another one.
struct Readers {
    of: HashMap<Node, Vec<Reader>>,
}

impl Readers {
    fn new(unit: &Unit, needs: &Needs, sources: &Sources, plan: &Plan) -> Readers {
        let body = &unit.body;
        let mut this = Readers { of: HashMap::default() };
        for &b in body.order.iter().filter(|&&b| needs.is_reversed(b)) {
            for &v in body[b].insts.iter().filter(|&&v| needs.has_reverse(v)) {
                for node in sources
                    .regions
                    .read_in_place(v)
                    .unwrap_or_else(|| needs.read_by(v).into_iter().collect())
                {
                    this.of.entry(node).or_default().push(Reader::Inst(v));
                }
            }
            if needs.joins(b) {
                this.of.entry(Node::Pred(b)).or_default().push(Reader::Join(b));
            }
            for id in body.loop_ids().filter(|&l| needs.is_reversed(body[l].header)) {
                let l = &body[id];
                for &(_, last) in l.exits.iter().filter(|(exit, _)| *exit == b) {
                    this.of.entry(needs.trip_count(l, last)).or_default().push(Reader::Loop(id));
                }
            }
        }
        let mut work: Vec<Node> = this.of.keys().copied().collect();
        let mut seen: HashSet<Node> = work.iter().copied().collect();
        while let Some(node) = work.pop() {
            if plan.slot(node).is_some() {
                continue;
            }
            if let Origin::From(from) = sources.origin(node) {
                for f in from {
                    this.of.entry(f).or_default().push(Reader::Node(node));
                    if seen.insert(f) {
                        work.push(f);
                    }
                }
            }
        }
        // In the order of the program, not of a hash table.
        for list in this.of.values_mut() {
            list.sort_by_key(|r| match *r {
                Reader::Inst(v) => (0, v.index()),
                Reader::Join(b) => (1, b.index()),
                Reader::Loop(l) => (2, l.index()),
                Reader::Node(
                    Node::Primal(v)
                    | Node::Shadow(v)
                    | Node::Tape(v)
                    | Node::Array(v)
                    | Node::Section(v, _)
                    | Node::Once(v, _),
                ) => (3, v.index()),
                Reader::Node(Node::Pred(b)) => (4, b.index()),
                Reader::Node(Node::Entry(y, _)) => (5, y.index()),
            });
        }
        this
    }

    /// The first few that are no nodes, nearest first, and whether there are more.
    fn first(&self, node: Node) -> (Vec<Reader>, bool) {
        let mut found = vec![];
        let mut seen = HashSet::from_iter([node]);
        let mut level = vec![node];
        while !level.is_empty() && seen.len() < READERS_WALK {
            let mut next = vec![];
            for reader in level.iter().filter_map(|n| self.of.get(n)).flatten() {
                match *reader {
                    Reader::Node(n) if seen.insert(n) => next.push(n),
                    Reader::Node(_) => {}
                    r if found.contains(&r) => {}
                    _ if found.len() == READERS_SHOWN => return (found, true),
                    r => found.push(r),
                }
            }
            level = next;
        }
        (found, !level.is_empty())
    }
}

struct Recording<'a> {
    unit: &'a Unit,
    names: &'a Names<'a>,
    why: &'a Why,
    plan: &'a Plan,
    readers: Readers,
    reasons: Reasons<'a>,
}

impl Recording<'_> {
    fn all(&mut self, sources: &Sources) -> Records {
        let body = &self.unit.body;
        let plan = self.plan;
        let frame = plan.frame.nodes.iter().map(|&n| self.record(n)).collect();
        let loops = body.loop_ids().map(|l| {
            let level = &plan.loops[l];
            LoopRecords {
                id: Id::Loop(l),
                place: self.names.loop_place(l),
                inside: body[l].parent.map(Id::Loop),
                depth: body[l].depth,
                counted: body[l].taken.is_some(),
                bytes_per_iteration: level.bytes,
                header_bytes: if level.nodes.is_empty() { 0 } else { plan.header_bytes(l) },
                records: level.nodes.iter().map(|&n| self.record(n)).collect(),
            }
        });
        let loops: Vec<LoopRecords> = loops.collect();
        // Entries that are not recorded are nowhere as such.
        let recomputed = plan.recomputed().filter(|n| !matches!(n, Node::Entry(..)));
        let recomputed = recomputed.map(|n| self.recomputed(n, sources)).collect();
        Records {
            frame_bytes: plan.frame_bytes,
            total: total(plan.frame_bytes, &loops),
            frame,
            loops,
            recomputed,
        }
    }

    /// What a node is, its id, text and place.
    fn facts(&self, node: Node) -> (What, Id, String, Option<SourcePlace>) {
        match node {
            Node::Primal(v) | Node::Once(v, _) => {
                (What::Value, Id::Value(v), self.names.text(v), self.names.record_place(v))
            }
            Node::Shadow(v) => (
                What::Shadow,
                Id::Value(v),
                format!("shadow of {}", self.names.text(v)),
                self.names.record_place(v),
            ),
            Node::Tape(v) => (
                What::Tape,
                Id::Value(v),
                format!("tape of {}", self.names.callee(v)),
                self.names.place(v),
            ),
            Node::Array(v) | Node::Section(v, _) => (
                What::Array,
                Id::Value(v),
                format!("array of {}", self.names.text(v)),
                self.names.record_place(v),
            ),
            Node::Entry(y, x) => (
                What::Derivative,
                Id::Value(y),
                format!("derivative of {} by {}", self.names.text(y), self.names.text(x)),
                self.names.record_place(y),
            ),
            Node::Pred(b) => (
                What::Branch,
                Id::Block(b),
                "the path that control took".into(),
                self.names.join_place(b),
            ),
        }
    }

    fn record(&mut self, node: Node) -> Record {
        let (what, id, text, place) = self.facts(node);
        let (read_by, more_readers) = self.readers(node);
        let (reason, overwritten_by) = self.reasons.of(node);
        let (varied, useful) = match node {
            Node::Primal(v) if self.unit.body[v].ty != Ty::Ptr => {
                (self.why.varied_chain(v), self.why.useful_chain(v))
            }
            _ => (vec![], vec![]),
        };
        Record {
            what,
            id,
            text,
            place,
            bytes: bytes_of(&self.unit.body, node, self.plan.width),
            bits: self.plan.slot(node).and_then(|s| s.packed).map(|p| p.width),
            reason,
            overwritten_by: overwritten_by.map(|v| self.names.step(v)),
            read_by,
            more_readers,
            varied_because: steps(self.unit, self.names, &varied),
            useful_because: steps(self.unit, self.names, &useful),
        }
    }

    fn recomputed(&self, node: Node, sources: &Sources) -> Recomputed {
        let (what, id, text, place) = self.facts(node);
        let reloaded = match node {
            Node::Primal(v) | Node::Shadow(v) if matches!(self.unit.body[v].op, Op::Load) => true,
            Node::Primal(v) => sources.stored(v).is_some(),
            _ => false,
        };
        debug_assert!(matches!(sources.origin(node), Origin::From(_)));
        let ty = match node {
            Node::Primal(v) | Node::Array(v) | Node::Section(v, _) | Node::Once(v, _) => {
                type_name(self.unit.body[v].ty)
            }
            Node::Shadow(_) | Node::Tape(_) => type_name(Ty::Ptr),
            Node::Pred(_) => "branch".into(),
            Node::Entry(y, _) => type_name(self.unit.body[y].ty),
        };
        Recomputed { what, id, text, place, ty, reloaded, read_by: self.readers(node).0 }
    }

    fn readers(&self, node: Node) -> (Vec<Step>, bool) {
        let (found, more) = self.readers.first(node);
        let step = |r: &Reader| match *r {
            Reader::Inst(v) => self.names.step(v),
            Reader::Join(b) => Step {
                id: Id::Block(b),
                text: "reversal of the branch".into(),
                place: self.names.join_place(b),
            },
            Reader::Loop(l) => Step {
                id: Id::Loop(l),
                text: "number of iterations".into(),
                place: self.names.loop_place(l),
            },
            Reader::Node(_) => unreachable!("only readers that are no nodes are found"),
        };
        (found.iter().map(step).collect(), more)
    }
}

/// `16 bytes per call, 24 bytes/iteration of loop at f.c:12 (in loop at f.c:10)`.
fn total(frame: u64, loops: &[LoopRecords]) -> String {
    let name = |l: &LoopRecords| match (&l.place, l.id) {
        (Some(p), _) => format!("loop at {}:{}", p.file, p.line),
        (None, Id::Loop(id)) => format!("loop {id:?}"),
        (None, _) => "a loop".into(),
    };
    let mut parts: Vec<(String, usize)> = vec![];
    if frame > 0 {
        parts.push((format!("{} per call", bytes(frame)), 1));
    }
    for l in loops.iter().filter(|l| !l.records.is_empty()) {
        let inside = l.inside.and_then(|id| loops.iter().find(|o| o.id == id));
        let inside = inside.map_or_else(String::new, |o| format!(" (in {})", name(o)));
        let part = format!("{}/iteration of {}{inside}", bytes(l.bytes_per_iteration), name(l));
        match parts.iter_mut().find(|(p, _)| *p == part) {
            Some((_, copies)) => *copies += 1,
            None => parts.push((part, 1)),
        }
    }
    let parts: Vec<String> =
        parts.into_iter().map(|(part, n)| format!("{part}{}", copies(n))).collect();
    if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
}
