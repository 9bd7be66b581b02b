//! Control-flow reversal: where control goes when a block is undone.
//!
//! - The entry returns. A block with one predecessor goes there. A join goes where its
//!   predecessor's number says.
//! - A loop header goes to its latch, one iteration down, until the counter is zero; then to the
//!   preheader.
//! - An edge that leaves a loop forwards starts it backwards: the counter takes its last value.
//! - A loop in which nothing has an adjoint is passed by; so may be one at whose end all adjoints
//!   are zero (zeros.rs).
//!
//! On the way to a predecessor, adjoints of phis go to what that predecessor brought.
//! Source: Naumann et al., Control Flow Reversal for Adjoint Code Generation, sections 4.1 to 4.5.

use super::{needs::Node, predecessors::Recovery, reverse::Reverse};
use crate::llvm::{Block, FastMath, IntPredicate, Space, Value};
use adir::{BlockId, LoopId, Op, ValueId, hashed::HashMap};

/// What metadata says of a branch: how often it goes where, and what holds of the loop that it ends.
const BRANCH_METADATA: [&str; 2] = ["prof", "llvm.loop"];

impl Reverse<'_, '_> {
    /// Ends the reverse block of `b`.
    pub fn leave(&mut self, b: BlockId) {
        let body = &self.unit.body;
        self.builder.fast_math = FastMath::default();
        let phis: Vec<ValueId> = body[b]
            .insts
            .iter()
            .copied()
            .take_while(|&v| matches!(body[v].op, Op::Phi(_)))
            .filter(|&v| self.activity.is_active(v))
            .collect();
        // All are taken before any is given: a phi may bring another's old value.
        let mut bars: Vec<(ValueId, Vec<Value>)> = vec![];
        for v in phis {
            let mut all = vec![];
            self.each(|this| all.push(this.take(v)));
            bars.push((v, all));
        }
        if b == body.order[0] {
            self.finish();
            return;
        }
        if let Some(l) = body.loop_headed_by(b) {
            self.leave_header(b, l, &bars);
            return;
        }
        let preds = body[b].preds.clone();
        if preds.len() == 1 || !self.needs.joins(b) {
            let to = self.edge(b, preds[0], &bars);
            self.builder.br(to);
            return;
        }
        if self.plan.slot(Node::Pred(b)).is_none() {
            let recovery = Recovery::into(body, b).expect("planned to be found again");
            self.expect_planned(Node::Pred(b));
            self.go(b, &recovery, &bars);
            return;
        }
        let number = self.lookup(Node::Pred(b));
        let here = self.builder.block();
        let mut edges = vec![];
        for (i, &p) in preds.iter().enumerate() {
            let memo = self.memo.clone();
            edges.push((i as u64, self.edge(b, p, &bars)));
            self.memo = memo;
        }
        self.builder.position_at_end(here);
        if let [(_, first), (_, second)] = edges[..] {
            let is_first = self.builder.icmp(IntPredicate::LLVMIntEQ, number, number.ty().zero());
            self.builder.cond_br(is_first, first, second);
        } else {
            self.builder.switch(number, edges[0].1, &edges[1..]);
        }
    }

