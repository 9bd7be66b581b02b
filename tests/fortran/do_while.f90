! do while, do without a condition, exit and cycle, also from a named outer loop; trip counts that depend on data.
! ad-option: -ad-adjoint=newton(y)/(x)
! ad-option: -ad-tangent=newton(y)/(x)
! ad-option: -ad-argnames=newton_:n,x,y
! ad-option: -ad-adjoint=cycling(y)/(x)
! ad-option: -ad-tangent=cycling(y)/(x)
! ad-option: -ad-argnames=cycling_:n,x,y
! ad-option: -ad-adjoint=leaving(y)/(x)
! ad-option: -ad-tangent=leaving(y)/(x)
! ad-option: -ad-argnames=leaving_:n,x,y

subroutine newton(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  real(8) :: t
  t = x(1)
  do while (abs(t * t - x(1)) > 1.0d-13 * x(1))
    t = 0.5d0 * (t + x(1) / t)
  end do
  y(1) = t * x(2)
  t = x(2)
  do
    t = t * 0.5d0 + 0.1d0 * x(3)
    if (t < 0.3d0) exit
  end do
  y(2) = t * x(4)
end subroutine

subroutine cycling(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  integer :: i, j
  y(1) = 1.0d0
  y(2) = 1.0d0
  outer: do i = 1, n
    if (mod(i, 3) == 0) cycle
    y(1) = y(1) * x(i)
    do j = 1, n
      if (j == i) cycle
      if (j > i + 2) cycle outer
      y(2) = y(2) + x(i) * x(j) * y(1)
    end do
    y(1) = y(1) + 0.25d0
  end do outer
end subroutine

subroutine leaving(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  integer :: i, j
  y(1) = 0.1d0
  y(2) = 0.1d0
  search: do i = 1, n
    do j = 1, n
      y(1) = y(1) + 0.1d0 * x(i) * x(j)
      if (i * j == 8) exit search
      if (j > 4) exit
      y(2) = sin(y(2)) + x(j)
    end do
  end do search
  if (y(1) < 0.0d0) return
  y(2) = y(1) * y(2)
end subroutine

module do_while_cases
  use check
  implicit none
contains
  subroutine newton_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call newton(size(x), x, y)
  end subroutine
  subroutine newton_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call newton_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine newton_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call newton_b(size(x), x, xb, y, seed)
    call check_true('newton: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine cycling_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call cycling(size(x), x, y)
  end subroutine
  subroutine cycling_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call cycling_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine cycling_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call cycling_b(size(x), x, xb, y, seed)
    call check_true('cycling: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine leaving_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call leaving(size(x), x, y)
  end subroutine
  subroutine leaving_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call leaving_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine leaving_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call leaving_b(size(x), x, xb, y, seed)
    call check_true('leaving: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module do_while_cases

program do_while_test
  use check
  use do_while_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    x = [2.0_dp + 0.5_dp * k, 1.3_dp, 0.9_dp, 0.8_dp, 1.1_dp, 0.7_dp] ! far from where a trip count changes
    call check_jacobian('newton', newton_map, newton_tangent, newton_adjoint, x, 2)
    call check_jacobian('cycling', cycling_map, cycling_tangent, cycling_adjoint, x, 2)
    call check_jacobian('leaving', leaving_map, leaving_tangent, leaving_adjoint, x, 2)
  end do
  call check_done()
end program do_while_test
