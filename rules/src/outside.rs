//! Functions whose effect is not one of their machine code on the numbers that they are given:
//! control that comes back a second time or goes on elsewhere, other processes, other threads,
//! devices. Running their instructions beside shadow values, as the shadow runtime does, would take
//! for constant what comes from there, and lose what goes there. So these are never run that way: a
//! call is refused where active data may take part (analysis/src/activity/foreign/), or
//! wherever it stands in differentiated code; what only asks or synchronises stays inactive.
//!
//! The tables are data: a family, how its names begin, and what its functions do where that is not
//! what most of them do.

/// What a call may have to do with data outside of the code that is differentiated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
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
    /// It makes text of numbers, in memory, and may return afterwards.
    pub const WRITES_TEXT: Outside = Outside(16);
    /// It makes numbers of text in memory.
    pub const READS_TEXT: Outside = Outside(32);
    /// It makes text of numbers where it ends with an exception: for the message of that.
    pub const THROWS_TEXT: Outside = Outside(64);
    /// It makes text, in whichever way.
    pub const MAKES_TEXT: Outside = Outside(16 | 64);
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
    /// What it says that `other` does not say.
    pub fn without(self, other: Outside) -> Outside {
        Outside(self.0 & !other.0)
    }
    /// What callers see of a function that does this inside.
    pub fn of_caller(self) -> Outside {
        Outside(self.0 & !Outside::LEAVES.0)
    }
    /// The same of a call after which there is text whether it returns or throws.
    pub fn with_thrown_text(self) -> Outside {
        let is_thrown = self.has(Outside::THROWS_TEXT);
        if is_thrown { self.union(Outside::WRITES_TEXT) } else { self }
    }
    /// The same of a call after which nothing returns: what there is of text is an exception's.
    pub fn throwing(self) -> Outside {
        let rest = self.without(Outside::WRITES_TEXT);
        if rest == self { self } else { rest.union(Outside::THROWS_TEXT) }
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
    /// How the rest of a name begins (what follows the family's part), and what the function does;
    /// the first row that fits counts.
    rows: &'static [(&'static str, Outside)],
}

const MESSAGE_REMEDY: &str = "keep the call out of the differentiated code, register a derivative \
    of your own (docs/how-to/give-a-derivative.md), or declare that its data are \
    constant (--ad-prebuilt=NAME=inactive)";
const MPI_REMEDY: &str = "compile with the MPI's own folders, as mpicc gives them (which operations have a derivative: \
    docs/how-to/message-passing.md); or keep the call out of the differentiated code, register a derivative of your own, or \
    declare that its data are constant (--ad-prebuilt=NAME=inactive)";
const THREAD_REMEDY: &str = "run the differentiated code in one thread, or declare that the data \
    are constant (--ad-prebuilt=NAME=inactive)";
const CONTROL_REMEDY: &str =
    "call it outside of the differentiated code, or return a status instead of jumping";

const NONE: Outside = Outside::NONE;
const RECEIVES: Outside = Outside::RECEIVES;
const BOTH: Outside = Outside::BOTH;
const ALL: Outside = Outside::ALL;

