! do loops: strides up and down, bounds that skip the loop, nests, triangles, and a recurrence across a nest.
! ad-option: -ad-adjoint=strided(y)/(x)
! ad-option: -ad-tangent=strided(y)/(x)
! ad-option: -ad-argnames=strided_:n,x,y
! ad-option: -ad-adjoint=skipped(y)/(x)
! ad-option: -ad-tangent=skipped(y)/(x)
! ad-option: -ad-argnames=skipped_:n,x,y
! ad-option: -ad-adjoint=triangle(y)/(x)
! ad-option: -ad-tangent=triangle(y)/(x)
! ad-option: -ad-argnames=triangle_:n,x,y
! ad-option: -ad-adjoint=recurrence(y)/(x)
! ad-option: -ad-tangent=recurrence(y)/(x)
! ad-option: -ad-argnames=recurrence_:n,x,y

subroutine strided(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(3)
  integer :: i
  y(1) = 1.0d0
  y(2) = 1.0d0
  y(3) = 1.0d0
  do i = 1, n, 3
    y(1) = y(1) * x(i) + 0.5d0
  end do
  do i = n, 1, -2
    y(2) = y(2) * x(i) + x(1)
  end do
  do i = n - 1, 2, -1
    y(3) = sin(y(3)) + x(i) * x(i - 1)
  end do
end subroutine

subroutine skipped(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(3)
  integer :: i
  y(1) = x(1)
  do i = n, 1 ! no trip
    y(1) = y(1) * x(i)
  end do
  y(2) = x(2)
  do i = 3, 3 ! one trip
    y(2) = y(2) * x(i)
  end do
  y(3) = x(1)
  do i = 2, n, n ! one trip
    y(3) = y(3) * x(i)
  end do
  y(3) = y(3) * i
end subroutine

subroutine triangle(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(3)
  integer :: i, j, k
  y(1) = 0.0d0
  y(2) = 0.0d0
  y(3) = 0.0d0
  do i = 1, n
    do j = 1, i
      y(1) = y(1) + x(i) * x(j) * x(j)
    end do
    do j = n, i + 1, -1
      y(2) = y(2) + x(i) / x(j)
    end do
  end do
  do i = 1, n
    do j = i, n
      do k = 1, j - i
        y(3) = y(3) + x(i) * x(j) * x(k)
      end do
    end do
  end do
end subroutine

subroutine recurrence(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(3)
  real(8) :: t, s
  integer :: i, j
  t = x(1)
  do i = 2, n
    s = t
    do j = 1, i - 1
      s = s * x(j) + x(i)
    end do
    t = sin(s) + t * x(i)
  end do
  y(1) = t
  y(2) = s
  y(3) = t * s
end subroutine

module do_loops_cases
  use check
  implicit none
contains
  subroutine strided_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call strided(size(x), x, y)
  end subroutine
  subroutine strided_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call strided_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine strided_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call strided_b(size(x), x, xb, y, seed)
    call check_true('strided: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine skipped_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call skipped(size(x), x, y)
  end subroutine
  subroutine skipped_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call skipped_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine skipped_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call skipped_b(size(x), x, xb, y, seed)
    call check_true('skipped: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine triangle_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call triangle(size(x), x, y)
  end subroutine
  subroutine triangle_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call triangle_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine triangle_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call triangle_b(size(x), x, xb, y, seed)
    call check_true('triangle: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine recurrence_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call recurrence(size(x), x, y)
  end subroutine
  subroutine recurrence_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call recurrence_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine recurrence_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call recurrence_b(size(x), x, xb, y, seed)
    call check_true('recurrence: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module do_loops_cases

program do_loops_test
  use check
  use do_loops_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('strided', strided_map, strided_tangent, strided_adjoint, x, 3)
    call check_jacobian('skipped', skipped_map, skipped_tangent, skipped_adjoint, x, 3)
    call check_jacobian('triangle', triangle_map, triangle_tangent, triangle_adjoint, x, 3)
    call check_jacobian('recurrence', recurrence_map, recurrence_tangent, recurrence_adjoint, x, 3)
  end do
  call check_done()
end program do_loops_test
