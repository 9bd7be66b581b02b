! The shallow-water equations on a square that repeats, over a bed, by whole-array expressions.
module water_array_steps
  implicit none
  private
  public :: dp, state, flow, rise
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: gravity = 9.81_dp, step = 0.002_dp
  type :: state
    real(dp), allocatable :: h(:,:), u(:,:), v(:,:)
  end type state
contains
  subroutine flow(bed, now, next)
    real(dp), intent(in) :: bed(:,:)
    type(state), intent(in) :: now
    type(state), intent(inout) :: next
    real(dp), allocatable :: level(:,:)
    level = now%h + bed
    next%u = now%u - step * (now%u * 0.5_dp * (cshift(now%u, 1, 1) - cshift(now%u, -1, 1)) &
      + now%v * 0.5_dp * (cshift(now%u, 1, 2) - cshift(now%u, -1, 2)) + gravity * (cshift(level, 1, 1) - level))
    next%v = now%v - step * (now%u * 0.5_dp * (cshift(now%v, 1, 1) - cshift(now%v, -1, 1)) &
      + now%v * 0.5_dp * (cshift(now%v, 1, 2) - cshift(now%v, -1, 2)) + gravity * (cshift(level, 1, 2) - level))
  end subroutine flow

  subroutine rise(now, next)
    type(state), intent(in) :: now
    type(state), intent(inout) :: next
    real(dp), allocatable :: fu(:,:), fv(:,:)
    fu = next%u * now%h
    fv = next%v * now%h
    next%h = now%h - step * (fu - cshift(fu, -1, 1) + fv - cshift(fv, -1, 2))
  end subroutine rise
end module water_array_steps

subroutine water_arrays(n, steps, unused, bed, x, y)
  use water_array_steps
  implicit none
  integer, intent(in) :: n, steps, unused
  real(dp), intent(in) :: bed(n, n), x(n, n, 3)
  real(dp), intent(out) :: y(n, n, 3)
  type(state) :: now, next
  integer :: s
  now = state(x(:,:,1), x(:,:,2), x(:,:,3))
  next = now
  do s = 1, steps
    call flow(bed, now, next)
    call rise(now, next)
    now = next
  end do
  y(:,:,1) = now%h
  y(:,:,2) = now%u
  y(:,:,3) = now%v
end subroutine water_arrays
