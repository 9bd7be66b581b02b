! Loops that iterate to a fixed point in Fortran: the tolerance comes by reference, in either precision.
! ad-option: -ad-adjoint=pipe(y)/(x)
! ad-option: -ad-tangent=pipe(y)/(x)
! ad-option: -ad-argnames=pipe_:n,x,y
! ad-option: -ad-adjoint=plate(y)/(x)
! ad-option: -ad-tangent=plate(y)/(x)
! ad-option: -ad-argnames=plate_:n,x,y
! ad-i386: sse2, iterations stop where rounding decides

! Friction in a pipe (Colebrook): 1/sqrt(f) = -2 log10(k/3.7 + 2.51/(Re sqrt(f))).
subroutine pipe(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  real(8) :: s, last, rough, reynolds
  real(8), parameter :: tolerance = 1d-14
  rough = 0.01d0 * x(1)
  reynolds = 1d4 * x(2)
  s = 5d0
  last = 0d0
  do while (abs(s - last) > 1d-14 * s)
    call ad_fixed_point(tolerance)
    last = s
    s = -2d0 * log10(rough / 3.7d0 + 2.51d0 * s / reynolds)
  end do
  y(1) = 1d0 / s**2 * x(3)
  y(2) = s * x(n)
end subroutine

! Heat in a plate, relaxed in place; the boundary is part of the array.
subroutine plate(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  integer, parameter :: m = 6
  real(8) :: u(m, m), change, new
  real(4) :: loose
  integer :: i, j, sweep
  u = 0d0
  do i = 1, m
    u(i, 1) = x(1) * i
    u(i, m) = x(2) * x(3)
  end do
  loose = 1e-13
  do sweep = 1, 1000
    call ad_fixed_point(loose)
    change = 0d0
    do j = 2, m - 1
      do i = 2, m - 1
        new = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) - 0.01d0 * u(i, j)**2
        change = max(change, abs(new - u(i, j)))
        u(i, j) = new
      end do
    end do
    if (change < 1d-15) exit
  end do
  y(1) = u(3, 3) + u(2, 1)
  y(2) = sum(u) * x(4)
end subroutine

module fixed_point_cases
  use check
  implicit none
contains
  subroutine pipe_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call pipe(size(x), x, y)
  end subroutine
  subroutine pipe_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call pipe_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine pipe_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call pipe_b(size(x), x, xb, y, seed)
  end subroutine
  subroutine plate_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call plate(size(x), x, y)
  end subroutine
  subroutine plate_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call plate_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine plate_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call plate_b(size(x), x, xb, y, seed)
  end subroutine
end module fixed_point_cases

program fixed_point_test
  use check
  use fixed_point_cases
  implicit none
  integer :: k
  real(dp) :: x(4)
  do k = 1, 3
    x = [0.7_dp + 0.05_dp * k, 0.9_dp, 0.45_dp, 0.8_dp]
    call check_jacobian('pipe', pipe_map, pipe_tangent, pipe_adjoint, x, 2)
    call check_jacobian('plate', plate_map, plate_tangent, plate_adjoint, x, 2)
  end do
  call check_done()
end program fixed_point_test
