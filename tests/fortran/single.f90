! real(4): a function of single precision throughout, against the closed form in double precision.
! ad-option: -ad-adjoint=waves(y)/(x)
! ad-option: -ad-tangent=waves(y)/(x)
! ad-option: -ad-argnames=waves_:n,x,y
! ad-option: -ad-adjoint=mixed(y)/(x)
! ad-option: -ad-tangent=mixed(y)/(x)
! ad-option: -ad-argnames=mixed_:n,x,y

subroutine waves(n, x, y)
  integer, intent(in) :: n
  real(4), intent(in) :: x(n)
  real(4), intent(out) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = sin(x(i)) * x(i) + exp(-x(i)) + x(i)**3
  end do
end subroutine

subroutine mixed(n, x, y)
  integer, intent(in) :: n
  real(4), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i
  y = 0.0d0
  do i = 1, n
    y = y + real(x(i), 8) * sqrt(real(x(i), 8))
  end do
end subroutine

program single_test
  use check
  implicit none
  integer, parameter :: n = 5
  real(sp) :: x(n), xd(n), xb(n), y(n), yd(n), yb(n), seed(n)
  real(dp) :: t, partial, sum_y, sum_yd, sum_yb
  integer :: i, k
  do k = 1, 4
    do i = 1, n
      x(i) = real(check_uniform(0.3_dp, 1.3_dp), sp)
      xd(i) = real(check_uniform(0.5_dp, 1.5_dp), sp)
      yb(i) = real(check_uniform(0.5_dp, 1.5_dp), sp)
    end do
    seed = yb
    xb = 0.0
    call waves_d(n, x, xd, y, yd)
    call waves_b(n, x, xb, y, seed)
    do i = 1, n
      t = x(i)
      partial = cos(t) * t + sin(t) - exp(-t) + 3 * t**2
      ! Terms of about 4 in all, each rounded to 24 bits a few times.
      call check_within('waves: tangent', real(yd(i), dp), partial * xd(i), 3.0e-6_dp)
      call check_within('waves: adjoint', real(xb(i), dp), partial * yb(i), 3.0e-6_dp)
      call check_true('waves: seed is consumed', seed(i) == 0.0)
    end do
    call check_dot('waves', real(xd, dp), real(xb, dp), real(yd, dp), real(yb, dp), 1.0e-6_dp)

    xb = 0.0
    sum_yb = 2.0_dp
    call mixed_d(n, x, xd, sum_y, sum_yd)
    call mixed_b(n, x, xb, sum_y, sum_yb)
    call check_within('mixed: tangent', sum_yd, sum(1.5_dp * sqrt(real(x, dp)) * real(xd, dp)), 1.0e-6_dp)
    do i = 1, n
      call check_within('mixed: adjoint', real(xb(i), dp), 3.0_dp * sqrt(real(x(i), dp)), 1.0e-6_dp)
    end do
  end do
  call check_done()
end program single_test
