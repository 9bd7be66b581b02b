! Iterations as in FORTRAN 77: GOTO, arithmetic IF, implicit types, DO loops that share a label.
! ad-option: -ad-adjoint=zone_goto_iterations(y)/(x)
! ad-option: -ad-tangent=zone_goto_iterations(y)/(x)
! ad-option: -ad-argnames=zone_goto_iterations_:n,m,x,y
      subroutine zone_goto_iterations(n, m, x, y)
      implicit real(8) (a-h, o-z)
      dimension x(n), y(m)
      intent(in) :: n, m, x
      intent(out) :: y
      i = 0
      y(1) = 0d0
   10 i = i + 1
      if (i .gt. n) go to 50
      z = x(i)
      k = 0
   20 znew = 0.5d0 * (z + x(i) / z)
      k = k + 1
      if (k - 6) 30, 30, 40
   30 z = znew
      go to 20
   40 y(1) = y(1) + znew * k
      go to 10
   50 continue
      s = 0d0
      do 60 j = 1, n
      do 60 l = j, n
   60 s = s + x(j) * x(l) / (j + l)
      y(2) = s * y(1)
      end subroutine zone_goto_iterations

program zone_goto_iterations_test
  use check
  implicit none
  procedure(kernel) :: zone_goto_iterations
  procedure(kernel_tangent) :: zone_goto_iterations_d
  procedure(kernel_adjoint) :: zone_goto_iterations_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_goto_iterations', zone_goto_iterations, zone_goto_iterations_d, zone_goto_iterations_b, x, 2)
  end do
  call check_done()
end program zone_goto_iterations_test
