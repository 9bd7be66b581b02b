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

/// Something for each colour around a vertex.
#[derive(Clone)]
struct ColourList<T> {
    items: Vec<(u32, T)>,
    /// Which colours occur, in a long list.
    bits: Vec<u64>,
}

impl<T> ColourList<T> {
    /// Longer lists have bits.
    const SHORT: usize = 32;

    fn new() -> ColourList<T> {
        ColourList { items: vec![], bits: vec![] }
    }

    fn find(&mut self, colour: u32) -> Option<&mut T> {
        if self.items.len() > Self::SHORT {
            let word = self.bits.get(colour as usize / 64).copied().unwrap_or(0);
            if word >> (colour % 64) & 1 == 0 {
                return None;
            }
        }
        self.items.iter_mut().find(|(c, _)| *c == colour).map(|(_, item)| item)
    }

    /// Of a colour that does not occur yet.
    fn push(&mut self, colour: u32, item: T) {
        self.items.push((colour, item));
        let unmarked = match self.items.len() {
            len if len <= Self::SHORT => return,
            len if len == Self::SHORT + 1 => 0,
            len => len - 1,
        };
        for &(colour, _) in &self.items[unmarked..] {
            let colour = colour as usize;
            if colour / 64 >= self.bits.len() {
                self.bits.resize(colour / 64 + 1, 0);
            }
            self.bits[colour / 64] |= 1 << (colour % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_find_what_they_hold() {
        let mut list = ColourList::new();
        for i in 0..100 {
            assert!(list.find(3 * i).is_none());
            list.push(3 * i, i);
            for k in 0..=i {
                assert_eq!(list.find(3 * k), Some(&mut k.clone()));
                assert!(list.find(3 * k + 1).is_none());
            }
        }
    }
}
