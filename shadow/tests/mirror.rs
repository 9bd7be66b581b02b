//! Shadow memory, and the objects whose shadows go there and back.

#[path = "mirror/objects.rs"]
mod objects;
#[path = "mirror/programs.rs"]
mod programs;
#[path = "mirror/random.rs"]
mod random;
#[path = "mirror/space.rs"]
mod space;
