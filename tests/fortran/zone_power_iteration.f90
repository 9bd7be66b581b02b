! The largest eigenvalue by iteration until nothing changes, and its vector.
! ad-option: -ad-adjoint=zone_power_iteration(y)/(x)
! ad-option: -ad-tangent=zone_power_iteration(y)/(x)
! ad-option: -ad-argnames=zone_power_iteration_:n,m,x,y
subroutine zone_power_iteration(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(3,3), v(3), w(3), value, last
  integer :: i
  a = reshape([x(1) + 2, x(2), x(3), x(2), x(4) + 1, x(5), x(3), x(5), x(6)], [3, 3])
  v = [1d0, x(7), x(8)]
  last = 0
  do i = 1, 60
    w = matmul(a, v)
    value = sqrt(dot_product(w, w))
    v = w / value
    if (abs(value - last) < 1d-14 * value) exit
    last = value
  end do
  y(1) = value
  y(2) = v(1) * v(3)
end subroutine zone_power_iteration

program zone_power_iteration_test
  use check
  implicit none
  procedure(kernel) :: zone_power_iteration
  procedure(kernel_tangent) :: zone_power_iteration_d
  procedure(kernel_adjoint) :: zone_power_iteration_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_power_iteration', zone_power_iteration, zone_power_iteration_d, zone_power_iteration_b, x, 2)
  end do
  call check_done()
end program zone_power_iteration_test
