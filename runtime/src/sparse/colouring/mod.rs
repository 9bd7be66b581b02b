//! Colourings: which columns of a sparse matrix one direction can hold.
//!
//! What is coloured and why: Gebremedhin, Manne, Pothen, What color is your Jacobian? Graph
//! coloring for computing derivatives, SIAM Review 47 (2005). All colourings here are greedy: each
//! vertex in turn takes the smallest colour that is allowed. The order of the vertices decides how
//! many colours that takes, so that several orders are tried.

pub mod columns;
pub mod orders;
pub mod star;
pub mod trees;

/// The colour of what has no entries, and needs no direction.
pub const NONE: u32 = u32::MAX;

/// A colour of each vertex, or [`NONE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    pub colours: u32,
    pub of: Vec<u32>,
}

impl Colouring {
    /// Nothing is coloured yet.
    fn none(vertices: usize) -> Colouring {
        Colouring { colours: 0, of: vec![NONE; vertices] }
    }

    fn set(&mut self, vertex: u32, colour: u32) {
        self.of[vertex as usize] = colour;
        self.colours = self.colours.max(colour + 1);
    }
}

/// Colours that a vertex must not have. Cleared in no time.
struct Forbidden {
    /// Of each colour, the last vertex to which it was forbidden, plus 1.
    by: Vec<u32>,
    vertex: u32,
}

impl Forbidden {
    fn new() -> Forbidden {
        Forbidden { by: vec![], vertex: 0 }
    }

    /// From now on, for this vertex.
    fn start(&mut self, vertex: u32) {
        self.vertex = vertex + 1;
    }

    /// `NONE` is not forbidden.
    fn add(&mut self, colour: u32) {
        if colour == NONE {
            return;
        }
        let colour = colour as usize;
        if colour >= self.by.len() {
            self.by.resize(colour + 1, 0);
        }
        self.by[colour] = self.vertex;
    }

    fn has(&self, colour: u32) -> bool {
        self.by.get(colour as usize).is_some_and(|&v| v == self.vertex)
    }

    /// The smallest colour that is allowed.
    fn first(&self) -> u32 {
        let free = self.by.iter().position(|&v| v != self.vertex);
        free.unwrap_or(self.by.len()) as u32
    }
}
