! Whole-array assignments and expressions, sections with strides, where, and array constructors.
! ad-option: -ad-adjoint=expressions(y)/(x)
! ad-option: -ad-tangent=expressions(y)/(x)
! ad-option: -ad-argnames=expressions_:n,x,y
! ad-option: -ad-adjoint=sections(y)/(x)
! ad-option: -ad-tangent=sections(y)/(x)
! ad-option: -ad-argnames=sections_:n,x,y

subroutine expressions(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  y = x * x + 2.0d0 * x
  y = sin(y) * x(1)
  where (x > 0.6d0) y = y * x
end subroutine

subroutine sections(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  y(1:n:2) = x(1:n:2) * x(n)
  y(2:n:2) = x(n:2:-2) + 0.5d0 * x(1)
  y(1:2) = [x(1) * x(2), x(3)]
end subroutine

module array_expressions_cases
  use check
  implicit none
contains
  subroutine expressions_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call expressions(size(x), x, y)
  end subroutine
  subroutine expressions_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call expressions_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine expressions_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call expressions_b(size(x), x, xb, y, seed)
    call check_true('expressions: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine sections_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call sections(size(x), x, y)
  end subroutine
  subroutine sections_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call sections_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine sections_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call sections_b(size(x), x, xb, y, seed)
    call check_true('sections: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module array_expressions_cases

program array_expressions_test
  use check
  use array_expressions_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    x = cshift([0.15_dp, 0.42_dp, 0.9_dp, 1.1_dp, 0.5_dp, 0.22_dp], k) ! far from the threshold
    call check_jacobian('expressions', expressions_map, expressions_tangent, expressions_adjoint, x, 6)
    call check_jacobian('sections', sections_map, sections_tangent, sections_adjoint, x, 6)
  end do
  call check_done()
end program array_expressions_test
