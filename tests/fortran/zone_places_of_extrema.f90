! Places of extrema along dimensions, under masks and from behind.
! ad-option: -ad-adjoint=zone_places_of_extrema(y)/(x)
! ad-option: -ad-tangent=zone_places_of_extrema(y)/(x)
! ad-option: -ad-argnames=zone_places_of_extrema_:n,m,x,y
subroutine zone_places_of_extrema(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,4)
  integer :: at(2), by(4), one(1)
  a = reshape(x, [2, 4])
  at = maxloc(a)
  y(1) = a(at(1), at(2)) * x(1)
  by = minloc(a, dim=1)
  y(2) = a(by(1), 1) * a(by(2), 2) + a(by(3), 3)**2
  one = maxloc(x, mask=x < 1.0d0)
  if (one(1) == 0) one(1) = 1
  y(3) = x(one(1)) * maxval(a, mask=a < 1) * minval(a(2,:)) + x(minloc(x, dim=1, back=.true.))
end subroutine zone_places_of_extrema

program zone_places_of_extrema_test
  use check
  implicit none
  procedure(kernel) :: zone_places_of_extrema
  procedure(kernel_tangent) :: zone_places_of_extrema_d
  procedure(kernel_adjoint) :: zone_places_of_extrema_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_places_of_extrema', zone_places_of_extrema, zone_places_of_extrema_d, zone_places_of_extrema_b, x, 3)
  end do
  call check_done()
end program zone_places_of_extrema_test
