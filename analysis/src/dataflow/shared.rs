//! Values that many states hold, each kept once, and their joins, each made once.
//!
//! States of one function hold the same few large sets at thousands of points, and join the same
//! pairs again and again. A [`Pool`] knows the values by content and the joins by the pair of
//! operands, so that all but the first of equal joins cost one look-up.

use super::Lattice;
use adir::hashed::{HashMap, HashSet};
use std::{hash::Hash, rc::Rc};

/// What has a pool.
pub trait Pooled: Lattice + Eq + Hash + 'static {
    /// Runs `f` on the pool of this thread.
    fn with_pool<R>(f: impl FnOnce(&mut Pool<Self>) -> R) -> R;
    /// Whether it is the least value, which states need not keep.
    fn is_nothing(&self) -> bool;
}

/// Operands, which stay alive as long as their addresses are known here, and the result.
struct Joined<T> {
    _operands: (Rc<T>, Rc<T>),
    all: Rc<T>,
}

/// The values and joins of one analysis.
pub struct Pool<T> {
    known: HashSet<Rc<T>>,
    joins: HashMap<(*const T, *const T), Joined<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { known: HashSet::default(), joins: HashMap::default() }
    }
}

impl<T: Lattice + Eq + Hash> Pool<T> {
    /// Forgets everything: what an analysis of another function joins is something else.
    pub fn clear(&mut self) {
        *self = Pool::default();
    }
    /// The one copy of a value.
    pub fn unique(&mut self, value: T) -> Rc<T> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let new = Rc::new(value);
        self.known.insert(new.clone());
        new
    }
    /// The join of two values; `a` itself if `b` adds nothing.
    pub fn join(&mut self, a: &Rc<T>, b: &Rc<T>) -> Rc<T> {
        if Rc::ptr_eq(a, b) {
            return a.clone();
        }
        let key = (Rc::as_ptr(a), Rc::as_ptr(b));
        if let Some(known) = self.joins.get(&key) {
            return known.all.clone();
        }
        let mut all = T::clone(a);
        let all = if all.join(b) { self.unique(all) } else { a.clone() };
        let joined = Joined { _operands: (a.clone(), b.clone()), all: all.clone() };
        self.joins.insert(key, joined);
        all
    }
}
