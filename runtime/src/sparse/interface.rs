//! The functions of ad_sparse.h, and those that `__ad_pattern` calls. Wrong uses end the program
//! (AD225).

use super::{
    Misuse,
    directions::Real,
    graph::{Kind, graph},
    matrix::{By, Matrix},
};
use std::{
    ffi::{c_int, c_long},
    slice,
};

/// The union of two sets.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_set_union(a: u32, b: u32) -> u32 {
    if a == b || b == 0 {
        return a;
    }
    if a == 0 {
        return b;
    }
    operation(Kind::Union, a, b)
}

/// The union of two sets; each input of one interacts with each of the other, as in a * b.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_set_product(a: u32, b: u32) -> u32 {
    if b == 0 {
        return a;
    }
    if a == 0 {
        return b;
    }
    operation(Kind::Product, a, b)
}

/// The same set; all its inputs interact with each other, as in sin(a).
#[unsafe(no_mangle)]
pub extern "C" fn adrt_set_nonlinear(a: u32) -> u32 {
    if a == 0 { 0 } else { operation(Kind::Nonlinear, a, a) }
}

fn operation(kind: Kind, a: u32, b: u32) -> u32 {
    let result = graph().operation(kind, a, b);
    result.unwrap_or_else(|misuse| misuse.end("__ad_pattern"))
}

/// Ends the program at a misuse.
fn sure<T>(result: Result<T, Misuse>, function: &str) -> T {
    result.unwrap_or_else(|misuse| misuse.end(function))
}

/// # Safety
/// Null, or a matrix that is not freed and that no other thread uses.
unsafe fn matrix<'a>(matrix: *mut Matrix, function: &str) -> &'a mut Matrix {
    // SAFETY: the caller's promise.
    unsafe { matrix.as_mut() }.unwrap_or_else(|| no_matrix(function))
}

/// # Safety
/// Null, or a matrix that is not freed and that no other thread changes.
unsafe fn shared<'a>(matrix: *const Matrix, function: &str) -> &'a Matrix {
    // SAFETY: the caller's promise.
    unsafe { matrix.as_ref() }.unwrap_or_else(|| no_matrix(function))
}

fn no_matrix(function: &str) -> ! {
    Misuse::new("the matrix is a null pointer").end(function)
}

/// The length of an array of the user.
fn length<T>(array: *const T, count: c_long, function: &str) -> usize {
    match usize::try_from(count) {
        Ok(0) => 0,
        Ok(_) if array.is_null() => Misuse::new("the array is a null pointer").end(function),
        Ok(count) if count <= isize::MAX as usize / size_of::<T>() => count,
        _ => Misuse::new(format!("an array of {count} elements is not possible")).end(function),
    }
}

/// # Safety
/// The array has this length.
unsafe fn read<'a, T>(array: *const T, count: c_long, function: &str) -> &'a [T] {
    match length(array, count, function) {
        0 => &[],
        // SAFETY: the caller's promise.
        count => unsafe { slice::from_raw_parts(array, count) },
    }
}

/// # Safety
/// The array has this length. The memory holds numbers, whatever they are.
unsafe fn write<'a, T>(array: *mut T, count: c_long, function: &str) -> &'a mut [T] {
    match length(array, count, function) {
        0 => &mut [],
        // SAFETY: the caller's promise.
        count => unsafe { slice::from_raw_parts_mut(array, count) },
    }
}

/// A Jacobian. No pointer to it is null.
#[unsafe(no_mangle)]
pub extern "C" fn ad_sparse_jacobian(rows: c_long, columns: c_long) -> *mut Matrix {
    let made = Matrix::jacobian(long(rows), long(columns));
    Box::into_raw(Box::new(sure(made, "ad_sparse_jacobian")))
}

/// A Hessian.
#[unsafe(no_mangle)]
pub extern "C" fn ad_sparse_hessian(n: c_long) -> *mut Matrix {
    Box::into_raw(Box::new(sure(Matrix::hessian(long(n)), "ad_sparse_hessian")))
}

/// Frees a matrix, or nothing.
///
/// # Safety
/// Null, or a matrix that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_free(matrix: *mut Matrix) {
    if !matrix.is_null() {
        // SAFETY: the caller's promise; it was boxed.
        drop(unsafe { Box::from_raw(matrix) });
    }
}

