//! Where a sparse matrix has entries.

use std::ops::Range;

/// Compressed rows, columns ascending in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub columns: u32,
    /// Where each row starts, and the number of entries.
    pub starts: Vec<usize>,
    pub indices: Vec<u32>,
}

impl Pattern {
    /// From rows, each ascending.
    pub fn from_rows<R: AsRef<[u32]>>(rows: impl IntoIterator<Item = R>, columns: u32) -> Pattern {
        let (mut starts, mut indices) = (vec![0], vec![]);
        for row in rows {
            indices.extend_from_slice(row.as_ref());
            starts.push(indices.len());
        }
        Pattern { columns, starts, indices }
    }

    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    pub fn row(&self, row: usize) -> &[u32] {
        &self.indices[self.range(row)]
    }

    /// The numbers of a row's entries.
    pub fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Where an entry is among all.
    pub fn find(&self, row: usize, column: u32) -> Option<usize> {
        self.row(row).binary_search(&column).ok().map(|at| self.starts[row] + at)
    }

    /// The number of entries of the longest row.
    pub fn longest(&self) -> usize {
        self.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }

    /// The transposed pattern, and for each of its entries the number of the entry here.
    pub fn transposed(&self) -> (Pattern, Vec<u32>) {
        let mut next = vec![0usize; self.columns as usize + 1];
        self.indices.iter().for_each(|&c| next[c as usize + 1] += 1);
        for i in 1..next.len() {
            next[i] += next[i - 1];
        }
        let starts = next.clone();
        let (mut indices, mut from) = (vec![0; self.entries()], vec![0; self.entries()]);
        for row in 0..self.rows() {
            for entry in self.range(row) {
                let at = &mut next[self.indices[entry] as usize];
                (indices[*at], from[*at]) = (row as u32, entry as u32);
                *at += 1;
            }
        }
        (Pattern { columns: self.rows() as u32, starts, indices }, from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_twice_is_the_same() {
        let p = Pattern::from_rows([vec![1, 3], vec![], vec![0, 1, 2]], 5);
        let (t, from) = p.transposed();
        assert_eq!((t.rows(), t.columns), (5, 3));
        assert_eq!(t.row(1), [0, 2]);
        assert_eq!(from, [2, 0, 3, 4, 1]);
        assert_eq!(t.transposed().0, p);
        assert_eq!((p.find(2, 1), p.find(0, 2), p.longest()), (Some(3), None, 3));
    }
}
