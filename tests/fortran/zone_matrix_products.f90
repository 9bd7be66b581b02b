! Products of matrices and vectors in all shapes, also into an operand.
! ad-option: -ad-adjoint=zone_matrix_products(y)/(x)
! ad-option: -ad-tangent=zone_matrix_products(y)/(x)
! ad-option: -ad-argnames=zone_matrix_products_:n,m,x,y
subroutine zone_matrix_products(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,3), b(3,2), c(2,2), v(3), w(2)
  a = reshape(x(:6), [2, 3])
  b = reshape(x(3:), [3, 2])
  c = matmul(a, b)
  v = matmul(x(:2), a)
  w = matmul(a, v)
  c = matmul(c, transpose(c))
  y(1) = sum(c)
  y(2) = dot_product(w, x(7:)) + sum(matmul(transpose(b), transpose(a)))
  b = matmul(b, c)
  y(3) = sum(matmul(b, w) * v)
end subroutine zone_matrix_products

program zone_matrix_products_test
  use check
  implicit none
  procedure(kernel) :: zone_matrix_products
  procedure(kernel_tangent) :: zone_matrix_products_d
  procedure(kernel_adjoint) :: zone_matrix_products_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_matrix_products', zone_matrix_products, zone_matrix_products_d, zone_matrix_products_b, x, 3)
  end do
  call check_done()
end program zone_matrix_products_test