/// MPI, the operation in small letters. What all ranks call (collective operations) is seen at each
/// of them, so what others send is what this one does. What is received without waiting is settled
/// where the buffer is named. A name that is not here is somebody's own function over MPI.
#[rustfmt::skip]
const MPI: &[(&str, Outside)] = &[
    // Among all.
    ("barrier", NONE), ("ibarrier", NONE), ("bcast", RECEIVES), ("ibcast", RECEIVES),
    ("reduce_local", BOTH), ("reduce", RECEIVES), ("ireduce", RECEIVES), ("allreduce", RECEIVES),
    ("iallreduce", RECEIVES), ("gather", RECEIVES), ("igather", RECEIVES), ("allgather", RECEIVES),
    ("iallgather", RECEIVES), ("scatter", RECEIVES), ("iscatter", RECEIVES),
    ("alltoall", RECEIVES), ("ialltoall", RECEIVES), ("scan", RECEIVES), ("iscan", RECEIVES),
    ("exscan", RECEIVES), ("iexscan", RECEIVES), ("neighbor_", RECEIVES), ("ineighbor_", RECEIVES),
    // From one rank to another.
    ("recv", RECEIVES), ("irecv", RECEIVES), ("mrecv", RECEIVES), ("imrecv", RECEIVES),
    ("precv", RECEIVES), ("wait", NONE), ("test", NONE), ("probe", NONE), ("iprobe", NONE),
    ("mprobe", NONE), ("improbe", NONE), ("cancel", NONE), ("request_", NONE), ("grequest_", NONE),
    ("status_", NONE),
    // Windows, and requests that are started again: the memory was named before.
    ("win_get_", NONE), ("win_set_", NONE), ("win_delete_", NONE), ("win_free_keyval", NONE),
    ("win_create_keyval", NONE), ("win_create_errhandler", NONE), ("win_call_errhandler", NONE),
    ("win_", ALL), ("start", ALL), ("parrived", ALL), ("pready", ALL),
    // What only asks, or makes handles.
    ("abort", NONE), ("init", NONE), ("finalize", NONE), ("query_thread", NONE),
    ("is_thread_main", NONE), ("wtime", NONE), ("wtick", NONE), ("pcontrol", NONE),
    ("comm_spawn", BOTH), ("comm_", NONE), ("group_", NONE), ("intercomm_", NONE),
    ("session_", NONE), ("type_", NONE), ("op_", NONE), ("info_", NONE), ("errhandler_", NONE),
    ("error_", NONE), ("add_error", NONE), ("remove_error", NONE), ("keyval_", NONE),
    ("attr_", NONE), ("cart", NONE), ("graph", NONE), ("dist_graph_", NONE), ("topo_", NONE),
    ("dims_", NONE), ("get_processor_name", NONE), ("get_version", NONE),
    ("get_library_version", NONE), ("get_hw_resource_info", NONE), ("get_address", NONE),
    ("get_count", NONE), ("get_elements", NONE), ("address", NONE), ("aint_", NONE),
    ("sizeof", NONE), ("alloc_mem", NONE), ("free_mem", NONE), ("buffer_", NONE), ("file_", NONE),
    ("register_datarep", NONE), ("t_", NONE), ("publish_name", NONE), ("unpublish_name", NONE),
    ("lookup_name", NONE), ("open_port", NONE), ("close_port", NONE), ("pack_size", NONE),
    ("pack_external_size", NONE),
];

