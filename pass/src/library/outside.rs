//! Functions whose effect is not one of their machine code on the numbers that they are given: control that comes back a second time or goes on
//! elsewhere, other processes, other threads, devices. Running their instructions beside shadow values, as the shadow runtime does, would take for constant
//! what comes from there, and lose what goes there. So these are never run that way: a call is refused where active data may take part
//! (analysis/activity/foreign.rs), or wherever it stands in differentiated code; what only asks or synchronises stays inactive.
//!
//! The tables are data: a family, how its names begin, and what its functions do where that is not what most of them do.

use super::text;

/// What a call may have to do with data outside of the code that is differentiated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outside(u16);

impl Outside {
    /// Nothing.
    pub const NONE: Outside = Outside(0);
    /// What it is given goes elsewhere, and may come back by another call.
    pub const SENDS: Outside = Outside(1);
    /// What comes from elsewhere is stored in memory that it is given, or returned.
    pub const RECEIVES: Outside = Outside(2);
    /// Both reach global variables and memory whose address is known elsewhere, too.
    pub const SHARES: Outside = Outside(4);
    /// Control comes back to the call once more, or goes on elsewhere.
    pub const LEAVES: Outside = Outside(8);
    /// It makes text of numbers, in memory.
    pub const WRITES_TEXT: Outside = Outside(16);
    /// It makes numbers of text in memory.
    pub const READS_TEXT: Outside = Outside(32);
    /// Sends and receives.
    const BOTH: Outside = Outside(1 | 2);
    /// The same with all memory that others know.
    const ALL: Outside = Outside(1 | 2 | 4);

    /// Whether it says anything.
    pub fn is_any(self) -> bool {
        self != Outside::NONE
    }
    /// Whether it says something that `other` says, too.
    pub fn has(self, other: Outside) -> bool {
        self.0 & other.0 != 0
    }
    /// What either says.
    pub fn union(self, other: Outside) -> Outside {
        Outside(self.0 | other.0)
    }
    /// What callers see of a function that does this inside.
    pub fn of_caller(self) -> Outside {
        Outside(self.0 & !Outside::LEAVES.0)
    }
    /// As a number.
    pub fn bits(self) -> u16 {
        self.0
    }
    /// From a number.
    pub fn from_bits(bits: u16) -> Outside {
        Outside(bits)
    }
}

/// How the case of letters counts in a family's names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// As written.
    Exact,
    /// Not at all: Fortran's spellings.
    Any,
    /// As written, and a capital letter follows: `cudaMalloc`, not `cudartist`.
    ThenCapital,
}

/// Functions of one library or kind.
pub struct Family {
    /// As messages call it.
    pub name: &'static str,
    /// What the user can do.
    pub remedy: &'static str,
    /// How names begin; the end of a name is marked by `$`.
    begin: &'static [&'static str],
    case: Case,
    /// What functions of the family do of which no row says more.
    most: Outside,
    /// How the rest of a name begins (what follows the family's part), and what the function does; the first row that fits counts.
    rows: &'static [(&'static str, Outside)],
}

const MESSAGE_REMEDY: &str = "keep the exchange out of the differentiated code, give it a derivative of your own (docs/user-guide.md, Derivatives of your own), or \
                              say that its data are constant (--ad-prebuilt=NAME=inactive)";
const THREAD_REMEDY: &str = "let the differentiated code run in one thread, or say that the data are constant (--ad-prebuilt=NAME=inactive)";
const CONTROL_REMEDY: &str = "call it outside of the differentiated code, or return a status instead of jumping";

const NONE: Outside = Outside::NONE;
const RECEIVES: Outside = Outside::RECEIVES;
const BOTH: Outside = Outside::BOTH;
const ALL: Outside = Outside::ALL;

