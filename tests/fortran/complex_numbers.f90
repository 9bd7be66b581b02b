! Complex numbers: arithmetic, intrinsics, powers of every kind, conjugates, arrays.
! ad-option: -ad-adjoint=double_functions(y)/(x)
! ad-option: -ad-tangent=double_functions(y)/(x)
! ad-option: -ad-argnames=double_functions_:n,x,y
! ad-option: -ad-adjoint=iterated(y)/(x)
! ad-option: -ad-tangent=iterated(y)/(x)
! ad-option: -ad-argnames=iterated_:n,x,y

subroutine double_functions(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(8)
  complex(8) :: z, w
  z = cmplx(x(1), x(2), 8)
  w = cmplx(x(3), -x(4), 8)
  y(1) = real(exp(z) + sqrt(w))
  y(2) = aimag(log(z) / conjg(w))
  y(3) = real(z**2 + w**(-3) + z**n)
  y(4) = aimag(z**w)
  y(5) = abs(z) * aimag(sin(z) * cos(w))
  y(6) = real(tan(z) + tanh(w)) + aimag(sinh(w) - cosh(z))
  y(7) = real(asin(z) * acos(w)) + aimag(atan(z) / (1.0d0 + w))
  y(8) = atan2(aimag(w), real(z)) * real(w * z)
end subroutine

subroutine iterated(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(8)
  complex(8) :: z(4), total
  integer :: i, k
  do i = 1, 4
    z(i) = cmplx(x(i), x(mod(i, n) + 1), 8)
  end do
  total = (0.0d0, 1.0d0)
  do k = 1, 3
    do i = 1, 4
      if (abs(z(i)) > 0.5d0) then
        z(i) = z(i) * z(mod(i, 4) + 1) - (0.3d0, 0.1d0)
      else
        z(i) = exp(z(i))
      end if
      total = total * z(i) / (1.5d0 + total)
    end do
  end do
  do i = 1, 4
    y(i) = real(z(i))
    y(i + 4) = aimag(z(i) * total)
  end do
end subroutine

module complex_cases
  use check
  implicit none
contains
  subroutine double_functions_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call double_functions(size(x), x, y)
  end subroutine
  subroutine double_functions_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call double_functions_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine double_functions_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call double_functions_b(size(x), x, xb, y, seed)
    call check_true('double_functions: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine iterated_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call iterated(size(x), x, y)
  end subroutine
  subroutine iterated_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call iterated_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine iterated_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call iterated_b(size(x), x, xb, y, seed)
    call check_true('iterated: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module complex_cases

program complex_test
  use check
  use complex_cases
  implicit none
  integer :: k
  real(dp) :: x(4)
  do k = 1, 3
    call check_fill(x, 0.5_dp, 1.3_dp)
    call check_jacobian('double_functions', double_functions_map, double_functions_tangent, double_functions_adjoint, x, 8)
    call check_jacobian('iterated', iterated_map, iterated_tangent, iterated_adjoint, x, 8)
  end do
  call check_done()
end program complex_test