/// OpenSHMEM.
#[rustfmt::skip]
const SHMEM: &[(&str, Outside)] = &[
    ("my_pe", NONE), ("n_pes", NONE), ("init", NONE), ("finalize", NONE), ("info_", NONE),
    ("pe_accessible", NONE), ("addr_accessible", NONE), ("malloc", NONE), ("calloc", NONE),
    ("align", NONE), ("realloc", NONE), ("free", NONE), ("global_exit", NONE), ("team_", NONE),
    ("ctx_", NONE), ("query_", NONE), ("barrier", ALL), ("sync", ALL), ("quiet", ALL),
    ("fence", ALL), ("wait", ALL), ("test", ALL), ("ptr", ALL),
];
/// ARMCI.
const ARMCI: &[(&str, Outside)] = &[
    ("init", NONE),
    ("finalize", NONE),
    ("malloc", NONE),
    ("free", NONE),
    ("error", NONE),
    ("cleanup", NONE),
    ("createmutexes", NONE),
    ("create_mutexes", NONE),
    ("destroy_mutexes", NONE),
    ("barrier", ALL),
    ("fence", ALL),
    ("allfence", ALL),
];
const BLACS_NAMES: &[&str] = &[
    "sgesd2d_$", "Csgesd2d$", "strsd2d_$", "Cstrsd2d$", "sgerv2d_$", "Csgerv2d$", "strrv2d_$",
    "Cstrrv2d$", "sgebs2d_$", "Csgebs2d$", "strbs2d_$", "Cstrbs2d$", "sgebr2d_$", "Csgebr2d$",
    "strbr2d_$", "Cstrbr2d$", "sgsum2d_$", "Csgsum2d$", "sgamx2d_$", "Csgamx2d$", "sgamn2d_$",
    "Csgamn2d$", "dgesd2d_$", "Cdgesd2d$", "dtrsd2d_$", "Cdtrsd2d$", "dgerv2d_$", "Cdgerv2d$",
    "dtrrv2d_$", "Cdtrrv2d$", "dgebs2d_$", "Cdgebs2d$", "dtrbs2d_$", "Cdtrbs2d$", "dgebr2d_$",
    "Cdgebr2d$", "dtrbr2d_$", "Cdtrbr2d$", "dgsum2d_$", "Cdgsum2d$", "dgamx2d_$", "Cdgamx2d$",
    "dgamn2d_$", "Cdgamn2d$", "cgesd2d_$", "Ccgesd2d$", "ctrsd2d_$", "Cctrsd2d$", "cgerv2d_$",
    "Ccgerv2d$", "ctrrv2d_$", "Cctrrv2d$", "cgebs2d_$", "Ccgebs2d$", "ctrbs2d_$", "Cctrbs2d$",
    "cgebr2d_$", "Ccgebr2d$", "ctrbr2d_$", "Cctrbr2d$", "cgsum2d_$", "Ccgsum2d$", "cgamx2d_$",
    "Ccgamx2d$", "cgamn2d_$", "Ccgamn2d$", "zgesd2d_$", "Czgesd2d$", "ztrsd2d_$", "Cztrsd2d$",
    "zgerv2d_$", "Czgerv2d$", "ztrrv2d_$", "Cztrrv2d$", "zgebs2d_$", "Czgebs2d$", "ztrbs2d_$",
    "Cztrbs2d$", "zgebr2d_$", "Czgebr2d$", "ztrbr2d_$", "Cztrbr2d$", "zgsum2d_$", "Czgsum2d$",
    "zgamx2d_$", "Czgamx2d$", "zgamn2d_$", "Czgamn2d$",
];
const GASNET: &[(&str, Outside)] =
    &[("mynode", NONE), ("nodes", NONE), ("init", NONE), ("exit", NONE), ("attach", NONE)];
const NCCL: &[(&str, Outside)] = &[
    ("CommInit", NONE),
    ("CommDestroy", NONE),
    ("CommCount", NONE),
    ("CommUserRank", NONE),
    ("CommCuDevice", NONE),
    ("Get", NONE),
    ("CommFinalize", NONE),
    ("CommAbort", NONE),
    ("CommSplit", NONE),
    ("GroupStart", NONE),
    ("GroupEnd", BOTH),
];
const GASPI: &[(&str, Outside)] = &[
    ("proc_rank", NONE),
    ("proc_num", NONE),
    ("proc_init", NONE),
    ("proc_term", NONE),
    ("config_", NONE),
    ("group_", NONE),
    ("segment_create", NONE),
    ("segment_alloc", NONE),
    ("segment_delete", NONE),
    ("time_", NONE),
    ("print_error", NONE),
];
/// Coarrays.
#[rustfmt::skip]
const IMAGES: &[(&str, Outside)] = &[
    ("this_image", NONE), ("num_images", NONE), ("init", NONE), ("finalize", NONE), ("stop", NONE),
    ("error_stop", NONE), ("get_team", NONE), ("team_number", NONE), ("failed_images", NONE),
    ("stopped_images", NONE), ("image_status", NONE), ("fail_image", NONE), ("random_init", NONE),
    ("co_", RECEIVES), ("sync", ALL), ("event", ALL), ("notify", ALL), ("lock", ALL),
    ("unlock", ALL), ("critical", ALL), ("end_critical", ALL),
];
/// CUDA and HIP.
#[rustfmt::skip]
const DEVICE: &[(&str, Outside)] = &[
    ("GetDevice", NONE), ("SetDevice", NONE), ("GetError", NONE), ("GetLastError", NONE),
    ("PeekAtLastError", NONE), ("DeviceGet", NONE), ("DeviceReset", NONE),
    ("EventElapsedTime", NONE), ("EventCreate", NONE), ("EventRecord", NONE),
    ("EventDestroy", NONE), ("StreamCreate", NONE), ("StreamDestroy", NONE), ("DriverGet", NONE),
    ("RuntimeGet", NONE), ("MemGetInfo", NONE), ("Free", NONE), ("Init", NONE),
    ("MallocManaged", ALL), ("Malloc", NONE), ("HostAlloc", NONE), ("DeviceSynchronize", ALL),
    ("StreamSynchronize", ALL), ("EventSynchronize", ALL), ("Launch", ALL),
];

