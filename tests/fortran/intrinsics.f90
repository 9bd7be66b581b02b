! The mathematical intrinsics of double precision, one result each.
! ad-option: -ad-adjoint=elementary(y)/(x)
! ad-option: -ad-tangent=elementary(y)/(x)
! ad-option: -ad-argnames=elementary_:n,x,y
! ad-option: -ad-adjoint=inverse(y)/(x)
! ad-option: -ad-tangent=inverse(y)/(x)
! ad-option: -ad-argnames=inverse_:n,x,y
! ad-option: -ad-adjoint=choosing(y)/(x)
! ad-option: -ad-tangent=choosing(y)/(x)
! ad-option: -ad-argnames=choosing_:n,x,y

subroutine elementary(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(12)
  y(1) = sin(x(1))
  y(2) = cos(x(2))
  y(3) = tan(x(3))
  y(4) = exp(x(4))
  y(5) = log(x(1))
  y(6) = log10(x(2))
  y(7) = sqrt(x(3))
  y(8) = sinh(x(4))
  y(9) = cosh(x(1))
  y(10) = tanh(x(2))
  y(11) = erf(x(3))
  y(12) = gamma(x(4))
end subroutine

subroutine inverse(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(12)
  y(1) = asin(0.7d0 * x(1))
  y(2) = acos(0.7d0 * x(2))
  y(3) = atan(x(3))
  y(4) = atan2(x(4), x(1))
  y(5) = atan2(-x(1), -x(2))
  y(6) = hypot(x(2), x(3))
  y(7) = asinh(x(3))
  y(8) = acosh(1.0d0 + x(4))
  y(9) = atanh(0.7d0 * x(1))
  y(10) = log_gamma(x(2))
  y(11) = erfc(x(3))
  y(12) = bessel_j0(x(4)) + bessel_j1(x(4))
end subroutine

subroutine choosing(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(12)
  y(1) = abs(x(1)) + abs(-x(2))
  y(2) = max(x(1), 2.0d0 * x(2), 0.1d0)
  y(3) = min(x(3), 5.0d0 * x(4))
  y(4) = sign(x(1), -x(2))
  y(5) = sign(-x(3), x(4))
  y(6) = mod(10.0d0 * x(1), 3.0d0)
  y(7) = modulo(-x(2), 2.5d0)
  y(8) = dim(x(3), 0.05d0)
  y(9) = aint(4.0d0 + 0.1d0 * x(4)) * x(4)
  y(10) = x(1) * real(nint(0.1d0 * x(1)) + int(5.5d0 + 0.1d0 * x(2)), 8)
  y(11) = x(2) * floor(2.5d0 + 0.1d0 * x(3)) * ceiling(0.1d0 * x(3))
  y(12) = dble(real(3, 4)) * x(4)
end subroutine

module intrinsics_cases
  use check
  implicit none
contains
  subroutine elementary_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call elementary(size(x), x, y)
  end subroutine
  subroutine elementary_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call elementary_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine elementary_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call elementary_b(size(x), x, xb, y, seed)
    call check_true('elementary: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine inverse_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call inverse(size(x), x, y)
  end subroutine
  subroutine inverse_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call inverse_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine inverse_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call inverse_b(size(x), x, xb, y, seed)
    call check_true('inverse: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine choosing_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call choosing(size(x), x, y)
  end subroutine
  subroutine choosing_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call choosing_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine choosing_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call choosing_b(size(x), x, xb, y, seed)
    call check_true('choosing: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module intrinsics_cases

program intrinsics_test
  use check
  use intrinsics_cases
  implicit none
  integer :: k
  real(dp) :: x(4)
  do k = 1, 3
    x = 0.55_dp + 0.07_dp * k * [1.0_dp, 1.3_dp, 0.7_dp, 1.1_dp] ! no kink within a step of the differences
    call check_jacobian('elementary', elementary_map, elementary_tangent, elementary_adjoint, x, 12)
    call check_jacobian('inverse', inverse_map, inverse_tangent, inverse_adjoint, x, 12)
    call check_jacobian('choosing', choosing_map, choosing_tangent, choosing_adjoint, x, 12)
  end do
  call check_done()
end program intrinsics_test
