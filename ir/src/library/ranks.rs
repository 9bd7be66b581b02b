//! Messages between the ranks of a program (MPI): what each operation does with the memory that it is given.
//!
//! Canonical copies call stand-ins in the place of these operations: the operation's parameters, and the address of one
//! variable more, [`crate::foreign::RANKS`], which stands for what the other ranks hold. What is sent goes there, what
//! is received comes from there, and it is varied before and useful after everything: of what other ranks do nothing is
//! known here. So each operation takes part in derivatives, whatever this rank gives it; what is no real carries
//! nothing, as its datatype says when the program runs (runtime/ranks/).
//!
//! An operation that does not wait accesses its buffer between two calls. What is sent counts as read at the first of them, as no
//! code may overwrite it in between (MPI 4.1, section 3.7.2). What is received counts as overwritten at both: code that stands
//! behind the second one, in a loop for example, must not look at the buffer before. Requests that are started again
//! (`MPI_Start`) name their buffers long before: these stay known to others, and starting accesses all that others know.

use crate::{Callee, Op, Ty, ValueData};

/// What the names of stand-ins end with.
pub const SUFFIX: &str = ".ranks";

/// What an operation does with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A number or a handle, by value.
    Value,
    /// A buffer that is sent.
    Sent,
    /// A buffer that is received into.
    Received,
    /// A buffer of both kinds.
    Both,
    /// Memory of numbers and handles that is read.
    Read,
    /// Memory of numbers and handles that is read and written: requests, statuses.
    Written,
}

impl Role {
    /// Whether data with derivatives may lie there.
    pub fn is_buffer(self) -> bool {
        matches!(self, Role::Sent | Role::Received | Role::Both)
    }
    fn of_letter(letter: u8) -> Role {
        match letter {
            b's' => Role::Sent,
            b'r' => Role::Received,
            b'b' => Role::Both,
            b'i' => Role::Read,
            b'o' => Role::Written,
            _ => Role::Value,
        }
    }
}

/// Operations in small letters, and a letter for each parameter in C: s(ent), r(eceived), b(oth), i(n) and o(ut) for
/// memory of numbers and handles. Where data may be taken from the place of the result (`MPI_IN_PLACE`), that is both.
#[rustfmt::skip]
const OPERATIONS: &[(&str, &str)] = &[
    // From one rank to another.
    ("send", "s....."), ("ssend", "s....."), ("rsend", "s....."), ("bsend", "s....."),
    ("recv", "r.....o"), ("sendrecv", "s....r.....o"), ("sendrecv_replace", "b.......o"),
    ("isend", "s.....o"), ("issend", "s.....o"), ("irsend", "s.....o"), ("ibsend", "s.....o"),
    ("irecv", "r.....o"),
    ("send_init", "s.....o"), ("ssend_init", "s.....o"), ("rsend_init", "s.....o"),
    ("bsend_init", "s.....o"), ("recv_init", "r.....o"),
    ("start", "o"), ("startall", ".o"), ("request_free", "o"), ("cancel", "o"),
    ("wait", "oo"), ("waitall", ".oo"), ("waitany", ".ooo"), ("waitsome", ".oooo"),
    ("test", "ooo"), ("testall", ".ooo"), ("testany", ".oooo"), ("testsome", ".oooo"),
    // Among neighbours.
    ("neighbor_allgather", "s..r..."), ("neighbor_allgatherv", "s..rii.."),
    ("neighbor_alltoall", "s..r..."), ("neighbor_alltoallv", "sii.rii.."),
    ("neighbor_alltoallw", "siiiriii."),
    // Among all.
    ("bcast", "b...."), ("reduce", "sb....."), ("allreduce", "sb...."),
    ("reduce_scatter", "sbi..."), ("reduce_scatter_block", "sb...."),
    ("scan", "sb...."), ("exscan", "sb...."),
    ("gather", "s..b...."), ("gatherv", "s..bii..."), ("scatter", "s..b...."),
    ("scatterv", "sii.b...."), ("allgather", "s..b..."), ("allgatherv", "s..bii.."),
    ("alltoall", "s..b..."), ("alltoallv", "sii.bii.."), ("alltoallw", "siiibiii."),
];

/// What the names end with of those whose request is started later.
const KEEPING: &str = "_init";
/// Those that access memory which was named before.
const STARTING: &[&str] = &["start", "startall"];

/// The part of a symbol that names the operation, and whether it is Fortran's.
fn operation(symbol: &str) -> Option<(&str, bool)> {
    if let Some(name) = symbol.strip_prefix("MPI_") {
        let is_c = name.bytes().skip(1).all(|c| c.is_ascii_lowercase() || c == b'_');
        return is_c.then_some((name, false));
    }
    symbol.strip_prefix("mpi_")?.strip_suffix('_').map(|name| (name, true))
}

/// What an operation does with its arguments, the last of Fortran's being that for the error code; `None` for
/// what is no operation with a derivative.
pub fn roles(symbol: &str) -> Option<Vec<Role>> {
    let (name, is_fortran) = operation(symbol)?;
    let small = name.to_ascii_lowercase();
    let own = find(&small)?;
    if !is_fortran {
        return Some(own);
    }
    // Lists of handles are integers there.
    if small.ends_with("alltoallw") {
        return None;
    }
    // Numbers and handles are given by reference.
    let by_reference = own.into_iter().map(|r| if r == Role::Value { Role::Read } else { r });
    Some(by_reference.chain([Role::Written]).collect())
}

