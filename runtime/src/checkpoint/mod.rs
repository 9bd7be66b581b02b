//! Checkpoints: which states of a loop are kept, and which steps run again.

pub mod online;
pub mod schedule;
