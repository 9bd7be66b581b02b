//! The tangent of an inner adjoint.

use super::{StandIn, call, layout, varied};
use crate::{
    codegen::{Queries, wrapper},
    diagnostics::Diagnostic,
    llvm::{Builder, Value},
};
use adanalysis::{activity::Param, context::Context};

impl StandIn {
    /// Gives the tangent its body.
    pub(super) fn define_tangent(&self, queries: &mut dyn Queries) -> Result<(), Vec<Diagnostic>> {
        let context = queries.module().context();
        let (types, result) = (&self.types, self.result);
        let varied = varied(types, &self.params);
        let has_tangent = |i: &usize| varied[*i] != Param::Const;

        let params = self.params_of_linear(&self.params);
        let needed = Context::of_request(&vec![false; params.len()]);
        let gradient = wrapper::gradient(queries, self.linear, &params, &needed, 1, false)?;

        let b = Builder::at_end(context, self.tangent.append_block("entry"));
        let mut left = self.tangent.params().into_iter();
        let mut next = |has: bool| {
            let own = left.next().expect("as many as its type says");
            (own, has.then(|| left.next().expect("as many as its type says")))
        };
        let mut given: Vec<(Value, Option<Value>)> =
            self.shadows.iter().map(|&has| next(has)).collect();
        let (out, out_tangent) = given.pop().expect("it has `out`");
        let out_tangent = out_tangent.expect("it has a shadow");
        let seed = if self.has_seed { given.pop() } else { None };
        let adjoints = given.split_off(types.len());

        let pair = self.pair_type(queries);
        let results = self.pair(queries, &b, "results").unwrap_or(context.ptr().zero());
        let seeds = self.pair(queries, &b, "seeds").filter(|_| result.holds_float());
        if let Some(seeds) = seeds {
            let none = (result.zero(), Some(result.zero()));
            let (seed, tangent) = seed.unwrap_or(none);
            b.store(tangent.expect("a real has a tangent"), b.member(pair, seeds, 0));
            b.store(seed, b.member(pair, seeds, 1));
        }
        let mut args: Vec<Value> = given.iter().map(|(own, _)| *own).collect();
        let tangents = (0..types.len()).filter(has_tangent).map(|i| given[i].1.expect("varied"));
        args.extend(tangents);
        args.push(results);
        // What F's adjoint adds to x is the tangent of what the request adds, and the other way round.
        args.extend(adjoints.iter().map(|(_, tangent)| tangent.expect("a pointer")));
        args.extend(adjoints.iter().map(|(own, _)| *own));
        args.extend(seeds);
        let call = match queries.inner().has_outer {
            true => {
                let asked = self.asked.clone();
                call(queries, &b, (self.linear, &params), gradient, &args, asked)?
            }
            false => b.call(gradient.function, &args),
        };

        let layout = layout(queries, &self.members);
        let put = |i: u32, primal: Value, tangent: Value| {
            b.store(primal, b.member(layout, out, i));
            b.store(tangent, b.member(layout, out_tangent, i));
        };
        let mut at = 0;
        if self.has_result {
            let load = |i| b.load(result, b.member(pair, results, i));
            put(0, load(0), if result.holds_float() { load(1) } else { result.zero() });
            at = 1;
        }
        let gains = self.params.iter().filter(|p| **p == Param::Active).count() as u32;
        for i in 0..gains {
            put(at + i, b.extract(call, gains + i), b.extract(call, i));
        }
        b.ret_void();
        queries.finish(self.tangent)
    }
}
