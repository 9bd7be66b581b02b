//! Other threads. They run no translated code: what a library has them compute would have no
//! derivatives. So the functions that hand work to them are refused by name, when translated code
//! comes to them. For those without names see [`crate::call::workers`].
//!
//! Code for OpenMP comes to them also where there is one thread, as `OMP_THREAD_LIMIT=1` or an `if`
//! of the directive has it. Then nobody else takes part, and they are code as any other: so what
//! they would do is asked at each call.

use std::{
    collections::HashMap,
    ffi::{CStr, CString, c_int, c_void},
};

use crate::{machine::running, process::modules};

/// How many threads take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Team {
    /// Another one does.
    Others,
    /// The third argument says it; zero says what `omp_get_max_threads` does. Not more than the
    /// limit.
    Third,
    /// An earlier call set it. Not more than the limit.
    SetBefore,
}

const FUNCTIONS: [(&str, Team); 27] = [
    ("pthread_create", Team::Others),
    ("thrd_create", Team::Others),
    ("pthread_cond_signal", Team::Others),
    ("pthread_cond_broadcast", Team::Others),
    ("cnd_signal", Team::Others),
    ("cnd_broadcast", Team::Others),
    ("sem_post", Team::Others),
    ("GOMP_parallel", Team::Third),
    ("GOMP_parallel_start", Team::Third),
    ("GOMP_parallel_reductions", Team::Third),
    ("GOMP_parallel_sections", Team::Third),
    ("GOMP_parallel_sections_start", Team::Third),
    ("GOMP_parallel_loop_static", Team::Third),
    ("GOMP_parallel_loop_static_start", Team::Third),
    ("GOMP_parallel_loop_dynamic", Team::Third),
    ("GOMP_parallel_loop_dynamic_start", Team::Third),
    ("GOMP_parallel_loop_guided", Team::Third),
    ("GOMP_parallel_loop_guided_start", Team::Third),
    ("GOMP_parallel_loop_runtime", Team::Third),
    ("GOMP_parallel_loop_runtime_start", Team::Third),
    ("GOMP_parallel_loop_nonmonotonic_dynamic", Team::Third),
    ("GOMP_parallel_loop_nonmonotonic_guided", Team::Third),
    ("GOMP_parallel_loop_nonmonotonic_runtime", Team::Third),
    ("GOMP_parallel_loop_maybe_nonmonotonic_runtime", Team::Third),
    ("__kmpc_fork_call", Team::SetBefore),
    ("__kmpc_fork_call_if", Team::SetBefore),
    ("__kmpc_fork_teams", Team::SetBefore),
];
/// Beginnings of the names of OpenMP's libraries. Where they were loaded for one library only,
/// nobody else finds their functions.
const OPENMP: [&str; 3] = ["libgomp", "libomp", "libiomp"];

/// A function that may hand work to other threads.
#[derive(Clone, Copy, Debug)]
pub struct Hands {
    /// Its name.
    pub name: &'static str,
    team: Team,
    /// `omp_get_max_threads` and `omp_get_thread_limit` beside it; zero if there are none.
    most: u64,
    limit: u64,
}

impl Hands {
    /// Whether other threads may take part in a call with this third argument.
    pub fn has_others(&self, third: u64) -> bool {
        let query = |function: u64| match function {
            0 => c_int::MAX,
            // SAFETY: functions of OpenMP's, without arguments.
            _ => running::outside(|| unsafe {
                std::mem::transmute::<usize, extern "C" fn() -> c_int>(function as usize)()
            }),
        };
        let threads = match (self.team, third as u32) {
            (Team::Others, _) => return true,
            (Team::Third, 1) => return false,
            (Team::Third, 0) => query(self.most),
            (Team::Third | Team::SetBefore, _) => c_int::MAX,
        };
        threads.min(query(self.limit)) != 1
    }
}

/// Where they are, as far as they are loaded.
pub fn addresses() -> HashMap<u64, Hands> {
    let mut all = HashMap::new();
    functions_of(libc::RTLD_DEFAULT, &mut all);
    for module in
        modules::loaded().iter().filter(|m| OPENMP.iter().any(|name| m.name().starts_with(name)))
    {
        let path = CString::new(module.path.as_str()).unwrap_or_default();
        // SAFETY: a library that is loaded, which stays so.
        unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if !library.is_null() {
                functions_of(library, &mut all);
                libc::dlclose(library);
            }
        }
    }
    all
}

fn functions_of(library: *mut c_void, all: &mut HashMap<u64, Hands>) {
    // SAFETY: strings.
    let find = |name: &CStr| unsafe { libc::dlsym(library, name.as_ptr()) } as u64;
    let (most, limit) = (find(c"omp_get_max_threads"), find(c"omp_get_thread_limit"));
    for (name, team) in FUNCTIONS {
        let address = find(&CString::new(name).expect("no zero in a name"));
        if address != 0 {
            all.entry(address).or_insert(Hands { name, team, most, limit });
        }
    }
}
