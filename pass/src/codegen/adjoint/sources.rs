//! How each node can be had in the reverse sweep: at no cost, by recomputing it from others, by
//! loading it from primal memory that still holds it, or only by recording it. Induction variables
//! and recurrences follow from the counter of their loop.
//!
//! Memory is asked of to-be-recorded analysis: a load may be repeated, and a value may be loaded
//! from where it was stored. The second way is taken where recomputing would need a record and the
//! address does not: a minimum cut knows no alternatives, so the choice is made here.

use super::{
    arrays::Arrays,
    live_ins::is_live_in,
    needs::{Needs, Node},
    preaccumulate::Regions,
    predecessors::Recovery,
    sections::Sections,
};
use adanalysis::{
    affine::{Induction, Recurrence, induction, recurrences},
    summary::Known,
    tbr::Tbr,
};
use adir::{
    Body, Callee, Cast, Op, Ty, ValueId,
    hashed::{HashMap, HashSet},
    target,
};

/// How a node can be had.
pub enum Origin {
    /// At no cost: constants, loop counters.
    Free,
    /// Only by recording it.
    Record,
    /// From other nodes.
    From(Vec<Node>),
}

/// Effort of a load, an addition, a multiplication.
const LIGHT: u64 = 1;
/// Effort of a division.
const DIVISION: u64 = 4;
/// Passes over the body in which values found in memory help to find others.
const MOST_PASSES: usize = 4;

/// Where values come from.
pub struct Sources<'a> {
    needs: &'a Needs<'a>,
    tbr: &'a Tbr,
    counters: HashSet<ValueId>,
    inductions: HashMap<ValueId, Induction>,
    recurrences: HashMap<ValueId, Recurrence>,
    /// Values that are loaded from where a store left them: the store.
    stored: HashMap<ValueId, ValueId>,
    /// Copies of arrays from which values may be read.
    pub arrays: Arrays,
    /// Copies of what nests of loops read.
    pub sections: Sections,
    /// Regions whose entries may be recorded.
    pub regions: Regions,
}

