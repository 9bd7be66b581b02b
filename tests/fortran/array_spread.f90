! spread along each dimension, and sums along one.
! ad-option: -ad-adjoint=array_spread(y)/(x)
! ad-option: -ad-tangent=array_spread(y)/(x)
! ad-option: -ad-argnames=array_spread_:n,m,x,y
subroutine array_spread(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(4,4)
  a = spread(x,1,4)*spread(x,2,4)
  y = sum(a*a,dim=1)
end subroutine

program array_spread_test
  use check
  implicit none
  procedure(kernel) :: array_spread
  procedure(kernel_tangent) :: array_spread_d
  procedure(kernel_adjoint) :: array_spread_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_spread', array_spread, array_spread_d, array_spread_b, x, 4)
  end do
  call check_done()
end program array_spread_test
