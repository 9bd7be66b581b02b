//! Other threads. They run no translated code: what a library has them compute would have no derivatives. So the functions that hand
//! work to them are refused by name, when translated code comes to them. For those without names see [`super::workers`].

use std::{collections::HashMap, ffi::CString};

const FUNCTIONS: [&str; 10] = [
    "pthread_create",
    "thrd_create",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "cnd_signal",
    "cnd_broadcast",
    "sem_post",
    "GOMP_parallel",
    "GOMP_parallel_start",
    "__kmpc_fork_call",
];

/// Where they are, as far as they are loaded.
pub fn addresses() -> HashMap<u64, &'static str> {
    let mut all = HashMap::new();
    for name in FUNCTIONS {
        let text = CString::new(name).expect("no zero in a name");
        // SAFETY: a string.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, text.as_ptr()) } as u64;
        if address != 0 {
            all.insert(address, name);
        }
    }
    all
}