/// The functions that take arrays of reals, for one type of them.
macro_rules! for_reals {
    ($real:ty, $inputs:ident, $outputs:ident, $direction:ident, $values:ident) => {
        /// Marks inputs.
        ///
        /// # Safety
        /// A matrix, and an array of this length.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $inputs(
            m: *mut Matrix,
            sets: *mut $real,
            first: c_long,
            count: c_long,
        ) {
            let name = stringify!($inputs);
            // SAFETY: the caller's promise.
            let (m, sets) = unsafe { (matrix(m, name), write(sets, count, name)) };
            sure(m.inputs(sets, long(first)), name);
        }

        /// Takes sets of results.
        ///
        /// # Safety
        /// A matrix, and an array of this length.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $outputs(
            m: *mut Matrix,
            sets: *const $real,
            first: c_long,
            count: c_long,
        ) {
            let name = stringify!($outputs);
            // SAFETY: the caller's promise.
            let (m, sets) = unsafe { (matrix(m, name), read(sets, count, name)) };
            sure(m.outputs(sets, long(first)), name);
        }

        /// Fills the seeds of a direction.
        ///
        /// # Safety
        /// A matrix, and an array of this length.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $direction(
            m: *const Matrix,
            direction: c_long,
            seeds: *mut $real,
            first: c_long,
            count: c_long,
        ) {
            let name = stringify!($direction);
            // SAFETY: the caller's promise.
            let (m, seeds) = unsafe { (shared(m, name), write(seeds, count, name)) };
            fill(m, direction, seeds, first, name);
        }

        /// Takes elements of the product in a direction.
        ///
        /// # Safety
        /// A matrix, and an array of this length.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $values(
            m: *mut Matrix,
            direction: c_long,
            products: *const $real,
            first: c_long,
            count: c_long,
        ) {
            let name = stringify!($values);
            // SAFETY: the caller's promise.
            let (m, products) = unsafe { (matrix(m, name), read(products, count, name)) };
            sure(m.values(long(direction), products, long(first)), name);
        }
    };
}
for_reals! { f64, ad_sparse_inputs, ad_sparse_outputs, ad_sparse_direction, ad_sparse_values }
for_reals! { f32, ad_sparse_inputs_f, ad_sparse_outputs_f, ad_sparse_direction_f, ad_sparse_values_f }

fn fill<R: Real>(m: &Matrix, direction: c_long, seeds: &mut [R], first: c_long, name: &str) {
    let filled = m.directions().and_then(|d| d.fill(long(direction), seeds, long(first)));
    sure(filled, name);
}

/// A long of any target.
#[allow(clippy::useless_conversion)]
fn long(value: c_long) -> i64 {
    value.into()
}

/// Computes the pattern; the number of its entries.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_pattern(m: *mut Matrix) -> c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { matrix(m, "ad_sparse_pattern") };
    sure(m.find_pattern(), "ad_sparse_pattern");
    sure(m.pattern(), "ad_sparse_pattern").entries() as c_long
}

/// No check direction.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_skip_check(m: *mut Matrix) {
    // SAFETY: the caller's promise.
    unsafe { matrix(m, "ad_sparse_skip_check") }.skip_check();
}

/// Computes the pattern, if it is not known, and the directions; their number.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_colour(m: *mut Matrix, by: c_int) -> c_long {
    let name = "ad_sparse_colour";
    // SAFETY: the caller's promise.
    let m = unsafe { matrix(m, name) };
    let by = match by {
        0 => By::Columns,
        1 => By::Rows,
        2 => By::Either,
        3 => By::Substitution,
        _ => Misuse::new(format!("{by} is none of AD_BY_…")).end(name),
    };
    sure(m.colour(by), name) as c_long
}

/// The number of directions, with the check.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_directions(m: *const Matrix) -> c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_directions") };
    sure(m.directions(), "ad_sparse_directions").count() as c_long
}

/// The number of colours: directions without the check.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_colours(m: *const Matrix) -> c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_colours") };
    sure(m.directions(), "ad_sparse_colours").colours() as c_long
}

/// Whether directions are seeds of adjoints.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_is_by_rows(m: *const Matrix) -> c_int {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_is_by_rows") };
    sure(m.directions(), "ad_sparse_is_by_rows").is_by_rows().into()
}

/// The first element of the check's product that does not fit, or -1.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_check(m: *mut Matrix, tolerance: f64) -> c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_check") };
    sure(m.check(tolerance), "ad_sparse_check").map_or(-1, |at| at as c_long)
}

/// The number of entries.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_nonzeros(m: *const Matrix) -> c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_nonzeros") };
    sure(m.pattern(), "ad_sparse_nonzeros").entries() as c_long
}

/// Where each row starts, and the number of entries. As long as the matrix.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_starts(m: *const Matrix) -> *const c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_starts") };
    sure(m.longs(), "ad_sparse_starts").starts.as_ptr()
}

