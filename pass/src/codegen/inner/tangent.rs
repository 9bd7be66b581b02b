//! The tangent of an inner adjoint. One in several directions is an adjoint of F in as many.

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
        let has_tangent = |i: &usize| varied[*i].is_active();

        let width = self.width;
        let params = self.params_of_linear(&self.params, 1);
        let needed = Context::of_request(&vec![false; params.len()]);
        let gradient = wrapper::gradient(queries, self.linear, &params, &needed, width, false)?;

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
        let given_seeds = given.split_off(given.len() - self.seed_count());
        let adjoints = given.split_off(types.len());

        let pair = self.results_type(queries, 1);
        let results = self.results(queries, &b, 1).unwrap_or(context.ptr().zero());
        let mut seeds = vec![];
        for i in 0..width {
            let Some(place) = self.seeds(queries, &b, 1) else { break };
            let none = || (result.zero(), Some(result.zero()));
            let (seed, tangent) = given_seeds.get(i).copied().unwrap_or_else(none);
            b.store(tangent.expect("a real has a tangent"), b.member(pair, place, 0));
            b.store(seed, b.member(pair, place, 1));
            seeds.push(place);
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
        let active = self.params.iter().filter(|p| **p == Param::Active).count();
        let gains = (active * width) as u32;
        for i in 0..gains {
            put(at + i, b.extract(call, gains + i), b.extract(call, i));
        }
        b.ret_void();
        queries.finish(self.tangent)
    }
}
