//! Synchronisation of the threads of a team (OpenMP): calls that have a place in the reverse sweep, though they have no
//! derivative.

use crate::ValueData;

/// A thread settles what it has kept of sums in so many bytes of shadow memory
/// (pass/src/codegen/sums.rs).
pub const SETTLE: &str = "__adcc.settle";
/// The same of one real.
pub const SETTLE_CELL: &str = "__adcc.settle.cell";

/// A thread begins and ends a section in which it has a cell of memory to itself, and asks which run of it this is
/// (pass/src/canon/lower/exchanges.rs).
pub const TAKE_CELL: &str = "adrt_team_take_cell";
/// See [`TAKE_CELL`].
pub const TURN_CELL: &str = "adrt_team_turn_cell";
/// See [`TAKE_CELL`].
pub const GIVE_CELL: &str = "adrt_team_give_cell";

/// Calls whose reverse is a call of the second function, with the same arguments.
const MIRRORED: &[(&str, &str)] = &[
    ("__kmpc_barrier", "adrt_team_meet"),
    ("__kmpc_serialized_parallel", "__kmpc_end_serialized_parallel"),
    ("__kmpc_end_serialized_parallel", "__kmpc_serialized_parallel"),
    ("adrt_team_join", "adrt_team_give_back"),
    ("adrt_team_take", "adrt_team_give_back"),
    ("adrt_team_give", "adrt_team_take_back"),
    ("adrt_team_take_lock", "adrt_team_give_back"),
    ("adrt_team_give_lock", "adrt_team_take_back"),
    ("adrt_team_take_ordered", "adrt_team_give_back"),
    ("adrt_team_give_ordered", "adrt_team_take_back"),
    (TAKE_CELL, "adrt_team_give_cell_back"),
    (GIVE_CELL, "adrt_team_take_cell_back"),
];

/// Calls that the reverse sweep does without: it does what the same thread did.
const INACTIVE: &[&str] = &[
    "__kmpc_dispatch_deinit", "__kmpc_dispatch_fini_4", "__kmpc_dispatch_fini_4u",
    "__kmpc_dispatch_fini_8", "__kmpc_dispatch_fini_8u", "omp_init_lock", "omp_init_lock_",
    "omp_destroy_lock", "omp_destroy_lock_", "__kmpc_end_masked", "__kmpc_end_master",
    "__kmpc_end_single", "__kmpc_flush", "__kmpc_for_static_fini", "__kmpc_global_thread_num",
    "__kmpc_masked", "__kmpc_master", "__kmpc_push_num_threads", "__kmpc_push_proc_bind",
    "__kmpc_single", SETTLE, SETTLE_CELL, TURN_CELL, "adrt_team_dispatch", "adrt_team_is_last",
    "adrt_team_lower", "adrt_team_next", "adrt_team_stride", "adrt_team_turn", "adrt_team_upper",
];

/// The function that the reverse sweep calls where the forward sweep called this one, if there is one.
pub fn mirror(symbol: &str) -> Option<&'static str> {
    MIRRORED.iter().find(|(name, _)| *name == symbol).map(|(_, mirror)| *mirror)
}

/// The same of a call.
pub fn mirror_of(call: &ValueData) -> Option<&'static str> {
    call.symbol.as_deref().and_then(mirror)
}

/// Whether a function synchronises threads, or tells them apart, and needs no reverse.
pub fn is_inactive(symbol: &str) -> bool {
    INACTIVE.contains(&symbol)
}

/// Whether a function returns when all threads of a team have come to it.
pub fn waits(symbol: &str) -> bool {
    matches!(symbol, "__kmpc_barrier" | "__kmpc_reduce" | "__kmpc_end_reduce")
}

/// Whether a function takes a lock. The reverse sweep would have to take it in the reverse order.
pub fn orders(symbol: &str) -> bool {
    let of_fortran = symbol.strip_suffix('_').unwrap_or(symbol);
    matches!(
        of_fortran,
        "mtx_lock"
            | "mtx_trylock"
            | "omp_test_lock"
            | "omp_test_nest_lock"
            | "pthread_mutex_lock"
            | "pthread_mutex_trylock"
            | "pthread_rwlock_rdlock"
            | "pthread_rwlock_wrlock"
            | "pthread_spin_lock"
    )
}
