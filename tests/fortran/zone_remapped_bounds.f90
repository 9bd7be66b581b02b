! Pointers with other bounds and ranks than their targets.
! ad-option: -ad-adjoint=zone_remapped_bounds(y)/(x)
! ad-option: -ad-tangent=zone_remapped_bounds(y)/(x)
! ad-option: -ad-argnames=zone_remapped_bounds_:n,m,x,y
subroutine zone_remapped_bounds(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), target :: a(12)
  real(8), pointer :: p(:,:), q(:), d(:)
  integer :: i
  a = [x, x(:4)**2]
  p(0:2, -1:2) => a
  q(-3:) => a(2::2)
  d(1:4) => a(9:12)
  y(1) = 0
  do i = 0, 2
    p(i, i) = p(i, i) * x(i + 1)
    y(1) = y(1) + p(i, -1) * p(2 - i, 2)
  end do
  y(2) = q(-3) * q(2) + sum(q)
  d = d * p(1, 0)
  y(3) = sum(a**2) + lbound(p, 2) * ubound(q, 1) * a(3)
end subroutine zone_remapped_bounds

program zone_remapped_bounds_test
  use check
  implicit none
  procedure(kernel) :: zone_remapped_bounds
  procedure(kernel_tangent) :: zone_remapped_bounds_d
  procedure(kernel_adjoint) :: zone_remapped_bounds_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_remapped_bounds', zone_remapped_bounds, zone_remapped_bounds_d, zone_remapped_bounds_b, x, 3)
  end do
  call check_done()
end program zone_remapped_bounds_test
