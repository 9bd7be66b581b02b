! Cycles over grids by recursion, with automatic arrays on each.
! ad-option: -ad-adjoint=zone_multigrid(y)/(x)
! ad-option: -ad-tangent=zone_multigrid(y)/(x)
! ad-option: -ad-argnames=zone_multigrid_:n,m,x,y
module zone_multigrid_parts
  implicit none
contains
  subroutine smooth(u, f, c)
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: f(:), c
    integer :: i
    do i = 2, size(u) - 1
      u(i) = (f(i) + u(i-1) + u(i+1)) / (2 + c)
    end do
  end subroutine smooth
  recursive subroutine cycle_down(u, f, c)
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: f(:), c
    real(8) :: r(size(u)), coarse((size(u) + 1) / 2), error((size(u) + 1) / 2)
    integer :: n
    n = size(u)
    call smooth(u, f, c)
    if (n <= 3) return
    r = 0
    r(2:n-1) = f(2:n-1) - (2 + c) * u(2:n-1) + u(:n-2) + u(3:)
    coarse = 0
    coarse(2:size(coarse)-1) = r(3:n-2:2) + 0.5d0 * (r(2:n-3:2) + r(4:n-1:2))
    error = 0
    call cycle_down(error, coarse, c)
    u(1:n:2) = u(1:n:2) + error
    u(2:n-1:2) = u(2:n-1:2) + 0.5d0 * (error(:size(error)-1) + error(2:))
    call smooth(u, f, c)
  end subroutine cycle_down
end module zone_multigrid_parts

subroutine zone_multigrid(n, m, x, y)
  use zone_multigrid_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer, parameter :: k = 9
  real(8) :: u(k), f(k)
  integer :: i
  u = 0
  f = [0d0, x(1:7), 0d0]
  do i = 1, 2
    call cycle_down(u, f, x(8))
  end do
  y(1) = sum(u**2)
  y(2) = u(5)
end subroutine zone_multigrid

program zone_multigrid_test
  use check
  implicit none
  procedure(kernel) :: zone_multigrid
  procedure(kernel_tangent) :: zone_multigrid_d
  procedure(kernel_adjoint) :: zone_multigrid_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_multigrid', zone_multigrid, zone_multigrid_d, zone_multigrid_b, x, 2)
  end do
  call check_done()
end program zone_multigrid_test
