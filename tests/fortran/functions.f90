! Functions: the result as dependent, with and without a result clause. The adjoint takes the seed by reference as its last
! argument; the tangent returns the tangent and hands back the primal result through its last argument.
! ad-option: -ad-adjoint=energy(energy)/(x, scale)
! ad-option: -ad-tangent=energy(energy)/(x, scale)
! ad-option: -ad-argnames=energy_:n,x,scale
! ad-option: -ad-adjoint=bump(bump)/($1)
! ad-option: -ad-tangent=bump(bump)/($1)

real(8) function energy(n, x, scale)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), scale
  integer :: i
  energy = 0.0d0
  do i = 1, n
    energy = energy + scale * x(i)**2
  end do
  energy = sqrt(energy)
end function

function bump(x) result(value)
  real(8), intent(in) :: x
  real(8) :: value
  if (x > 1.0d0) then
    value = 0.0d0
    return
  end if
  value = exp(-1.0d0 / (1.0d0 - x * x))
end function

module functions_cases
  use check
  implicit none
  real(dp), external :: energy, energy_d, bump, bump_d
contains
  ! x: the scale, then the array.
  subroutine energy_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    y(1) = energy(size(x) - 1, x(2:), x(1))
  end subroutine
  subroutine energy_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: primal
    yd(1) = energy_d(size(x) - 1, x(2:), xd(2:), x(1), xd(1), primal)
    call check_true('energy: primal result', primal == energy(size(x) - 1, x(2:), x(1)))
  end subroutine
  subroutine energy_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: seed
    seed = yb(1)
    call energy_b(size(x) - 1, x(2:), xb(2:), x(1), xb(1), seed)
  end subroutine
  subroutine bump_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    y(1) = bump(x(1))
  end subroutine
  subroutine bump_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: primal
    yd(1) = bump_d(x(1), xd(1), primal)
  end subroutine
  subroutine bump_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: seed
    seed = yb(1)
    call bump_b(x(1), xb(1), seed)
  end subroutine
end module functions_cases

program functions_test
  use check
  use functions_cases
  implicit none
  real(dp) :: x(5), t(1), want, xb(1)
  integer :: k, i
  do k = 1, 3
    call check_fill(x, 0.4_dp, 1.4_dp)
    call check_jacobian('energy', energy_map, energy_tangent, energy_adjoint, x, 1)
    t = 0.2_dp * k
    call check_jacobian('bump', bump_map, bump_tangent, bump_adjoint, t, 1)
    want = -2.0_dp * t(1) / (1.0_dp - t(1)**2)**2 * bump(t(1))
    xb = 0.0_dp
    call bump_adjoint(t, xb, [1.0_dp])
    call check_close('bump: closed form', xb(1), want, 1.0e-12_dp)
  end do
  xb = 0.25_dp
  call bump_adjoint([2.0_dp], xb, [1.0_dp])
  call check_true('bump: constant outside', xb(1) == 0.25_dp)
  do i = 2, 5
    x(i) = i
  end do
  x(1) = 2.0_dp
  call check_close('energy: primal', energy(4, x(2:), x(1)), sqrt(108.0_dp), 1.0e-15_dp)
  call check_done()
end program functions_test
