//! What must hold of a body; a violation is our own bug, reported as an internal error.
//!
//! The rules are what import guarantees to the analyses, in the order in which they are checked:
//! - tables: parameters know their number, what has no block is a parameter or the same in every
//!   run;
//! - blocks: each ends with its only terminator, which has as many successors as its kind says;
//!   predecessors are the blocks that have it as successor; the entry has none; only `exit`
//!   returns;
//! - values: instructions know their block and stand in it once; phis come first and join the
//!   predecessors; operands exist and are defined on every way to their use (a phi's: on every way
//!   to the end of the incoming block); users are those of the reached instructions;
//! - loops: the graph is reducible; its natural loops are the listed ones, outer before inner, with
//!   one preheader, one latch and dedicated exits, an i64 counter and, if known, an i64 count that
//!   is there before the loop begins.

use super::{BlockId, Body, EntityMap, LoopId, Op, Ty, ValueId, loops};
use crate::hashed::HashMap;

impl Body {
    /// Checks the rules; the first that is broken, where, and how.
    pub fn verify(&self) -> Result<(), String> {
        let mut verifier = Verifier {
            body: self,
            positions: EntityMap::with(self.values.len(), None),
            spans: spans(self),
        };
        verifier.tables()?;
        for &b in &self.order {
            verifier.block(b)?;
        }
        for &b in &self.order {
            for (at, &v) in self[b].insts.iter().enumerate() {
                verifier.operands(b, at, v)?;
            }
        }
        verifier.users()?;
        verifier.loops()
    }

    fn is_terminator(&self, v: ValueId) -> bool {
        matches!(
            self[v].op,
            Op::Br | Op::CondBr | Op::Switch | Op::Invoke | Op::Ret | Op::Unreachable
        )
    }
}

struct Verifier<'a> {
    body: &'a Body,
    /// Place of each instruction in its reached block.
    positions: EntityMap<ValueId, Option<usize>>,
    /// Per block: when a walk through the tree of dominators enters and leaves it; `None` where it
    /// does not come.
    spans: EntityMap<BlockId, Option<(u32, u32)>>,
}

