! An array that is input and output: one shadow for both. A smoothing sweep that overwrites as it goes, and a time loop.
! ad-option: -ad-adjoint=sweep(x)/(x)
! ad-option: -ad-tangent=sweep(x)/(x)
! ad-option: -ad-argnames=sweep_:n,x
! ad-option: -ad-adjoint=march(u)/(u, speed)
! ad-option: -ad-tangent=march(u)/(u, speed)
! ad-option: -ad-argnames=march_:n,steps,u,speed
! ad-switches: what is overwritten and needed before

subroutine sweep(n, x)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  do i = 2, n - 1
    x(i) = x(i) * x(i - 1) + sin(x(i + 1))
  end do
end subroutine

subroutine march(n, steps, u, speed)
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: u(n)
  real(8), intent(in) :: speed
  real(8) :: last, kept
  integer :: step, i
  do step = 1, steps
    last = u(n)
    do i = 1, n
      kept = u(i)
      u(i) = u(i) - speed * u(i) * (u(i) - last)
      last = kept
    end do
  end do
end subroutine

module in_place_cases
  use check
  implicit none
contains
  subroutine sweep_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    y = x
    call sweep(size(y), y)
  end subroutine
  subroutine sweep_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    y = x
    yd = xd
    call sweep_d(size(y), y, yd)
  end subroutine
  subroutine sweep_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), shadow(size(yb))
    y = x
    shadow = yb
    call sweep_b(size(y), y, shadow)
    xb = xb + shadow
  end subroutine
  ! x: the speed, then the state.
  subroutine march_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    y = x(2:)
    call march(size(y), 4, y, x(1))
  end subroutine
  subroutine march_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    y = x(2:)
    yd = xd(2:)
    call march_d(size(y), 4, y, yd, x(1), xd(1))
  end subroutine
  subroutine march_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), shadow(size(yb))
    y = x(2:)
    shadow = yb
    call march_b(size(y), 4, y, shadow, x(1), xb(1))
    xb(2:) = xb(2:) + shadow
  end subroutine
end module in_place_cases

program in_place_test
  use check
  use in_place_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.0_dp)
    call check_jacobian('sweep', sweep_map, sweep_tangent, sweep_adjoint, x, 6)
    call check_jacobian('march', march_map, march_tangent, march_adjoint, x, 5)
  end do
  call check_done()
end program in_place_test
