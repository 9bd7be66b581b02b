! Adjoints of adjoints: heads of heads, and adjoints of procedures that call what a head generates.
! ad-option: -ad-adjoint=zone_twice_law(y)/(x)
! ad-option: -ad-adjoint=zone_twice_law_b(xb)/(x)
! ad-option: -ad-tangent=zone_twice_law_b_b(xb)/(x)
! ad-option: -ad-adjoint=zone_twice_slope(s)/(x)
! ad-option: -ad-tangent=zone_twice_slope(s)/(x)
! ad-option: -ad-adjoint=zone_twice_field%energy(e)/(u)
! ad-option: -ad-adjoint=zone_twice_descent(s)/(x)
! ad-option: -ad-argnames=zone_twice_law_:n,x,y
! ad-option: -ad-argnames=zone_twice_slope_:n,x,s
! ad-option: -ad-argnames=zone_twice_descent_:n,x,s
! ad-option: -ad-argnames=_QMzone_twice_fieldPenergy:u,e
module zone_twice_field
  implicit none
contains
  subroutine energy(u, e)
    real(8), intent(in) :: u(:)
    real(8), intent(out) :: e
    real(8), allocatable :: w(:)
    w = u**2 + 0.1d0 * cshift(u, 1)
    e = sum(w * cos(u)) + maxval(w)
  end subroutine
end module

subroutine zone_twice_law(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  integer :: i
  y(1) = 0
  do i = 1, n - 1
    y(1) = y(1) + x(i)**2 * x(i+1)
  end do
  y(2) = sin(x(1)) * x(n)**2
end subroutine

! A function of the gradient; what the gradient was taken of is overwritten.
subroutine zone_twice_slope(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: z(n), zb(n), y(2), yb(2)
  external :: zone_twice_law_b
  z = x * x
  zb = 0
  yb = [1, 2]
  call zone_twice_law_b(n, z, zb, y, yb)
  z = zb
  yb = y * zb(1)
  zb = 0
  call zone_twice_law_b(n, z, zb, y, yb)
  s = sum(zb * x) + y(2)
  z = 0
end subroutine

! Steps of a descent whose length is active.
subroutine zone_twice_descent(n, x, s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: s
  real(8) :: u(n), g(n), e, eb
  integer :: t
  interface
    subroutine energy_b(u, ub, e, eb)
      real(8) :: u(:), ub(:), e, eb
    end subroutine
  end interface
  u = x
  do t = 1, 4
    g = 0
    eb = 1
    call energy_b(u, g, e, eb)
    u = u - 0.1d0 * x(1) * g
  end do
  s = e + sum(u**3)
end subroutine

program zone_second_adjoints_test
  use check
  implicit none
  integer, parameter :: n = 4
  real(dp), parameter :: h = 1e-5_dp
  real(dp) :: x(n), v(n), s
  integer :: k
  external :: zone_twice_law_b, zone_twice_law_b_b, zone_twice_law_b_b_d
  external :: zone_twice_slope, zone_twice_slope_b, zone_twice_slope_d, zone_twice_descent, zone_twice_descent_b
  do k = 1, 3
    call check_fill(x, 0.4_dp, 1.1_dp)
    call check_fill(v, -1.0_dp, 1.0_dp)
    call check_law()
    call check_slope()
    call check_descent()
  end do
  call check_done()
contains
  ! The Hessian of y(1) + 2 y(2) times v.
  function product(x, v) result(r)
    real(dp), intent(in) :: x(n), v(n)
    real(dp) :: r(n)
    integer :: i
    r = 0
    do i = 1, n - 1
      r(i) = r(i) + 2 * x(i+1) * v(i) + 2 * x(i) * v(i+1)
      r(i+1) = r(i+1) + 2 * x(i) * v(i)
    end do
    r(1) = r(1) - 2 * sin(x(1)) * x(n)**2 * v(1) + 4 * cos(x(1)) * x(n) * v(n)
    r(n) = r(n) + 4 * cos(x(1)) * x(n) * v(1) + 4 * sin(x(1)) * v(n)
  end function

  subroutine check_all(name, got, want, bound)
    character(*), intent(in) :: name
    real(dp), intent(in) :: got(:), want(:), bound
    integer :: i
    do i = 1, size(got)
      call check_within(name, got(i), want(i), bound * (1 + abs(want(i))))
    end do
  end subroutine

  subroutine check_law()
    real(dp) :: g(n), gb(n), xb(n), y(2), ys(2), yb(2), ybb(2), zero(n), two(2), three(2), d(n), dd(n)
    g = 0; gb = v; xb = 0; ys = 0; yb = [1, 2]; ybb = 0
    call zone_twice_law_b_b(n, x, xb, g, gb, y, ys, yb, ybb)
    call check_all('f_b_b: Hessian times vector', xb, product(x, v), 1e-13_dp)
    ! The adjoint of the seed is J v.
    call check_all('f_b_b: seed', ybb, [sum([(2*x(k)*x(k+1)*v(k) + x(k)**2*v(k+1), k = 1, n-1)]), &
      cos(x(1))*x(n)**2*v(1) + 2*sin(x(1))*x(n)*v(n)], 1e-13_dp)
    call check_all('f_b_b: seeds are taken', yb, [0.0_dp, 0.0_dp], 0.0_dp)
    ! The derivative of the product along v.
    g = 0; gb = v; xb = 0; ys = 0; yb = [1, 2]; ybb = 0; zero = 0; two = 0; three = 0; d = 0; dd = 0
    block
      real(dp) :: y_(2), yb_(2)
      y_ = 0; yb_ = 0
      call zone_twice_law_b_b_d(n, x, v, xb, d, g, dd, gb, zero, y, y_, ys, two, yb, yb_, ybb, three)
    end block
    call check_all('f_b_b_d', d, (product(x + h * v, v) - product(x - h * v, v)) / (2 * h), 1e-8_dp)
  end subroutine

  subroutine check_slope()
    real(dp) :: xb(n), sb, sd, high, low
    call zone_twice_slope_d(n, x, v, s, sd)
    call zone_twice_slope(n, x + h * v, high)
    call zone_twice_slope(n, x - h * v, low)
    call check_all('slope: tangent', [sd], [(high - low) / (2 * h)], 1e-7_dp)
    xb = 0; sb = 1
    call zone_twice_slope_b(n, x, xb, s, sb)
    call check_all('slope: adjoint', [dot_product(xb, v)], [sd], 1e-12_dp)
  end subroutine

  subroutine check_descent()
    real(dp) :: xb(n), sb, high, low
    xb = 0; sb = 1
    call zone_twice_descent_b(n, x, xb, s, sb)
    call zone_twice_descent(n, x + h * v, high)
    call zone_twice_descent(n, x - h * v, low)
    call check_all('descent', [dot_product(xb, v)], [(high - low) / (2 * h)], 1e-8_dp)
  end subroutine
end program
