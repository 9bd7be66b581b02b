! `reshape` with an order, `unpack`, shifts with boundaries, `norm2` along a dimension, strides below zero.
! ad-option: -ad-adjoint=written_array_order(y)/(x)
! ad-option: -ad-tangent=written_array_order(y)/(x)
! ad-option: -ad-argnames=written_array_order_:n,m,x,y
subroutine written_array_order(n,m,x,y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,4), b(4,2), c(2,2), v(n)
  real(8), allocatable :: p(:), t(:,:)
  integer :: i, loc(2)
  a = reshape(x, [2,4], order=[2,1])
  b = transpose(a)
  c = matmul(a, b)
  p = pack(x, x > 0.7d0)
  v = unpack(p, x > 0.7d0, field=-x)
  t = spread(p, 1, 2)
  v = cshift(v, 3) + eoshift(x, -2, boundary=x(1)**2)
  loc = minloc(a)
  i = maxloc(x, dim=1)
  y(1) = norm2(c) + dot_product(v, x) + sum(t(2,:)) + a(loc(1),loc(2))*x(i)
  y(2) = product(sum(a, dim=1)) + maxval(matmul(transpose(b), v(1:4))) + sum(merge(a, 2*a, a > 0.7d0))
  y(2) = y(2) + sum(x(n:1:-2)*x(1:n:2)) + sum(norm2(a, dim=2)) + minval(b, mask=b>0.5d0)
end subroutine

program written_array_order_test
  use check
  implicit none
  procedure(kernel) :: written_array_order
  procedure(kernel_tangent) :: written_array_order_d
  procedure(kernel_adjoint) :: written_array_order_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_array_order', written_array_order, written_array_order_d, written_array_order_b, x, 2)
  end do
  call check_done()
end program written_array_order_test
