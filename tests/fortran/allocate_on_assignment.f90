! An allocatable that grows by assignment from a constructor that holds it.
! ad-option: -ad-adjoint=allocate_on_assignment(y)/(x)
! ad-option: -ad-tangent=allocate_on_assignment(y)/(x)
! ad-option: -ad-argnames=allocate_on_assignment_:n,m,x,y
subroutine allocate_on_assignment(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: t(:)
  t = x**2
  t = [t, x]
  y(1) = sum(t*t)+t(2)
end subroutine

program allocate_on_assignment_test
  use check
  implicit none
  procedure(kernel) :: allocate_on_assignment
  procedure(kernel_tangent) :: allocate_on_assignment_d
  procedure(kernel_adjoint) :: allocate_on_assignment_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('allocate_on_assignment', allocate_on_assignment, allocate_on_assignment_d, allocate_on_assignment_b, x, 1)
  end do
  call check_done()
end program allocate_on_assignment_test
