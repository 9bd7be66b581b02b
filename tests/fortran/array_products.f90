! matmul of matrices and vectors, transposed too.
! ad-option: -ad-adjoint=array_products(y)/(x)
! ad-option: -ad-tangent=array_products(y)/(x)
! ad-option: -ad-argnames=array_products_:n,m,x,y
subroutine array_products(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,3), b(3,2), c(2,2), d(2), e(3,3)
  a = reshape(x,[2,3]); b = transpose(a)*2
  c = matmul(a,b)
  d = matmul(c, x(1:2))
  e = matmul(transpose(a),a)
  y(1:2) = matmul(d,c); y(3:5) = matmul(x(1:2),a) + e(:,2); y(6)=sum(matmul(b,a))
end subroutine

program array_products_test
  use check
  implicit none
  procedure(kernel) :: array_products
  procedure(kernel_tangent) :: array_products_d
  procedure(kernel_adjoint) :: array_products_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_products', array_products, array_products_d, array_products_b, x, 6)
  end do
  call check_done()
end program array_products_test
