! A cubic spline: a tridiagonal system, and a search for the interval.
! ad-option: -ad-adjoint=zone_cubic_spline(y)/(x)
! ad-option: -ad-tangent=zone_cubic_spline(y)/(x)
! ad-option: -ad-argnames=zone_cubic_spline_:n,m,x,y
subroutine zone_cubic_spline(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer, parameter :: k = 6
  real(8) :: t(k), f(k), s(k), d(k), u(k), at
  integer :: i, j
  t = [(1.0d0 * i, i = 1, k)]
  f = x(:k)
  d(1) = 1; s(1) = 0; u(1) = 0
  do i = 2, k - 1
    d(i) = 4 - u(i-1)
    u(i) = 1 / d(i)
    s(i) = (6 * (f(i+1) - 2 * f(i) + f(i-1)) - s(i-1)) / d(i)
  end do
  s(k) = 0
  do i = k - 1, 2, -1
    s(i) = s(i) - u(i) * s(i+1)
  end do
  y = 0
  do j = 1, 4
    at = 1 + x(7) * j
    i = max(1, min(k - 1, count(t <= at)))
    y(1) = y(1) + s(i) * (t(i+1) - at)**3 / 6 + s(i+1) * (at - t(i))**3 / 6 &
      + (f(i) - s(i) / 6) * (t(i+1) - at) + (f(i+1) - s(i+1) / 6) * (at - t(i))
    y(2) = y(2) + y(1) * x(8)
  end do
end subroutine zone_cubic_spline

program zone_cubic_spline_test
  use check
  implicit none
  procedure(kernel) :: zone_cubic_spline
  procedure(kernel_tangent) :: zone_cubic_spline_d
  procedure(kernel_adjoint) :: zone_cubic_spline_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_cubic_spline', zone_cubic_spline, zone_cubic_spline_d, zone_cubic_spline_b, x, 2)
  end do
  call check_done()
end program zone_cubic_spline_test
