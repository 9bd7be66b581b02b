//! Shadow memory, and the objects whose shadows go there and back.

// Their numbers are of types as x86-64 has them: pointers of eight bytes, long doubles of sixteen.
#[cfg(target_arch = "x86_64")]
#[path = "shadow_memory/objects.rs"]
mod objects;
#[path = "shadow_memory/programs.rs"]
mod programs;
#[cfg(target_arch = "x86_64")]
#[path = "shadow_memory/random.rs"]
mod random;
#[cfg(target_arch = "x86")]
#[path = "shadow_memory/segment.rs"]
mod segment;
#[cfg(target_arch = "x86_64")]
#[path = "shadow_memory/space.rs"]
mod space;
