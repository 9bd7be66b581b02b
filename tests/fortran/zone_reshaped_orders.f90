! RESHAPE with an order and a pad, PACK into a vector, UNPACK, EOSHIFT with a boundary.
! ad-option: -ad-adjoint=zone_reshaped_orders(y)/(x)
! ad-option: -ad-tangent=zone_reshaped_orders(y)/(x)
! ad-option: -ad-argnames=zone_reshaped_orders_:n,m,x,y
subroutine zone_reshaped_orders(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(3,4), b(4,3), v(6)
  logical :: m1(3,4)
  a = reshape(x, [3, 4], pad=[x(1) * x(2), 0.5d0])
  b = reshape(x, [4, 3], order=[2, 1], pad=x(7:8))
  m1 = mod(reshape([1,2,3,4,5,6,7,8,9,10,11,12], [3, 4]), 2) == 1
  v = pack(a, m1, vector=[x(1:6)])
  y(1) = sum(v**2) + sum(b * transpose(a))
  a = unpack(v * x(1), m1, field=a)
  y(2) = sum(a(:, 2)) * a(2, 3)
  b = eoshift(b, shift=[1, -1, 2], boundary=[x(3), x(4), 0d0], dim=1)
  y(3) = sum(b**2)
end subroutine zone_reshaped_orders

program zone_reshaped_orders_test
  use check
  implicit none
  procedure(kernel) :: zone_reshaped_orders
  procedure(kernel_tangent) :: zone_reshaped_orders_d
  procedure(kernel_adjoint) :: zone_reshaped_orders_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_reshaped_orders', zone_reshaped_orders, zone_reshaped_orders_d, zone_reshaped_orders_b, x, 3)
  end do
  call check_done()
end program zone_reshaped_orders_test
