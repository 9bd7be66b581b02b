! Module procedures with constants and a module variable that is not active; the head names the procedure alone.
! ad-option: -ad-adjoint=relax(y)/(x)
! ad-option: -ad-tangent=relax(y)/(x)
! ad-option: -ad-argnames=_QMsolverPrelax:n,x,y

module solver
  implicit none
  real(8), parameter :: half = 0.5d0
  integer :: sweeps = 3
  real(8) :: weights(3) = [0.25d0, 0.5d0, 0.25d0]
contains
  real(8) function smooth(a, b, c)
    real(8), intent(in) :: a, b, c
    smooth = weights(1) * a + weights(2) * b * b + weights(3) * c
  end function

  subroutine relax(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    real(8) :: old(16)
    integer :: i, sweep
    do i = 1, n
      y(i) = x(i)
    end do
    do sweep = 1, sweeps
      do i = 1, n
        old(i) = y(i)
      end do
      do i = 2, n - 1
        y(i) = smooth(old(i - 1), old(i), old(i + 1)) + half * x(i)
      end do
    end do
  end subroutine
end module solver

module module_procedure_cases
  use check
  use solver, only: relax
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
end module module_procedure_cases

program module_procedure_test
  use check
  use module_procedure_cases
  implicit none
  integer :: k
  real(dp) :: x(7)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.0_dp)
    call check_jacobian('relax', relax_map, relax_tangent, relax_adjoint, x, 7)
  end do
  call check_done()
end program module_procedure_test
