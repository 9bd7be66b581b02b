//! What a step must not do, for it happens again each time that the step runs again; nor the function of an
//! adjoint that differentiated code asks for, where that runs again (codegen/inner/adjoint.rs).

use crate::{
    canon::stand_ins,
    codegen::{Queries, check, inner},
    diagnostics::{Code, Diagnostic, names::readable},
    image::unit::Unit,
    llvm::Function,
};
use adanalysis::{
    in_out::MemoryRange,
    points_to::{Object, overlap},
};
use adir::{
    Callee, Op, ValueId,
    hashed::{HashMap, HashSet},
    library, target,
};

const MOVE: &str =
    "move it out of the checkpointed loop or joint call, or differentiate without checkpoints";

/// What runs again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// A step of a checkpointed loop, a region or a joint call. Snapshots hold what it accesses.
    Step,
    /// The function of an inner adjoint. What it accesses is logged.
    Logged,
}

impl Repeated {
    fn name(self) -> &'static str {
        match self {
            Repeated::Step => "checkpointed step or joint call",
            Repeated::Logged => "function of an inner adjoint",
        }
    }
}

/// Refuses `source` if it, or a function that it calls, does something that cannot be done
/// twice. Whether two compilations of it may round differently.
pub fn check(
    queries: &mut dyn Queries,
    source: Function,
    repeated: Repeated,
) -> Result<bool, Vec<Diagnostic>> {
    let mut look = Look {
        queries,
        repeated,
        freed: HashMap::default(),
        seen: HashSet::default(),
        found: vec![],
        rounds_freely: target::rounds_late(),
    };
    // Where functions call each other, what one frees another may have been given.
    loop {
        let before = look.known();
        look.function(source)?;
        if look.known() == before {
            break;
        }
        look.seen.clear();
        look.found.clear();
    }
    let unit = look.queries.unit(source).map_err(|d| vec![d])?;
    let (mut found, freed) = (look.found, &look.freed[&source]);
    if let Some((_, site)) = freed.iter().find(|(o, _)| !is_new(&unit, **o)) {
        found.push(diagnostic(
            &unit,
            *site,
            format!(
                "a {} frees memory that was allocated before it: this memory cannot be restored",
                repeated.name()
            ),
        ));
    }
    if found.is_empty() { Ok(look.rounds_freely) } else { Err(found) }
}

/// Whether an object was not there before the step, or is not reached by it: what leads there is
/// overwritten before it is read.
fn is_new(unit: &Unit, object: usize) -> bool {
    match unit.memory.objects[object] {
        Object::Local(_) | Object::Returned(_) => true,
        Object::Behind(slot) => {
            let (around, at) = unit.memory.slot(slot);
            let reads = |p: &MemoryRange| {
                p.object == around && overlap(p.offset, p.bytes, at, target::pointer())
            };
            !unit.summary.in_out.if_it_returns().reads.iter().any(reads) || is_new(unit, around)
        }
        Object::Unknown | Object::Text | Object::Param(_) | Object::Global(_) => false,
    }
}

fn diagnostic(unit: &Unit, v: ValueId, reason: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::Checkpoint, Some(unit.body.llvm(v)), reason, MOVE)
}

/// Objects of a function that it frees, and where.
type Freed = HashMap<usize, ValueId>;

struct Look<'s> {
    queries: &'s mut dyn Queries,
    repeated: Repeated,
    /// What functions free, as far as is known.
    freed: HashMap<Function, Freed>,
    /// Functions that this round looked at.
    seen: HashSet<Function>,
    found: Vec<Diagnostic>,
    /// Some operation may be reassociated or contracted.
    rounds_freely: bool,
}

impl Look<'_> {
    fn known(&self) -> usize {
        self.freed.values().map(|f| f.len() + 1).sum()
    }

    fn function(&mut self, source: Function) -> Result<(), Vec<Diagnostic>> {
        if !self.seen.insert(source) {
            return Ok(());
        }
        let unit = self.queries.unit(source).map_err(|d| vec![d])?;
        let mut freed = Freed::default();
        // What throws or aborts does not come back, and nothing of it is run again.
        let body = &unit.body;
        let returns = |v: &ValueId| body[*v].block.is_some_and(|b| body[b].returns);
        self.rounds_freely |= body.insts().any(|v| body.llvm(v).fast_math().rounds_freely());
        for v in body.insts().filter(returns) {
            self.inst(&unit, v, &mut freed)?;
        }
        self.freed.entry(source).or_default().extend(freed);
        Ok(())
    }

    fn inst(&mut self, unit: &Unit, v: ValueId, freed: &mut Freed) -> Result<(), Vec<Diagnostic>> {
        let body = &unit.body;
        let what = self.repeated.name();
        // A landing pad is a call without a name.
        let symbol = body[v].symbol.as_deref().unwrap_or_default();
        let reason = match &body[v].op {
            Op::Load | Op::Store if body[v].is_once => {
                format!("a volatile or atomic access would be repeated when its {what} runs again")
            }
            Op::Atomic | Op::Update(_) => {
                format!("an atomic operation would be repeated when its {what} runs again")
            }
            Op::Call(Callee::Inactive) if library::may_repeat(symbol) => return Ok(()),
            Op::Call(Callee::Passive) if symbol.is_empty() || library::is_output(symbol) => {
                return Ok(());
            }
            Op::Call(Callee::Inactive | Callee::Passive) => {
                format!(
                    "'{}' may have another result or effect when its {what} runs again",
                    readable(symbol)
                )
            }
            Op::Call(Callee::Custom) => {
                self.found.extend(stand_ins::keeps_state(body.llvm(v)));
                self.found.extend(inner::refused(self.queries, body.callee(v)));
                return Ok(());
            }
            Op::Call(Callee::Unknown) => {
                format!(
                    "cannot prove that this call may run twice: '{}' has no body in this file, and \
                    its {what} runs again",
                    readable(symbol)
                )
            }
            Op::Call(Callee::Indirect | Callee::Assembly) => {
                format!(
                    "cannot prove that this call through a pointer or to inline assembly may run \
                    twice: its {what} runs again"
                )
            }
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                let is_visible = |o: usize| !matches!(unit.memory.objects[o], Object::Local(_));
                let moves_pointers =
                    check::copied::moved(unit, v).is_some_and(|moved| moved.may_hold_pointers());
                if !moves_pointers || !unit.memory.points_to(body.operand(v, 0)).any(is_visible) {
                    return Ok(());
                }
                format!(
                    "a {what} copies structures that hold pointers, which is not supported where it \
                    runs again"
                )
            }
            Op::Call(Callee::Free) => {
                freed.extend(unit.memory.points_to(body.operand(v, 0)).map(|o| (o, v)));
                return Ok(());
            }
            Op::Call(Callee::Defined) => {
                let Some(callee) = body.called(v) else {
                    return Ok(());
                };
                let Some(binding) = unit.memory.binding(v) else { return Ok(()) };
                self.function(callee)?;
                for object in self.freed.get(&callee).into_iter().flat_map(Freed::keys) {
                    freed.extend(
                        binding
                            .get(*object)
                            .iter()
                            .flat_map(|t| &t.objects)
                            .map(|&o| (o as usize, v)),
                    );
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.found.push(diagnostic(unit, v, reason));
        Ok(())
    }
}