impl<'a> Sources<'a> {
    /// Decides for every value.
    pub fn new(needs: &'a Needs<'a>, tbr: &'a Tbr, known: Known) -> Sources<'a> {
        let body = needs.body();
        let counters = body.loops.iter().map(|l| l.counter).collect();
        let phis = body.insts().filter(|&v| matches!(body[v].ty, Ty::Ptr | Ty::Int(1..=64)));
        let inductions = phis.filter_map(|v| Some((v, induction(body, v)?))).collect();
        let (sections, arrays) = match needs.recompute {
            true => {
                let sections = Sections::find(known, tbr);
                let arrays = Arrays::find(known, tbr, &sections);
                (sections, arrays)
            }
            false => (Sections::default(), Arrays::default()),
        };
        let mut this = Sources {
            needs,
            tbr,
            counters,
            inductions,
            recurrences: recurrences(body),
            stored: HashMap::default(),
            arrays,
            sections,
            regions: Regions::default(),
        };
        let mut free: HashSet<Node> = HashSet::default();
        for _ in 0..MOST_PASSES {
            let known = free.len();
            for v in body.params.iter().copied().chain(body.insts()) {
                let node = Node::Primal(v);
                if !free.contains(&node) && this.is_free(node, &free) {
                    free.insert(node);
                }
            }
            // What needs a record otherwise.
            for v in body.insts().filter(|v| !free.contains(&Node::Primal(*v))).collect::<Vec<_>>()
            {
                if let Some(store) = tbr.stored(v)
                    && this.is_known(Node::Primal(body.operand(store, 1)), &free)
                {
                    this.stored.insert(v, store);
                    free.insert(Node::Primal(v));
                }
            }
            if free.len() == known {
                break;
            }
        }
        this
    }

    /// What having a node once more costs, in the currency in which a recorded byte costs 1.
    pub fn effort(&self, node: Node) -> u64 {
        let body = self.needs.body();
        let Node::Primal(v) = node else { return 0 };
        match &body[v].op {
            _ if self.stored.contains_key(&v) || self.arrays.behind(v).is_some() => LIGHT,
            _ if self.sections.of(v).is_some() => LIGHT,
            Op::Load | Op::FNeg | Op::FAdd | Op::FSub | Op::FMul | Op::Call(Callee::Rule(..)) => {
                LIGHT
            }
            Op::FDiv => DIVISION,
            // The result of a comparison is computed again when it was recorded. Integers and
            // addresses mostly melt into the instructions that use them.
            _ => 0,
        }
    }

    /// What the reverse sweep needs.
    pub fn needs(&self) -> &'a Needs<'a> {
        self.needs
    }

    fn is_known(&self, node: Node, free: &HashSet<Node>) -> bool {
        // A parameter is recorded once per call, if at all.
        let is_param =
            matches!(node, Node::Primal(v) if matches!(self.needs.body()[v].op, Op::Param(_)));
        is_param || free.contains(&node) || matches!(self.origin(node), Origin::Free)
    }
    fn is_free(&self, node: Node, free: &HashSet<Node>) -> bool {
        match self.origin(node) {
            Origin::Free => true,
            Origin::Record => false,
            Origin::From(nodes) => nodes.iter().all(|n| self.is_known(*n, free)),
        }
    }

    /// How `v` follows from its loop's counter, if it does.
    pub fn induction(&self, v: ValueId) -> Option<Induction> {
        self.inductions.get(&v).copied()
    }
    /// How `v` follows from its loop's counter and what is known before the loop, if it does.
    pub fn recurrence(&self, v: ValueId) -> Option<Recurrence> {
        self.recurrences.get(&v).copied()
    }
    /// The store from whose memory `v` is loaded, if that is how it is had.
    pub fn stored(&self, v: ValueId) -> Option<ValueId> {
        self.stored.get(&v).copied()
    }

    /// Whether `v` is a parameter that the reverse sweep is given.
    fn is_live_in(&self, v: ValueId) -> bool {
        let body = self.needs.body();
        let ty = || body.llvm(v).ty();
        self.needs.live_ins.params && matches!(body[v].op, Op::Param(_)) && is_live_in(ty())
    }

    /// How `node` can be had in the reverse sweep.
    pub fn origin(&self, node: Node) -> Origin {
        let body = self.needs.body();
        let recompute = |nodes: Vec<Node>| {
            if self.needs.recompute { Origin::From(nodes) } else { Origin::Record }
        };
        match node {
            Node::Tape(_) | Node::Array(_) | Node::Section(..) | Node::Once(..) => Origin::Record,
            Node::Entry(y, x) => Origin::From(self.regions.parts(y, x)),
            Node::Pred(b) => match Recovery::into(body, b) {
                Some(recovery) => {
                    recompute(recovery.conditions(body).into_iter().map(Node::Primal).collect())
                }
                None => Origin::Record,
            },
            Node::Primal(v) | Node::Shadow(v) if self.is_live_in(v) => Origin::Free,
            Node::Shadow(v) if body.is_leaf(v) => Origin::Free,
            Node::Shadow(v) if self.induction(v).is_some() => {
                let i = self.inductions[&v];
                recompute(vec![Node::Shadow(i.start), Node::Primal(i.counter)])
            }
            Node::Shadow(v) if self.recurrence(v).is_some() => {
                let r = self.recurrences[&v];
                recompute([Node::Shadow(r.start)].into_iter().chain(by(r)).collect())
            }
            Node::Shadow(v) => {
                let operands = &body[v].operands;
                match &body[v].op {
                    Op::Gep(_, strides) => {
                        let mut from = vec![Node::Shadow(operands[0])];
                        from.extend(strides.iter().map(|s| Node::Primal(s.0)));
                        recompute(from)
                    }
                    Op::Cast(Cast::AddressSpace | Cast::Bits) => {
                        recompute(vec![Node::Shadow(operands[0])])
                    }
                    Op::Select => recompute(vec![
                        Node::Primal(operands[0]),
                        Node::Shadow(operands[1]),
                        Node::Shadow(operands[2]),
                    ]),
                    Op::Load if self.tbr.is_reloadable(v) => {
                        recompute(vec![Node::Shadow(operands[0])])
                    }
                    Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                        recompute(vec![Node::Shadow(operands[0])])
                    }
                    _ => Origin::Record,
                }
            }
            Node::Primal(v) if body.is_leaf(v) || self.counters.contains(&v) => Origin::Free,
            // Loading is not recomputing: it is switched by to-be-recorded analysis.
            Node::Primal(v) if self.stored.contains_key(&v) => {
                Origin::From(vec![Node::Primal(body.operand(self.stored[&v], 1))])
            }
            Node::Primal(v) if self.induction(v).is_some() => {
                let i = self.inductions[&v];
                recompute(vec![Node::Primal(i.start), Node::Primal(i.counter)])
            }
            Node::Primal(v) if self.recurrence(v).is_some() => {
                let r = self.recurrences[&v];
                recompute([Node::Primal(r.start)].into_iter().chain(by(r)).collect())
            }
            Node::Primal(v) if self.sections.of(v).is_some() => {
                Origin::From(self.sections.of(v).map(|s| s.node()).into_iter().collect())
            }
            Node::Primal(v) if self.arrays.element(v).is_some() => {
                Origin::From(self.arrays.behind(v).map(Node::Array).into_iter().collect())
            }
            Node::Primal(v) if self.arrays.carried(v).is_some() => {
                let (carried, array) = (self.arrays.carried(v), self.arrays.behind(v));
                Origin::From(
                    carried
                        .map(|c| Node::Primal(c.start))
                        .into_iter()
                        .chain(array.map(Node::Array))
                        .collect(),
                )
            }
            Node::Primal(v) => {
                let all = || recompute(body[v].operands.iter().map(|&o| Node::Primal(o)).collect());
                match &body[v].op {
                    _ if target::rounds_late() && decides(body, v) => Origin::Record,
                    // The floating-point environment may be another one then.
                    _ if body[v].is_once => Origin::Record,
                    Op::IntBinary(_)
                    | Op::ICmp
                    | Op::FCmp
                    | Op::Cast(_)
                    | Op::Select
                    | Op::Gep(..)
                    | Op::FNeg
                    | Op::FAdd
                    | Op::FSub
                    | Op::FMul
                    | Op::FDiv
                    | Op::Call(Callee::PureInt)
                    | Op::ExtractValue(_) => all(),
                    Op::Call(Callee::Rule(rule, _)) if is_cheap(rule.name) => all(),
                    Op::Load if self.tbr.is_reloadable(v) => all(),
                    _ => Origin::Record,
                }
            }
        }
    }
}

/// What a recurrence grows by, and how often.
fn by(r: Recurrence) -> impl Iterator<Item = Node> {
    [Some(r.counter), Some(r.first), r.second].into_iter().flatten().map(Node::Primal)
}

/// Whether a small change of a real may change much of `v`: what is decided by it has to be decided
/// once.
fn decides(body: &Body, v: ValueId) -> bool {
    match &body[v].op {
        Op::FCmp | Op::FRem | Op::Cast(Cast::FloatToInt) | Op::Call(Callee::PureInt) => true,
        Op::Cast(Cast::Bits) => body[body.operand(v, 0)].ty.is_real() && !body[v].ty.is_real(),
        Op::Call(Callee::Rule(rule, _)) => {
            matches!(body[v].ty, Ty::Int(_))
                || matches!(rule.name, "floor" | "ceil" | "trunc" | "rint" | "copysign")
        }
        _ => false,
    }
}

/// Functions that cost less than a record and a load.
fn is_cheap(name: &str) -> bool {
    matches!(
        name,
        "fabs"
            | "copysign"
            | "fmax"
            | "fmin"
            | "fma"
            | "floor"
            | "ceil"
            | "trunc"
            | "rint"
            | "fmaximum"
            | "fminimum"
    )
}
