! Bessel, error and gamma functions, norms.
! ad-option: -ad-adjoint=zone_special_functions(y)/(x)
! ad-option: -ad-tangent=zone_special_functions(y)/(x)
! ad-option: -ad-argnames=zone_special_functions_:n,m,x,y
subroutine zone_special_functions(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer :: i
  y(1) = bessel_j0(x(1)) + bessel_j1(x(2)) * bessel_y0(x(3)) + bessel_jn(3, x(4)) + bessel_y1(x(5))
  y(2) = erf(x(1)) * erfc(x(2)) + gamma(x(3) + 1) + log_gamma(x(4) + 2)
  y(3) = hypot(x(5), x(6)) + norm2(x) + sum(norm2(reshape(x, [2, 4]), dim=1))
  y(4) = 0
  do i = 0, 3
    y(4) = y(4) + bessel_yn(i, x(7)) * atan2(x(8), x(i + 1))
  end do
end subroutine zone_special_functions

program zone_special_functions_test
  use check
  implicit none
  procedure(kernel) :: zone_special_functions
  procedure(kernel_tangent) :: zone_special_functions_d
  procedure(kernel_adjoint) :: zone_special_functions_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_special_functions', zone_special_functions, zone_special_functions_d, zone_special_functions_b, x, 4)
  end do
  call check_done()
end program zone_special_functions_test
