! Checkpointed steps in Fortran: markers take their arguments by reference, constants and variables, and have an underscore behind.
! ad-option: -ad-adjoint=stepping(y)/(x)
! ad-option: -ad-tangent=stepping(y)/(x)
! ad-option: -ad-argnames=stepping_:n,x,y
! ad-option: -ad-adjoint=until(y)/(x)
! ad-option: -ad-tangent=until(y)/(x)
! ad-option: -ad-argnames=until_:n,x,y
! ad-option: -ad-adjoint=region(y)/(x)
! ad-option: -ad-tangent=region(y)/(x)
! ad-option: -ad-argnames=region_:n,x,y

subroutine stepping(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  real(8) :: u(n), un(n), nu
  integer :: t, i
  do i = 1, n
    u(i) = x(i)
  end do
  nu = 0.1d0 + 0.01d0 * x(1)
  call ad_checkpoint_state(u, n * 8)
  call ad_checkpoint_state(un, n * 8)
  do t = 1, 11
    call ad_checkpoint_loop(3)
    do i = 1, n
      un(i) = u(i) + nu * u(mod(i, n) + 1) * u(i)
    end do
    do i = 1, n
      u(i) = un(i)
    end do
  end do
  y(1) = 0.0d0
  do i = 1, n
    call ad_checkpoint_independent()
    do t = 1, 4
      u(i) = u(i) + nu * sin(u(i) * un(n + 1 - i))
    end do
    y(1) = y(1) + u(i)
  end do
  y(2) = u(1) * u(n)
end subroutine

subroutine until(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  real(8) :: s, w
  integer :: steps, snapshots
  s = x(1)
  w = x(2)
  steps = 0
  snapshots = n - 2
  do while (s < 20.0d0)
    call ad_checkpoint_loop(snapshots)
    s = 1.5d0 * s + 0.1d0 * w * s + 0.2d0
    w = 0.9d0 * w + 0.1d0 * sin(s) * x(3)
    steps = steps + 1
    if (steps > 40) exit
  end do
  y(1) = s * w
  y(2) = w + steps * x(4)
end subroutine

subroutine region(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  real(8) :: a, b
  integer :: i
  integer(8), parameter :: bytes = 8
  call ad_checkpoint_state(a, bytes)
  a = x(1) * x(2)
  b = 1.0d0
  call ad_checkpoint_begin()
  do i = 1, n
    a = a + 0.1d0 * x(i) * a
    if (x(i) > 0.5d0) b = b * a
  end do
  call ad_checkpoint_end()
  y(1) = a * b
  y(2) = b * x(n)
end subroutine

module checkpoints_cases
  use check
  implicit none
contains
  subroutine stepping_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call stepping(size(x), x, y)
  end subroutine
  subroutine stepping_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call stepping_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine stepping_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call stepping_b(size(x), x, xb, y, seed)
    call check_true('stepping: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine until_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call until(size(x), x, y)
  end subroutine
  subroutine until_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call until_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine until_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call until_b(size(x), x, xb, y, seed)
    call check_true('until: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine region_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call region(size(x), x, y)
  end subroutine
  subroutine region_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call region_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine region_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call region_b(size(x), x, xb, y, seed)
    call check_true('region: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module checkpoints_cases

program checkpoints_test
  use check
  use checkpoints_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    x = [0.7_dp + 0.05_dp * k, 0.9_dp, 0.45_dp, 0.8_dp, 0.3_dp, 0.6_dp]
    call check_jacobian('stepping', stepping_map, stepping_tangent, stepping_adjoint, x, 2)
    call check_jacobian('until', until_map, until_tangent, until_adjoint, x, 2)
    call check_jacobian('region', region_map, region_tangent, region_adjoint, x, 2)
  end do
  call check_done()
end program checkpoints_test
