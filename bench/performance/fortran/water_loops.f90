! The shallow-water equations on a square that repeats, over a bed, by loops.
module water_steps
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
    integer :: i, j, n, up, down, left, right
    real(dp) :: level
    n = size(bed, 1)
    do j = 1, n
      up = modulo(j, n) + 1
      down = modulo(j - 2, n) + 1
      do i = 1, n
        right = merge(1, i + 1, i == n)
        left = merge(n, i - 1, i == 1)
        level = now%h(i,j) + bed(i,j)
        next%u(i,j) = now%u(i,j) - step * (now%u(i,j) * 0.5_dp * (now%u(right,j) - now%u(left,j)) &
          + now%v(i,j) * 0.5_dp * (now%u(i,up) - now%u(i,down)) + gravity * (now%h(right,j) + bed(right,j) - level))
        next%v(i,j) = now%v(i,j) - step * (now%u(i,j) * 0.5_dp * (now%v(right,j) - now%v(left,j)) &
          + now%v(i,j) * 0.5_dp * (now%v(i,up) - now%v(i,down)) + gravity * (now%h(i,up) + bed(i,up) - level))
      end do
    end do
  end subroutine flow

  subroutine rise(now, next)
    type(state), intent(in) :: now
    type(state), intent(inout) :: next
    integer :: i, j, n, down, left
    n = size(now%h, 1)
    do j = 1, n
      down = modulo(j - 2, n) + 1
      do i = 1, n
        left = merge(n, i - 1, i == 1)
        next%h(i,j) = now%h(i,j) - step * (next%u(i,j) * now%h(i,j) - next%u(left,j) * now%h(left,j) &
          + next%v(i,j) * now%h(i,j) - next%v(i,down) * now%h(i,down))
      end do
    end do
  end subroutine rise
end module water_steps

subroutine water_loops(n, steps, unused, bed, x, y)
  use water_steps
  implicit none
  integer, intent(in) :: n, steps, unused
  real(dp), intent(in) :: bed(n, n), x(n, n, 3)
  real(dp), intent(out) :: y(n, n, 3)
  type(state) :: now, next
  integer :: i, j, s
  allocate(now%h(n,n), now%u(n,n), now%v(n,n), next%h(n,n), next%u(n,n), next%v(n,n))
  do j = 1, n
    do i = 1, n
      now%h(i,j) = x(i,j,1)
      now%u(i,j) = x(i,j,2)
      now%v(i,j) = x(i,j,3)
    end do
  end do
  do s = 1, steps
    call flow(bed, now, next)
    call rise(now, next)
    do j = 1, n
      do i = 1, n
        now%h(i,j) = next%h(i,j)
        now%u(i,j) = next%u(i,j)
        now%v(i,j) = next%v(i,j)
      end do
    end do
  end do
  do j = 1, n
    do i = 1, n
      y(i,j,1) = now%h(i,j)
      y(i,j,2) = now%u(i,j)
      y(i,j,3) = now%v(i,j)
    end do
  end do
end subroutine water_loops
