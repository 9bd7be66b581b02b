//! Why a recording cannot go on.

use thiserror::Error;

/// Why a recording cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// No memory for entries.
    #[error(
        "the recording of this thread has {bytes} bytes, and there is no memory for more ({why}); \
        record less at once (use checkpoints or a smaller region), or give the program more memory"
    )]
    NoMemory {
        /// What it has.
        bytes: u64,
        /// The reason.
        why: String,
    },
    /// No indices.
    #[error(
        "one recording has more than {count} active operations; record less at once (use \
        checkpoints or a smaller region)"
    )]
    NoIndices {
        /// How many there are.
        count: u32,
    },
    /// Address space that could not be had.
    #[error(
        "there is no address space for a recording: {0}; allow the program more (ulimit -v \
        unlimited, sysctl vm.overcommit_memory=0)"
    )]
    NoSpace(String),
    /// A segment that is not recorded.
    #[error("{what}; reverse each segment once, last to first")]
    Order {
        /// What was tried.
        what: &'static str,
    },
    /// Dots where indices are.
    #[error(
        "a tangent and a recording exist at the same time: shadow memory holds either tangents or \
        indices; finish the reverse sweep of all that was recorded first"
    )]
    Tangent,
    /// An adjoint that is no double.
    #[error(
        "{what} is a long double outside the range of double, and its adjoint, which is stored as \
        a double, may be outside too; scale it within the library, or use tangent mode"
    )]
    Range {
        /// What is.
        what: &'static str,
    },
    /// An operand whose entry is gone.
    #[error(
        "a library used a value (index {index}) that it kept from a call whose reverse sweep is \
        done, from another derivative or from another thread: its derivative is not known any \
        more; initialise the library again in each recording"
    )]
    Stale {
        /// Its index.
        index: u32,
    },
}

impl Error {
    /// A number for documents and searches; it stays.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NoMemory { .. } => "AS040",
            Error::NoIndices { .. } => "AS041",
            Error::NoSpace(_) => "AS042",
            Error::Order { .. } => "AS043",
            Error::Stale { .. } => "AS044",
            Error::Range { .. } => "AS055",
            Error::Tangent => "AS049",
        }
    }
}
