//! One long routine in Fortran: loops over matrices and vectors, branches, reductions.

use adfuzz::rng::Rng;
use std::fmt::Write;

/// Matrices that the routine is given, its own matrices, its own vectors.
const NAMES: [&[&str]; 3] = [&["x", "y"], &["a", "b", "c"], &["u", "v", "w"]];
/// Lines that statements are made of, on average.
const LINES: usize = 5;

/// The file with a subroutine of about `lines` lines: `routine(n, x, y)`, n by n matrices.
pub fn file(lines: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed, lines as u64);
    let mut text = String::from(
        "subroutine routine(n, x, y)\n  implicit none\n  integer, intent(in) :: n\n  \
         real(8), intent(in) :: x(n, n)\n  real(8), intent(inout) :: y(n, n)\n  \
         real(8) :: a(20, 20), b(20, 20), c(20, 20), u(20), v(20), w(20), s, r\n  integer :: i, j\n  \
         a = 0.1d0\n  b = 0.2d0\n  c = 0.3d0\n  u = 0.1d0\n  v = 0.2d0\n  w = 0.3d0\n  \
         s = x(1, 1)\n  r = x(n, n)\n",
    );
    for _ in 0..lines / LINES {
        statement(&mut text, &mut rng);
    }
    text.push_str("  do i = 1, n\n    y(i, i) = y(i, i) + 0.1d0 * s - 0.2d0 * r + a(i, 1) * u(i)\n  end do\nend subroutine\n");
    text
}

fn statement(text: &mut String, rng: &mut Rng) {
    let matrix = |rng: &mut Rng| *rng.pick(&[NAMES[0], NAMES[1]].concat());
    let (from, other) = (matrix(rng), matrix(rng));
    let to = *rng.pick(&[&NAMES[0][1..], NAMES[1]].concat());
    let (vector, second) = (*rng.pick(NAMES[2]), *rng.pick(NAMES[2]));
    let k = format!("{:.3}d0", rng.uniform(0.1, 0.9));
    // All values stay within bounds.
    let _ = match rng.below(7) {
        0 | 1 => write!(
            text,
            "  do j = 1, n\n    do i = 1, n\n      {to}(i, j) = 0.4d0 * {to}(i, j) + 0.3d0 * sin({k} * {from}(i, j) + {vector}(i))\n    end do\n  end do\n"
        ),
        2 => write!(
            text,
            "  do i = 2, n - 1\n    {to}(i, 2) = 0.4d0 * {to}(i, 2) + 0.2d0 * ({from}(i - 1, 2) + {from}(i + 1, 1)) &\n      - 0.1d0 * {from}(i, 2)\n  end do\n"
        ),
        3 => write!(
            text,
            "  r = 0.0d0\n  do i = 1, n\n    r = r + {from}(i, 1) * {other}(1, i) / (1.0d0 + {vector}(i)**2)\n  end do\n  s = 0.5d0 * s + 0.3d0 * r / n\n"
        ),
        4 => write!(
            text,
            "  do i = 1, n\n    if ({from}(i, i) > {k}) then\n      {vector}(i) = 0.5d0 * {vector}(i) + 0.2d0 * exp(-{from}(i, i)**2)\n    else\n      {vector}(i) = 0.6d0 * {second}(i) - 0.1d0 * s\n    end if\n  end do\n"
        ),
        5 => write!(
            text,
            "  do j = 1, n\n    {vector}(j) = 0.5d0 * {vector}(j) + {k} * {second}(j) * {from}(j, 1) / (1.0d0 + s * s)\n  end do\n"
        ),
        _ => write!(
            text,
            "  s = 0.4d0 * s + 0.3d0 * sin({k} * r)\n  r = 0.5d0 * r + 0.2d0 * s * {vector}(1) - 0.1d0 * {from}(2, 1)\n"
        ),
    };
}
