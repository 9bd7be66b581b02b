//! Pointers to memory without a shadow, of which nobody needs one where they are stored in memory that has a shadow: it
//! is null there.

use crate::image::unit::Unit;
use adanalysis::{
    activity::{Activity, Shadow},
    points_to::Object,
};
use adir::ValueId;

/// Whether a pointer is one of these.
pub fn is_unread(unit: &Unit, activity: &Activity, pointer: ValueId) -> bool {
    activity.shadow(pointer) == Shadow::No
        && (leads_to_given_integers(unit, pointer) || leads_to_handles(unit, pointer))
}

/// Whether a pointer is a parameter, or leads where one does, and all that is known of that memory is that integers
/// lie there.
fn leads_to_given_integers(unit: &Unit, pointer: ValueId) -> bool {
    let memory = &unit.memory;
    memory.points_to(pointer).all(|o| matches!(memory.objects[o], Object::Param(_)))
        && unit.types.knows_integers_only(memory, pointer)
}

/// Whether a pointer leads only to variables of a library whose types the program does not know. It hands their
/// addresses on, and nothing else: `MPI_REQUEST_NULL`.
fn leads_to_handles(unit: &Unit, pointer: ValueId) -> bool {
    let memory = &unit.memory;
    let is_handle = |o: usize| match memory.objects[o] {
        Object::Global(g) => {
            let global = unit.body.llvm(g);
            global.is_global_variable() && !global.global_type().is_sized()
        }
        _ => false,
    };
    let mut objects = memory.points_to(pointer).peekable();
    objects.peek().is_some() && objects.all(is_handle)
}
