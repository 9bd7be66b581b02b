! Array constructors with implied loops, nested and with a type.
! ad-option: -ad-adjoint=zone_implied_loops(y)/(x)
! ad-option: -ad-tangent=zone_implied_loops(y)/(x)
! ad-option: -ad-argnames=zone_implied_loops_:n,m,x,y
subroutine zone_implied_loops(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(6)
  integer :: i, j
  a = [((x(i) * x(j), i = 1, j), j = 1, 3)]
  y(1) = sum(a**2)
  a = [real(8) :: 1, (sin(x(i)), i = 1, 4), x(8)]
  y(2) = dot_product(a, x(:6))
  y(3) = sum([(a(i) * sum([(x(j), j = i, 6, 2)]), i = 1, 6)])
end subroutine zone_implied_loops

program zone_implied_loops_test
  use check
  implicit none
  procedure(kernel) :: zone_implied_loops
  procedure(kernel_tangent) :: zone_implied_loops_d
  procedure(kernel_adjoint) :: zone_implied_loops_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_implied_loops', zone_implied_loops, zone_implied_loops_d, zone_implied_loops_b, x, 3)
  end do
  call check_done()
end program zone_implied_loops_test
