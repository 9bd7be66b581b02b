! Arrays of assumed size: x(*), a matrix with a leading dimension, a lower bound of zero, and sections passed on.
! ad-option: -ad-adjoint=tail($3)/($2)
! ad-option: -ad-tangent=tail($3)/($2)
! ad-option: -ad-adjoint=columns($3)/($2)
! ad-option: -ad-tangent=columns($3)/($2)
! ad-option: -ad-adjoint=from_zero($3)/($2)
! ad-option: -ad-tangent=from_zero($3)/($2)

subroutine tail(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(*)
  real(8), intent(out) :: y(*)
  integer :: i
  do i = 1, n
    y(i) = x(i) * x(n + 1 - i)
  end do
  call halve(n / 2, y(n - n / 2 + 1))
contains
  subroutine halve(count, values)
    integer, intent(in) :: count
    real(8), intent(inout) :: values(*)
    integer :: j
    do j = 1, count
      values(j) = 0.5d0 * values(j) * values(1)
    end do
  end subroutine
end subroutine

subroutine columns(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(3, *)
  real(8), intent(out) :: y(3, *)
  integer :: i, j
  do j = 1, n / 3
    do i = 1, 3
      y(i, j) = x(i, j) * x(4 - i, j) + x(i, 1)
    end do
  end do
end subroutine

subroutine from_zero(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(0:*)
  real(8), intent(out) :: y(-1:*)
  integer :: i
  do i = 0, n - 1
    y(i - 1) = exp(-x(i)) * x(mod(i + 2, n))
  end do
end subroutine

module assumed_size_cases
  use check
  implicit none
contains
  subroutine tail_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call tail(size(x), x, y)
  end subroutine
  subroutine tail_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call tail_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine tail_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call tail_b(size(x), x, xb, y, seed)
    call check_true('tail: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine columns_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call columns(size(x), x, y)
  end subroutine
  subroutine columns_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call columns_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine columns_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call columns_b(size(x), x, xb, y, seed)
    call check_true('columns: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine from_zero_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call from_zero(size(x), x, y)
  end subroutine
  subroutine from_zero_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call from_zero_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine from_zero_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call from_zero_b(size(x), x, xb, y, seed)
    call check_true('from_zero: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module assumed_size_cases

program assumed_size_test
  use check
  use assumed_size_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('tail', tail_map, tail_tangent, tail_adjoint, x, 6)
    call check_jacobian('columns', columns_map, columns_tangent, columns_adjoint, x, 6)
    call check_jacobian('from_zero', from_zero_map, from_zero_tangent, from_zero_adjoint, x, 6)
  end do
  call check_done()
end program assumed_size_test
