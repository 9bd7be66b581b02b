! Functions of real(10) and complex(10), which flang computes in quadruple precision.
! ad-option: -ad-adjoint=zone_long_doubles(y)/(x)
! ad-option: -ad-tangent=zone_long_doubles(y)/(x)
! ad-option: -ad-argnames=zone_long_doubles_:n,m,x,y
subroutine zone_long_doubles(n, m, x, y)
  implicit none
  integer, parameter :: ep = selected_real_kind(18)
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(ep) :: a, b
  complex(ep) :: z
  integer :: i
  y = 0
  do i = 1, n
    a = x(i)
    b = a
    ! Either way the number comes from a function of real(16): passes convert it once, behind both.
    if (x(i) > 0.8d0) then
      a = sin(a) + sqrt(a)
    else
      a = acos(a)
    end if
    if (i > 4) then
      b = exp(-b)
    else
      b = asin(b / 2)
    end if
    y(1) = y(1) + real(a * b, 8)
    y(2) = y(2) + real(abs(b - 2)**0.3_ep + atan2(a, b) + hypot(a, b) + a**i + sign(a, b)**3, 8)
    y(3) = y(3) + real(log_gamma(a) + erf(b) + bessel_j1(a) + bessel_jn(2, b) + mod(a, 7.0_ep) + atanh(b / 4), 8)
    z = cmplx(a, b, ep)
    z = exp(z) + sqrt(z) + z**2 / z**i + z**z
    y(4) = y(4) + real(abs(z), 8) + real(aimag(log(z)), 8)
  end do
end subroutine zone_long_doubles

program zone_long_doubles_test
  use check
  implicit none
  procedure(kernel) :: zone_long_doubles
  procedure(kernel_tangent) :: zone_long_doubles_d
  procedure(kernel_adjoint) :: zone_long_doubles_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 0.7_dp)
    x(3:8:3) = x(3:8:3) + 0.5_dp
    call check_kernel('zone_long_doubles', zone_long_doubles, zone_long_doubles_d, zone_long_doubles_b, x, 4)
  end do
  call check_done()
end program zone_long_doubles_test
