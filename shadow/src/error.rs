//! What the shadow runtime refuses, and how the program is told.

use std::ffi::CStr;

use thiserror::Error;

use crate::{border::thread, mirror};

/// See the variants.
#[derive(Debug, Error)]
pub enum Error {
    /// No room within reach.
    #[error("no memory for translated code within reach of {near:#x}")]
    NoMemory {
        /// The code that was to be translated.
        near: u64,
    },
    /// An address without code.
    #[error(
        "a jump to {address:#x}, where no library has code: what was made at run time is not followed"
    )]
    NoCode {
        /// Where it leads.
        address: u64,
    },
    /// An instruction that cannot be copied.
    #[error("{instruction} at {address:#x} cannot be translated: {why}")]
    Instruction {
        /// Where it is.
        address: u64,
        /// As an assembler writes it.
        instruction: String,
        /// What is in the way.
        why: String,
    },
    /// Active data meets an instruction without a rule.
    #[error(
        "{instruction} at {address:#x} in {library} has no derivative here, and {operand} is active ({why})"
    )]
    Active {
        /// The file that the code is from.
        library: String,
        /// Where it is.
        address: u64,
        /// As an assembler writes it.
        instruction: String,
        /// What of it is active.
        operand: String,
        /// Why that has no derivative.
        why: String,
    },
    /// A recording that cannot go on.
    #[error(transparent)]
    Recording(#[from] crate::recording::Error),
    /// A known function that has no derivative here.
    #[error("a call of {function} in {library} has no derivative: {why}")]
    Call {
        /// Its symbol.
        function: String,
        /// The file that the call is from.
        library: String,
        /// The reason.
        why: String,
    },
    /// Work for other threads, whose derivatives nobody follows.
    #[error(
        "{library} calls {function}: what another thread computes would be lost; let it run in one thread (OMP_THREAD_LIMIT=1, OPENBLAS_NUM_THREADS=1)"
    )]
    Threads {
        /// The function that hands it over.
        function: &'static str,
        /// The file that has it.
        library: String,
    },
    /// The same, as it happened.
    #[error(
        "a thread of {library} ran during this call: what it computed would be lost; let the library run in one thread (OPENBLAS_NUM_THREADS=1), or let a thread \
         that works for the program say so (adshadow_own_thread)"
    )]
    Worker {
        /// The file that the thread's code is from.
        library: String,
    },
    /// An object whose size nobody knows.
    #[error(
        "{name} leads to {at:#x}, and how long {what} is there is not known; allocate it on the heap, or tell its size (adshadow_object, adshadow_global)"
    )]
    ExtentUnknown {
        /// The pointer.
        name: &'static str,
        /// The object, or its shadow.
        what: &'static str,
        /// Where that is.
        at: u64,
    },
    /// A bound against endless structures.
    #[error("{name} leads to more than {most} objects")]
    TooManyObjects {
        /// The pointer.
        name: &'static str,
        /// The bound.
        most: usize,
    },
    /// Shadow memory.
    #[error("{0}")]
    Mirror(#[from] mirror::Error),
    /// Differentiated code that a library calls.
    #[error(
        "it is called by differentiated code that runs within a library call of {outer}: derivatives of derivatives have no rule there"
    )]
    Nested {
        /// The call outside.
        outer: String,
    },
    /// The interface was not used as its header says.
    #[error("the calls of the interface are out of order: {0}")]
    Order(&'static str),
    /// An adjoint that would be lost.
    #[error(
        "the adjoint at {at:#x} is of a place where the call wrote an integer that was made of bits of reals: it has no derivative"
    )]
    Integer {
        /// Where the adjoint is.
        at: u64,
    },
    /// A pointer in library memory that may lead to an object of the program.
    #[error(
        "differentiated code uses memory at {pointer:#x} by a pointer in memory that it has from `{function}`, and it is not known whether the program has a shadow \
         for it elsewhere: pass the memory to the function, or name the variables that the derivative is asked for with in the request"
    )]
    UnknownShadow {
        /// What returned it.
        function: String,
        /// Where it leads.
        pointer: u64,
    },
    /// A null pointer in generated code, in a tangent.
    #[error(
        "differentiated code uses a null pointer: one of the program, or the shadow of a pointer in memory of a library, of which no shadow is known; let functions of the \
         library read and write what it leads to, or pass memory of the program"
    )]
    NullShadow,
    /// Library memory in generated code, in a recording.
    #[error(
        "differentiated code uses memory at {pointer:#x} that it has from `{function}`, in reverse mode: the derivatives of library memory are known to machine \
         code only; let functions of the library read and write it, or pass memory of the program, or use tangent mode"
    )]
    LibraryMemory {
        /// The function.
        function: String,
        /// Where the memory is.
        pointer: u64,
    },
    /// A float and an integer of a struct share a register.
    #[error(
        "its result has a real and an integer in one register, and the real is active: let the library write it to memory"
    )]
    SharedRegister,
    /// An integer or a pointer that a function returns is the bits of an active real.
    #[error(
        "its result is an integer or a pointer for the program, and has the bits of active reals: what they become again has no derivative; let the library return reals, or write them to memory"
    )]
    ReturnedBits,
    /// A pointer to memory of a library, and the shadow that it had in the other mode.
    #[error(
        "a pointer that was kept leads to memory of a library at {pointer:#x}, and its shadow is from {mode}: the other mode has derivatives elsewhere; ask the library for the \
         pointer again"
    )]
    OldShadow {
        /// Where it leads.
        pointer: u64,
        /// Where the shadow is from.
        mode: &'static str,
    },
    /// Equal numbers, where code asks for that.
    #[error(
        "{instruction} at {address:#x} in {library} found numbers equal ({value}) of which one has a derivative, and the code asks for that: the derivative is that of the \
         branch taken, which may leave a part out, as where an exact zero is skipped; take another point, or compare the derivative with differences \
         (ADSHADOW_TIES=error stops here, =quiet says nothing)"
    )]
    Tie {
        /// The file that the code is from.
        library: String,
        /// Where it is.
        address: u64,
        /// As an assembler writes it.
        instruction: String,
        /// What both are.
        value: f64,
    },
    /// The same, where the other number is one that the library keeps.
    #[error(
        "{instruction} at {address:#x} in {library} found a number with a derivative equal to one that the library keeps in its variables ({value}), since before this derivative was \
         asked for: what it keeps beside it counts as a constant, and the derivative would be lost where that is used; call the function with another number first, \
         so that it forgets, or accept this (ADSHADOW_TIES=quiet)"
    )]
    Kept {
        /// The file that the code is from.
        library: String,
        /// Where it is.
        address: u64,
        /// As an assembler writes it.
        instruction: String,
        /// What both are.
        value: f64,
    },
    /// A sanitizer, which watches each access to memory and each allocation as this library does.
    #[error(
        "the program is linked with {name}: it takes the allocation functions and the address space that derivatives through machine code need; build without that \
         sanitizer (-fsanitize=undefined can stay), or give the function a body or a derivative"
    )]
    Sanitizer {
        /// Its name.
        name: &'static str,
    },
    /// Data of other processes.
    #[error(
        "{library} calls {function}, which exchanges data with other processes: how they depend on each other's inputs is not known here; keep the call out of the differentiated code, or \
         say that it is inactive (--ad-prebuilt=NAME=inactive)"
    )]
    Exchange {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// A number that is read from the text of an active one.
    #[error(
        "{library} calls {function} to read a number from text that was made of an active number: the derivative is lost; hand the number on itself, beside its text"
    )]
    Text {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// A handler of a signal, which the system calls.
    #[error(
        "{library} calls {function}, by which a handler of a signal runs: what it does with active data is not followed; call the function yourself, or keep signals out of the differentiated code"
    )]
    Signal {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// Active bytes in a stream that is no file.
    #[error(
        "{library} calls {function} on active numbers and a stream in memory: they would come back as constants; copy them by memcpy"
    )]
    Stream {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// Active data in memory that others see under other addresses.
    #[error(
        "the library left an active number at {at:#x}, in memory that is shared with other mappings or processes (MAP_SHARED): what is read there under another address has no derivative; \
         have the library use memory of its own, or give the function a derivative"
    )]
    SharedMemory {
        /// Where it is.
        at: u64,
    },
    /// An allocator that is not the one of this library.
    #[error(
        "another library replaces malloc: without it the sizes of objects are not known; link libadshadow.a before it"
    )]
    Allocator,
}

