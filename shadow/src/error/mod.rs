//! What the shadow runtime refuses, and how it is reported.

pub mod memory;
pub mod recording;

use thiserror::Error;

use crate::machine::running;

/// See the variants.
#[derive(Debug, Error)]
pub enum Error {
    /// No room within reach.
    #[error(
        "no memory for translated code within reach of {near:#x}; raise the limit of address space (ulimit -v)"
    )]
    NoMemory {
        /// The code that was to be translated.
        near: u64,
    },
    /// An address without code.
    #[error(
        "machine code jumps to {address:#x}, where no library has code: code that is generated at run time is not supported; keep the call out of the differentiated code, or register a derivative of the function"
    )]
    NoCode {
        /// Where it leads.
        address: u64,
    },
    /// An instruction that cannot be copied.
    #[error(
        "{instruction} at {address:#x} cannot be translated: {why}; compile the library without it, or register a derivative of the function"
    )]
    Instruction {
        /// Where it is.
        address: u64,
        /// As an assembler writes it.
        instruction: String,
        /// The reason.
        why: String,
    },
    /// Active data meets an instruction without a rule.
    #[error(
        "the instruction {instruction} at {address:#x} in {library} has no derivative, but \
        {operand} is active ({why}); keep active data away from it, or register a derivative of the function"
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
    Recording(#[from] recording::Error),
    /// A function with a library model that has no derivative here.
    #[error(
        "the call of {function} in {library} has no derivative: {why}; keep active data away from it, or register a derivative of the function that calls it"
    )]
    Call {
        /// Its symbol.
        function: String,
        /// The file that the call is from.
        library: String,
        /// The reason.
        why: String,
    },
    /// Work for other threads, whose derivatives are not followed.
    #[error(
        "{library} calls {function}, which passes work to another thread: derivatives of that work \
        would be lost; run the library in one thread (OMP_THREAD_LIMIT=1, OPENBLAS_NUM_THREADS=1)"
    )]
    Threads {
        /// The function that hands it over.
        function: &'static str,
        /// The file that has it.
        library: String,
    },
    /// The same, as it happened.
    #[error(
        "a thread of {library} ran during this call: derivatives of its work would be lost; run \
        the library in one thread (OPENBLAS_NUM_THREADS=1), or, if the thread works for the \
        program, let it call adshadow_own_thread"
    )]
    Worker {
        /// The file that the thread's code is from.
        library: String,
    },
    /// An object whose size is unknown.
    #[error(
        "{name} points to {at:#x}, but the size of {what} there is not known; allocate it on the \
        heap, or state its size (adshadow_object, adshadow_global)"
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
    #[error(
        "{name} points to more than {most} objects, directly or through other pointers; pass fewer objects, or keep them in one block"
    )]
    TooManyObjects {
        /// The pointer.
        name: &'static str,
        /// The bound.
        most: usize,
    },
    /// Shadow memory.
    #[error("{0}")]
    Memory(#[from] memory::Error),
    /// Differentiated code that a library calls.
    #[error(
        "differentiated code calls it within a library call of {outer}: derivatives of derivatives are not supported there; request the derivative outside of the callback"
    )]
    Nested {
        /// The call outside.
        outer: String,
    },
    /// The interface was not used as its header says.
    #[error(
        "calls of the adshadow interface are out of order: {0}; see adshadow.h for their order"
    )]
    Order(&'static str),
    /// An adjoint that would be lost.
    #[error(
        "the adjoint at {at:#x} belongs to memory where the call wrote an integer that was \
        computed from bits of reals: the integer has no derivative; register a derivative of the function"
    )]
    Integer {
        /// Where the adjoint is.
        at: u64,
    },
    /// A pointer in library memory that may lead to an object of the program.
    #[error(
        "differentiated code uses memory at {pointer:#x} through a pointer in memory that it got \
        from `{function}`, and it is not known whether this memory has a shadow elsewhere; pass \
        the memory to the function, or name the active variables in the request"
    )]
    UnknownShadow {
        /// What returned it.
        function: String,
        /// Where it leads.
        pointer: u64,
    },
    /// A null pointer in generated code, in a tangent.
    #[error(
        "differentiated code uses a null pointer: it is one of the program, or the shadow of a \
        pointer in library memory whose shadow is not known; let functions of the library read and \
        write the memory behind the pointer, or pass memory of the program"
    )]
    NullShadow,
    /// Library memory in generated code, in a recording.
    #[error(
        "in reverse mode, differentiated code uses memory at {pointer:#x} that it got from \
        `{function}`: only machine code can access the derivatives of library memory; let \
        functions of the library read and write the memory, pass memory of the program, or use \
        tangent mode"
    )]
    LibraryMemory {
        /// The function.
        function: String,
        /// Where the memory is.
        pointer: u64,
    },
    /// A float and an integer of a struct share a register.
    #[error(
        "its result has an active real and an integer in one register; let the library write the \
        result to memory"
    )]
    SharedRegister,
    /// An integer or a pointer that a function returns is the bits of an active real.
    #[error(
        "its result is an integer or a pointer that holds the bits of active reals: reals that are \
        made of these bits have no derivative; let the library return reals, or write them to \
        memory"
    )]
    ReturnedBits,
    /// A pointer to memory of a library, and the shadow that it had in the other mode.
    #[error(
        "a retained pointer points to library memory at {pointer:#x}, and its shadow is from \
        {mode}: the two modes keep derivatives at different addresses; get the pointer from the \
        library again"
    )]
    OldShadow {
        /// Where it leads.
        pointer: u64,
        /// Where the shadow is from.
        mode: &'static str,
    },
    /// Equal numbers, where code asks for that.
    #[error(
        "{instruction} at {address:#x} in {library} compared equal numbers ({value}), one of which \
        is active, and a branch depends on it: the derivative is that of the branch taken, which \
        may leave out a part, for example where code skips an exact zero; use another point, or \
        compare the derivative with differences (ADSHADOW_TIES=error makes this an error, =quiet \
        suppresses it)"
    )]
    Equality {
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
        "{instruction} at {address:#x} in {library} found an active number equal to a number \
        ({value}) that the library has kept in its variables since before this derivative: results \
        that the library keeps with that number count as constants, and their derivatives would be \
        lost; call the function with another number first, so that the library replaces what it \
        keeps, or accept this (ADSHADOW_TIES=quiet)"
    )]
    EqualToLibrary {
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
        "the program is linked with {name}, which takes the allocation functions and the address \
        space that derivatives through machine code need; build without that sanitizer \
        (-fsanitize=undefined can stay), or give the function a body or a derivative"
    )]
    Sanitizer {
        /// Its name.
        name: &'static str,
    },
    /// Data of other processes.
    #[error(
        "{library} calls {function}, which exchanges data with other processes: the derivatives of \
        these data are not known; keep the call out of the differentiated code, or declare the \
        function inactive (--ad-prebuilt=NAME=inactive)"
    )]
    Exchange {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// A number that is read from the text of an active one.
    #[error(
        "{library} calls {function} to read a number from text that was written from an active \
        number: the derivative is lost; pass the number itself, beside its text"
    )]
    Text {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// A handler of a signal, which the system calls.
    #[error(
        "{library} calls {function}, which runs a signal handler: the derivative cannot follow the \
        handler; call the handler function directly, or keep signals out of the differentiated \
        code"
    )]
    Signal {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// Active bytes in a stream that is no file.
    #[error(
        "{library} calls {function} with active numbers and a stream in memory: numbers that are \
        read back would be constants; copy them with memcpy"
    )]
    Stream {
        /// The function.
        function: &'static str,
        /// The file that calls it.
        library: String,
    },
    /// Active data in memory that others see under other addresses.
    #[error(
        "the library wrote an active number at {at:#x}, in memory that is shared with other \
        mappings or processes (MAP_SHARED): a number that is read there through another address \
        has no derivative; let the library use private memory, or register a derivative of the \
        function"
    )]
    SharedMemory {
        /// Where it is.
        at: u64,
    },
    /// An allocator that is not the one of this library.
    #[error(
        "another library replaces malloc, so the sizes of objects are not known; link \
        libadshadow.a before that library"
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
            Error::Equality { .. } => "AS050",
            Error::EqualToLibrary { .. } => "AS051",
            Error::Exchange { .. } => "AS052",
            Error::Text { .. } => "AS053",
            Error::SharedMemory { .. } => "AS054",
            Error::Signal { .. } => "AS056",
            Error::Stream { .. } => "AS057",
            Error::ReturnedBits => "AS058",
            Error::Memory(e) => e.code(),
        }
    }
}

/// Reports the error and ends the program, which could only go on with wrong numbers.
pub fn stop(error: &Error) -> ! {
    match running::function_name() {
        None => eprintln!("adshadow: {}: {error}", error.code()),
        Some(function) => {
            eprintln!("adshadow: {}: in the call of `{function}`: {error}", error.code());
        }
    }
    std::process::abort()
}

/// Reports what may be other than expected; the program continues.
pub fn note(what: &Error, function: &str) {
    eprintln!("adshadow: {}: note: in the call of `{function}`: {what}", what.code());
}
