! Finite differences by array sections and shifts on a two-dimensional grid with halo, where boundaries are set by pointers.
! ad-option: -ad-adjoint=zone_stencils(y)/(x)
! ad-option: -ad-tangent=zone_stencils(y)/(x)
! ad-option: -ad-argnames=zone_stencils_:n,m,x,y
subroutine zone_stencils(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer, parameter :: nx = 5, ny = 4
  real(8), target :: u(0:nx + 1, 0:ny + 1)
  real(8) :: laplace(nx, ny)
  real(8), pointer :: west(:), east(:), inner(:, :)
  integer :: step
  u = 0
  west => u(0, :)
  east => u(nx + 1, :)
  inner => u(1:nx, 1:ny)
  inner(1:4, 1) = x(1:4)
  inner(2:5, 3) = x(5:8)
  do step = 1, 4
    west = u(1, :) * 0.5d0
    east = u(nx, :)
    laplace = u(0:nx - 1, 1:ny) + u(2:nx + 1, 1:ny) + u(1:nx, 0:ny - 1) + u(1:nx, 2:ny + 1) - 4 * inner
    inner = inner + 0.1d0 * laplace * (1 + inner**2)
  end do
  y(1) = sum(inner**2)
  y(2) = maxval(inner)
  y(3) = dot_product(west(1:ny), east(1:ny)) + sum(abs(laplace))
end subroutine zone_stencils

program zone_stencils_test
  use check
  implicit none
  procedure(kernel) :: zone_stencils
  procedure(kernel_tangent) :: zone_stencils_d
  procedure(kernel_adjoint) :: zone_stencils_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_stencils', zone_stencils, zone_stencils_d, zone_stencils_b, x, 3)
  end do
  call check_done()
end program zone_stencils_test
