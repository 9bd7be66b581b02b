//! Matrices from their inputs to their entries, as programs use them.

use super::{
    directions::Real,
    interface::{adrt_set_nonlinear, adrt_set_product, adrt_set_union},
    matrix::{By, Matrix},
    pattern::Pattern,
    samples::{Random, arrow, banded, random_matrix, random_symmetric},
};

/// Expects that a call is right.
fn sure<T>(result: Result<T, super::Misuse>) -> T {
    result.expect("the call is possible")
}

/// The text of a misuse.
fn wrong<T>(result: Result<T, super::Misuse>) -> String {
    format!("{:?}", result.err().expect("the call is not possible"))
}

/// A Jacobian with this pattern, as if a function had run.
fn jacobian(pattern: &Pattern) -> Matrix {
    let mut m = sure(Matrix::jacobian(pattern.rows() as i64, i64::from(pattern.columns)));
    let mut x = vec![0.0f64; pattern.columns as usize];
    sure(m.inputs(&mut x, 0));
    let y: Vec<f64> = (0..pattern.rows())
        .map(|row| {
            let sets = pattern.row(row).iter().map(|&c| x[c as usize].handle());
            f64::of_handle(sets.fold(0, |a, b| adrt_set_union(a, b)))
        })
        .collect();
    let half = y.len() / 2;
    sure(m.outputs(&y[half..], half as i64));
    sure(m.outputs(&y[..half], 0));
    m
}

/// A Hessian with this pattern: sums of squares and products.
fn hessian(pattern: &Pattern) -> Matrix {
    let mut m = sure(Matrix::hessian(i64::from(pattern.columns)));
    let mut x = vec![0.0f32; pattern.columns as usize];
    sure(m.inputs(&mut x, 0));
    let mut sum = 0;
    for i in 0..pattern.rows() {
        for j in pattern.row(i).iter().map(|&j| j as usize).filter(|&j| j <= i) {
            let (a, b) = (x[i].handle(), x[j].handle());
            let term = if i == j { adrt_set_nonlinear(a) } else { adrt_set_product(a, b) };
            sum = adrt_set_union(sum, term);
        }
    }
    sure(m.outputs(&[f32::of_handle(sum)], 0));
    m
}

/// The sums of entries times seeds, of each row, or of each column.
fn product<R: Real>(pattern: &Pattern, entries: &[f64], seeds: &[R], by_rows: bool) -> Vec<R> {
    let mut sums = vec![0.0; if by_rows { pattern.columns as usize } else { pattern.rows() }];
    for row in 0..pattern.rows() {
        for at in pattern.range(row) {
            let column = pattern.indices[at] as usize;
            let (from, to) = if by_rows { (row, column) } else { (column, row) };
            sums[to] += entries[at] * seeds[from].value();
        }
    }
    sums.into_iter().map(R::new).collect()
}

/// Gives the products of a matrix with these entries, in pieces.
fn evaluate<R: Real>(m: &mut Matrix, pattern: &Pattern, entries: &[f64]) {
    let by_rows = sure(m.directions()).is_by_rows();
    let seeds = if by_rows { pattern.rows() } else { pattern.columns as usize };
    for direction in (0..sure(m.directions()).count() as i64).rev() {
        let mut seed = vec![R::new(7.0); seeds];
        let (low, high) = seed.split_at_mut(seeds / 3);
        let directions = sure(m.directions());
        sure(directions.fill(direction, high, low.len() as i64));
        sure(directions.fill(direction, low, 0));
        let product = product(pattern, entries, &seed, by_rows);
        let (low, high) = product.split_at(product.len() / 2);
        sure(m.values(direction, high, low.len() as i64));
        sure(m.values(direction, low, 0));
    }
}

/// Colours, evaluates twice, and compares the entries and the check.
fn recovers(m: &mut Matrix, pattern: &Pattern, by: By, random: &mut Random) {
    sure(m.colour(by));
    assert_eq!(sure(m.pattern()), pattern);
    let mut entries: Vec<f64> = (0..pattern.entries()).map(|_| random.real()).collect();
    for scale in [1.0, 8.0] {
        entries.iter_mut().for_each(|e| *e *= scale);
        if m.is_hessian() {
            let mirror = pattern.transposed().1;
            for at in 0..entries.len() {
                entries[at] = entries[mirror[at] as usize];
            }
        }
        evaluate::<f64>(m, pattern, &entries);
        let found = sure(m.directions()).entries();
        for (found, entry) in found.iter().zip(&entries) {
            assert!((found - entry).abs() <= 1e-11 * scale, "{by:?}: {found}, not {entry}");
        }
        assert_eq!(sure(m.check(1e-11)), None);
    }
    evaluate::<f32>(m, pattern, &entries);
    let found = sure(m.directions()).entries();
    let most = found.iter().zip(&entries).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(most < 1e-3);
    if by != By::Substitution {
        assert_eq!(sure(m.check(1e-5)), None);
    }
}