const fn family(
    name: &'static str,
    case: Case,
    begin: &'static [&'static str],
    most: Outside,
    rows: &'static [(&'static str, Outside)],
    remedy: &'static str,
) -> Family {
    Family { name, remedy, begin, case, most, rows }
}

/// The family of signals.
pub const SIGNALS: &str = "signal handlers";

/// All families.
static FAMILIES: &[Family] = &[
    family(
        "control that returns twice",
        Case::Exact,
        &[
            "setjmp$", "_setjmp$", "__setjmp$", "sigsetjmp$", "__sigsetjmp$", "savectx$", "vfork$",
            "__vfork$", "fork$", "_Fork$", "__fork$", "getcontext$", "llvm.eh.sjlj.setjmp",
            "__builtin_setjmp$", "forkpty$",
        ],
        Outside::LEAVES,
        &[],
        CONTROL_REMEDY,
    ),
    // Jumps out of everything. Where they may lead to in differentiated code, there is a call of
    // the family above.
    family(
        "jumps",
        Case::Exact,
        &["longjmp$", "_longjmp$", "siglongjmp$", "__longjmp_chk$", "llvm.eh.sjlj.longjmp"],
        NONE,
        &[],
        CONTROL_REMEDY,
    ),
    // Which functions they call is not seen.
    family(
        SIGNALS,
        Case::Exact,
        &[
            "signal$", "__sysv_signal$", "bsd_signal$", "ssignal$", "sigset$", "sigaction$",
            "__sigaction$", "raise$", "gsignal$", "pthread_kill$", "sigqueue$",
        ],
        Outside::LEAVES,
        &[],
        "set handlers and raise signals outside of the differentiated code, or call the handler \
        function directly",
    ),
    family(
        "custom streams",
        Case::Exact,
        &["fopencookie$", "funopen$"],
        Outside::LEAVES,
        &[],
        "open the stream outside of the differentiated code, and keep active data out of it",
    ),
    family(
        "contexts and coroutines",
        Case::Exact,
        &[
            "makecontext$",
            "swapcontext$",
            "setcontext$",
            "make_fcontext$",
            "jump_fcontext$",
            "ontop_fcontext$",
            "_ZN5boost7context6detail13make_fcontext",
            "_ZN5boost7context6detail13jump_fcontext",
            "_ZN5boost7context6detail14ontop_fcontext",
            "co_create$",
            "co_switch$",
            "co_derive$",
            "coro_create$",
            "coro_transfer$",
            "mco_create$",
            "mco_resume$",
            "mco_yield$",
            "mco_push$",
            "mco_pop$",
            "aco_create$",
            "aco_resume$",
            "aco_yield",
            "pth_spawn$",
            "pth_uctx_",
            "st_thread_create$",
            "tb_coroutine_",
        ],
        Outside(8 | 1 | 2 | 4),
        &[],
        "call the function directly, and pass its values in variables",
    ),
    family(
        "message passing (MPI)",
        Case::Any,
        &["mpi_", "pmpi_", "mpix_", "pmpix_", "_qmmpi_f08pmpi_", "_qmmpi_f08ppmpi_", "_qmmpipmpi_"],
        BOTH,
        MPI,
        MPI_REMEDY,
    ),
    family(
        "message passing (OpenSHMEM)",
        Case::Exact,
        &["shmem_", "pshmem_", "shmemx_"],
        BOTH,
        SHMEM,
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (NVSHMEM)",
        Case::Exact,
        &["nvshmem_", "nvshmemx_"],
        BOTH,
        SHMEM,
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (ARMCI)",
        Case::Any,
        &["armci_", "parmci_"],
        ALL,
        ARMCI,
        MESSAGE_REMEDY,
    ),
    // By their names: others begin so, too.
    family(
        "message passing (Global Arrays)",
        Case::Any,
        &[
            "ga_put$", "ga_get$", "ga_acc$", "ga_dgop$", "ga_fgop$", "ga_gop$", "ga_brdcst$",
            "ga_scatter$", "ga_gather$", "ga_scatter_acc$", "ga_ddot$", "ga_fdot$", "ga_zdot$",
            "ga_cdot$", "ga_dgemm$", "ga_sgemm$", "ga_zgemm$", "ga_cgemm$", "ga_lu_solve$",
            "ga_llt_solve$", "ga_read_inc$", "ga_access$", "ga_release$", "ga_release_update$",
            "ga_update_ghosts$", "nga_put$", "nga_get$", "nga_acc$", "nga_nbput$", "nga_nbget$",
            "nga_nbacc$", "nga_strided_put$", "nga_strided_get$", "nga_strided_acc$",
            "nga_periodic_put$", "nga_periodic_get$", "nga_periodic_acc$", "nga_put_ghosts$",
            "nga_get_ghosts$", "nga_scatter$", "nga_gather$", "nga_scatter_acc$", "nga_read_inc$",
            "nga_access$", "nga_access_ghosts$", "nga_access_block$", "nga_access_block_grid$",
            "nga_release$", "nga_release_update$", "nga_ddot_patch$", "nga_matmul_patch$",
            "nga_update_ghost_dir$",
        ],
        ALL,
        &[],
        MESSAGE_REMEDY,
    ),
    // ScaLAPACK's messages: sends, receives, broadcasts, sums, largest and smallest, for each type.
    family("message passing (BLACS)", Case::Exact, BLACS_NAMES, BOTH, &[], MESSAGE_REMEDY),
    family(
        "message passing (GASNet)",
        Case::Exact,
        &["gasnet_", "gasnetc_", "gasnete_", "gex_"],
        ALL,
        GASNET,
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (NCCL)",
        Case::ThenCapital,
        &["nccl", "rccl", "pnccl"],
        ALL,
        NCCL,
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (UPC++)",
        Case::Exact,
        &["_ZN5upcxx", "_ZNK5upcxx", "upc_", "_upcr_", "upcr_"],
        ALL,
        &[],
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (GPI)",
        Case::Exact,
        &["gaspi_", "pgaspi_"],
        ALL,
        GASPI,
        MESSAGE_REMEDY,
    ),
    family("message passing (UCX)", Case::Exact, &["ucp_", "uct_"], ALL, &[], MESSAGE_REMEDY),
    family(
        "message passing (libfabric)",
        Case::Exact,
        &["fi_send", "fi_recv", "fi_read", "fi_write", "fi_inject", "fi_cq_"],
        ALL,
        &[],
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (ZeroMQ)",
        Case::Exact,
        &["zmq_send", "zmq_recv", "zmq_msg_send", "zmq_msg_recv", "nn_send", "nn_recv"],
        BOTH,
        &[],
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (HPX)",
        Case::Exact,
        &["_ZN3hpx", "_ZNK3hpx"],
        ALL,
        &[],
        MESSAGE_REMEDY,
    ),
    family(
        "message passing (Charm++)",
        Case::Exact,
        &["CmiSend", "CmiSync", "CkSend"],
        ALL,
        &[],
        MESSAGE_REMEDY,
    ),
    family(
        "coarrays",
        Case::Any,
        &["_gfortran_caf_", "prif_", "_qmprifpprif_", "_fortrancoarray"],
        ALL,
        IMAGES,
        MESSAGE_REMEDY,
    ),
    family(
        "threads",
        Case::Exact,
        &[
            "pthread_create$", "thrd_create$", "_ZNSt6thread15_M_start_thread",
            "__kmpc_fork_teams$", "__kmpc_omp_task", "__kmpc_task", "GOMP_parallel", "GOMP_task",
            "GOMP_teams", "_ZN3tbb6detail2r1", "__cilkrts_", "dispatch_async", "dispatch_sync",
            "dispatch_apply", "dispatch_group_async", "dispatch_barrier_", "g_thread_new$",
            "g_thread_try_new$", "g_thread_pool_push$", "uv_thread_create", "uv_queue_work$",
            "SDL_CreateThread", "tpool_add_work", "thpool_add_work",
        ],
        ALL,
        &[],
        THREAD_REMEDY,
    ),
    family(
        "memory that processes share",
        Case::Exact,
        &[
            "shmat$", "process_vm_readv$", "process_vm_writev$", "memfd_create$", "shm_open$",
            "shm_open64$", "shmget$",
        ],
        BOTH,
        &[("memfd_create$", NONE), ("shm_open$", NONE), ("shm_open64$", NONE), ("shmget$", NONE)],
        "use memory of this process alone, or keep active data out of it",
    ),
    family(
        "work on a device (CUDA)",
        Case::ThenCapital,
        &["cuda"],
        BOTH,
        DEVICE,
        "keep work on the device out of the differentiated code",
    ),
    family(
        "work on a device (HIP)",
        Case::ThenCapital,
        &["hip"],
        BOTH,
        DEVICE,
        "keep work on the device out of the differentiated code",
    ),
    family(
        "work on a device",
        Case::Exact,
        &[
            "cuLaunch", "cuMemcpy", "cuMemset", "cuMemAllocManaged", "cuCtxSynchronize",
            "cuStreamSynchronize", "cublas", "cufft", "cusolver", "cusparse", "cudnn", "rocblas_",
            "hipblas", "clEnqueue", "clSetKernelArg", "clCreateBuffer", "clFinish", "__tgt_target",
            "__tgt_mapper", "acc_memcpy", "acc_update", "acc_copy", "omp_target_memcpy",
            "vkQueueSubmit", "zeCommandListAppend", "__cudaPushCall", "__hipPushCall",
        ],
        ALL,
        &[],
        "keep work on the device out of the differentiated code",
    ),
];

