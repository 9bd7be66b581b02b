! Objects of class(*) that change their type from one assignment to the next, with and without allocatable components.
! ad-option: -ad-adjoint=zone_changing_classes(y)/(x)
! ad-option: -ad-tangent=zone_changing_classes(y)/(x)
! ad-option: -ad-argnames=zone_changing_classes_:n,m,x,y
module zone_changing_parts
  implicit none
  type :: inner
    real(8), allocatable :: v(:)
    real(8) :: w = 2
  end type inner
  type, extends(inner) :: outer
    type(inner), allocatable :: in(:)
  end type outer
contains
  real(8) function measure(v) result(r)
    class(*), intent(in) :: v
    r = -1000
    select type (v)
    type is (real(8))
      r = v**2
    type is (inner)
      r = v%w * sum(v%v)
    type is (outer)
      r = v%w * v%in(2)%w * sum(v%in(1)%v)
    end select
  end function measure
end module zone_changing_parts

subroutine zone_changing_classes(n, m, x, y)
  use zone_changing_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  class(*), allocatable :: c, d
  c = inner([x(1), x(2)], x(3))
  y(1) = measure(c)
  d = c
  c = x(1) * x(4)
  y(1) = y(1) + measure(c)
  y(2) = measure(d)
  c = outer(w=x(2), in=[inner([x(3), x(4)], 1d0), inner([x(1)], x(1))])
  d = c
  y(3) = measure(c) + measure(d)
  c = inner([x(4)], x(3))
  y(4) = measure(c) * measure(d)
end subroutine zone_changing_classes

program zone_changing_classes_test
  use check
  implicit none
  procedure(kernel) :: zone_changing_classes
  procedure(kernel_tangent) :: zone_changing_classes_d
  procedure(kernel_adjoint) :: zone_changing_classes_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_changing_classes', zone_changing_classes, zone_changing_classes_d, zone_changing_classes_b, x, 4)
  end do
  call check_done()
end program zone_changing_classes_test
