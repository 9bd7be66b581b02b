! reduce by a function of the program; maxloc, count and findloc.
! ad-option: -ad-adjoint=reduce_by_function(y)/(x)
! ad-option: -ad-tangent=reduce_by_function(y)/(x)
! ad-option: -ad-argnames=reduce_by_function_:n,m,x,y
module mr
contains
 pure real(8) function comb(a,b)
  real(8), intent(in) :: a,b
  comb = a*b + 0.5d0*a
 end function
end module
subroutine reduce_by_function(n,m,x,y)
  use mr
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer :: k(1)
  y(1) = reduce(x, comb)
  k = maxloc(x); y(2) = x(k(1))*count(x>0d0)*x(findloc([1,2,3,4],3,dim=1))
end subroutine

program reduce_by_function_test
  use check
  implicit none
  procedure(kernel) :: reduce_by_function
  procedure(kernel_tangent) :: reduce_by_function_d
  procedure(kernel_adjoint) :: reduce_by_function_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('reduce_by_function', reduce_by_function, reduce_by_function_d, reduce_by_function_b, x, 2)
  end do
  call check_done()
end program reduce_by_function_test
