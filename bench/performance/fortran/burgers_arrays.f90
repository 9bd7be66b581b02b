! Burgers' equation with a force, by whole-array expressions.
module burgers_array_steps
  implicit none
  private
  public :: dp, step
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine step(courant, viscosity, force, u, next)
    real(dp), intent(in) :: courant, viscosity, force(:), u(:)
    real(dp), intent(out) :: next(:)
    integer :: n
    n = size(u)
    next(1) = u(1)
    next(n) = u(n)
    next(2:n-1) = u(2:n-1) - courant * u(2:n-1) * (u(3:) - u(:n-2)) + viscosity * (u(3:) - 2 * u(2:n-1) + u(:n-2)) + force(2:n-1)
  end subroutine step
end module burgers_array_steps

subroutine burgers_arrays(n, pairs, unused, force, x, y)
  use burgers_array_steps
  implicit none
  integer, intent(in) :: n, pairs, unused
  real(dp), intent(in) :: force(n), x(n + 2)
  real(dp), intent(out) :: y(n)
  real(dp), allocatable :: work(:)
  integer :: s
  allocate(work(n))
  y = x(3:)
  do s = 1, pairs
    call step(x(1), x(2), force, y, work)
    call step(x(1), x(2), force, work, y)
  end do
end subroutine burgers_arrays
