! Active data in variables of a module, in a common block and in saved variables, between procedures.
! ad-option: -ad-adjoint=relax(y)/(x)
! ad-option: -ad-tangent=relax(y)/(x)
! ad-option: -ad-argnames=_QMstatePrelax:n,x,y

module state
  implicit none
  real(8) :: last, history(16)
contains
  subroutine keep(n, x)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: common_total
    common /totals/ common_total
    integer :: i
    last = x(1) * x(n)
    common_total = 0.0d0
    do i = 1, n
      history(i) = x(i) * last
      common_total = common_total + history(i)
    end do
  end subroutine

  real(8) function weighted(a)
    real(8), intent(in) :: a
    real(8), save :: before = 0.0d0
    weighted = a * last + before
    before = a
  end function

  subroutine relax(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    real(8) :: common_total, ignored
    common /totals/ common_total
    integer :: i
    ignored = weighted(0.0d0)
    call keep(n, x)
    do i = 1, n
      y(i) = weighted(x(i)) + common_total * history(i)
    end do
    ignored = weighted(0.0d0)
  end subroutine
end module state

module module_variables_cases
  use check
  use state, only: relax
  implicit none
  external :: relax_d, relax_b
contains
  subroutine relax_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call relax(size(x), x, y)
  end subroutine
  subroutine relax_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call relax_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine relax_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call relax_b(size(x), x, xb, y, seed)
    call check_true('relax: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module module_variables_cases

program module_variables_test
  use check
  use module_variables_cases
  implicit none
  integer :: k
  real(dp) :: x(7)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.0_dp)
    call check_jacobian('relax', relax_map, relax_tangent, relax_adjoint, x, 7)
  end do
  call check_done()
end program module_variables_test
