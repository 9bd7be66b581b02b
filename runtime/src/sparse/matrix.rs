//! One sparse matrix: recorded, then coloured, then filled with entries.

use super::{
    Misuse,
    colouring::{NONE, columns, star, trees},
    directions::{Directions, Real, piece},
    graph::{Kind, graph},
    hessian, jacobian,
    pattern::Pattern,
};
use std::{
    ffi::c_long,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

/// Which matrix, which is what leaves of the graph name. Those of matrices that are recorded at
/// the same time differ, unless 2^31 were made in between.
static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// What directions are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    Columns,
    Rows,
    Either,
    Substitution,
}

/// What is known of a matrix.
enum State {
    /// No inputs are marked.
    Fresh,
    /// Of each row the handle of a set, and whether it was given.
    Recording { roots: Vec<u32>, given: Vec<bool> },
    /// The recording is over.
    Known(Pattern),
}

/// The numbers of a pattern as the user reads them.
pub struct Longs {
    pub starts: Vec<c_long>,
    pub indices: Vec<c_long>,
}

pub struct Matrix {
    number: u32,
    is_hessian: bool,
    rows: u32,
    columns: u32,
    state: State,
    has_check: bool,
    directions: Option<Directions>,
    longs: OnceLock<Longs>,
    transposed: OnceLock<(Pattern, Vec<u32>)>,
}

impl Matrix {
    pub fn jacobian(rows: i64, columns: i64) -> Result<Matrix, Misuse> {
        Ok(Matrix::new(false, size(rows, "rows")?, size(columns, "columns")?))
    }

    pub fn hessian(n: i64) -> Result<Matrix, Misuse> {
        let n = size(n, "rows")?;
        Ok(Matrix::new(true, n, n))
    }

    fn new(is_hessian: bool, rows: u32, columns: u32) -> Matrix {
        Matrix {
            number: NUMBERS.fetch_add(1, Relaxed) & (u32::MAX >> 1),
            is_hessian,
            rows,
            columns,
            state: State::Fresh,
            has_check: true,
            directions: None,
            longs: OnceLock::new(),
            transposed: OnceLock::new(),
        }
    }

    /// Marks inputs: each becomes the set of itself.
    pub fn inputs<R: Real>(&mut self, sets: &mut [R], first: i64) -> Result<(), Misuse> {
        let first = piece(first, sets.len(), self.columns as usize, "columns")?;
        let mut graph = graph();
        match &self.state {
            State::Known(_) => {
                return Err(Misuse::new(
                    "the pattern of this matrix is known already; remedy: make another matrix for \
                     another pattern",
                ));
            }
            State::Recording { .. } => {}
            State::Fresh => {
                let rows = if self.is_hessian { 1 } else { self.rows as usize };
                graph.begin();
                self.state = State::Recording { roots: vec![0; rows], given: vec![false; rows] };
            }
        }
        for (set, index) in sets.iter_mut().zip(first as u32..) {
            *set = R::of_handle(graph.leaf(self.number, index));
        }
        Ok(())
    }

    /// Takes the sets of results. Those of a row that was given before are added to it.
    pub fn outputs<R: Real>(&mut self, sets: &[R], first: i64) -> Result<(), Misuse> {
        let what = if self.is_hessian { "results of a Hessian" } else { "rows" };
        let (roots, given) = match &mut self.state {
            State::Recording { roots, given } => (roots, given),
            State::Fresh => {
                return Err(Misuse::new(
                    "no inputs are marked; remedy: call ad_sparse_inputs and the request \
                     __ad_pattern first",
                ));
            }
            State::Known(_) => {
                return Err(Misuse::new(
                    "the pattern of this matrix is known already; remedy: call ad_sparse_outputs \
                     for all rows before the pattern is asked for",
                ));
            }
        };
        let first = piece(first, sets.len(), roots.len(), what)?;
        let mut graph = graph();
        for (i, set) in sets.iter().enumerate() {
            let root = &mut roots[first + i];
            graph.check(set.handle())?;
            *root = graph.operation(Kind::Union, *root, set.handle())?;
            given[first + i] = true;
        }
        Ok(())
    }

    /// Ends the recording: computes the pattern, if that has not happened.
    pub fn find_pattern(&mut self) -> Result<(), Misuse> {
        let (roots, given) = match &self.state {
            State::Known(_) => return Ok(()),
            State::Recording { roots, given } => (roots, given),
            State::Fresh => {
                return Err(Misuse::new(
                    "there is no pattern yet; remedy: call ad_sparse_inputs, the request \
                     __ad_pattern and ad_sparse_outputs first",
                ));
            }
        };
        if let Some(row) = given.iter().position(|&g| !g) {
            return Err(Misuse::new(format!(
                "the sets of row {row} are not known; remedy: call ad_sparse_outputs for all rows, \
                 after the request __ad_pattern"
            )));
        }
        let dag = {
            let mut graph = graph();
            let dag = graph.extract(roots, self.number, !self.is_hessian)?;
            graph.end();
            dag
        };
        self.state = State::Known(match self.is_hessian {
            true => hessian::pattern(dag, self.columns),
            false => jacobian::pattern(&dag, self.columns),
        });
        Ok(())
    }

    pub fn pattern(&self) -> Result<&Pattern, Misuse> {
        match &self.state {
            State::Known(pattern) => Ok(pattern),
            _ => Err(Misuse::new(
                "the pattern is not known yet; remedy: call ad_sparse_pattern or ad_sparse_colour \
                 first",
            )),
        }
    }

