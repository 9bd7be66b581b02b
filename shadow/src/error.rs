//! Why code cannot be translated.

use thiserror::Error;

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
    #[error("a jump to {address:#x}, where there is no code")]
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
    #[error("{instruction} at {address:#x} in {library} has no derivative here, and its {operand} is active ({why})")]
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
}