/// MPI, the operation in small letters. What all ranks call (collective operations) is seen at each of them, so what others send is what this one does.
/// What is received without waiting is settled where the buffer is named. A name that is not here is somebody's own function over MPI.
const MPI: &[(&str, Outside)] = &[
    // Among all.
    ("barrier", NONE), ("ibarrier", NONE), ("bcast", RECEIVES), ("ibcast", RECEIVES), ("reduce_local", BOTH), ("reduce", RECEIVES), ("ireduce", RECEIVES), ("allreduce", RECEIVES),
    ("iallreduce", RECEIVES), ("gather", RECEIVES), ("igather", RECEIVES), ("allgather", RECEIVES), ("iallgather", RECEIVES),
    ("scatter", RECEIVES), ("iscatter", RECEIVES), ("alltoall", RECEIVES), ("ialltoall", RECEIVES), ("scan", RECEIVES), ("iscan", RECEIVES),
    ("exscan", RECEIVES), ("iexscan", RECEIVES), ("neighbor_", RECEIVES), ("ineighbor_", RECEIVES),
    // From one rank to another.
    ("recv", RECEIVES), ("irecv", RECEIVES), ("mrecv", RECEIVES), ("imrecv", RECEIVES), ("precv", RECEIVES),
    ("wait", NONE), ("test", NONE), ("probe", NONE), ("iprobe", NONE), ("mprobe", NONE), ("improbe", NONE), ("cancel", NONE), ("request_", NONE), ("grequest_", NONE), ("status_", NONE),
    // Windows, and requests that are started again: the memory was named before.
    ("win_get_", NONE), ("win_set_", NONE), ("win_delete_", NONE), ("win_free_keyval", NONE), ("win_create_keyval", NONE),
    ("win_create_errhandler", NONE), ("win_call_errhandler", NONE), ("win_", ALL), ("start", ALL), ("parrived", ALL), ("pready", ALL),
    // What only asks, or makes handles.
    ("abort", NONE), ("init", NONE), ("finalize", NONE), ("query_thread", NONE), ("is_thread_main", NONE), ("wtime", NONE), ("wtick", NONE), ("pcontrol", NONE),
    ("comm_spawn", BOTH), ("comm_", NONE), ("group_", NONE), ("intercomm_", NONE), ("session_", NONE), ("type_", NONE), ("op_", NONE), ("info_", NONE), ("errhandler_", NONE), ("error_", NONE),
    ("add_error", NONE), ("remove_error", NONE), ("keyval_", NONE), ("attr_", NONE), ("cart", NONE), ("graph", NONE), ("dist_graph_", NONE), ("topo_", NONE), ("dims_", NONE), ("get_processor_name", NONE),
    ("get_version", NONE), ("get_library_version", NONE), ("get_hw_resource_info", NONE), ("get_address", NONE), ("get_count", NONE), ("get_elements", NONE), ("address", NONE), ("aint_", NONE), ("sizeof", NONE), ("alloc_mem", NONE),
    ("free_mem", NONE), ("buffer_", NONE), ("file_", NONE), ("register_datarep", NONE), ("t_", NONE), ("publish_name", NONE), ("unpublish_name", NONE), ("lookup_name", NONE), ("open_port", NONE),
    ("close_port", NONE), ("pack_size", NONE), ("pack_external_size", NONE),
];

