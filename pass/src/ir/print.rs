//! Textual form of a body, for `-ad-print=body` and for tests.

use super::{Body, Op};
use std::fmt;

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "body {}({:?})", self.name, self.params)?;
        for (i, l) in self.loops.iter().enumerate() {
            write!(f, "  loop l{i}: header {:?}, latch {:?}, counter {:?}", l.header, l.latch, l.counter)?;
            match l.taken {
                Some(t) => writeln!(f, ", taken {t:?}")?,
                None => writeln!(f)?,
            }
        }
        for &b in &self.order {
            write!(f, "{b:?}")?;
            if let Some(l) = self[b].innermost {
                write!(f, " in {l:?}")?;
            }
            writeln!(f, " from {:?}:", self[b].preds)?;
            for &v in &self[b].insts {
                let data = &self[v];
                match &data.op {
                    Op::Call(c) => writeln!(f, "  {v:?}: {:?} = call {c:?} {:?}", data.ty, data.operands)?,
                    op => writeln!(f, "  {v:?}: {:?} = {op:?} {:?}", data.ty, data.operands)?,
                }
            }
            writeln!(f, "  -> {:?}", self[b].succs)?;
        }
        Ok(())
    }
}
