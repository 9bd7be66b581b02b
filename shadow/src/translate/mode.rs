//! What the program is translated to.

/// What is translated to what.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// The program alone.
    Plain,
    /// With dots.
    Tangent,
    /// With a recording.
    Recording,
}

impl Mode {
    /// Whether there is shadow code.
    pub fn has_shadows(self) -> bool {
        self != Mode::Plain
    }
}