    pub fn directions(&self) -> Result<&Directions, Misuse> {
        self.directions.as_ref().ok_or_else(no_directions)
    }

    #[cfg(test)]
    pub fn is_hessian(&self) -> bool {
        self.is_hessian
    }

    /// No check direction, from the next colouring on.
    pub fn skip_check(&mut self) {
        self.has_check = false;
    }

    /// Finds directions; how many there are.
    pub fn colour(&mut self, by: By) -> Result<usize, Misuse> {
        match (self.is_hessian, by) {
            (true, By::Rows) => {
                return Err(Misuse::new(
                    "a Hessian has no directions by rows; remedy: AD_BY_COLUMNS",
                ));
            }
            (false, By::Substitution) => {
                return Err(Misuse::new(
                    "AD_BY_SUBSTITUTION is for Hessians; remedy: AD_BY_EITHER",
                ));
            }
            _ => self.find_pattern()?,
        }
        let has_check = self.has_check;
        let pattern = self.pattern()?;
        let directions = match (self.is_hessian, by) {
            (true, By::Substitution) => {
                Directions::by_trees(pattern, trees::colour(pattern), has_check)
            }
            (true, _) => Directions::by_stars(pattern, star::colour(pattern), has_check),
            (false, by) => self.compressed(pattern, by),
        };
        let count = directions.count();
        self.directions = Some(directions);
        Ok(count)
    }

    /// Directions of a Jacobian. Of two equal numbers, by columns: tangents take no memory for a
    /// tape.
    fn compressed(&self, pattern: &Pattern, by: By) -> Directions {
        let transposed = self.transposed(pattern);
        let columns = |limit| columns::colour(pattern, &transposed.0, limit);
        let rows = |limit| columns::colour(&transposed.0, pattern, limit);
        let (by_columns, by_rows) = match by {
            By::Columns => (columns(NONE), None),
            By::Rows => (None, rows(NONE)),
            By::Either | By::Substitution => {
                // First where fewer can be expected.
                if pattern.longest() <= transposed.0.longest() {
                    let first = columns(NONE);
                    let limit = first.as_ref().map_or(NONE, |c| c.colours);
                    (first, rows(limit))
                } else {
                    let first = rows(NONE);
                    let limit = first.as_ref().map_or(NONE, |c| c.colours.saturating_add(1));
                    match columns(limit) {
                        Some(better) => (Some(better), None),
                        None => (None, first),
                    }
                }
            }
        };
        match (by_rows, by_columns) {
            (Some(c), _) => Directions::by_rows(pattern, transposed, c, self.has_check),
            (None, Some(c)) => Directions::by_columns(pattern, c, self.has_check),
            (None, None) => unreachable!("there are fewer than 2^32 - 1 colours"),
        }
    }

    fn transposed(&self, pattern: &Pattern) -> &(Pattern, Vec<u32>) {
        self.transposed.get_or_init(|| pattern.transposed())
    }

    /// Takes a piece of a product.
    pub fn values<R: Real>(
        &mut self,
        direction: i64,
        products: &[R],
        first: i64,
    ) -> Result<(), Misuse> {
        let directions = self.directions.as_mut().ok_or_else(no_directions)?;
        directions.receive(direction, products, first)
    }

    /// The first element of the check's product that does not fit to the entries.
    pub fn check(&self, tolerance: f64) -> Result<Option<usize>, Misuse> {
        self.directions()?.compare(self.pattern()?, tolerance)
    }

    pub fn longs(&self) -> Result<&Longs, Misuse> {
        let pattern = self.pattern()?;
        Ok(self.longs.get_or_init(|| Longs {
            starts: pattern.starts.iter().map(|&s| s as c_long).collect(),
            indices: pattern.indices.iter().map(|&i| i as c_long).collect(),
        }))
    }

    /// The pattern by columns, and for each entry its number by rows.
    pub fn by_columns(&self) -> Result<&(Pattern, Vec<u32>), Misuse> {
        Ok(self.transposed(self.pattern()?))
    }

    /// Row, column and number of the entries of the lower triangle of a Hessian, row by row.
    pub fn lower(&self) -> Result<impl Iterator<Item = (u32, u32, usize)> + '_, Misuse> {
        if !self.is_hessian {
            return Err(Misuse::new("a Jacobian has no lower triangle; remedy: ad_sparse_csr"));
        }
        let pattern = self.pattern()?;
        Ok((0..self.rows).flat_map(move |row| {
            let columns = pattern.row(row as usize).iter().zip(pattern.starts[row as usize]..);
            columns.take_while(move |&(&c, _)| c <= row).map(move |(&c, at)| (row, c, at))
        }))
    }
}

impl Drop for Matrix {
    fn drop(&mut self) {
        if let State::Recording { .. } = self.state {
            graph().end();
        }
    }
}

fn no_directions() -> Misuse {
    Misuse::new("there are no directions yet; remedy: call ad_sparse_colour first")
}

/// Sizes of matrices fit into a C int.
fn size(count: i64, what: &str) -> Result<u32, Misuse> {
    i32::try_from(count).ok().and_then(|c| u32::try_from(c).ok()).ok_or_else(|| {
        Misuse::new(format!("{count} {what}: a matrix has 0 to {} {what}", i32::MAX))
    })
}
