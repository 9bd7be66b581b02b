! Calls between external procedures: arguments that are expressions, elements and sections, a function called in a loop, a
! subroutine that overwrites its argument, and an internal procedure that uses its host's variables.
! ad-option: -ad-adjoint=chained(y)/(x)
! ad-option: -ad-tangent=chained(y)/(x)
! ad-option: -ad-argnames=chained_:n,x,y
! ad-option: -ad-adjoint=hosted(y)/(x)
! ad-option: -ad-tangent=hosted(y)/(x)
! ad-option: -ad-argnames=hosted_:n,x,y
! ad-switches: calls

real(8) function kernel(a, b)
  real(8), intent(in) :: a, b
  kernel = sin(a) * b + a * a
end function

subroutine normalise(n, v)
  integer, intent(in) :: n
  real(8), intent(inout) :: v(n)
  real(8) :: norm
  integer :: i
  norm = 0.0d0
  do i = 1, n
    norm = norm + v(i) * v(i)
  end do
  norm = sqrt(norm)
  do i = 1, n
    v(i) = v(i) / norm
  end do
end subroutine

subroutine chained(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8), external :: kernel
  integer :: i
  do i = 1, n
    y(i) = kernel(x(i), 2.0d0 * x(1)) + kernel(0.5d0, x(i))
  end do
  call normalise(n, y)
  do i = 1, n
    y(i) = y(i) * x(i)
  end do
  call normalise(n - 2, y(2))
end subroutine

subroutine hosted(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8) :: total
  integer :: i
  total = 0.0d0
  do i = 1, n
    call add(x(i))
    y(i) = total * x(i)
  end do
contains
  subroutine add(value)
    real(8), intent(in) :: value
    total = total * 0.5d0 + value * value
  end subroutine
end subroutine

module calls_cases
  use check
  implicit none
contains
  subroutine chained_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call chained(size(x), x, y)
  end subroutine
  subroutine chained_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call chained_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine chained_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call chained_b(size(x), x, xb, y, seed)
    call check_true('chained: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine hosted_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call hosted(size(x), x, y)
  end subroutine
  subroutine hosted_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call hosted_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine hosted_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call hosted_b(size(x), x, xb, y, seed)
    call check_true('hosted: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module calls_cases

program calls_test
  use check
  use calls_cases
  implicit none
  integer :: k
  real(dp) :: x(5)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('chained', chained_map, chained_tangent, chained_adjoint, x, 5)
    call check_jacobian('hosted', hosted_map, hosted_tangent, hosted_adjoint, x, 5)
  end do
  call check_done()
end program calls_test
