! Parent components, and functions named like their type.
! ad-option: -ad-adjoint=zone_parents_and_constructors(y)/(x)
! ad-option: -ad-tangent=zone_parents_and_constructors(y)/(x)
! ad-option: -ad-argnames=zone_parents_and_constructors_:n,m,x,y
module zone_parents_parts
  implicit none
  type :: place
    real(8) :: u = 0, v = 0
  contains
    procedure :: length => place_length
  end type place
  type, extends(place) :: sphere
    real(8) :: r = 1
  contains
    procedure :: length => sphere_length
  end type sphere
  interface sphere
    module procedure new_sphere
  end interface sphere
contains
  type(sphere) function new_sphere(u, v, r)
    real(8), intent(in) :: u, v, r
    new_sphere%u = u * v
    new_sphere%v = v
    new_sphere%r = r**2
  end function new_sphere
  real(8) function place_length(this)
    class(place), intent(in) :: this
    place_length = sqrt(this%u**2 + this%v**2)
  end function place_length
  real(8) function sphere_length(this)
    class(sphere), intent(in) :: this
    sphere_length = this%place%length() + this%r
  end function sphere_length
end module zone_parents_parts

subroutine zone_parents_and_constructors(n, m, x, y)
  use zone_parents_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(sphere) :: s
  s = sphere(x(1), x(2), x(3))
  s%place%u = s%place%u * x(4)
  s%v = s%v + s%u
  y(1) = s%place%length() * s%r
  y(2) = s%length()
end subroutine zone_parents_and_constructors

program zone_parents_and_constructors_test
  use check
  implicit none
  procedure(kernel) :: zone_parents_and_constructors
  procedure(kernel_tangent) :: zone_parents_and_constructors_d
  procedure(kernel_adjoint) :: zone_parents_and_constructors_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_parents_and_constructors', zone_parents_and_constructors, zone_parents_and_constructors_d, zone_parents_and_constructors_b, x, 2)
  end do
  call check_done()
end program zone_parents_and_constructors_test
