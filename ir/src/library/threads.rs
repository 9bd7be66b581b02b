//! Synchronisation of the threads of a team (OpenMP): calls that have a place in the reverse sweep, though they have no
//! derivative.

use crate::ValueData;

/// Calls whose reverse is a call of the second function, with the same arguments.
const MIRRORED: &[(&str, &str)] = &[
    ("__kmpc_barrier", "__kmpc_barrier"),
    ("__kmpc_serialized_parallel", "__kmpc_end_serialized_parallel"),
    ("__kmpc_end_serialized_parallel", "__kmpc_serialized_parallel"),
    ("adrt_team_take", "adrt_team_give_back"),
    ("adrt_team_give", "adrt_team_take_back"),
];

/// Calls that the reverse sweep does without: it does what the same thread did.
const INACTIVE: &[&str] = &[
    "__kmpc_dispatch_deinit", "__kmpc_end_masked", "__kmpc_end_master", "__kmpc_end_single",
    "__kmpc_flush", "__kmpc_for_static_fini", "__kmpc_global_thread_num", "__kmpc_masked",
    "__kmpc_master", "__kmpc_push_num_threads", "__kmpc_push_proc_bind", "__kmpc_single",
    "adrt_team_dispatch", "adrt_team_is_last", "adrt_team_lower", "adrt_team_next",
    "adrt_team_stride", "adrt_team_turn", "adrt_team_upper",
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
            | "omp_set_lock"
            | "omp_set_nest_lock"
            | "omp_test_lock"
            | "omp_test_nest_lock"
            | "pthread_mutex_lock"
            | "pthread_mutex_trylock"
            | "pthread_rwlock_rdlock"
            | "pthread_rwlock_wrlock"
            | "pthread_spin_lock"
    )
}
