! Types and procedures of C, called from Fortran.
! ad-option: -ad-adjoint=zone_interoperable_types(y)/(x)
! ad-option: -ad-tangent=zone_interoperable_types(y)/(x)
! ad-option: -ad-argnames=zone_interoperable_types_:n,m,x,y
module zone_interoperable_parts
  use, intrinsic :: iso_c_binding
  implicit none
  enum, bind(c)
    enumerator :: plain = 2, weighted = 3
  end enum
  type, bind(c) :: point
    real(c_double) :: x, y
    integer(c_int) :: kind
  end type point
contains
  real(c_double) function distance(p, q) bind(c, name='zone_distance')
    type(point), intent(in) :: p
    type(point), value :: q
    distance = sqrt((p%x - q%x)**2 + (p%y - q%y)**2 + 0.1d0)
    if (p%kind == weighted) distance = distance * p%x
    q%x = 0
  end function distance
  subroutine move(p, by) bind(c)
    type(point), intent(inout) :: p
    real(c_double), value :: by
    p%x = p%x * by
    by = by + 1
    p%y = p%y + by
  end subroutine move
end module zone_interoperable_parts

subroutine zone_interoperable_types(n, m, x, y)
  use zone_interoperable_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(point) :: p, q
  p = point(x(1), x(2), 3_c_int)
  q = point(x(3), x(4), 2_c_int)
  y(1) = distance(p, q)
  call move(q, x(5))
  y(2) = distance(q, p) * q%x
end subroutine zone_interoperable_types

program zone_interoperable_types_test
  use check
  implicit none
  procedure(kernel) :: zone_interoperable_types
  procedure(kernel_tangent) :: zone_interoperable_types_d
  procedure(kernel_adjoint) :: zone_interoperable_types_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_interoperable_types', zone_interoperable_types, zone_interoperable_types_d, zone_interoperable_types_b, x, 2)
  end do
  call check_done()
end program zone_interoperable_types_test
