! Arrays of a derived type with reals, integers and characters: sections backwards, constructors.
! ad-option: -ad-adjoint=derived_arrays(y)/(x)
! ad-option: -ad-tangent=derived_arrays(y)/(x)
! ad-option: -ad-argnames=derived_arrays_:n,m,x,y
module md
 type pt
   real(8) :: a
   integer :: i
   real(8) :: b(2)
   character(3) :: c
 end type
end module
subroutine derived_arrays(n,m,x,y)
  use md
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(pt), allocatable :: p(:), q(:)
  integer :: i
  allocate(p(n))
  do i=1,n
   p(i)%a = x(i); p(i)%i = i; p(i)%b = x(i)**2; p(i)%c = 'abc'
  end do
  q = p(n:1:-1)
  p = [q, p(1)]
  y(1) = sum(p%a*p%i); y(2) = p(2)%b(1)*q(1)%b(2)
end subroutine

program derived_arrays_test
  use check
  implicit none
  procedure(kernel) :: derived_arrays
  procedure(kernel_tangent) :: derived_arrays_d
  procedure(kernel_adjoint) :: derived_arrays_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('derived_arrays', derived_arrays, derived_arrays_d, derived_arrays_b, x, 2)
  end do
  call check_done()
end program derived_arrays_test
