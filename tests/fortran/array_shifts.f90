! cshift and eoshift: vectors, dimensions, an array of shifts, boundaries.
! ad-option: -ad-adjoint=array_shifts(y)/(x)
! ad-option: -ad-tangent=array_shifts(y)/(x)
! ad-option: -ad-argnames=array_shifts_:n,m,x,y
subroutine array_shifts(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,3), b(2,3), v(6)
  integer :: s(2)
  a = reshape(x,[2,3])
  b = cshift(a,1,dim=2)*a
  s = [1,-1]
  b = b + cshift(a,s,dim=2)**2
  b = b + eoshift(a,1,dim=1) + eoshift(a,-1,boundary=x(1:2)*x(3),dim=2)
  v = cshift(x,-2)*eoshift(x,2) + eoshift(x,-3,boundary=x(2))
  y = reshape(b,[6])*v
end subroutine

program array_shifts_test
  use check
  implicit none
  procedure(kernel) :: array_shifts
  procedure(kernel_tangent) :: array_shifts_d
  procedure(kernel_adjoint) :: array_shifts_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_shifts', array_shifts, array_shifts_d, array_shifts_b, x, 6)
  end do
  call check_done()
end program array_shifts_test
