! An adjoint in several directions that a head generates: its tangent and its adjoint, by heads.
! ad-option: -ad-adjoint=zone_bundle(y)/(x)*2
! ad-option: -ad-tangent=zone_bundle_bv(xb1,xb2)/(x)
! ad-option: -ad-adjoint=zone_bundle_bv(xb1,xb2)/(x)
! ad-option: -ad-argnames=zone_bundle_:n,x,y
subroutine zone_bundle(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  integer :: i
  y(1) = 0
  do i = 1, n - 1
    y(1) = y(1) + x(i)**2 * x(i+1)
  end do
  y(2) = sin(x(1)) * x(n)**2
end subroutine

program zone_bundled_adjoints_test
  use check
  implicit none
  integer, parameter :: n = 3
  real(dp), parameter :: h = 1e-5_dp
  real(dp) :: x(n), v(n), w(n), up(n, 2), down(n, 2), xb(n, 2), xbd(n, 2), y(2), yd(2), yb(2, 2), ybd(2, 2)
  real(dp) :: xa(n), xba(n, 2), ya(2), yba(2, 2), want
  integer :: k, i, d
  external :: zone_bundle_bv, zone_bundle_bv_d, zone_bundle_bv_b
  do k = 1, 3
    call check_fill(x, 0.4_dp, 1.1_dp)
    call check_fill(v, -1.0_dp, 1.0_dp)
    call check_fill(w, -1.0_dp, 1.0_dp)
    xb = 0; xbd = 0; yd = 0; ybd = 0
    call seed()
    call zone_bundle_bv_d(n, x, v, xb(:, 1), xbd(:, 1), xb(:, 2), xbd(:, 2), y, yd, yb(:, 1), ybd(:, 1), yb(:, 2), ybd(:, 2))
    up = 0
    call seed()
    call zone_bundle_bv(n, x + h * v, up(:, 1), up(:, 2), y, yb(:, 1), yb(:, 2))
    down = 0
    call seed()
    call zone_bundle_bv(n, x - h * v, down(:, 1), down(:, 2), y, yb(:, 1), yb(:, 2))
    do d = 1, 2
      do i = 1, n
        want = (up(i, d) - down(i, d)) / (2 * h)
        call check_within('tangent of directions', xbd(i, d), want, 1e-8_dp * (1 + abs(want)))
      end do
    end do
    ! The adjoint of the first direction weighted by w, and of twice the second.
    xb = 0; xa = 0; ya = 0; yba = 0
    xba(:, 1) = w; xba(:, 2) = 2 * w
    call seed()
    call zone_bundle_bv_b(n, x, xa, xb(:, 1), xba(:, 1), xb(:, 2), xba(:, 2), y, ya, yb(:, 1), yba(:, 1), yb(:, 2), yba(:, 2))
    want = dot_product(w, xbd(:, 1) + 2 * xbd(:, 2))
    call check_within('adjoint of directions', dot_product(xa, v), want, 1e-13_dp * (1 + abs(want)))
  end do
  call check_done()
contains
  subroutine seed()
    yb(:, 1) = [1, 0]
    yb(:, 2) = [0.5_dp, 2.0_dp]
  end subroutine
end program