/// The column of each entry. As long as the matrix.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_indices(m: *const Matrix) -> *const c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_indices") };
    sure(m.longs(), "ad_sparse_indices").indices.as_ptr()
}

/// The entries, row by row. Until the next colouring.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_entries(m: *const Matrix) -> *const f64 {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_entries") };
    sure(m.directions(), "ad_sparse_entries").entries().as_ptr()
}

/// Where a matrix goes, as libraries of linear algebra want it.
struct Copy {
    function: &'static str,
    base: c_int,
    value: *mut f64,
}

impl Copy {
    fn new(function: &'static str, base: c_int, value: *mut f64) -> Copy {
        if !(0..=1).contains(&base) {
            Misuse::new(format!("indices start at 0 or 1, not at {base}")).end(function);
        }
        Copy { function, base, value }
    }

    /// A number, counted from the base.
    fn index(&self, number: usize) -> c_int {
        c_int::try_from(number).ok().and_then(|n| n.checked_add(self.base)).unwrap_or_else(|| {
            Misuse::new("the matrix has more than 2^31 - 2 entries; remedy: ad_sparse_starts")
                .end(self.function)
        })
    }

    /// Writes indices. Their array may be null if entries are asked for.
    ///
    /// # Safety
    /// The array has so many elements, or is null.
    unsafe fn numbers(&self, array: *mut c_int, numbers: impl Iterator<Item = usize>) {
        if array.is_null() && !self.value.is_null() {
            return;
        }
        let mut to = array;
        for number in numbers {
            if to.is_null() {
                Misuse::new("an array of indices is a null pointer").end(self.function);
            }
            // SAFETY: the caller's promise.
            unsafe {
                *to = self.index(number);
                to = to.add(1);
            }
        }
    }

    /// Writes the entries with these numbers, unless their array is null.
    ///
    /// # Safety
    /// The array of values has so many elements, or is null.
    unsafe fn values(&self, matrix: &Matrix, numbers: impl Iterator<Item = usize>) {
        if self.value.is_null() {
            return;
        }
        let entries = sure(matrix.directions(), self.function).entries();
        for (i, number) in numbers.enumerate() {
            // SAFETY: the caller's promise.
            unsafe { *self.value.add(i) = entries[number] };
        }
    }
}

/// Compressed rows.
///
/// # Safety
/// A matrix; arrays of rows + 1, entries, and entries elements, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_csr(
    m: *const Matrix,
    start: *mut c_int,
    column: *mut c_int,
    value: *mut f64,
    base: c_int,
) {
    let copy = Copy::new("ad_sparse_csr", base, value);
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, copy.function) };
    let pattern = sure(m.pattern(), copy.function);
    // SAFETY: the caller's promise.
    unsafe {
        copy.numbers(start, pattern.starts.iter().copied());
        copy.numbers(column, pattern.indices.iter().map(|&c| c as usize));
        copy.values(m, 0..pattern.entries());
    }
}

/// Compressed columns.
///
/// # Safety
/// A matrix; arrays of columns + 1, entries, and entries elements, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_csc(
    m: *const Matrix,
    start: *mut c_int,
    row: *mut c_int,
    value: *mut f64,
    base: c_int,
) {
    let copy = Copy::new("ad_sparse_csc", base, value);
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, copy.function) };
    let (pattern, from) = sure(m.by_columns(), copy.function);
    // SAFETY: the caller's promise.
    unsafe {
        copy.numbers(start, pattern.starts.iter().copied());
        copy.numbers(row, pattern.indices.iter().map(|&r| r as usize));
        copy.values(m, from.iter().map(|&at| at as usize));
    }
}

/// The number of entries of the lower triangle of a Hessian.
///
/// # Safety
/// A matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_lower_nonzeros(m: *const Matrix) -> c_long {
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, "ad_sparse_lower_nonzeros") };
    sure(m.lower(), "ad_sparse_lower_nonzeros").count() as c_long
}

/// The lower triangle of a Hessian, row by row.
///
/// # Safety
/// A matrix; arrays of so many elements, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ad_sparse_lower(
    m: *const Matrix,
    row: *mut c_int,
    column: *mut c_int,
    value: *mut f64,
    base: c_int,
) {
    let copy = Copy::new("ad_sparse_lower", base, value);
    // SAFETY: the caller's promise.
    let m = unsafe { shared(m, copy.function) };
    let lower = || sure(m.lower(), copy.function);
    // SAFETY: the caller's promise.
    unsafe {
        copy.numbers(row, lower().map(|(row, _, _)| row as usize));
        copy.numbers(column, lower().map(|(_, column, _)| column as usize));
        copy.values(m, lower().map(|(_, _, at)| at));
    }
}
