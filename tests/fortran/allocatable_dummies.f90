! Allocatable dummy arguments that grow, are copied and allocated anew: what they hold shows at run time only.
! ad-option: -ad-adjoint=allocatable_dummies(y)/(x)
! ad-option: -ad-tangent=allocatable_dummies(y)/(x)
! ad-option: -ad-argnames=allocatable_dummies_:n,m_,x,y
module m
contains
 subroutine grow(a, v)
   real(8), allocatable, intent(inout) :: a(:)
   real(8), intent(in) :: v
   if (.not. allocated(a)) then
     allocate(a(1)); a(1) = v
   else
     a = [a, v*a(size(a))]
   end if
 end subroutine
 subroutine dup(a,b)
   real(8), allocatable, intent(inout) :: a(:)
   real(8), allocatable, intent(out) :: b(:)
   b = a
   a = 2*b
   if (size(a) > 100) deallocate(a)
 end subroutine
end module
subroutine allocatable_dummies(n,m_,x,y)
  use m
  implicit none
  integer, intent(in) :: n,m_
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m_)
  real(8), allocatable :: t(:), u(:)
  integer :: i
  do i=1,n
    call grow(t, x(i))
  end do
  call dup(t,u)
  y(1) = sum(t); y(2) = u(3)*t(2)
end subroutine

program allocatable_dummies_test
  use check
  implicit none
  procedure(kernel) :: allocatable_dummies
  procedure(kernel_tangent) :: allocatable_dummies_d
  procedure(kernel_adjoint) :: allocatable_dummies_b
  real(dp) :: x(5)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('allocatable_dummies', allocatable_dummies, allocatable_dummies_d, allocatable_dummies_b, x, 2)
  end do
  call check_done()
end program allocatable_dummies_test
