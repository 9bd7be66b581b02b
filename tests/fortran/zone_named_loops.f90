! Named loops that are cycled and left from within others.
! ad-option: -ad-adjoint=zone_named_loops(y)/(x)
! ad-option: -ad-tangent=zone_named_loops(y)/(x)
! ad-option: -ad-argnames=zone_named_loops_:n,m,x,y
subroutine zone_named_loops(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer :: i, j
  real(8) :: s
  s = 0; y = 0
  outer: do i = 1, n
    middle: do j = 1, n
      if (j > i) cycle outer
      if (mod(i + j, 5) == 0) cycle middle
      s = s + x(i) * x(j)
      if (s > 9) exit outer
      y(1) = y(1) + s * x(j)
    end do middle
    y(2) = y(2) + 1
  end do outer
  y(2) = y(2) * s
end subroutine zone_named_loops

program zone_named_loops_test
  use check
  implicit none
  procedure(kernel) :: zone_named_loops
  procedure(kernel_tangent) :: zone_named_loops_d
  procedure(kernel_adjoint) :: zone_named_loops_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_named_loops', zone_named_loops, zone_named_loops_d, zone_named_loops_b, x, 2)
  end do
  call check_done()
end program zone_named_loops_test
