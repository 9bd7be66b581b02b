! Functions with array results, allocatable ones too.
! ad-option: -ad-adjoint=array_functions(y)/(x)
! ad-option: -ad-tangent=array_functions(y)/(x)
! ad-option: -ad-argnames=array_functions_:n,m,x,y
module mm
contains
function f(a) result(r)
  real(8), intent(in) :: a(:)
  real(8) :: r(size(a))
  r = a**2+a
end function
function g(a) result(r)
  real(8), intent(in) :: a(:)
  real(8), allocatable :: r(:)
  allocate(r(size(a)))
  r = sin(a)*a(1)
end function
end module
subroutine array_functions(n,m,x,y)
  use mm
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: t(:)
  t = g(x)
  y(1) = sum(f(x))+t(2)
  y(2) = sum(g(x)*f(t))
end subroutine

program array_functions_test
  use check
  implicit none
  procedure(kernel) :: array_functions
  procedure(kernel_tangent) :: array_functions_d
  procedure(kernel_adjoint) :: array_functions_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_functions', array_functions, array_functions_d, array_functions_b, x, 2)
  end do
  call check_done()
end program array_functions_test
