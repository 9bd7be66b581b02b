! Derived types with allocatable components: assignment copies them, the end of the scope frees them.
! ad-option: -ad-adjoint=derived_allocatable(y)/(x)
! ad-option: -ad-tangent=derived_allocatable(y)/(x)
! ad-option: -ad-argnames=derived_allocatable_:n,m,x,y
module mm
  type :: fld
    real(8), allocatable :: v(:)
    integer :: k
    real(8) :: s
  end type
end module
subroutine derived_allocatable(n,m,x,y)
  use mm
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(fld) :: d, e
  allocate(d%v(n))
  d%v = x**2
  d%k = 2; d%s = x(1)
  e = d
  d%v(2) = 0
  y(1) = sum(e%v)*d%k
  y(2) = e%s*e%v(2) + d%v(2)
end subroutine

program derived_allocatable_test
  use check
  implicit none
  procedure(kernel) :: derived_allocatable
  procedure(kernel_tangent) :: derived_allocatable_d
  procedure(kernel_adjoint) :: derived_allocatable_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('derived_allocatable', derived_allocatable, derived_allocatable_d, derived_allocatable_b, x, 2)
  end do
  call check_done()
end program derived_allocatable_test
