//! What calls touch of what others know, and what they do with text.

use super::super::Activity;
use crate::{dataflow::sets::meet, locations::ANY_BYTES, points_to::Offset, summary::Known};
use adir::{
    Body, Callee, Op, Ty, ValueId,
    library::{
        outside::{self, Outside},
        strings,
        text::{self, Role},
    },
};
use bitvec::prelude::*;

/// Which data are varied.
#[derive(Clone, Copy)]
pub(super) enum Varied<'a> {
    /// What a request says.
    Of(&'a Activity),
    /// All reals: what holds for any request.
    All,
    /// None.
    None,
}

/// What calls touch of what others know.
pub(super) struct Elsewhere<'a> {
    pub known: Known<'a>,
    pub varied: Varied<'a>,
}

impl Elsewhere<'_> {
    /// What the arguments from that number on lead to.
    pub fn given(&self, v: ValueId, first: usize) -> BitVec {
        let Known { body, memory, locations, .. } = self.known;
        let mut set = locations.empty();
        for &o in body[v].operands.iter().skip(first).filter(|o| body[**o].ty == Ty::Ptr) {
            set |= locations.own(&memory.targets(o).at(Offset::ANY), ANY_BYTES);
        }
        set
    }

    /// Where a call stores numbers that it reads.
    pub fn read_into(&self, v: ValueId) -> BitVec {
        let Known { body, locations, .. } = self.known;
        match role(body, v) {
            // A descriptor leads to more than itself.
            Some(Role::Reads(_, first)) if is_indirect(body, v) => {
                let access = locations
                    .access(v)
                    .map_or_else(|| locations.empty(), |a| (*a.writes.all).clone());
                access | self.given(v, first)
            }
            Some(Role::Reads(_, first)) => self.given(v, first),
            _ if matches!(body[v].op, Op::Call(Callee::Defined)) => {
                locations.access(v).map_or_else(|| locations.empty(), |a| (*a.writes.all).clone())
            }
            _ => self.given(v, 0),
        }
    }

    /// Whether a call is given a varied number, or memory that holds one in these locations.
    pub fn is_given_varied(&self, v: ValueId, memory: &BitVec) -> bool {
        match self.varied {
            Varied::Of(activity) => {
                let by_value = self.known.body[v].operands.iter().any(|&o| activity.is_varied(o));
                by_value || activity.around(v).is_some_and(|around| meet(memory, &around.varied))
            }
            // A call without a real that becomes text makes none.
            Varied::All => {
                let symbol = self.known.body[v].symbol.as_deref().map(outside::base);
                self.known.body[v].outside.has(Outside::MAKES_TEXT)
                    || symbol.is_some_and(text::is_of_files)
            }
            Varied::None => false,
        }
    }

    /// Whether a call takes part in the derivatives that a request asks for.
    pub fn is_active(&self, v: ValueId) -> bool {
        matches!(self.varied, Varied::Of(activity) if activity.is_active_call(v))
    }

    /// Whether any memory may hold something varied before a call.
    pub fn finds_varied(&self, v: ValueId) -> bool {
        match self.varied {
            Varied::Of(activity) => activity.around(v).is_some_and(|around| around.varied.any()),
            Varied::All => true,
            Varied::None => false,
        }
    }
}

/// What the called function does with text, by its name. Of functions with bodies only members of strings
/// are known so: their bodies do not say that a length is no text.
pub(super) fn role(body: &Body, v: ValueId) -> Option<Role> {
    let symbol = outside::base(body[v].symbol.as_deref()?);
    let is_known = match body[v].op {
        Op::Call(
            Callee::Inactive
            | Callee::Passive
            | Callee::Custom
            | Callee::Unknown
            | Callee::Allocate(_),
        ) => true,
        Op::Call(Callee::Defined) => strings::is_member(symbol),
        _ => false,
    };
    text::role(symbol).filter(|_| is_known)
}

/// Whether the called function returns a length of a string.
pub(super) fn counts(body: &Body, v: ValueId) -> bool {
    body[v].symbol.as_deref().is_some_and(|s| strings::counts(outside::base(s)))
}

/// Whether a Fortran transfer names its items by a descriptor.
pub(super) fn is_indirect(body: &Body, v: ValueId) -> bool {
    body[v].symbol.as_deref().is_some_and(|s| {
        ["Descriptor", "Namelist", "DerivedType"].iter().any(|part| s.contains(part))
    })
}

/// Whether a call opens a file that is memory.
pub(super) fn opens_memory(body: &Body, v: ValueId) -> bool {
    role(body, v) == Some(Role::OpensMemory)
}
