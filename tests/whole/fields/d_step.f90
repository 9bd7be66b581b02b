! One step: an argument that is a structure with allocatable components, and a common block.
subroutine step(g, k)
  use types
  use laws
  implicit none
  type(mesh), intent(inout) :: g
  integer, intent(in) :: k
  real(dp) :: f(0:g%n), dt, decay
  integer :: i, steps
  common /run/ dt, decay, steps
  g%u(0) = g%left
  g%u(g%n + 1) = g%right
  do i = 0, g%n
    f(i) = law%flux(0.5_dp * (g%u(i) + g%u(i + 1)), (g%u(i + 1) - g%u(i)) / g%h(max(i, 1)))
  end do
  do i = 1, g%n
    g%u(i) = g%u(i) + dt * ((f(i) - f(i - 1)) / g%h(i) - decay * g%u(i) * k)
  end do
end subroutine
