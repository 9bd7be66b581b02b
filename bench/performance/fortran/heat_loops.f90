! Heat conduction with a source, where the conductivity depends on the temperature: implicit steps, by loops.
module heat_steps
  implicit none
  private
  public :: dp, assemble, solve
  integer, parameter :: dp = kind(1.0d0)
contains
  pure real(dp) function conductivity(u)
    real(dp), intent(in) :: u
    conductivity = 1 + 0.1_dp * u * u
  end function conductivity

  subroutine assemble(u, lower, diagonal, upper)
    real(dp), intent(in) :: u(:)
    real(dp), intent(out) :: lower(:), diagonal(:), upper(:)
    integer :: i, n
    n = size(u)
    lower(1) = 0; upper(1) = 0; diagonal(1) = 1
    lower(n) = 0; upper(n) = 0; diagonal(n) = 1
    do i = 2, n - 1
      lower(i) = -0.5_dp * (conductivity(u(i-1)) + conductivity(u(i)))
      upper(i) = -0.5_dp * (conductivity(u(i)) + conductivity(u(i+1)))
      diagonal(i) = 1 - lower(i) - upper(i)
    end do
  end subroutine assemble

  subroutine solve(lower, diagonal, upper, u)
    real(dp), intent(in) :: lower(:), upper(:)
    real(dp), intent(inout) :: diagonal(:), u(:)
    real(dp) :: factor
    integer :: i, n
    n = size(u)
    do i = 2, n
      factor = lower(i) / diagonal(i-1)
      diagonal(i) = diagonal(i) - factor * upper(i-1)
      u(i) = u(i) - factor * u(i-1)
    end do
    u(n) = u(n) / diagonal(n)
    do i = n - 1, 1, -1
      u(i) = (u(i) - upper(i) * u(i+1)) / diagonal(i)
    end do
  end subroutine solve
end module heat_steps

subroutine heat_loops(n, steps, unused, source, x, y)
  use heat_steps
  implicit none
  integer, intent(in) :: n, steps, unused
  real(dp), intent(in) :: source(n), x(n)
  real(dp), intent(out) :: y(n)
  real(dp), allocatable :: lower(:), diagonal(:), upper(:)
  integer :: i, s
  allocate(lower(n), diagonal(n), upper(n))
  do i = 1, n
    y(i) = x(i)
  end do
  do s = 1, steps
    call assemble(y, lower, diagonal, upper)
    do i = 1, n
      y(i) = y(i) + source(i)
    end do
    call solve(lower, diagonal, upper, y)
  end do
end subroutine heat_loops