/// OpenSHMEM.
const SHMEM: &[(&str, Outside)] = &[
    ("my_pe", NONE), ("n_pes", NONE), ("init", NONE), ("finalize", NONE), ("info_", NONE), ("pe_accessible", NONE), ("addr_accessible", NONE),
    ("malloc", NONE), ("calloc", NONE), ("align", NONE), ("realloc", NONE), ("free", NONE), ("global_exit", NONE), ("team_", NONE), ("ctx_", NONE), ("query_", NONE),
    ("barrier", ALL), ("sync", ALL), ("quiet", ALL), ("fence", ALL), ("wait", ALL), ("test", ALL), ("ptr", ALL),
];
const GASNET: &[(&str, Outside)] = &[("mynode", NONE), ("nodes", NONE), ("init", NONE), ("exit", NONE), ("attach", NONE)];
const NCCL: &[(&str, Outside)] = &[
    ("CommInit", NONE), ("CommDestroy", NONE), ("CommCount", NONE), ("CommUserRank", NONE), ("CommCuDevice", NONE), ("Get", NONE), ("CommFinalize", NONE),
    ("CommAbort", NONE), ("CommSplit", NONE), ("GroupStart", NONE), ("GroupEnd", BOTH),
];
const GASPI: &[(&str, Outside)] = &[
    ("proc_rank", NONE), ("proc_num", NONE), ("proc_init", NONE), ("proc_term", NONE), ("config_", NONE), ("group_", NONE), ("segment_create", NONE),
    ("segment_alloc", NONE), ("segment_delete", NONE), ("time_", NONE), ("print_error", NONE),
];
/// Coarrays.
const IMAGES: &[(&str, Outside)] = &[
    ("this_image", NONE), ("num_images", NONE), ("init", NONE), ("finalize", NONE), ("stop", NONE), ("error_stop", NONE), ("get_team", NONE), ("team_number", NONE),
    ("failed_images", NONE), ("stopped_images", NONE), ("image_status", NONE), ("fail_image", NONE), ("random_init", NONE),
    ("co_", RECEIVES), ("sync", ALL), ("event", ALL), ("notify", ALL), ("lock", ALL), ("unlock", ALL), ("critical", ALL), ("end_critical", ALL),
];
/// CUDA and HIP.
const DEVICE: &[(&str, Outside)] = &[
    ("GetDevice", NONE), ("SetDevice", NONE), ("GetError", NONE), ("GetLastError", NONE), ("PeekAtLastError", NONE), ("DeviceGet", NONE), ("DeviceReset", NONE),
    ("EventElapsedTime", NONE), ("EventCreate", NONE), ("EventRecord", NONE), ("EventDestroy", NONE), ("StreamCreate", NONE), ("StreamDestroy", NONE),
    ("DriverGet", NONE), ("RuntimeGet", NONE), ("MemGetInfo", NONE), ("Free", NONE), ("Init", NONE),
    ("MallocManaged", ALL), ("Malloc", NONE), ("HostAlloc", NONE), ("DeviceSynchronize", ALL), ("StreamSynchronize", ALL), ("EventSynchronize", ALL), ("Launch", ALL),
];

