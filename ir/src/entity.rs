//! Ids of values, blocks and loops: indices into the dense tables of a body.

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into dense tables.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

entity!(
    /// A value of a [`Body`](crate::Body).
    ValueId, "v");
entity!(
    /// A block of a [`Body`](crate::Body).
    BlockId, "b");
entity!(
    /// A loop of a [`Body`](crate::Body).
    LoopId, "l");
