! Final procedures: of local variables, on assignment, on deallocation; they change reals.
! ad-option: -ad-adjoint=final_procedures(y)/(x)
! ad-option: -ad-tangent=final_procedures(y)/(x)
! ad-option: -ad-argnames=final_procedures_:n,m,x,y
module mfin
  implicit none
  type :: tracked
    real(8) :: v = 1d0
    real(8), pointer :: log => null()
  contains
    final :: drop
  end type
contains
  subroutine drop(self)
    type(tracked), intent(inout) :: self
    if (associated(self%log)) self%log = self%log + self%v**2
  end subroutine
  subroutine work(a, total)
    real(8), intent(in) :: a
    real(8), target, intent(inout) :: total
    type(tracked) :: t
    t%v = sin(a)
    t%log => total
  end subroutine
end module
subroutine final_procedures(n, m, x, y)
  use mfin
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), target :: total
  type(tracked), allocatable :: p
  integer :: i
  total = 0
  do i = 1, n
    call work(x(i)*i, total)
  end do
  allocate(p)
  p%v = x(1)*x(2)
  p%log => total
  deallocate(p)
  y(1) = total
  y(2) = total*x(3)
end subroutine

program final_procedures_test
  use check
  implicit none
  procedure(kernel) :: final_procedures
  procedure(kernel_tangent) :: final_procedures_d
  procedure(kernel_adjoint) :: final_procedures_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('final_procedures', final_procedures, final_procedures_d, final_procedures_b, x, 2)
  end do
  call check_done()
end program final_procedures_test