#[test]
fn entries_of_jacobians_are_recovered() {
    let mut random = Random(41);
    for case in 0..60 {
        let (rows, columns) = (random.below(50), 1 + random.below(50) as u32);
        let pattern = match case {
            0 => banded(40, 2),
            1 => arrow(30),
            2 => Pattern::from_rows([[0u32; 0]; 3], 5),
            _ => random_matrix(&mut random, rows, columns, 1 + case % 6),
        };
        for by in [By::Columns, By::Rows, By::Either] {
            recovers(&mut jacobian(&pattern), &pattern, by, &mut random);
        }
    }
}

#[test]
fn entries_of_hessians_are_recovered() {
    let mut random = Random(43);
    for case in 0..60 {
        let n = 1 + random.below(50);
        let pairs = random.below(1 + n * (1 + case % 5));
        let pattern = match case {
            0 => banded(40, 2),
            1 => arrow(30),
            _ => random_symmetric(&mut random, n, pairs),
        };
        let mut m = hessian(&pattern);
        for by in [By::Columns, By::Either, By::Substitution] {
            recovers(&mut m, &pattern, by, &mut random);
        }
        let lower: Vec<_> = sure(m.lower()).collect();
        assert!(lower.iter().all(|&(r, c, at)| c <= r && pattern.find(r as usize, c) == Some(at)));
        let all =
            (0..pattern.rows()).map(|r| pattern.row(r).iter().filter(move |&&c| c as usize <= r));
        assert_eq!(lower.len(), all.map(Iterator::count).sum::<usize>());
    }
}

#[test]
fn rows_and_columns_are_chosen_by_their_number() {
    let wide = Pattern::from_rows([(0..20).collect::<Vec<u32>>(), vec![3]], 20);
    for (pattern, by_rows, colours) in
        [(wide.clone(), true, 2), (wide.transposed().0, false, 2), (banded(30, 1), false, 3)]
    {
        let mut m = jacobian(&pattern);
        assert_eq!(sure(m.colour(By::Either)), colours + 1);
        assert_eq!(sure(m.directions()).is_by_rows(), by_rows);
        m.skip_check();
        assert_eq!(sure(m.colour(By::Either)), colours);
        assert!(wrong(m.check(1e-8)).contains("skip_check"));
    }
}

/// The matrix has an entry that the pattern lacks, or that is not finite.
#[test]
fn the_check_finds_what_the_pattern_lacks() {
    let full = banded(30, 2);
    let lacks = |row: usize, column: u32| {
        let rows = (0..30)
            .map(|i| full.row(i).iter().copied().filter(|&c| (i, c) != (row, column)).collect());
        Pattern::from_rows(rows.collect::<Vec<Vec<u32>>>(), 30)
    };
    for (row, column) in [(0, 0), (7, 9), (29, 27)] {
        for by in [By::Columns, By::Rows] {
            let mut m = jacobian(&lacks(row, column));
            sure(m.colour(by));
            let expected = if by == By::Rows { column as usize } else { row };
            for entries in [vec![1.0; full.entries()], vec![-1e-3; full.entries()]] {
                evaluate::<f64>(&mut m, &full, &entries);
                assert_eq!(sure(m.check(1e-9)), Some(expected));
            }
        }
    }
    let mut m = jacobian(&full);
    sure(m.colour(By::Columns));
    evaluate::<f64>(&mut m, &full, &vec![1.0; full.entries()]);
    assert_eq!(sure(m.check(1e-12)), None);
    assert_eq!(sure(m.check(f64::NAN)), Some(0));
    sure(m.values(5, &[f64::NAN], 12));
    sure(m.values(5, &[0.0; 29], 0));
    assert_eq!(sure(m.check(1e-12)), Some(0));
}

#[test]
fn what_is_not_finite_does_not_agree() {
    let pattern = banded(4, 0);
    let mut m = jacobian(&pattern);
    sure(m.colour(By::Columns));
    for (entry, at) in [(f64::INFINITY, 1), (f64::NAN, 3)] {
        let mut entries = [1.0, 1.0, 2.0, 1.0];
        entries[at] = entry;
        evaluate::<f64>(&mut m, &pattern, &entries);
        assert_eq!(sure(m.check(1e-12)), Some(at));
    }
}

