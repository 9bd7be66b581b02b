! sum, product, maxval, minval, norm2 and dot_product, with dim= and mask=.
! ad-option: -ad-adjoint=array_reductions(y)/(x)
! ad-option: -ad-tangent=array_reductions(y)/(x)
! ad-option: -ad-argnames=array_reductions_:n,m,x,y
subroutine array_reductions(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,3)
  a = reshape(x,[2,3])
  y(1:3) = sum(a,dim=1)*product(a,1)
  y(4:5) = maxval(a,dim=2)+minval(a,2,mask=a>0.5d0)
  y(6) = norm2(x)*dot_product(x,a(1,1)*x)
  y(7) = maxval(x)*minval(x,mask=x>0.6d0)+product(x)*sum(a,mask=a<1d0)
  y(8) = sum(norm2(a,1)) + sum(norm2(a,dim=2)**2)
end subroutine

program array_reductions_test
  use check
  implicit none
  procedure(kernel) :: array_reductions
  procedure(kernel_tangent) :: array_reductions_d
  procedure(kernel_adjoint) :: array_reductions_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_reductions', array_reductions, array_reductions_d, array_reductions_b, x, 8)
  end do
  call check_done()
end program array_reductions_test
