//! The plots of the measurements, as SVG on a white ground, so that they can be read on light pages
//! and on dark ones.
//!
//! [`bars()`] compares ratios, [`panels`] show how something changes. Both have logarithmic scales;
//! `style` has their colours, fonts and legends.

mod bars;
mod curves;
mod style;

pub use bars::{Group, bars};
pub use curves::{Curve, Panel, panels};
