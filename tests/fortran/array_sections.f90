! Allocatable matrices with bounds of their own: reallocation on assignment, sections, one that overlaps with its source.
! ad-option: -ad-adjoint=array_sections(y)/(x)
! ad-option: -ad-tangent=array_sections(y)/(x)
! ad-option: -ad-argnames=array_sections_:n,m,x,y
subroutine array_sections(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: a(:,:), b(:,:), c(:,:)
  integer :: i
  allocate(a(-1:1,2)); a = reshape(x*x,[3,2])
  b = a
  c = b(1:-1:-1,:)*a
  b(0:1,:) = b(-1:0,:)
  y(1) = sum(b*c); y(2) = a(0,2)*b(1,1) + lbound(b,1)
end subroutine

program array_sections_test
  use check
  implicit none
  procedure(kernel) :: array_sections
  procedure(kernel_tangent) :: array_sections_d
  procedure(kernel_adjoint) :: array_sections_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_sections', array_sections, array_sections_d, array_sections_b, x, 2)
  end do
  call check_done()
end program array_sections_test
