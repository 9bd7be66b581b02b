//! What shadow memory refuses.

use thiserror::Error;

/// See the variants.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// Memory without shadow.
    #[error("memory at {at:#x} has no shadow: {why}")]
    NotCovered {
        /// The first such address.
        at: u64,
        /// Why, and what helps.
        why: String,
    },
    /// An unknown derivative.
    #[error(
        "the derivative of {what} is not known: it was computed from bits of reals, {made}; register a derivative of the function"
    )]
    Unknown {
        /// The result, or a number of an object.
        what: String,
        /// By what.
        made: String,
    },
    /// The segment register GS cannot be had.
    #[error("the segment register GS of this thread cannot be used: {0}")]
    Segment(String),
    /// An object whose size is unknown.
    #[error(
        "the size of `{name}` at {at:#x} is not known, and the memory after it may belong to \
        another object; state its size"
    )]
    ExtentUnknown {
        /// The object.
        name: &'static str,
        /// Where it is.
        at: u64,
    },
    /// A size that is no whole number of elements, or goes beyond the address space.
    #[error("`{name}` at {at:#x} has {bytes} bytes: {why}; register it with its true size")]
    Extent {
        /// The object.
        name: &'static str,
        /// Where it is.
        at: u64,
        /// Its size.
        bytes: u64,
        /// What is wrong with that.
        why: &'static str,
    },
    /// One place that is to have two shadows.
    #[error(
        "`{one}` and `{other}` share memory at {at:#x}, but their shadows do not; give overlapping objects shadows that overlap in the same way"
    )]
    TwoShadows {
        /// The object registered first.
        one: &'static str,
        /// The second.
        other: &'static str,
        /// Where both are.
        at: u64,
    },
    /// Two places that are to have one shadow, or a shadow that is an object itself.
    #[error(
        "the shadow of `{one}` overlaps `{other}` or its shadow at {at:#x}; give each object a shadow of its own"
    )]
    SharedShadow {
        /// One of them.
        one: &'static str,
        /// The other.
        other: &'static str,
        /// Where both are.
        at: u64,
    },
    /// One place that is said to hold two kinds of elements.
    #[error(
        "`{one}` and `{other}` share memory at {at:#x}, but are registered with different types; register both with the same type"
    )]
    TwoKinds {
        /// The object registered first.
        one: &'static str,
        /// The second.
        other: &'static str,
        /// Where both are.
        at: u64,
    },
    /// A layout that would have to be known.
    #[error(
        "the type of the data in `{name}` at {at:#x} is not known: {why}; state its layout (adshadow_layout)"
    )]
    KindUnknown {
        /// The object.
        name: &'static str,
        /// Where.
        at: u64,
        /// Why it would have to be.
        why: &'static str,
    },
    /// A derivative that would be lost.
    #[error(
        "an active value was written to `{name}` at {at:#x}, which is constant: its derivative \
        would be lost; pass the object as active, with a shadow (ad_dup), or let the library write \
        elsewhere"
    )]
    WrittenToConstant {
        /// The object.
        name: &'static str,
        /// Where.
        at: u64,
    },
    /// A pointer whose shadow is unknown.
    #[error(
        "the pointer in `{name}` at {at:#x} was changed to {to:#x}, which has no known shadow; pass the memory there to the call as active, with its shadow, or let the function return the pointer"
    )]
    Pointer {
        /// The object that holds it.
        name: &'static str,
        /// Where.
        at: u64,
        /// What it points to.
        to: u64,
    },
    /// Memory that another thread uses in a call at the same time.
    #[error(
        "a library call of another thread uses `{name}` at {at:#x}; register for each thread only \
        the objects that it uses"
    )]
    OtherThread {
        /// The object.
        name: &'static str,
        /// Where.
        at: u64,
    },
    /// Memory of a library that waits for a callback, with derivatives in it, registered with
    /// another shadow.
    #[error(
        "`{name}` at {at:#x} holds derivatives of the library that made this callback; register it \
        with the library's shadow"
    )]
    LibraryMemory {
        /// The object.
        name: &'static str,
        /// Where.
        at: u64,
    },
    /// Indices have 32 bits.
    #[error(
        "no indices are left for the elements of `{name}` at {at:#x}; record less at once (use checkpoints or a smaller region)"
    )]
    NoIndices {
        /// The object.
        name: &'static str,
        /// Where.
        at: u64,
    },
    /// A derivative where only integers are.
    #[error(
        "an active value was written to `{name}` at {at:#x}, where the object holds an integer, a pointer or padding: its derivative would be lost; register the object with its true layout, or use a member that is a real"
    )]
    NoReal {
        /// The object.
        name: &'static str,
        /// Where.
        at: u64,
    },
    /// A write that nobody else sees.
    #[error(
        "a library wrote to `{name}` at {at:#x} through a retained pointer, in a call that did not \
        receive the object: its derivatives are lost, because between calls, shadow memory of user \
        objects is poisoned; pass the object to each call that uses it"
    )]
    WrittenPoisoned {
        /// The object, as the call named it that was given it.
        name: &'static str,
        /// Where.
        at: u64,
    },
    /// What a library has left behind pointers in constant objects.
    #[error(
        "the program reads memory at {at:#x} as constant, but a library wrote an active value \
        there: its derivative would be lost; mark the argument that points there as active \
        (ad_dup, with a shadow), or let functions of the library read it"
    )]
    ReadAsConstant {
        /// Where.
        at: u64,
    },
    /// An object with a shadow, behind a pointer that has none.
    #[error(
        "the program uses an active object at {at:#x} through a pointer without a shadow: the \
        pointer was stored by code that adcc did not compile (a library, or a function that a \
        library calls), and the derivatives would be lost; let the function return the pointer or \
        store it in a struct that is passed as active, or store it in the differentiated function \
        itself"
    )]
    UsedBeside {
        /// Where.
        at: u64,
    },
    /// An object that is poisoned, and large.
    #[error(
        "a library uses an argument of the derivative, an array at {at:#x}, through a retained \
        pointer: between calls, shadow memory of user objects is poisoned; pass the array to the \
        call"
    )]
    UsedPoisoned {
        /// Where.
        at: u64,
    },
    /// Indices where none may be.
    #[error(
        "reals of another width than it holds were written to `{name}` at {at:#x}; register the object with the type that the library writes"
    )]
    Mixed {
        /// The object.
        name: &'static str,
        /// Where.
        at: u64,
    },
}

impl Error {
    /// A number for documents and searches; it stays.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Unknown { .. } => "AS012",
            Error::NotCovered { .. } => "AS020",
            Error::Segment(_) => "AS021",
            Error::ExtentUnknown { .. } | Error::Extent { .. } => "AS022",
            Error::TwoShadows { .. } => "AS023",
            Error::SharedShadow { .. } => "AS024",
            Error::TwoKinds { .. } => "AS025",
            Error::KindUnknown { .. } => "AS026",
            Error::WrittenToConstant { .. }
            | Error::ReadAsConstant { .. }
            | Error::UsedBeside { .. } => "AS027",
            Error::Pointer { .. } => "AS028",
            Error::OtherThread { .. } => "AS029",
            Error::LibraryMemory { .. } => "AS030",
            Error::NoIndices { .. } => "AS031",
            Error::Mixed { .. } => "AS032",
            Error::NoReal { .. } => "AS033",
            Error::WrittenPoisoned { .. } | Error::UsedPoisoned { .. } => "AS034",
        }
    }
}
