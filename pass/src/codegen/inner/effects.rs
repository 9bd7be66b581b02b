//! What a stand-in does to memory, for the analyses of the code around it.
//!
//! No analysis looks into a stand-in. It reads and writes memory where F does, with adjoints in the place
//! of tangents, but for the order in which it does that to adjoints: where F reads or writes one, the
//! stand-in may do both. So a function that calls F tells what the stand-in does
//! (`adanalysis::in_out::InOut::of_adjoint`). It is never run.

use super::{StandIn, layout};
use crate::{
    codegen::Queries,
    diagnostics::Diagnostic,
    llvm::{Builder, Function},
};

/// What tells what a stand-in does to memory.
#[derive(Clone)]
pub struct Effects {
    /// A function with the stand-in's parameters.
    pub function: Function,
    /// Which of them lead to adjoints.
    pub adjoints: Vec<u32>,
}

/// What tells what `f` does, if `f` is a stand-in or such a function.
pub fn of(stand_ins: &[StandIn], f: Function) -> Option<Effects> {
    let is_of = |s: &&StandIn| s.function == f || s.effects == f;
    let stand_in = stand_ins.iter().find(is_of)?;
    let own = stand_in.function.ty().function_params();
    let first = stand_in.types.len();
    let adjoints = (first..own.len() - 1).filter(|&i| own[i].is_pointer()).map(|i| i as u32);
    Some(Effects { function: stand_in.effects, adjoints: adjoints.collect() })
}

impl StandIn {
    /// Gives the function that tells what the stand-in does its body.
    pub(super) fn define_effects(&self, queries: &mut dyn Queries) -> Result<(), Vec<Diagnostic>> {
        let context = queries.module().context();
        let b = Builder::at_end(context, self.effects.append_block("entry"));
        let own = self.effects.params();
        let out = *own.last().expect("it has `out`");
        let mut args = self.arguments(&own, self.adjoints(&own), |_, ty| ty.zero());
        args.push(self.results(queries, &b, self.width).unwrap_or(context.ptr().zero()));
        b.call(self.wide, &args);
        let layout = layout(queries, &self.members);
        for (i, ty) in self.members.iter().enumerate() {
            b.store(ty.zero(), b.member(layout, out, i as u32));
        }
        b.ret_void();
        queries.finish(self.effects)
    }
}
