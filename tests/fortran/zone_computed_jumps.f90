! Computed GOTO, arithmetic IF and statement labels.
! ad-option: -ad-adjoint=zone_computed_jumps(y)/(x)
! ad-option: -ad-tangent=zone_computed_jumps(y)/(x)
! ad-option: -ad-argnames=zone_computed_jumps_:n,m,x,y
subroutine zone_computed_jumps(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer :: i
  y = 0
  i = 0
10 i = i + 1
  if (i > n) go to 50
  go to (20, 30, 40) mod(i, 4)
  y(1) = y(1) + x(i)
  go to 10
20 y(1) = y(1) * x(i)
  go to 10
30 if (x(i) - 0.9d0) 31, 32, 33
31 y(1) = y(1) + sin(x(i))
  go to 10
32 y(1) = 0
33 y(1) = y(1) + x(i)**2
  go to 10
40 continue
  y(2) = y(2) + x(i) * y(1)
  go to 10
50 continue
end subroutine zone_computed_jumps

program zone_computed_jumps_test
  use check
  implicit none
  procedure(kernel) :: zone_computed_jumps
  procedure(kernel_tangent) :: zone_computed_jumps_d
  procedure(kernel_adjoint) :: zone_computed_jumps_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_computed_jumps', zone_computed_jumps, zone_computed_jumps_d, zone_computed_jumps_b, x, 2)
  end do
  call check_done()
end program zone_computed_jumps_test
