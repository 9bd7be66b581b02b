! Array constructors: of arrays, with implied loops, of a length that shows at run time.
! ad-option: -ad-adjoint=array_constructors(y)/(x)
! ad-option: -ad-tangent=array_constructors(y)/(x)
! ad-option: -ad-argnames=array_constructors_:n,m,x,y
subroutine array_constructors(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2), b(2)
  integer :: i
  a = x(1:2)**2; b = x(3:4)
  y = [a, b, a(1)*b(2)]
  y(1:3) = y(1:3) + [(x(i)*x(i+1), i=1,3)]
  y(4) = sum([pack(x, x>0.7d0), a])
end subroutine

program array_constructors_test
  use check
  implicit none
  procedure(kernel) :: array_constructors
  procedure(kernel_tangent) :: array_constructors_d
  procedure(kernel_adjoint) :: array_constructors_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_constructors', array_constructors, array_constructors_d, array_constructors_b, x, 5)
  end do
  call check_done()
end program array_constructors_test
