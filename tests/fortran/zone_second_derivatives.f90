! Heads that name what other heads generate, in any order, and procedures that call it.
! ad-option: -ad-tangent=zone_second_law_b_d(xbd)/(x)
! ad-option: -ad-tangent=zone_second_law_b(xb)/(x)
! ad-option: -ad-tangent=zone_second_law_d(yd)/(x)
! ad-option: -ad-tangent=zone_second_law(y)/(x)
! ad-option: -ad-adjoint=ZONE_SECOND_LAW_D(YD)/(X)
! ad-option: -ad-adjoint=zone_second_law(y)/(x)
! ad-option: -ad-tangent=zone_second_gradient(g)/(x)
! ad-option: -ad-tangent=zone_second_newton(p)/(x)
! ad-option: -ad-adjoint=zone_second_field%potential(e)/(x,a)
! ad-option: -ad-tangent=zone_second_field%potential_b(xb, ab)/(x, a, eb)
! ad-option: -ad-tangent=potential(e)/(x)
! ad-option: -ad-adjoint=potential_d(potential_d)/(x)
! ad-option: -ad-adjoint=zone_second_step(u)/(u)
! ad-option: -ad-tangent=zone_second_step_b($3)/($2)
! ad-option: -ad-argnames=zone_second_law_:n,x,y
! ad-option: -ad-argnames=zone_second_gradient_:n,x,g
! ad-option: -ad-argnames=zone_second_newton_:n,x,p
! ad-option: -ad-argnames=_QMzone_second_fieldPpotential:n,x,a,=e
! ad-option: -ad-argnames=zone_second_step_:n,u
module zone_second_field
  implicit none
contains
  function potential(n, x, a) result(e)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n), a
    real(8) :: e
    integer :: i
    e = 0
    do i = 2, n
      e = e + exp(a * x(i) * x(i-1)) + a**2 * x(i)**3
    end do
  end function
end module

! y(1) = sum of x(i)**2 x(i+1), y(2) = sin(x(1)) x(n)**2
subroutine zone_second_law(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  real(8) :: squares(n)
  integer :: i
  squares = x**2
  y(1) = 0
  do i = 1, n - 1
    y(1) = y(1) + squares(i) * x(i+1)
  end do
  y(2) = sin(x(1)) * squares(n)
end subroutine

! Three steps in place.
subroutine zone_second_step(n, u)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n)
  integer :: i, k
  do k = 1, 3
    do i = 2, n - 1
      u(i) = u(i) + 0.1d0 * u(i-1) * u(i+1) - 0.05d0 * u(i)**2
    end do
    u(1) = u(1) * cos(u(n))
  end do
end subroutine

! The gradient of y(1) + 2 y(2), by what a head generates.
subroutine zone_second_gradient(n, x, g)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: g(n)
  real(8) :: y(2), yb(2)
  external :: zone_second_law_b
  g = 0
  yb = [1, 2]
  call zone_second_law_b(n, x, g, y, yb)
end subroutine

! A step along the gradient, and the potential there: a caller of a caller.
subroutine zone_second_newton(n, x, p)
  use zone_second_field
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: p
  real(8) :: g(n)
  integer :: m
  external :: zone_second_gradient
  m = int(2.1d0) + n - 2
  call zone_second_gradient(m, x, g)
  p = potential(n, x - 0.1d0 * g, 0.5d0) + dot_product(g, g)
end subroutine

