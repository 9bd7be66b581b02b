! Local arrays of constant size, in one and two dimensions; overwritten between uses.
! ad-option: -ad-adjoint=constant_size(y)/(x)
! ad-option: -ad-tangent=constant_size(y)/(x)
! ad-option: -ad-argnames=constant_size_:n,x,y

subroutine constant_size(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8) :: t(10), m(2, 3)
  integer :: i, j
  do i = 1, n
    t(i) = x(i) * x(i)
  end do
  do j = 1, 3
    do i = 1, 2
      m(i, j) = t(i) * t(j)
    end do
  end do
  do i = 1, n
    t(i) = sin(t(i)) + m(1, 3)
  end do
  do i = 1, n
    y(i) = t(i) * t(n + 1 - i) + m(2, 2)
  end do
end subroutine

module local_arrays_cases
  use check
  implicit none
contains
  subroutine constant_size_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call constant_size(size(x), x, y)
  end subroutine
  subroutine constant_size_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call constant_size_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine constant_size_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call constant_size_b(size(x), x, xb, y, seed)
    call check_true('constant_size: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module local_arrays_cases

program local_arrays_test
  use check
  use local_arrays_cases
  implicit none
  integer :: k
  real(dp) :: x(5)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('constant_size', constant_size_map, constant_size_tangent, constant_size_adjoint, x, 5)
  end do
  call check_done()
end program local_arrays_test
