! Sections of objects with allocatable components, assigned to overlapping ones.
! ad-option: -ad-adjoint=overlapping_objects(y)/(x)
! ad-option: -ad-tangent=overlapping_objects(y)/(x)
! ad-option: -ad-argnames=overlapping_objects_:n,m,x,y
module mod1
  type :: t
    real(8) :: v = 0
    real(8), allocatable :: c(:)
  end type
end module
subroutine overlapping_objects(n, m, x, y)
  use mod1
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(t) :: a(4)
  integer :: i
  do i = 1, 4
    a(i)%v = x(i)
    allocate(a(i)%c(2))
    a(i)%c = x(i)*[1, i]
  end do
  a(2:4) = a(1:3)
  y(1) = a(2)%v + 2*a(3)%v + 3*a(4)%v*a(2)%c(2) + 5*a(3)%c(2)
  a(1:2) = a(3:4)
  y(2) = a(1)%v + 2*a(2)%v + 3*a(3)%v + 7*a(1)%c(2) + 11*a(2)%c(2)*a(3)%c(1)
end subroutine

program overlapping_objects_test
  use check
  implicit none
  procedure(kernel) :: overlapping_objects
  procedure(kernel_tangent) :: overlapping_objects_d
  procedure(kernel_adjoint) :: overlapping_objects_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('overlapping_objects', overlapping_objects, overlapping_objects_d, overlapping_objects_b, x, 2)
  end do
  call check_done()
end program overlapping_objects_test