program zone_second_derivatives_test
  use check
  use zone_second_field
  implicit none
  integer, parameter :: n = 4
  real(dp), parameter :: h = 1e-5_dp
  real(dp) :: x(n), v(n), w(n), want(n), hv(n)
  real(dp) :: ea, eb, ab, adot, a, p, pd, pa, pb, e, d
  integer :: k
  external :: zone_second_law_b, zone_second_law_b_d, zone_second_law_b_d_d, zone_second_law_d, zone_second_law_d_d
  external :: zone_second_law, zone_second_law_d_b, zone_second_gradient, zone_second_gradient_d, zone_second_newton, zone_second_newton_d
  external :: potential_b, potential_b_d, potential_d_b, zone_second_step, zone_second_step_b, zone_second_step_b_d
  do k = 1, 3
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_fill(v, -1.0_dp, 1.0_dp)
    call check_fill(w, -1.0_dp, 1.0_dp)
    call check_adjoint_then_tangent()
    call check_tangent_then()
    call check_third()
    call check_callers()
    call check_potential()
    call check_step()
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

  subroutine check_adjoint_then_tangent()
    real(dp) :: xb(n), xbd(n), y(2), yd(2), yb(2), ybd(2), g(n), unused(2)
    xb = 0; xbd = 0; yb = [1, 2]; ybd = 0; yd = 0
    call zone_second_law_b_d(n, x, v, xb, xbd, y, yd, yb, ybd)
    call check_all('f_b_d: Hessian times vector', xbd, product(x, v), 1e-13_dp)
    g = 0; yb = [1, 2]
    call zone_second_law_b(n, x, g, unused, yb)
    call check_all('f_b_d: gradient', xb, g, 1e-14_dp)
  end subroutine

  subroutine check_tangent_then()
    real(dp) :: xb(n), y(2), yb(2), yd(2), ydb(2), ydd(2), g(n), gb(2)
    xb = 0; yb = 0; ydb = [1, 2]
    call zone_second_law_d_b(n, x, xb, v, y, yb, yd, ydb)
    call check_all('f_d_b', xb, product(x, v), 1e-13_dp)
    call zone_second_law_d_d(n, x, w, v, y, yb, yd, ydd)
    call zone_second_law(n, x + h * w, g); call zone_second_law(n, x - h * w, gb)
    call check_all('f_d_d: tangent of y', yb, (g(:2) - gb) / (2 * h), 1e-8_dp)
    call check_all('f_d_d', [ydd(1) + 2 * ydd(2)], [dot_product(w, product(x, v))], 1e-13_dp)
    g = 0; gb = [1, 2]
    call zone_second_law_b(n, x, g, y, gb)
    call check_all('f_d', [yd(1) + 2 * yd(2)], [dot_product(g, v)], 1e-13_dp)
  end subroutine

  subroutine check_third()
    real(dp) :: xb(n), xb_(n), xbd(n), xbdd(n), y(2), yd(2), y_(2), yd_(2), yb(2), yb_(2), ybd(2), ybd_(2), zero(n)
    xb = 0; xb_ = 0; xbd = 0; xbdd = 0; yb = [1, 2]; yb_ = 0; ybd = 0; ybd_ = 0; zero = 0
    yd = 0; y_ = 0; yd_ = 0
    call zone_second_law_b_d_d(n, x, w, v, zero, xb, xb_, xbd, xbdd, y, y_, yd, yd_, yb, yb_, ybd, ybd_)
    want = (product(x + h * w, v) - product(x - h * w, v)) / (2 * h)
    call check_all('f_b_d_d', xbdd, want, 1e-8_dp)
    call check_all('f_b_d_d: second', xbd, product(x, v), 1e-13_dp)
  end subroutine

  subroutine check_callers()
    real(dp) :: g(n)
    call zone_second_gradient_d(n, x, v, g, hv)
    call check_all('gradient', hv, product(x, v), 1e-13_dp)
    call zone_second_newton_d(n, x, v, p, pd)
    call zone_second_newton(n, x + h * v, pa)
    call zone_second_newton(n, x - h * v, pb)
    call check_all('newton', [pd], [(pa - pb) / (2 * h)], 1e-8_dp)
  end subroutine

  subroutine check_potential()
    real(dp) :: xb(n), xbd(n), g(n), low(n), high(n), ed, g1(n)
    real(dp), external :: potential_d
    a = 0.3_dp
    ! Directions of x, of a and of the adjoint of the result.
    xb = 0; xbd = 0; ab = 0; adot = 0; eb = 0.7_dp
    call potential_b_d(n, x, v, xb, xbd, a, 0.2_dp, ab, adot, eb, -0.4_dp)
    high = 0; low = 0; ea = 0; pb = 0
    call potential_b(n, x + h * v, high, a + 0.2_dp * h, ea, 0.7_dp - 0.4_dp * h)
    call potential_b(n, x - h * v, low, a - 0.2_dp * h, pb, 0.7_dp + 0.4_dp * h)
    call check_all('potential_b_d: x', xbd, (high - low) / (2 * h), 1e-8_dp)
    call check_all('potential_b_d: a', [adot], [(ea - pb) / (2 * h)], 1e-8_dp)
    g = 0; ab = 0
    call potential_b(n, x, g, a, ab, 0.7_dp)
    call check_all('potential_b_d: gradient', xb, g, 1e-14_dp)
    ! The adjoint of the tangent is the Hessian times its direction.
    ed = potential_d(n, x, v, a, e)
    call check_all('potential_d', [ed * 0.7_dp, e], [dot_product(g, v), potential(n, x, a)], 1e-13_dp)
    g1 = 0; d = 1; eb = 0
    call potential_d_b(n, x, g1, v, a, e, eb, d)
    high = 0; low = 0; ea = 0
    call potential_b(n, x + h * v, high, a, ea, 1.0_dp)
    call potential_b(n, x - h * v, low, a, ea, 1.0_dp)
    call check_all('potential_d_b', g1, (high - low) / (2 * h), 1e-8_dp)
  end subroutine

  subroutine check_step()
    real(dp) :: u(n), ud(n), ub(n), ubd(n), high(n), low(n), q(n)
    u = x; ud = v; ub = w; ubd = 0
    call zone_second_step_b_d(n, u, ud, ub, ubd)
    q = x + h * v; high = w
    call zone_second_step_b(n, q, high)
    q = x - h * v; low = w
    call zone_second_step_b(n, q, low)
    call check_all('step_b_d', ubd, (high - low) / (2 * h), 1e-8_dp)
    call zone_second_step(n, x)
    call check_all('step_b_d: primal', u, x, 1e-14_dp)
  end subroutine
end program
