! Powers: constant and variable integer exponents of either sign, zero and one, real exponents, active exponents.
! ad-option: -ad-adjoint=integer_powers(y)/(x)
! ad-option: -ad-tangent=integer_powers(y)/(x)
! ad-option: -ad-argnames=integer_powers_:n,x,y
! ad-option: -ad-adjoint=real_powers(y)/(x)
! ad-option: -ad-tangent=real_powers(y)/(x)
! ad-option: -ad-argnames=real_powers_:n,x,y
! ad-option: -ad-adjoint=negative_bases(y)/(x)
! ad-option: -ad-tangent=negative_bases(y)/(x)
! ad-option: -ad-argnames=negative_bases_:n,x,y

subroutine integer_powers(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(8)
  integer :: i
  y(1) = x(1)**2
  y(2) = x(2)**3
  y(3) = x(3)**(-2)
  y(4) = x(4)**7
  y(5) = 0.0d0
  do i = -3, 4
    y(5) = y(5) + x(1)**i
  end do
  y(6) = x(2)**n
  y(7) = x(3)**(n - 4) + x(4)
  y(8) = (x(1) * x(2))**(1 - n)
end subroutine

subroutine real_powers(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(8)
  y(1) = x(1)**0.5d0
  y(2) = x(2)**1.5d0
  y(3) = x(3)**(-0.3d0)
  y(4) = x(4)**x(1)
  y(5) = 2.0d0**x(2)
  y(6) = x(3)**2.0d0
  y(7) = (x(1) + x(2))**(x(3) - x(4))
  y(8) = x(1)**real(n, 8)
end subroutine

subroutine negative_bases(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(8)
  real(8) :: t
  integer :: i
  do i = 1, 8
    t = -x(mod(i, n) + 1)
    y(i) = t**i + t**(-i)
  end do
end subroutine

module powers_cases
  use check
  implicit none
contains
  subroutine integer_powers_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call integer_powers(size(x), x, y)
  end subroutine
  subroutine integer_powers_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call integer_powers_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine integer_powers_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call integer_powers_b(size(x), x, xb, y, seed)
    call check_true('integer_powers: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine real_powers_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call real_powers(size(x), x, y)
  end subroutine
  subroutine real_powers_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call real_powers_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine real_powers_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call real_powers_b(size(x), x, xb, y, seed)
    call check_true('real_powers: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine negative_bases_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call negative_bases(size(x), x, y)
  end subroutine
  subroutine negative_bases_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call negative_bases_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine negative_bases_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call negative_bases_b(size(x), x, xb, y, seed)
    call check_true('negative_bases: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module powers_cases

program powers_test
  use check
  use powers_cases
  implicit none
  integer :: k
  real(dp) :: x(4)
  do k = 1, 3
    call check_fill(x, 0.5_dp, 1.3_dp)
    call check_jacobian('integer_powers', integer_powers_map, integer_powers_tangent, integer_powers_adjoint, x, 8)
    call check_jacobian('real_powers', real_powers_map, real_powers_tangent, real_powers_adjoint, x, 8)
    call check_jacobian('negative_bases', negative_bases_map, negative_bases_tangent, negative_bases_adjoint, x, 8)
  end do
  call check_done()
end program powers_test
