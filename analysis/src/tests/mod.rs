//! Properties of the analyses together, on random programs, and cases of single ones that need
//! several of them.

mod activity;
mod dependency;
mod monotone;
mod points_to;

use super::{
    activity::Param,
    bits::Bits,
    context::{Context, Entry},
    locations::Locations,
    points_to::PointsTo,
    summary::{Callees, Known},
    types::Types,
};
use adir::{Body, Ty, ValueId};

/// What is known of a function whose callees are not.
pub(super) struct Facts {
    pub body: Body,
    pub memory: PointsTo,
    pub types: Types,
    pub bits: Bits,
    pub locations: Locations,
    callees: Callees,
}

impl Facts {
    pub fn new(body: Body) -> Facts {
        let memory = PointsTo::compute(&body, &|_| None, true, None);
        let types = Types::compute(&body, &memory, |_| None);
        let locations =
            Locations::compute(&body, &memory, &|_| None, &Context::unknown(body.params.len()));
        let bits = Bits::compute(&body, &memory, &types, &Default::default(), &Default::default());
        Facts { body, memory, types, bits, locations, callees: Callees::default() }
    }
    pub fn known(&self) -> Known<'_> {
        Known {
            body: &self.body,
            memory: &self.memory,
            types: &self.types,
            bits: &self.bits,
            locations: &self.locations,
            callees: &self.callees,
        }
    }
}

/// Activity of each parameter by the bits of a number: more bits, more activity.
pub(super) fn params(body: &Body, bits: u64) -> Vec<Param> {
    let of = |(i, p): (usize, &ValueId)| match body[*p].ty {
        _ if bits >> i & 1 == 0 => Param::Const,
        Ty::Ptr => Param::Shadowed,
        ty if ty.is_real() => Param::Active,
        _ => Param::Const,
    };
    body.params.iter().enumerate().map(of).collect()
}

/// A context by the bits of a number: more bits, less is known.
pub(super) fn context(body: &Body, bits: u64) -> Context {
    let mut left = bits;
    let mut next = || {
        left = left.rotate_right(1);
        left >> 63 == 1
    };
    let mut entry =
        || Entry { varied: next(), useful: next(), stable: !next(), live: next(), own: !next() };
    let entries = body.params.iter().map(|_| [entry(), entry()]).collect();
    let mut context = Context::new(entries, !next(), vec![]);
    context.result_live = next();
    context.result_useful = next();
    context
}
