! Automatic arrays: local arrays whose size is an argument.
! ad-option: -ad-adjoint=automatic(y)/(x)
! ad-option: -ad-tangent=automatic(y)/(x)
! ad-option: -ad-argnames=automatic_:n,x,y
! ad-switches: what is overwritten and needed before

subroutine automatic(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8) :: t(0:n), m(n, n)
  integer :: i, j
  t(0) = 1.0d0
  do i = 1, n
    t(i) = t(i - 1) * x(i)
  end do
  do j = 1, n
    do i = 1, n
      m(i, j) = t(i) + x(j) * t(j)
    end do
  end do
  do i = 1, n
    y(i) = 0.0d0
    do j = 1, n
      y(i) = y(i) + m(i, j) * m(j, i)
    end do
  end do
end subroutine

module automatic_arrays_cases
  use check
  implicit none
contains
  subroutine automatic_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call automatic(size(x), x, y)
  end subroutine
  subroutine automatic_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call automatic_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine automatic_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call automatic_b(size(x), x, xb, y, seed)
    call check_true('automatic: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module automatic_arrays_cases

program automatic_arrays_test
  use check
  use automatic_arrays_cases
  implicit none
  integer :: k
  real(dp) :: x(5)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('automatic', automatic_map, automatic_tangent, automatic_adjoint, x, 5)
  end do
  call check_done()
end program automatic_arrays_test
