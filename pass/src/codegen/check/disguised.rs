//! Reals that passes load and hand on as pointers: unions whose first member is one.

use super::Check;
use crate::{
    canon,
    llvm::{Function, Opcode, Value},
};
use adanalysis::activity::Shadow;
use adir::{Callee, Cast, IntOp, Op, Ty, ValueId, hashed::HashSet};

impl Check<'_> {
    /// Whether a load brings as a pointer, to move it on, what may be a real: a word that code takes
    /// for several things, or one that the source does not call a pointer, where reals lie.
    pub(super) fn disguises_real(&self, v: ValueId, address: ValueId) -> bool {
        let llvm = self.body.llvm(v);
        let bytes = self.body[v].bytes;
        let has_reals = || self.unit.types.surely_finds_real(&self.unit.memory, address, bytes);
        self.body[v].ty == Ty::Ptr
            && self.activity.shadow(address) == Shadow::Yes
            && self.activity.is_moving(v)
            && self.is_moved_on(v)
            && (canon::is_moved_word(llvm) || self.body[v].is_untold && has_reals())
            && !self.is_followed(v)
    }

    /// Whether a word, or what is chosen from it and others, is stored, returned or given to a function
    /// that may do so: what is only followed or compared is no real there.
    pub(super) fn is_moved_on(&self, word: ValueId) -> bool {
        let body = self.body;
        let is_distance = |i: &ValueId| matches!(body[*i].op, Op::IntBinary(IntOp::Sub) | Op::ICmp);
        let (mut seen, mut work) = (HashSet::from_iter([word]), vec![word]);
        while let Some(v) = work.pop() {
            for &u in &body.users[v] {
                match &body[u].op {
                    Op::Phi(_) | Op::Select => {
                        if seen.insert(u) {
                            work.push(u);
                        }
                    }
                    Op::Store if body.operand(u, 0) != v => {}
                    Op::Gep(..) if body.operand(u, 0) == v => {}
                    Op::Load | Op::Update(_) | Op::ICmp => {}
                    Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet | Callee::Free) => {}
                    Op::Call(Callee::Inactive | Callee::PureInt | Callee::KeptBytes) => {}
                    Op::Cast(Cast::PtrToInt) if body.users[u].iter().all(is_distance) => {}
                    Op::Call(Callee::Defined) if self.follows_argument(u, v) => {}
                    _ => return true,
                }
            }
        }
        false
    }

    /// Whether a function follows what a call gives it before it branches.
    fn follows_argument(&self, call: ValueId, pointer: ValueId) -> bool {
        let index = self.body[call].operands.iter().position(|&o| o == pointer);
        let params = self.body.called(call).map(Function::params).unwrap_or_default();
        index.and_then(|i| params.get(i).copied()).is_some_and(is_followed_at_once)
    }

    /// Whether code follows a pointer whenever it has loaded it, here or in a function that it calls:
    /// then it is one.
    fn is_followed(&self, pointer: ValueId) -> bool {
        let body = self.body;
        let block = body.block_of(pointer);
        // A call that may throw stands behind the end of the block that it belongs to.
        let ends_block = |u: ValueId| {
            let mut next = body[block].succs.iter().flat_map(|&s| body[s].insts.iter());
            next.any(|&i| {
                matches!(body[i].op, Op::Call(Callee::Unwound)) && body.call_of_pad(i) == Some(u)
            })
        };
        let is_here = |u: ValueId| body[u].block == Some(block) || ends_block(u);
        let users = body.users[pointer].iter().filter(|&&u| is_here(u));
        users.into_iter().any(|&u| match &body[u].op {
            Op::Gep(..) => body.operand(u, 0) == pointer && self.is_followed(u),
            Op::Load | Op::Update(_) => true,
            Op::Store => body.operand(u, 1) == pointer,
            Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet | Callee::Free) => true,
            Op::Call(Callee::Defined) => self.follows_argument(u, pointer),
            _ => false,
        })
    }
}

/// Whether a function follows a parameter before it branches.
fn is_followed_at_once(param: Value) -> bool {
    let is_early =
        |u: &Value| u.is_instruction() && Some(&u.block()) == u.block().function().blocks().first();
    param.users().into_iter().filter(is_early).any(|u| match u.opcode() {
        Opcode::LLVMGetElementPtr => u.operand(0) == param && is_followed_at_once(u),
        Opcode::LLVMLoad => true,
        // At -O0, parameters lie in variables.
        Opcode::LLVMStore if u.operand(0) == param => {
            let variable = u.operand(1);
            let is_load = |l: &Value| l.opcode() == Opcode::LLVMLoad && is_early(l);
            variable.is_instruction()
                && variable.opcode() == Opcode::LLVMAlloca
                && variable.users().into_iter().filter(is_load).any(is_followed_at_once)
        }
        Opcode::LLVMStore => u.operand(1) == param,
        _ => false,
    })
}
