! Burgers' equation with a force, by loops.
module burgers_steps
  implicit none
  private
  public :: dp, step
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine step(courant, viscosity, force, u, next)
    real(dp), intent(in) :: courant, viscosity, force(:), u(:)
    real(dp), intent(out) :: next(:)
    integer :: i, n
    n = size(u)
    next(1) = u(1)
    do i = 2, n - 1
      next(i) = u(i) - courant * u(i) * (u(i+1) - u(i-1)) + viscosity * (u(i+1) - 2 * u(i) + u(i-1)) + force(i)
    end do
    next(n) = u(n)
  end subroutine step
end module burgers_steps

subroutine burgers_loops(n, pairs, unused, force, x, y)
  use burgers_steps
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
end subroutine burgers_loops