impl Family {
    /// Whether other processes are at the other end.
    fn is_exchange(&self) -> bool {
        self.name.starts_with("message passing") || self.name == "coarrays"
    }

    /// What follows the family's part of a name.
    fn rest<'s>(&self, symbol: &'s str) -> Option<(&'s str, &'static str)> {
        self.begin.iter().find_map(|&begin| {
            if let Some(whole) = begin.strip_suffix('$') {
                let is_it = match self.case {
                    // Fortran's names end with an underscore, or two.
                    Case::Any => symbol.trim_end_matches('_').eq_ignore_ascii_case(whole),
                    _ => symbol == whole,
                };
                return is_it.then_some((
                    symbol.trim_end_matches(if self.case == Case::Any { '_' } else { '\0' }),
                    begin,
                ));
            }
            let start = symbol.get(..begin.len())?;
            let rest = &symbol[begin.len()..];
            let fits = match self.case {
                Case::Exact => start == begin,
                Case::Any => start.eq_ignore_ascii_case(begin),
                Case::ThenCapital => {
                    start == begin && rest.starts_with(|c: char| c.is_ascii_uppercase())
                }
            };
            fits.then_some((rest, begin))
        })
    }

    fn effect(&self, rest: &str) -> Outside {
        let rest = if self.case == Case::Any { rest.to_ascii_lowercase() } else { rest.to_owned() };
        let fits =
            |row: &str| row.strip_suffix('$').map_or(rest.starts_with(row), |whole| rest == whole);
        self.rows.iter().find(|(row, _)| fits(row)).map_or(self.most, |(_, effect)| *effect)
    }
}