/// The roles of an operation of this name in small letters. Among all ranks, there is one of each that does not wait, with a
/// request more.
fn find(name: &str) -> Option<Vec<Role>> {
    let known = |name: &str| OPERATIONS.iter().position(|(known, _)| *known == name);
    let first = known("bcast")?;
    let of = |at: usize| OPERATIONS[at].1.bytes().map(Role::of_letter);
    if let Some(at) = known(name) {
        return Some(of(at).collect());
    }
    let waiting = known(name.strip_prefix('i')?).filter(|at| *at >= first)?;
    Some(of(waiting).chain([Role::Written]).collect())
}

/// The operation that a call of a stand-in stands for.
pub fn called(call: &ValueData) -> Option<&str> {
    let Op::Call(Callee::Custom) = call.op else { return None };
    call.symbol.as_deref()?.strip_suffix(SUFFIX)
}

/// Whether a call is one of a stand-in.
pub fn is_call(call: &ValueData) -> bool {
    called(call).is_some()
}

/// The roles of the arguments of such a call, but for the last one.
pub fn roles_of(call: &ValueData) -> Option<Vec<Role>> {
    roles(called(call)?)
}

/// The operation of such a call in small letters.
fn name_of(call: &ValueData) -> Option<String> {
    called(call).and_then(operation).map(|(name, _)| name.to_ascii_lowercase())
}

/// The argument of such a call that names memory into which is received later.
pub fn received_later(call: &ValueData) -> Option<usize> {
    let name = name_of(call)?;
    let waits = OPERATIONS.iter().any(|(known, _)| *known == name) && name != "irecv";
    if waits && name != "recv_init" {
        return None;
    }
    roles_of(call)?.iter().position(|role| matches!(role, Role::Received | Role::Both))
}

/// The argument of such a call that names memory which later calls access. Of other addresses nothing is kept that code may
/// notice.
pub fn kept(call: &ValueData) -> Option<usize> {
    let is_kept = name_of(call)?.ends_with(KEEPING);
    received_later(call).or(is_kept.then_some(0))
}

/// Whether such a call ends what others have begun: requests are its first argument, or behind their number.
pub fn is_waiting(call: &ValueData) -> bool {
    name_of(call).is_some_and(|name| name.starts_with("wait") || name.starts_with("test"))
}

/// Whether such a call accesses memory that earlier ones were given.
pub fn is_starting(call: &ValueData) -> bool {
    name_of(call).is_some_and(|name| STARTING.contains(&&*name))
}

/// Functions of MPI, in small letters, that access nothing but what they are given at once, and carry nothing; and how the
/// names of such ones begin.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "barrier", "get_count", "get_elements", "get_elements_x", "get_processor_name", "get_version",
    "get_library_version", "initialized", "finalized", "query_thread", "is_thread_main", "probe",
    "iprobe", "wtime", "wtick", "pcontrol", "dims_create", "abort", "test_cancelled",
    "error_string", "error_class",
];
const PLAIN_BEGINS: &[&str] =
    &["comm_", "group_", "type_", "cart", "graph", "dist_graph_", "topo_", "intercomm_", "status_"];
/// Parts of names of functions that keep an address, call a function of the program, or make ranks.
const NOT_PLAIN: &[&str] =
    &["attr", "keyval", "errhandler", "spawn", "connect", "accept", "join", "info", "get_contents"];

/// Whether a function of MPI accesses nothing but what it is given at once, and carries nothing.
pub fn is_plain(symbol: &str) -> bool {
    let Some((name, _)) = operation(symbol) else { return false };
    let name = name.to_ascii_lowercase();
    let is_one =
        PLAIN.contains(&&*name) || PLAIN_BEGINS.iter().any(|start| name.starts_with(start));
    is_one && !NOT_PLAIN.iter().any(|part| name.contains(part))
}

/// Whether the first argument of a function of MPI that carries nothing is a handle of a communicator, by value.
pub fn begins_with_handle(symbol: &str) -> bool {
    ["MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_graph_", "MPI_Topo_", "MPI_Barrier"]
        .iter()
        .any(|start| symbol.starts_with(start))
}

/// Whether the types of a function's parameters are those of an operation.
pub fn fits(roles: &[Role], params: &[Ty]) -> bool {
    let is_pointer = |role: &Role| *role != Role::Value;
    params.len() == roles.len()
        && roles.iter().zip(params).all(|(role, ty)| match ty {
            Ty::Ptr => true,
            Ty::Int(_) => !is_pointer(role),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Role::*;

    #[test]
    fn names_of_c_and_fortran_are_known() {
        assert_eq!(roles("MPI_Send"), Some(vec![Sent, Value, Value, Value, Value, Value]));
        let fortran = vec![Both, Read, Read, Read, Read, Written];
        assert_eq!(roles("mpi_bcast_"), Some(fortran));
        assert_eq!(roles("MPI_Ibcast").map(|roles| roles.len()), Some(6));
        for other in [
            "MPI_Iwait", "MPI_Put", "mpi_send", "MPI_SEND", "PMPI_Send", "MPI_Send_",
            "MPI_Comm_rank",
        ] {
            assert_eq!(roles(other), None, "{other}");
        }
    }

    #[test]
    fn what_keeps_addresses_is_not_plain() {
        for name in ["MPI_Comm_rank", "mpi_comm_split_", "MPI_Type_vector", "MPI_Barrier"] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["MPI_Comm_set_attr", "MPI_Alloc_mem", "MPI_Win_create", "MPI_Comm_spawn"] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn parameters_of_other_types_do_not_fit() {
        let send = roles("MPI_Send").unwrap_or_default();
        let int = Ty::Int(32);
        assert!(fits(&send, &[Ty::Ptr, int, int, int, int, int]));
        assert!(fits(&send, &[Ty::Ptr, int, Ty::Ptr, int, int, Ty::Ptr]));
        assert!(!fits(&send, &[int; 6]));
        assert!(!fits(&send, &[Ty::Ptr, int]));
    }
}
