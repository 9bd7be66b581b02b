//! Ids of values, blocks and loops, and dense tables that are indexed by them.

use std::{
    marker::PhantomData,
    ops::{Index, IndexMut},
};

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
        impl Entity for $name {
            fn from_index(index: usize) -> $name {
                $name(index as u32)
            }
            fn to_index(self) -> usize {
                self.index()
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

/// An id: what a table can be indexed by.
pub trait Entity: Copy {
    /// The id of an index.
    fn from_index(index: usize) -> Self;
    /// As an index into dense tables.
    fn to_index(self) -> usize;
}

/// A dense table with an entry for each id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityMap<K, V> {
    values: Vec<V>,
    key: PhantomData<fn(K)>,
}

impl<K: Entity, V> EntityMap<K, V> {
    /// A table of `len` entries that are all `value`.
    pub fn with(len: usize, value: V) -> EntityMap<K, V>
    where
        V: Clone,
    {
        vec![value; len].into()
    }
    /// The entry of an id that may not be in the table.
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key.to_index())
    }
    /// Adds the entry of the next id.
    pub fn push(&mut self, value: V) -> K {
        self.values.push(value);
        K::from_index(self.values.len() - 1)
    }
    /// Keeps the first `len` entries.
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }
    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
    /// All entries become `value`.
    pub fn fill(&mut self, value: V)
    where
        V: Clone,
    {
        self.values.fill(value);
    }
    /// The ids, in order.
    pub fn keys(&self) -> impl Iterator<Item = K> + use<K, V> {
        (0..self.values.len()).map(K::from_index)
    }
    /// The entries, in the order of their ids.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }
    /// The entries to be changed, in the order of their ids.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }
    /// Ids and their entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.keys().zip(&self.values)
    }
}

impl<K, V> Default for EntityMap<K, V> {
    fn default() -> EntityMap<K, V> {
        vec![].into()
    }
}

impl<K, V> From<Vec<V>> for EntityMap<K, V> {
    fn from(values: Vec<V>) -> EntityMap<K, V> {
        EntityMap { values, key: PhantomData }
    }
}

impl<K, V> FromIterator<V> for EntityMap<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> EntityMap<K, V> {
        Vec::from_iter(values).into()
    }
}

impl<K: Entity, V> Index<K> for EntityMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.values[key.to_index()]
    }
}

impl<K: Entity, V> IndexMut<K> for EntityMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[key.to_index()]
    }
}
