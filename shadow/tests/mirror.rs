//! Shadow memory, and the objects whose shadows go there and back.

// Their numbers are of types as x86-64 has them: pointers of eight bytes, long doubles of sixteen.
#[cfg(target_arch = "x86_64")]
#[path = "mirror/objects.rs"]
mod objects;
#[path = "mirror/programs.rs"]
mod programs;
#[cfg(target_arch = "x86_64")]
#[path = "mirror/random.rs"]
mod random;
#[cfg(target_arch = "x86")]
#[path = "mirror/segment.rs"]
mod segment;
#[cfg(target_arch = "x86_64")]
#[path = "mirror/space.rs"]
mod space;
