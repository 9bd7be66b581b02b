! Elemental procedures over arrays of several ranks, with scalars beside them.
! ad-option: -ad-adjoint=zone_elemental_procedures(y)/(x)
! ad-option: -ad-tangent=zone_elemental_procedures(y)/(x)
! ad-option: -ad-argnames=zone_elemental_procedures_:n,m,x,y
module zone_elemental_parts
  implicit none
contains
  elemental subroutine scale_shift(a, by, out)
    real(8), intent(in) :: a, by
    real(8), intent(out) :: out
    out = a * by + sin(by)
  end subroutine scale_shift
  elemental real(8) function blend(u, v, w)
    real(8), intent(in) :: u, v, w
    if (u > v) then
      blend = w * u + (1 - w) * v**2
    else
      blend = u * v
    end if
  end function blend
end module zone_elemental_parts

subroutine zone_elemental_procedures(n, m, x, y)
  use zone_elemental_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,4), b(2,4), c(4)
  a = reshape(x, [2, 4])
  call scale_shift(a, x(1), b)
  y(1) = sum(b * a)
  c = blend(x(:4), x(5:), 0.3d0)
  y(2) = sum(c**2)
  call scale_shift(c(2:4), c(:3), b(1,2:))
  y(3) = product(b(1,:))
end subroutine zone_elemental_procedures

program zone_elemental_procedures_test
  use check
  implicit none
  procedure(kernel) :: zone_elemental_procedures
  procedure(kernel_tangent) :: zone_elemental_procedures_d
  procedure(kernel_adjoint) :: zone_elemental_procedures_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_elemental_procedures', zone_elemental_procedures, zone_elemental_procedures_d, zone_elemental_procedures_b, x, 3)
  end do
  call check_done()
end program zone_elemental_procedures_test
