! Heat conduction with a source, where the conductivity depends on the temperature: implicit steps, by whole-array expressions.
module heat_array_steps
  implicit none
  private
  public :: dp, assemble, solve
  integer, parameter :: dp = kind(1.0d0)
contains
  elemental real(dp) function conductivity(u)
    real(dp), intent(in) :: u
    conductivity = 1 + 0.1_dp * u * u
  end function conductivity

  subroutine assemble(u, lower, diagonal, upper)
    real(dp), intent(in) :: u(:)
    real(dp), intent(out) :: lower(:), diagonal(:), upper(:)
    integer :: n
    n = size(u)
    lower = 0; upper = 0; diagonal = 1
    lower(2:n-1) = -0.5_dp * (conductivity(u(:n-2)) + conductivity(u(2:n-1)))
    upper(2:n-1) = -0.5_dp * (conductivity(u(2:n-1)) + conductivity(u(3:)))
    diagonal = diagonal - lower - upper
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
end module heat_array_steps

subroutine heat_arrays(n, steps, unused, source, x, y)
  use heat_array_steps
  implicit none
  integer, intent(in) :: n, steps, unused
  real(dp), intent(in) :: source(n), x(n)
  real(dp), intent(out) :: y(n)
  real(dp), allocatable :: lower(:), diagonal(:), upper(:)
  integer :: s
  allocate(lower(n), diagonal(n), upper(n))
  y = x
  do s = 1, steps
    call assemble(y, lower, diagonal, upper)
    y = y + source
    call solve(lower, diagonal, upper, y)
  end do
end subroutine heat_arrays