/// The family of a function without body, and what it does.
pub fn find(symbol: &str) -> Option<(&'static Family, Outside)> {
    FAMILIES.iter().find_map(|f| f.rest(symbol).map(|(rest, _)| (f, f.effect(rest))))
}

/// How the names of functions begin that have to do with other processes, three letters of them in
/// small ones: a sieve for many names.
pub fn beginnings() -> impl Iterator<Item = [u8; 3]> {
    let begins = FAMILIES.iter().filter(|f| f.is_exchange()).flat_map(|f| f.begin);
    begins
        .filter_map(|begin| begin.as_bytes().first_chunk::<3>())
        .map(|letters| letters.map(|c| c.to_ascii_lowercase()))
}

/// The family of a function that carries reals to other processes or from them, as one that is met
/// at run time: one that only waits carries nothing by itself, one of whole numbers nothing that
/// has a derivative, and a name of MPI's that MPI does not have is somebody's own function, which
/// calls MPI's.
pub fn carries(symbol: &str) -> Option<&'static Family> {
    let (family, effect) =
        find(symbol).filter(|(family, effect)| family.is_exchange() && effect.has(BOTH))?;
    let small = symbol.to_ascii_lowercase();
    let waits = effect.has(Outside::SHARES)
        && !small.starts_with("_z")
        && !small.contains("async")
        && WAITING.iter().any(|part| small.contains(part));
    let is_whole = family.name.contains("SHMEM") && WHOLE.iter().any(|part| small.contains(part));
    let is_own = family.name == MPI_NAME && !is_operation(&small);
    (!waits && !is_whole && !is_own).then_some(family)
}

