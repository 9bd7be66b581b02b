//! What must hold of a body; a violation is our own bug, reported as an internal error.

use super::{BlockId, Body, Op};

impl Body {
    /// Checks ids, block ends, phis and loops.
    pub fn verify(&self) -> Result<(), String> {
        for &b in &self.order {
            let block = &self[b];
            let Some((&last, rest)) = block.insts.split_last() else {
                return Err(format!("{b:?} is empty"));
            };
            if !self.is_terminator(last) || rest.iter().any(|&i| self.is_terminator(i)) {
                return Err(format!("{b:?} does not end with its only terminator"));
            }
            let mut phis_over = false;
            for &i in &block.insts {
                let inst = &self[i];
                if inst.block != Some(b) {
                    return Err(format!("{i:?} does not know its block {b:?}"));
                }
                if let Some(o) = inst.operands.iter().find(|o| o.index() >= self.values.len()) {
                    return Err(format!("{i:?} uses {o:?}, which does not exist"));
                }
                match &inst.op {
                    Op::Phi(from) => {
                        let mut from: Vec<BlockId> = from.clone();
                        from.sort();
                        from.dedup();
                        let mut preds = block.preds.clone();
                        preds.sort();
                        if phis_over || from != preds {
                            return Err(format!("phi {i:?} of {b:?} does not join {preds:?}"));
                        }
                    }
                    _ => phis_over = true,
                }
            }
        }
        for (i, l) in self.loops.iter().enumerate() {
            let mut preds = self[l.header].preds.clone();
            preds.sort();
            let mut want = vec![l.preheader, l.latch];
            want.sort();
            if preds != want {
                return Err(format!("loop l{i} is not in simplified form"));
            }
        }
        Ok(())
    }

    fn is_terminator(&self, v: super::ValueId) -> bool {
        matches!(self[v].op, Op::Br | Op::CondBr | Op::Switch | Op::Ret | Op::Unreachable)
    }
}
