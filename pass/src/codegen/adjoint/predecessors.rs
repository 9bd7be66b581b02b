//! The path by which control came into a join, found again from the conditions of the branches
//! before it.
//!
//! Between the nearest branch that all paths pass and the join lie nested branches; where each of
//! them decides which paths are left, the reverse sweep asks the same conditions again, in the same
//! order, so that none is computed that the forward sweep did not compute. Other joins are
//! recorded: those behind loops with several exits, and where paths meet before the join.

use adir::{BlockId, Body, Op, ValueId};

/// How the predecessor of a join is found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// It is the one of that number.
    From(usize),
    /// The branch at the end of `fork` decided; per distinct successor, the path that begins there,
    /// if it leads to the join.
    By { fork: BlockId, arms: Vec<(BlockId, Option<Recovery>)> },
}

impl Recovery {
    /// The paths into `b`; `None` where conditions do not distinguish them.
    pub fn into(body: &Body, b: BlockId) -> Option<Recovery> {
        let all: Vec<usize> = (0..body[b].preds.len()).collect();
        if all.len() < 2 { None } else { find(body, b, &all) }
    }

    /// The conditions that decide.
    pub fn conditions(&self, body: &Body) -> Vec<ValueId> {
        match self {
            Recovery::From(_) => vec![],
            Recovery::By { fork, arms } => {
                let further =
                    arms.iter().filter_map(|a| a.1.as_ref()).flat_map(|w| w.conditions(body));
                std::iter::once(condition(body, *fork)).chain(further).collect()
            }
        }
    }
}

fn condition(body: &Body, fork: BlockId) -> ValueId {
    body.operand(body.terminator(fork), 0)
}

/// The paths into `b` from the predecessors of these numbers.
fn find(body: &Body, b: BlockId, from: &[usize]) -> Option<Recovery> {
    if let [only] = from[..] {
        return Some(Recovery::From(only));
    }
    let preds = &body[b].preds;
    let fork = from.iter().map(|&i| preds[i]).reduce(|x, y| body.common_dominator(x, y))?;
    let branch = body.terminator(fork);
    if !matches!(body[branch].op, Op::CondBr | Op::Switch)
        || body[fork].innermost != body[b].innermost
    {
        return None;
    }
    let mut arms: Vec<(BlockId, Option<Recovery>)> = vec![];
    let mut found = 0;
    for &s in &body[fork].succs {
        if arms.iter().any(|a| a.0 == s) {
            continue;
        }
        let here: Vec<usize> = match s == b {
            true => from.iter().copied().filter(|&i| preds[i] == fork).collect(),
            false if body[s].preds == [fork] => {
                from.iter().copied().filter(|&i| body.dominates(s, preds[i])).collect()
            }
            false => vec![],
        };
        found += here.len();
        let recovery = if here.is_empty() { None } else { Some(find(body, b, &here)?) };
        arms.push((s, recovery));
    }
    (found == from.len()).then_some(Recovery::By { fork, arms })
}

#[cfg(test)]
mod tests {
    use super::*;
    use adir_testing::body;

    /// In text: predecessors, and in brackets the arms of a fork.
    fn shown(preds: &[BlockId], recovery: &Recovery) -> String {
        match recovery {
            Recovery::From(i) => format!("b{}", preds[*i].0),
            Recovery::By { fork, arms } => {
                let arms: Vec<String> = arms
                    .iter()
                    .map(|a| a.1.as_ref().map_or("-".into(), |w| shown(preds, w)))
                    .collect();
                format!("b{}[{}]", fork.0, arms.join(" "))
            }
        }
    }
    fn into(text: &str, join: u32) -> Option<String> {
        let body = body(text);
        Recovery::into(&body, BlockId(join)).map(|w| shown(&body[BlockId(join)].preds, &w))
    }

    #[test]
    fn one_branch() {
        let text = "body @f(v0: i1)
         b0:
           condbr v0 -> b2 b1
         b1:
           br -> b2
         b2:
           ret";
        assert_eq!(into(text, 2).as_deref(), Some("b0[b0 b1]"));
        assert_eq!(into(text, 1), None);
    }

    #[test]
    fn nested_branches_and_a_switch() {
        let text = "body @f(v0: i1, v1: i1, v2: i32)
         b0:
           condbr v0 -> b5 b1
         b1:
           switch v2 -> b2 b5 b3 b2
         b2:
           condbr v1 -> b5 b4
         b3:
           br -> b5
         b4:
           unreachable
         b5:
           ret";
        // From b2 there is one path, whatever its branch decides.
        assert_eq!(into(text, 5).as_deref(), Some("b0[b0 b1[b2 b1 b3]]"));
    }

    #[test]
    fn paths_that_meet_before_the_join_are_not_distinguished() {
        let text = "body @f(v0: i1, v1: i1)
         b0:
           condbr v0 -> b1 b2
         b1:
           condbr v1 -> b2 b3
         b2:
           br -> b3
         b3:
           ret";
        assert_eq!(into(text, 3), None);
    }

    #[test]
    fn exits_of_a_loop_are_not_distinguished() {
        let text = "body @f(v0: i1, v1: i1)
         loop l0 header b1 preheader b0 latch b2 counter v2 exits b3:v5 b4:v7
           v3: i64 = const 0
           v4: i64 = const 1
         b0:
           br -> b1
         b1:
           v2: i64 = phi [b0 v3] [b2 v6]
           condbr v0 -> b2 b3
         b2:
           v6: i64 = add v2, v4
           condbr v1 -> b1 b4
         b3:
           v5: i64 = phi [b1 v2]
           br -> b5
         b4:
           v7: i64 = phi [b2 v2]
           br -> b5
         b5:
           ret";
        assert_eq!(into(text, 5), None);
    }
}
