//! What is known of memory, as text for who looks into a decision.

use super::{Entry, Evidence, Types};
use crate::points_to::{Object, Offset, PointsTo};
use std::fmt::{self, Display, Formatter};

/// The evidence of one function: a line per object and view, its entries, and what copies may bring.
pub struct Listing<'a> {
    memory: &'a PointsTo,
    types: &'a Types,
}

impl Types {
    /// All that is known, object by object.
    pub fn listing<'a>(&'a self, memory: &'a PointsTo) -> Listing<'a> {
        Listing { memory, types: self }
    }
}

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let known = [("known", self.types.known())].into_iter();
        let callers = self.types.callers.iter().map(|view| ("caller", view));
        for (name, view) in known.chain(callers) {
            for (number, object) in self.memory.objects.iter().enumerate() {
                list(f, name, view, number, *object)?;
            }
        }
        Ok(())
    }
}

fn list(
    f: &mut Formatter<'_>,
    name: &str,
    view: &Evidence,
    number: usize,
    object: Object,
) -> fmt::Result {
    let brought: Vec<_> = view.brought_to(number).collect();
    if view.all(number).is_empty() && brought.is_empty() {
        return Ok(());
    }
    write!(f, "  {name} {object:?}:")?;
    for e in view.all(number) {
        write!(f, " {}", entry(e))?;
    }
    for (kind, (at, bytes)) in brought {
        write!(f, " brought {kind:?} x{bytes} at {}", place(at))?;
    }
    writeln!(f)
}

fn entry(e: &Entry) -> String {
    let declared = if e.declared { " declared" } else { "" };
    format!("{:?} at {} ({:?}, {:?}{declared})", e.scalar, place(e.offset), e.sure, e.claim)
}

fn place(at: Offset) -> String {
    match at.modulus {
        0 => at.constant.to_string(),
        1 => "any".to_owned(),
        stride => format!("{} mod {stride}", at.constant),
    }
}
