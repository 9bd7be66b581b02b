! Procedures and variables of a module that an option calls inactive: a step size that counts as constant, a statistic, a saved scale.
! ad-option: -ad-adjoint=march(y)/(x)
! ad-option: -ad-tangent=march(y)/(x)
! ad-option: -ad-argnames=_QMmarchingPmarch:n,x,y
! ad-option: -ad-inactive=marching::step_size, marching%Scale,observe

module marching
  implicit none
  real(8) :: scale = 1.0d0, worst = 0.0d0
contains
  real(8) function step_size(v)
    real(8), intent(in) :: v
    step_size = 0.1d0 / (1.0d0 + v * v)
  end function

  subroutine observe(v)
    real(8), intent(in) :: v
    worst = max(worst, abs(v))
  end subroutine

  subroutine march(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    integer :: i
    scale = x(1)
    do i = 1, n
      call observe(x(i))
      y(i) = x(i) * x(i) * step_size(x(i)) * scale + worst * 0.0d0
    end do
  end subroutine
end module marching

program inactive_names_test
  use check
  use marching, only: march, step_size, worst
  implicit none
  external :: march_d, march_b
  integer, parameter :: n = 4
  real(dp) :: x(n), xd(n), xb(n), y(n), yd(n), yb(n)
  integer :: i
  call check_fill(x, 0.4_dp, 1.3_dp)
  call check_fill(xd, -1.0_dp, 1.0_dp)
  call march_d(n, x, xd, y, yd)
  do i = 1, n
    call check_close('tangent', yd(i), 2 * x(i) * xd(i) * step_size(x(i)) * x(1), 1e-14_dp)
  end do
  xb = 0
  yb = 1
  call march_b(n, x, xb, y, yb)
  do i = 1, n
    call check_close('adjoint', xb(i), 2 * x(i) * step_size(x(i)) * x(1), 1e-14_dp)
  end do
  call check_true('statistic', worst == maxval(abs(x)))
  call check_done()
end program inactive_names_test