impl Error {
    /// A number for documents and searches; it stays.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NoMemory { .. } => "AS001",
            Error::NoCode { .. } => "AS002",
            Error::Instruction { .. } => "AS003",
            Error::Active { .. } => "AS004",
            Error::Call { .. } => "AS005",
            Error::Threads { .. } | Error::Worker { .. } => "AS006",
            Error::Nested { .. } => "AS007",
            Error::Order(_) => "AS008",
            Error::Sanitizer { .. } => "AS060",
            Error::Allocator => "AS009",
            Error::ExtentUnknown { .. } => "AS010",
            Error::TooManyObjects { .. } => "AS011",
            Error::Recording(e) => e.code(),
            Error::Integer { .. } => "AS012",
            Error::LibraryMemory { .. } | Error::UnknownShadow { .. } | Error::NullShadow => {
                "AS013"
            }
            Error::SharedRegister => "AS014",
            Error::OldShadow { .. } => "AS015",
            Error::Tie { .. } => "AS050",
            Error::Kept { .. } => "AS051",
            Error::Exchange { .. } => "AS052",
            Error::Text { .. } => "AS053",
            Error::SharedMemory { .. } => "AS054",
            Error::Signal { .. } => "AS056",
            Error::Stream { .. } => "AS057",
            Error::ReturnedBits => "AS058",
            Error::Mirror(e) => e.code(),
        }
    }
}

/// Tells the program's user, and ends the program: nothing that would be wrong goes on.
pub fn stop(error: &Error) -> ! {
    let function = thread::function();
    if function.is_null() {
        eprintln!("adshadow: {}: {error}", error.code());
    } else {
        // SAFETY: the name that generated code gave, a constant of its own.
        let function = unsafe { CStr::from_ptr(function) }.to_string_lossy();
        eprintln!("adshadow: {}: in the call of `{function}`: {error}", error.code());
    }
    std::process::abort()
}

/// Tells the program's user what may be other than expected, and goes on.
pub fn note(what: &Error, function: &str) {
    eprintln!("adshadow: {}: note: in the call of `{function}`: {what}", what.code());
}