    /// Ends the present block on the way back from `b`: the branches that decided are asked again.
    fn go(&mut self, b: BlockId, recovery: &Recovery, bars: &[(ValueId, Vec<Value>)]) {
        let body = &self.unit.body;
        let (fork, arms) = match recovery {
            &Recovery::From(i) => {
                let to = self.edge(b, body[b].preds[i], bars);
                self.builder.br(to);
                return;
            }
            Recovery::By { fork, arms } => (*fork, arms),
        };
        let branch = body.terminator(fork);
        let condition = self.lookup(Node::Primal(body.operand(branch, 0)));
        let here = self.builder.block();
        let mut to: HashMap<BlockId, Block> = HashMap::default();
        for (s, recovery) in arms {
            let block = match recovery {
                Some(Recovery::From(i)) => self.edge(b, body[b].preds[*i], bars),
                Some(recovery @ Recovery::By { .. }) => {
                    let block = self.function.append_block("way");
                    let memo = self.memo.clone();
                    self.builder.position_at_end(block);
                    self.go(b, recovery, bars);
                    self.memo = memo;
                    block
                }
                None => {
                    let block = self.function.append_block("elsewhere");
                    self.builder.position_at_end(block);
                    self.builder.unreachable();
                    block
                }
            };
            to.insert(*s, block);
            self.builder.position_at_end(here);
        }
        let successors: Vec<Block> = body[fork].succs.iter().map(|s| to[s]).collect();
        let again = body.llvm(branch).clone_instruction();
        again.set_operand(0, condition);
        again.set_successors(&successors);
        // It ends no iteration here, and what is said of the loop has places of another function.
        BRANCH_METADATA.iter().for_each(|kind| again.clear_metadata(kind));
        again.clear_location();
        self.builder.insert(again);
    }

    /// One iteration is undone: go on with the one before, or leave at the top.
    fn leave_header(&mut self, b: BlockId, l: LoopId, bars: &[(ValueId, Vec<Value>)]) {
        let body = &self.unit.body;
        let data = &body[l];
        let i64 = self.module.context().int(64);
        let counter = self.counters[&l];
        let i = self.builder.load(i64, counter);
        if self.plan.site(l) == Some(b) {
            self.unlink(l);
        }
        let at_top = self.builder.icmp(IntPredicate::LLVMIntEQ, i, i64.zero());
        let here = self.builder.block();
        let up = self.edge(b, data.preheader, bars);
        let down = self.edge(b, data.latch, bars);
        self.builder.position_at_start(up);
        if self.plan.records(l) && self.plan.site(l).is_none() {
            self.unlink(l);
        }
        self.builder.position_at_start(down);
        let before = self.builder.sub(i, i64.int(1));
        self.builder.store(before, counter);
        self.builder.position_at_end(here);
        self.builder.cond_br(at_top, up, down);
    }

    /// Goes to the block before in the loop's chain; the one that was at its end.
    pub fn unlink(&mut self, l: LoopId) -> Value {
        let ptr = self.module.context().ptr();
        let chain = self.chains[&l];
        let block = self.builder.load(ptr, chain);
        let previous = self.builder.load(ptr, block);
        previous.set_space(Space::Tape);
        self.builder.store(previous, chain);
        block
    }

    /// A new block for the way back from `b` to its predecessor `pred`; the builder is left
    /// elsewhere.
    fn edge(&mut self, b: BlockId, pred: BlockId, bars: &[(ValueId, Vec<Value>)]) -> Block {
        let body = &self.unit.body;
        let edge = self.function.append_block("edge");
        let memo = self.memo.clone();
        let back = self.builder.block();
        self.builder.position_at_end(edge);
        if self.may_lack_frame {
            let outermost =
                body.loops_left(pred, b).into_iter().find(|&l| body[l].parent.is_none());
            self.start_chains(|l| {
                outermost.is_some_and(|around| body.contains(around, body[l].header))
            });
        }
        self.skip_zeros(b, pred, bars);
        for (phi, all) in bars {
            let Op::Phi(from) = &body[*phi].op else { continue };
            if let Some(i) = from.iter().position(|&p| p == pred) {
                self.each(|this| this.accumulate(body.operand(*phi, i), all[this.direction]));
            }
        }
        let mut to = pred;
        if self.needs.passes_by(b, pred) {
            let inert = self.needs.inert_around(pred).expect("passed by");
            to = body[inert].preheader;
        }
        for l in body.loops_left(to, b) {
            let data = &body[l];
            let last = data.exits.iter().find(|(exit, _)| *exit == b).map(|(_, last)| *last);
            let last = last.expect("an exit has a phi of the counter");
            let n = self.lookup(self.needs.trip_count(data, last));
            self.builder.store(n, self.counters[&l]);
        }
        self.builder.br(self.blocks[&to]);
        self.memo = memo;
        self.builder.position_at_end(back);
        edge
    }
}
