//! What a tangent carries beside each value.

/// What a tangent carries beside each real.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Carried {
    /// Its derivatives in so many directions.
    Derivatives(usize),
    /// The set of the inputs that it depends on (sets.rs).
    Sets,
}

impl Carried {
    /// The derivative in one direction.
    pub const ONE: Carried = Carried::Derivatives(1);

    /// How many values stand beside each real.
    pub fn width(self) -> usize {
        match self {
            Carried::Derivatives(width) => width,
            Carried::Sets => 1,
        }
    }
}
