//! Functions of C++'s memory resources (`std::pmr`) that give and take no memory where derivatives use them.
//!
//! Pools and buffers that derivatives make take from the heap (pass/src/canon/models/resources.rs): there is
//! nothing for their destructors to give back.

/// Asks for a resource, or compares two.
const ASKS: &[&str] = &[
    "adrt_resource_equal",
    "adrt_resource_function",
    "adrt_resource_is_own",
    "_ZNSt3pmr19new_delete_resourceEv",
    "_ZNSt3pmr20get_default_resourceEv",
    "_ZNSt3pmr20null_memory_resourceEv",
    "_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE",
];
/// How the symbols of members of the library's resources begin.
const CLASSES: &[&str] = &[
    "_ZNSt3pmr15memory_resource",
    "_ZNSt3pmr25monotonic_buffer_resource",
    "_ZNSt3pmr26synchronized_pool_resource",
    "_ZNSt3pmr28unsynchronized_pool_resource",
];
/// And how they go on: constructors, destructors, and what gives all memory back.
const MEMBERS: &[&str] =
    &["C1E", "C2E", "D0Ev", "D1Ev", "D2Ev", "7releaseEv", "18_M_release_buffersEv"];

/// Whether a function is one of these.
pub fn is_inactive(symbol: &str) -> bool {
    let member = CLASSES.iter().find_map(|class| symbol.strip_prefix(class));
    ASKS.contains(&symbol) || member.is_some_and(|name| MEMBERS.iter().any(|m| name.starts_with(m)))
}