/// Whether a symbol of MPI, in small letters, is an operation that carries data: `MPI_Ibcast_c`,
/// `mpi_ibcast_`, `mpi_ibcast_f08ts_`.
fn is_operation(symbol: &str) -> bool {
    let Some((_, name)) = symbol.split_once("mpi_") else { return false };
    let name = name.trim_end_matches('_');
    let name = ["_f08ts", "_f08", "_f", "_c"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    if MPI_CARRIERS.contains(&name) {
        return true;
    }
    let name = name.strip_suffix("_init").unwrap_or(name);
    let among =
        |name: &str| MPI_COLLECTIVE.contains(&name.strip_prefix("neighbor_").unwrap_or(name));
    among(name) || name.strip_prefix('i').is_some_and(among)
}

/// Parts of names of what only waits.
const WAITING: &[&str] = &[
    "barrier", "sync", "quiet", "fence", "wait", "_test", "_lock", "unlock", "flush", "win_post",
    "win_start", "win_complete", "win_free", "win_detach",
];
/// Parts of names of what carries whole numbers.
const WHOLE: &[&str] = &[
    "_int_", "_long_", "_longlong_", "_short_", "_char_", "_schar_", "_size_", "_ptrdiff_",
    "_int8_", "_int16_", "_int32_", "_int64_", "_uint",
];
const MPI_NAME: &str = "message passing (MPI)";
/// MPI's operations that carry data.
const MPI_CARRIERS: &[&str] = &[
    "send", "isend", "bsend", "ibsend", "ssend", "issend", "rsend", "irsend", "psend_init",
    "precv_init", "recv", "irecv", "mrecv", "imrecv", "sendrecv", "isendrecv", "sendrecv_replace",
    "isendrecv_replace", "send_init", "bsend_init", "ssend_init", "rsend_init", "recv_init",
    "start", "startall", "pready", "pready_range", "pready_list", "parrived", "put", "get",
    "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap", "rput", "rget",
    "raccumulate", "rget_accumulate", "win_create", "win_allocate", "win_allocate_shared",
    "win_create_dynamic", "win_attach", "win_shared_query", "pack", "unpack", "pack_external",
    "unpack_external", "comm_spawn", "comm_spawn_multiple", "reduce_local",
];
/// Those among all: also not waited for (`i` before), to be started again (`_init` behind), and
/// among neighbours.
const MPI_COLLECTIVE: &[&str] = &[
    "bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan",
    "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv",
    "alltoallw",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_carries_no_data_is_inactive() {
        for name in [
            "MPI_Comm_rank", "mpi_comm_size_", "MPI_Wtime", "MPI_Init", "mpi_finalize_",
            "MPI_Barrier", "MPI_Get_count", "shmem_my_pe", "longjmp",
        ] {
            assert!(find(name).is_some_and(|(_, effect)| effect == NONE), "{name}");
        }
    }

    #[test]
    fn what_carries_data_is_known_in_all_spellings() {
        for name in [
            "MPI_Recv", "mpi_recv_", "PMPI_Recv", "MPI_Irecv", "mpi_allreduce_",
            "mpi_allreduce_f08_", "MPI_ALLREDUCE", "MPI_Allreduce_c",
            "_QMmpi_f08Pmpi_allreduce_f08",
        ] {
            assert!(find(name).is_some_and(|(_, effect)| effect.has(RECEIVES)), "{name}");
        }
        for name in [
            "MPI_Send",
            "mpi_isend_",
            "MPI_Put",
            "mpi_my_exchange_",
            "MPI_Startall",
            "mpi_win_fence_",
            "MPI_Get",
            "pthread_create",
            "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
        ] {
            assert!(find(name).is_some_and(|(_, effect)| effect.has(Outside::SENDS)), "{name}");
        }
        for name in [
            "setjmp", "_setjmp", "__sigsetjmp", "raise", "fopencookie", "vfork", "fork",
            "swapcontext", "make_fcontext", "llvm.eh.sjlj.setjmp",
        ] {
            assert!(find(name).is_some_and(|(_, effect)| effect.has(Outside::LEAVES)), "{name}");
        }
    }

    #[test]
    fn other_names_are_in_no_family() {
        for name in [
            "cudartist", "hipster", "signals", "ga_fitness", "ga_getter_", "blacs_like_", "clock",
            "close", "mpich", "forked", "setjmps", "shmat2", "get", "sqrt", "dgemm_", "ncclient",
        ] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn all_spellings_and_relatives_carry_data() {
        let names = [
            "MPI_Neighbor_allgather", "MPI_Allreduce_c", "mpi_allreduce_f08_", "MPI_Rget",
            "ncclAllReduce", "gex_Coll_ReduceToAllNB", "nvshmem_double_put",
            "nvshmemx_getmem_block", "ARMCI_Put", "NGA_Put", "GA_Dgop", "nga_get_",
            "NGA_Access_block_grid", "dgsum2d_", "Cdgesd2d", "sgebr2d_", "zgamx2d_",
        ];
        for name in names {
            assert!(carries(name).is_some(), "{name}");
        }
        let others = [
            "MPI_Comm_rank", "MPI_Win_fence", "mpi_my_exchange", "shmem_barrier_all",
            "shmem_int_put", "pthread_create", "setjmp", "ga_fitness", "GA_Nodeid",
            "nvshmem_my_pe", "blacs_gridinfo_", "dgemm_", "dgesv_", "igebr2d_", "strtod",
        ];
        for name in others {
            assert!(carries(name).is_none(), "{name}");
        }
    }
}
