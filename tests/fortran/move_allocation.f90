! move_alloc, after allocation from a source.
! ad-option: -ad-adjoint=move_allocation(y)/(x)
! ad-option: -ad-tangent=move_allocation(y)/(x)
! ad-option: -ad-argnames=move_allocation_:n,m,x,y
subroutine move_allocation(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: t(:), u(:)
  allocate(t, source=x)
  t = t*x
  call move_alloc(t,u)
  y(1)=sum(u*u)
end subroutine

program move_allocation_test
  use check
  implicit none
  procedure(kernel) :: move_allocation
  procedure(kernel_tangent) :: move_allocation_d
  procedure(kernel_adjoint) :: move_allocation_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('move_allocation', move_allocation, move_allocation_d, move_allocation_b, x, 1)
  end do
  call check_done()
end program move_allocation_test
