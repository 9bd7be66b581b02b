//! Checkpoints: which states of a loop are kept, which steps run again, and the loop's two sweeps.

mod check;
mod driver;
mod fixed_point;
mod independent;
pub mod online;
mod regions;
mod samples;
pub mod schedule;
mod snapshots;
mod words;

pub use driver::{Steps, adrt_checkpoint_forward, adrt_checkpoint_reverse};
pub use fixed_point::{adrt_fixed_point_forward, adrt_fixed_point_reverse};
pub use independent::{adrt_independent_forward, adrt_independent_reverse};
pub use regions::{adrt_checkpoint_keep_end, adrt_checkpoint_region};