#[test]
fn several_matrices_are_recorded_at_once() {
    let (mut a, mut b) = (sure(Matrix::jacobian(2, 2)), sure(Matrix::hessian(3)));
    let (mut x, mut p) = ([0.0f64; 2], [0.0f64; 3]);
    sure(a.inputs(&mut x, 0));
    sure(b.inputs(&mut p, 0));
    let x = x.map(Real::handle);
    let p = p.map(Real::handle);
    // y = (x0 p0 p1, x1 + p2), and their product.
    let y0 = adrt_set_product(adrt_set_product(x[0], p[0]), p[1]);
    let y1 = adrt_set_union(x[1], p[2]);
    sure(a.outputs(&[f64::of_handle(y0), f64::of_handle(y1)], 0));
    assert_eq!(sure(a.colour(By::Columns)), 2);
    assert_eq!(sure(a.pattern()), &banded(2, 0));
    // b is recorded further.
    let product = adrt_set_product(y0, y1);
    sure(b.outputs(&[f64::of_handle(product)], 0));
    sure(b.find_pattern());
    let expected = Pattern::from_rows([vec![1, 2], vec![0, 2], vec![0, 1]], 3);
    assert_eq!(sure(b.pattern()), &expected);
}

#[test]
fn threads_record_at_once() {
    std::thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                let mut random = Random(seed);
                for _ in 0..20 {
                    let p = random_matrix(&mut random, 40, 40, 5);
                    let mut m = jacobian(&p);
                    sure(m.find_pattern());
                    assert_eq!(sure(m.pattern()), &p);
                    let p = random_symmetric(&mut random, 30, 90);
                    let mut m = hessian(&p);
                    sure(m.find_pattern());
                    assert_eq!(sure(m.pattern()), &p);
                }
            });
        }
    });
}

#[test]
fn rows_that_are_given_twice_are_united() {
    let mut m = sure(Matrix::jacobian(1, 3));
    let mut x = [0.0f64; 3];
    for used in [2, 0] {
        sure(m.inputs(&mut x, 0));
        sure(m.outputs(&x[used..used + 1], 0));
    }
    sure(m.find_pattern());
    assert_eq!(sure(m.pattern()).row(0), [0, 2]);
}

#[test]
fn wrong_uses_are_named() {
    assert!(wrong(Matrix::jacobian(-1, 3)).contains("-1 rows"));
    assert!(wrong(Matrix::jacobian(1, 1 << 31)).contains("columns"));
    let mut m = sure(Matrix::jacobian(2, 2));
    assert!(wrong(m.outputs(&[0.0f64; 2], 0)).contains("ad_sparse_inputs"));
    assert!(wrong(m.colour(By::Columns)).contains("no pattern yet"));
    assert!(wrong(m.pattern()).contains("not known yet"));
    let mut x = [0.0f64; 2];
    assert!(wrong(m.inputs(&mut x, 1)).contains("elements 1 to 2 do not exist"));
    sure(m.inputs(&mut x, 0));
    assert!(wrong(m.outputs(&[f64::from_bits(0x7fff_0000)], 0)).contains("something else"));
    sure(m.outputs(&x[..1], 0));
    assert!(wrong(m.colour(By::Columns)).contains("row 1"));
    assert!(wrong(m.outputs(&x, 1)).contains("do not exist"));
    sure(m.outputs(&x[1..], 1));
    assert!(wrong(m.colour(By::Substitution)).contains("Hessians"));
    assert!(wrong(m.directions().map(|_| ())).contains("ad_sparse_colour"));
    assert!(wrong(m.values(0, &x, 0)).contains("ad_sparse_colour"));
    assert_eq!(sure(m.colour(By::Columns)), 2);
    assert!(wrong(m.inputs(&mut x, 0)).contains("known already"));
    assert!(wrong(m.outputs(&x, 0)).contains("known already"));
    assert!(wrong(m.values(2, &x, 0)).contains("direction 2"));
    assert!(wrong(m.values(-1, &x, 0)).contains("direction -1"));
    assert!(wrong(m.values(0, &x, 1)).contains("do not exist"));
    sure(m.values(0, &x, 0));
    assert!(wrong(m.check(1e-9)).contains("not all products"));
    assert!(wrong(m.lower().map(|_| ())).contains("lower triangle"));

    let mut h = sure(Matrix::hessian(2));
    sure(h.inputs(&mut x, 0));
    assert!(wrong(h.outputs(&x, 0)).contains("results of a Hessian"));
    assert!(wrong(h.colour(By::Rows)).contains("by rows"));
}
