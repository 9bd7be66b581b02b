! Viscous Burgers' equation on a ring, explicit in time: the state is overwritten in place, step after step.
subroutine burgers(n, steps, courant, viscosity, u)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(in) :: courant, viscosity ! dt/dx, nu dt/dx^2
  real(8), intent(inout) :: u(n)
  real(8) :: flux(n)
  integer :: step, i
  do step = 1, steps
    do i = 1, n - 1
      flux(i) = 0.25d0 * courant * (u(i)**2 + u(i + 1)**2) - viscosity * (u(i + 1) - u(i))
    end do
    flux(n) = 0.25d0 * courant * (u(n)**2 + u(1)**2) - viscosity * (u(1) - u(n))
    u(1) = u(1) - (flux(1) - flux(n))
    do i = 2, n
      u(i) = u(i) - (flux(i) - flux(i - 1))
    end do
  end do
end subroutine
