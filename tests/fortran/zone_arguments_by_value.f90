! Dummies with VALUE: reals, arrays of an object, and what is changed of them.
! ad-option: -ad-adjoint=zone_arguments_by_value(y)/(x)
! ad-option: -ad-tangent=zone_arguments_by_value(y)/(x)
! ad-option: -ad-argnames=zone_arguments_by_value_:n,m,x,y
module zone_value_parts
  implicit none
  type :: triple
    real(8) :: v(3)
  end type triple
contains
  real(8) function used(t, s)
    type(triple), value :: t
    real(8), value :: s
    s = s * t%v(1)
    t%v = t%v * s
    used = sum(t%v) + s
  end function used
end module zone_value_parts

subroutine zone_arguments_by_value(n, m, x, y)
  use zone_value_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(triple) :: t
  t = triple([x(1), x(2), x(3)])
  y(1) = used(t, x(4)) + sum(t%v)
  y(2) = used(triple(x(5:7)), y(1))
end subroutine zone_arguments_by_value

program zone_arguments_by_value_test
  use check
  implicit none
  procedure(kernel) :: zone_arguments_by_value
  procedure(kernel_tangent) :: zone_arguments_by_value_d
  procedure(kernel_adjoint) :: zone_arguments_by_value_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_arguments_by_value', zone_arguments_by_value, zone_arguments_by_value_d, zone_arguments_by_value_b, x, 2)
  end do
  call check_done()
end program zone_arguments_by_value_test