const fn family(name: &'static str, case: Case, begin: &'static [&'static str], most: Outside, rows: &'static [(&'static str, Outside)], remedy: &'static str) -> Family {
    Family { name, remedy, begin, case, most, rows }
}

/// All families.
static FAMILIES: &[Family] = &[
    family(
        "control that returns twice",
        Case::Exact,
        &[
            "setjmp$", "_setjmp$", "__setjmp$", "sigsetjmp$", "__sigsetjmp$", "savectx$", "vfork$", "__vfork$", "fork$", "_Fork$", "__fork$", "getcontext$",
            "llvm.eh.sjlj.setjmp", "__builtin_setjmp$", "forkpty$",
        ],
        Outside::LEAVES,
        &[],
        CONTROL_REMEDY,
    ),
    // Jumps out of everything. Where they may lead to in differentiated code, there is a call of the family above.
    family("jumps", Case::Exact, &["longjmp$", "_longjmp$", "siglongjmp$", "__longjmp_chk$", "llvm.eh.sjlj.longjmp"], NONE, &[], CONTROL_REMEDY),
    family(
        "contexts and coroutines",
        Case::Exact,
        &[
            "makecontext$", "swapcontext$", "setcontext$", "make_fcontext$", "jump_fcontext$", "ontop_fcontext$", "_ZN5boost7context6detail13make_fcontext",
            "_ZN5boost7context6detail13jump_fcontext", "_ZN5boost7context6detail14ontop_fcontext", "co_create$", "co_switch$", "co_derive$", "coro_create$",
            "coro_transfer$", "mco_create$", "mco_resume$", "mco_yield$", "mco_push$", "mco_pop$", "aco_create$", "aco_resume$", "aco_yield", "pth_spawn$",
            "pth_uctx_", "st_thread_create$", "tb_coroutine_",
        ],
        Outside(8 | 1 | 2 | 4),
        &[],
        "call the function itself, and keep what it hands over in variables",
    ),
    family("message passing (MPI)", Case::Any, &["mpi_", "pmpi_", "mpix_", "pmpix_", "_qmmpi_f08pmpi_", "_qmmpi_f08ppmpi_", "_qmmpipmpi_"], BOTH, MPI, MESSAGE_REMEDY),
    family("message passing (OpenSHMEM)", Case::Exact, &["shmem_", "pshmem_", "shmemx_"], BOTH, SHMEM, MESSAGE_REMEDY),
    family("message passing (GASNet)", Case::Exact, &["gasnet_", "gasnetc_", "gasnete_", "gex_"], ALL, GASNET, MESSAGE_REMEDY),
    family("message passing (NCCL)", Case::ThenCapital, &["nccl", "rccl", "pnccl"], ALL, NCCL, MESSAGE_REMEDY),
    family("message passing (UPC++)", Case::Exact, &["_ZN5upcxx", "_ZNK5upcxx", "upc_", "_upcr_", "upcr_"], ALL, &[], MESSAGE_REMEDY),
    family("message passing (GPI)", Case::Exact, &["gaspi_", "pgaspi_"], ALL, GASPI, MESSAGE_REMEDY),
    family("message passing (UCX)", Case::Exact, &["ucp_", "uct_"], ALL, &[], MESSAGE_REMEDY),
    family("message passing (libfabric)", Case::Exact, &["fi_send", "fi_recv", "fi_read", "fi_write", "fi_inject", "fi_cq_"], ALL, &[], MESSAGE_REMEDY),
    family("message passing (ZeroMQ)", Case::Exact, &["zmq_send", "zmq_recv", "zmq_msg_send", "zmq_msg_recv", "nn_send", "nn_recv"], BOTH, &[], MESSAGE_REMEDY),
    family("message passing (HPX)", Case::Exact, &["_ZN3hpx", "_ZNK3hpx"], ALL, &[], MESSAGE_REMEDY),
    family("message passing (Charm++)", Case::Exact, &["CmiSend", "CmiSync", "CkSend"], ALL, &[], MESSAGE_REMEDY),
    family("coarrays", Case::Any, &["_gfortran_caf_", "prif_", "_qmprifpprif_", "_fortrancoarray"], ALL, IMAGES, MESSAGE_REMEDY),
    family(
        "threads",
        Case::Exact,
        &[
            "pthread_create$", "thrd_create$", "_ZNSt6thread15_M_start_thread", "__kmpc_fork_call", "__kmpc_fork_teams$", "__kmpc_omp_task", "__kmpc_taskloop", "GOMP_parallel", "GOMP_task", "GOMP_teams",
            "_ZN3tbb6detail2r1", "__cilkrts_", "dispatch_async", "dispatch_sync", "dispatch_apply", "dispatch_group_async", "dispatch_barrier_",
            "g_thread_new$", "g_thread_try_new$", "g_thread_pool_push$", "uv_thread_create", "uv_queue_work$", "SDL_CreateThread", "tpool_add_work", "thpool_add_work",
        ],
        ALL,
        &[],
        THREAD_REMEDY,
    ),
    family(
        "memory that processes share",
        Case::Exact,
        &["shmat$", "process_vm_readv$", "process_vm_writev$", "memfd_create$", "shm_open$", "shm_open64$", "shmget$"],
        BOTH,
        &[("memfd_create$", NONE), ("shm_open$", NONE), ("shm_open64$", NONE), ("shmget$", NONE)],
        "use memory of this process alone, or keep active data out of it",
    ),
    family("work on a device (CUDA)", Case::ThenCapital, &["cuda"], BOTH, DEVICE, "keep the device's work out of the differentiated code"),
    family("work on a device (HIP)", Case::ThenCapital, &["hip"], BOTH, DEVICE, "keep the device's work out of the differentiated code"),
    family(
        "work on a device",
        Case::Exact,
        &[
            "cuLaunch", "cuMemcpy", "cuMemset", "cuMemAllocManaged", "cuCtxSynchronize", "cuStreamSynchronize", "cublas", "cufft", "cusolver", "cusparse", "cudnn", "rocblas_", "hipblas",
            "clEnqueue", "clSetKernelArg", "clCreateBuffer", "clFinish", "__tgt_target", "__tgt_mapper", "acc_memcpy", "acc_update", "acc_copy", "omp_target_memcpy", "vkQueueSubmit", "zeCommandListAppend",
            "__cudaPushCall", "__hipPushCall",
        ],
        ALL,
        &[],
        "keep the device's work out of the differentiated code",
    ),
];

impl Family {
    /// What follows the family's part of a name.
    fn rest<'s>(&self, symbol: &'s str) -> Option<(&'s str, &'static str)> {
        self.begin.iter().find_map(|&begin| {
            if let Some(whole) = begin.strip_suffix('$') {
                return (symbol == whole).then_some((symbol, begin));
            }
            let start = symbol.get(..begin.len())?;
            let rest = &symbol[begin.len()..];
            let fits = match self.case {
                Case::Exact => start == begin,
                Case::Any => start.eq_ignore_ascii_case(begin),
                Case::ThenCapital => start == begin && rest.starts_with(|c: char| c.is_ascii_uppercase()),
            };
            fits.then_some((rest, begin))
        })
    }

    fn effect(&self, rest: &str) -> Outside {
        let rest = if self.case == Case::Any { rest.to_ascii_lowercase() } else { rest.to_owned() };
        let fits = |row: &str| row.strip_suffix('$').map_or(rest.starts_with(row), |whole| rest == whole);
        self.rows.iter().find(|(row, _)| fits(row)).map_or(self.most, |(_, effect)| *effect)
    }
}

/// The family of a function without body, and what it does.
pub fn find(symbol: &str) -> Option<(&'static Family, Outside)> {
    FAMILIES.iter().find_map(|f| f.rest(symbol).map(|(rest, _)| (f, f.effect(rest))))
}

/// The name of a function that a stand-in of prebuilt code calls.
pub fn base(symbol: &str) -> &str {
    match symbol.strip_suffix(crate::prebuilt::SUFFIX) {
        Some(called) => called.split_once('(').map_or(called, |(name, _)| name),
        None => symbol,
    }
}

/// What a function without body has to do with data outside.
pub fn of(symbol: &str) -> Outside {
    let symbol = base(symbol);
    let effect = find(symbol).map_or(NONE, |(_, effect)| effect).union(text::effect(symbol));
    // Arrays are handed over by descriptors: what these lead to is not known by itself.
    if effect.has(BOTH) && (symbol.contains("_f08ts") || symbol.starts_with("_QMmpi")) { effect.union(Outside::SHARES) } else { effect }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_carries_no_data_is_inactive() {
        for name in ["MPI_Comm_rank", "mpi_comm_size_", "MPI_Wtime", "MPI_Init", "mpi_finalize_", "MPI_Barrier", "MPI_Get_count", "shmem_my_pe", "longjmp"] {
            assert!(find(name).is_some_and(|(_, effect)| effect == NONE), "{name}");
        }
    }

    #[test]
    fn what_carries_data_is_known_in_all_spellings() {
        for name in ["MPI_Recv", "mpi_recv_", "PMPI_Recv", "MPI_Irecv", "mpi_allreduce_", "mpi_allreduce_f08_", "MPI_ALLREDUCE", "MPI_Allreduce_c", "_QMmpi_f08Pmpi_allreduce_f08"] {
            assert!(find(name).is_some_and(|(_, effect)| effect.has(RECEIVES)), "{name}");
        }
        for name in ["MPI_Send", "mpi_isend_", "MPI_Put", "mpi_my_exchange_", "MPI_Startall", "mpi_win_fence_", "MPI_Get", "pthread_create", "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"] {
            assert!(find(name).is_some_and(|(_, effect)| effect.has(Outside::SENDS)), "{name}");
        }
        for name in ["setjmp", "_setjmp", "__sigsetjmp", "vfork", "fork", "swapcontext", "make_fcontext", "llvm.eh.sjlj.setjmp"] {
            assert!(find(name).is_some_and(|(_, effect)| effect.has(Outside::LEAVES)), "{name}");
        }
    }

    #[test]
    fn other_names_are_in_no_family() {
        for name in ["cudartist", "hipster", "clock", "close", "mpich", "forked", "setjmps", "shmat2", "get", "sqrt", "dgemm_", "ncclient"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn stand_ins_are_known_by_what_they_call() {
        assert_eq!(base("sscanf(ptr, ptr, ptr).prebuilt"), "sscanf");
        assert_eq!(base("strtod.prebuilt"), "strtod");
        assert_eq!(base("f"), "f");
    }
}
