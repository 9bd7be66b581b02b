! The heat equation on a rod whose ends are cold: explicit steps, and a measurement of the last state.
real(8) function measured(n, steps, u)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(in) :: u(n)
  real(8) :: state(n), next(n)
  real(8), parameter :: pi = 3.14159265358979324d0
  integer :: t, i
  state = u
  do t = 1, steps
    next(1) = state(1) + 0.25d0 * (state(2) - 2 * state(1))
    do i = 2, n - 1
      next(i) = state(i) + 0.25d0 * (state(i - 1) - 2 * state(i) + state(i + 1))
    end do
    next(n) = state(n) + 0.25d0 * (state(n - 1) - 2 * state(n))
    state = next
  end do
  ! The first mode of what is left, squared.
  measured = 0
  do i = 1, n
    measured = measured + sin(pi * i / (n + 1)) * state(i)
  end do
  measured = measured**2
end function
