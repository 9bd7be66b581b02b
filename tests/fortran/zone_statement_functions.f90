! Statement functions, and implicit types, of old programs.
! ad-option: -ad-adjoint=zone_statement_functions(y)/(x)
! ad-option: -ad-tangent=zone_statement_functions(y)/(x)
! ad-option: -ad-argnames=zone_statement_functions_:n,m,x,y
subroutine zone_statement_functions(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: quad, slope, a, b, t
  quad(t) = a * t**2 + b * t + x(1)
  slope(t) = 2 * a * t + b
  a = x(2); b = x(3)
  t = x(4)
  y(1) = quad(t) / slope(t)
  a = y(1)
  y(2) = quad(x(5)) * slope(quad(x(6)))
end subroutine zone_statement_functions

program zone_statement_functions_test
  use check
  implicit none
  procedure(kernel) :: zone_statement_functions
  procedure(kernel_tangent) :: zone_statement_functions_d
  procedure(kernel_adjoint) :: zone_statement_functions_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_statement_functions', zone_statement_functions, zone_statement_functions_d, zone_statement_functions_b, x, 2)
  end do
  call check_done()
end program zone_statement_functions_test