impl Verifier<'_> {
    fn tables(&self) -> Result<(), String> {
        let body = self.body;
        if body.order.first() != Some(&BlockId(0)) || !body[BlockId(0)].preds.is_empty() {
            return Err("the body is not entered through b0 alone".into());
        }
        if [body.noalias.len(), body.readonly.len()] != [body.params.len(); 2] {
            return Err("the parameters' attributes are not as many as the parameters".into());
        }
        for (i, &p) in body.params.iter().enumerate() {
            if !body
                .values
                .get(p.index())
                .is_some_and(|d| matches!(d.op, Op::Param(n) if n as usize == i))
            {
                return Err(format!("{p:?} is not parameter {i}"));
            }
        }
        for v in body.value_ids() {
            let data = &body[v];
            let is_param = matches!(data.op, Op::Param(_));
            if is_param && !body.params.contains(&v) {
                return Err(format!("{v:?} is a parameter that is not listed"));
            }
            if (is_param || body.is_leaf(v)) != data.block.is_none() {
                return Err(format!("{v:?} is in a block and the same in every run, or neither"));
            }
            if let Some(o) = data.operands.iter().find(|o| o.index() >= body.values.len()) {
                return Err(format!("{v:?} uses {o:?}, which does not exist"));
            }
            if let Some(o) =
                data.operands.iter().find(|&&o| data.block.is_none() && !body.is_leaf(o))
            {
                return Err(format!("constant {v:?} uses {o:?}, which is none"));
            }
        }
        if let Some(b) = body.exit
            && !body[b].insts.last().is_some_and(|&v| matches!(body[v].op, Op::Ret))
        {
            return Err(format!("the exit {b:?} does not return"));
        }
        Ok(())
    }

    fn block(&mut self, b: BlockId) -> Result<(), String> {
        let body = self.body;
        let block = &body[b];
        let Some((&last, rest)) = block.insts.split_last() else {
            return Err(format!("{b:?} is empty"));
        };
        if !body.is_terminator(last) || rest.iter().any(|&i| body.is_terminator(i)) {
            return Err(format!("{b:?} does not end with its only terminator"));
        }
        let is_count_right = match body[last].op {
            Op::Br => block.succs.len() == 1,
            Op::CondBr | Op::Invoke => block.succs.len() == 2,
            Op::Switch => !block.succs.is_empty(),
            _ => block.succs.is_empty(),
        };
        if !is_count_right {
            return Err(format!("{last:?} of {b:?} does not have as many successors as its kind"));
        }
        if matches!(body[last].op, Op::Ret) && body.exit != Some(b) {
            return Err(format!("{b:?} returns but is not the exit"));
        }
        if let Some(s) = block
            .succs
            .iter()
            .find(|s| !body.blocks.get(s.index()).is_some_and(|d| d.preds.contains(&b)))
        {
            return Err(format!("{s:?} does not know its predecessor {b:?}"));
        }
        let is_pred =
            |p: &&BlockId| !body.blocks.get(p.index()).is_some_and(|d| d.succs.contains(&b));
        if let Some(p) = block.preds.iter().find(is_pred) {
            return Err(format!("{b:?} does not follow its predecessor {p:?}"));
        }
        let mut phis_over = false;
        for (at, &i) in block.insts.iter().enumerate() {
            let inst = &body[i];
            if inst.block != Some(b) {
                return Err(format!("{i:?} does not know its block {b:?}"));
            }
            if self.positions[i].replace(at).is_some() {
                return Err(format!("{i:?} stands twice in {b:?}"));
            }
            match &inst.op {
                Op::Phi(from) => {
                    let joined = sorted(from);
                    let preds = sorted(&block.preds);
                    if phis_over || joined != preds || from.len() != inst.operands.len() {
                        return Err(format!("phi {i:?} of {b:?} does not join {preds:?}"));
                    }
                }
                Op::Gep(_, strides)
                    if strides.iter().any(|(index, _)| !inst.operands.contains(index)) =>
                {
                    return Err(format!("{i:?} steps by what is not its operand"));
                }
                _ => phis_over = true,
            }
        }
        Ok(())
    }

    /// Whether `a` is on every way to the reached block `b`.
    fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        match (self.spans[a], self.spans[b]) {
            (Some((enter, leave)), Some((at, _))) => enter <= at && at < leave,
            _ => false,
        }
    }

    /// Whether `v` is defined wherever the end of `b` is reached.
    fn is_known_after(&self, v: ValueId, b: BlockId) -> bool {
        match self.body[v].block {
            None => true,
            Some(d) => self.positions[v].is_some() && self.dominates(d, b),
        }
    }

    fn operands(&self, b: BlockId, at: usize, v: ValueId) -> Result<(), String> {
        let data = &self.body[v];
        for (n, &o) in data.operands.iter().enumerate() {
            let is_known = match &data.op {
                Op::Phi(from) => self.is_known_after(o, from[n]),
                _ if self.body[o].block == Some(b) => self.positions[o].is_some_and(|p| p < at),
                _ => self.is_known_after(o, b),
            };
            if !is_known {
                return Err(format!(
                    "{v:?} of {b:?} uses {o:?}, which is not defined on every way there"
                ));
            }
        }
        Ok(())
    }

    fn users(&self) -> Result<(), String> {
        let users = loops::users(self.body);
        let differs = |v: &ValueId| self.body.users.get(*v) != users.get(*v);
        match self.body.value_ids().find(differs) {
            Some(v) => Err(format!("the users of {v:?} are {:?}", users[v])),
            None => Ok(()),
        }
    }

    fn loops(&self) -> Result<(), String> {
        let body = self.body;
        let natural = loops::natural_loops(body)
            .map_err(|b| format!("the cycle through {b:?} is irreducible"))?;
        let listed: HashMap<BlockId, LoopId> =
            body.loops.iter().enumerate().map(|(i, l)| (l.header, LoopId(i as u32))).collect();
        if natural.len() != body.loops.len()
            || natural.iter().any(|n| !listed.contains_key(&n.header))
        {
            let headers: Vec<_> = natural.iter().map(|n| n.header).collect();
            return Err(format!("the loops are not those headed by {headers:?}"));
        }
        let mut innermost = EntityMap::with(body.blocks.len(), None);
        for n in &natural {
            let id = listed[&n.header];
            let parent = innermost[n.header];
            self.natural_loop(id, n, parent)?;
            for &b in &n.blocks {
                innermost[b] = Some(id);
            }
        }
        match body.block_ids().find(|&b| body[b].innermost != innermost[b]) {
            Some(b) => Err(format!("the innermost loop of {b:?} is {:?}", innermost[b])),
            None => Ok(()),
        }
    }

    fn natural_loop(
        &self,
        id: LoopId,
        n: &loops::NaturalLoop,
        parent: Option<LoopId>,
    ) -> Result<(), String> {
        let body = self.body;
        let l = &body[id];
        if sorted(&body[l.header].preds) != sorted(&[l.preheader, l.latch])
            || n.latches != [l.latch]
        {
            return Err(format!("loop {id:?} is not in simplified form"));
        }
        let depth = parent.map_or(1, |p| body[p].depth.saturating_add(1));
        if l.parent != parent || l.depth != depth || parent.is_some_and(|p| p >= id) {
            return Err(format!("loop {id:?} is not nested in {parent:?} at depth {depth}"));
        }
        let is_i64 = |v: ValueId| body.values.get(v.index()).is_some_and(|d| d.ty == Ty::Int(64));
        let is_phi_of = |v: ValueId, b| {
            is_i64(v) && matches!(body[v].op, Op::Phi(_)) && body[v].block == Some(b)
        };
        if !is_phi_of(l.counter, l.header) {
            return Err(format!("{:?} does not count loop {id:?}", l.counter));
        }
        if let Some(t) = l.taken.filter(|&t| !is_i64(t) || !self.is_known_after(t, l.preheader)) {
            return Err(format!("{t:?} is not known before loop {id:?}"));
        }
        let leaves = |b: &&BlockId| body[**b].succs.iter().any(|s| !n.blocks.contains(s));
        let exiting: Vec<BlockId> = n.blocks.iter().filter(leaves).copied().collect();
        if l.single_exiting != (exiting.len() == 1) {
            return Err(format!("loop {id:?} is left from {} blocks", exiting.len()));
        }
        let targets =
            exiting.iter().flat_map(|&b| &body[b].succs).filter(|s| !n.blocks.contains(s));
        let exits = sorted(&targets.copied().collect::<Vec<_>>());
        let is_dedicated = |b: &BlockId| body[*b].preds.iter().all(|p| n.blocks.contains(p));
        if let Some(b) = exits.iter().find(|b| !is_dedicated(b)) {
            return Err(format!("exit {b:?} of loop {id:?} is entered from elsewhere"));
        }
        let mut of_loop: Vec<BlockId> = l.exits.iter().map(|e| e.0).collect();
        of_loop.sort();
        if of_loop != exits {
            return Err(format!("the exits of loop {id:?} are {exits:?}"));
        }
        let exists = |v: ValueId| v.index() < body.values.len();
        let of_header = |v: ValueId| {
            exists(v) && matches!(body[v].op, Op::Phi(_)) && body[v].block == Some(l.header)
        };
        for g in body.growths.iter().filter(|g| of_header(g.phi)) {
            if let Some(by) = [Some(g.first), g.second]
                .into_iter()
                .flatten()
                .find(|&by| !exists(by) || !self.is_known_after(by, l.preheader))
            {
                return Err(format!(
                    "{:?} grows by {by:?}, which is not known before loop {id:?}",
                    g.phi
                ));
            }
        }
        match l.exits.iter().find(|(b, last)| !is_phi_of(*last, *b)) {
            Some((b, last)) => {
                Err(format!("{last:?} does not hold the last count of loop {id:?} in {b:?}"))
            }
            None => Ok(()),
        }
    }
}

/// In order and each once.
fn sorted(blocks: &[BlockId]) -> Vec<BlockId> {
    let mut blocks = blocks.to_vec();
    blocks.sort();
    blocks.dedup();
    blocks
}

/// See [`Verifier::spans`].
fn spans(body: &Body) -> EntityMap<BlockId, Option<(u32, u32)>> {
    let mut children = EntityMap::with(body.blocks.len(), vec![]);
    for b in body.block_ids() {
        if let Some(d) = body.idoms.get(b).copied().flatten() {
            children[d].push(b);
        }
    }
    let mut spans = EntityMap::with(body.blocks.len(), None);
    let mut time = 0;
    // A block is met twice: on the way down, and when everything below it is done.
    let mut stack: Vec<BlockId> = body.order.first().copied().into_iter().collect();
    while let Some(&b) = stack.last() {
        match &mut spans[b] {
            None => {
                spans[b] = Some((time, u32::MAX));
                time += 1;
                stack.append(&mut children[b]);
            }
            Some((_, leave)) => {
                *leave = time;
                stack.pop();
            }
        }
    }
    spans
}
