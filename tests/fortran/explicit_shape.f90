! Arrays of explicit shape: element-wise, with neighbours, and two dimensions within the procedure.
! ad-option: -ad-adjoint=elements(y)/(x)
! ad-option: -ad-tangent=elements(y)/(x)
! ad-option: -ad-argnames=elements_:n,x,y
! ad-option: -ad-adjoint=neighbours(y)/(x)
! ad-option: -ad-tangent=neighbours(y)/(x)
! ad-option: -ad-argnames=neighbours_:n,x,y
! ad-option: -ad-adjoint=folded(y)/(x)
! ad-option: -ad-tangent=folded(y)/(x)
! ad-option: -ad-argnames=folded_:n,x,y

subroutine elements(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = x(i) * x(i) + sin(x(i))
  end do
end subroutine

subroutine neighbours(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  integer :: i
  y(1) = x(1)
  y(n) = x(n) * x(1)
  do i = 2, n - 1
    y(i) = x(i - 1) * x(i + 1) - 2.0d0 * x(i)
  end do
end subroutine

subroutine folded(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(2, n / 2)
  real(8), intent(out) :: y(n / 2, 2)
  integer :: i
  do i = 1, n / 2
    y(i, 1) = x(1, i) * x(2, i)
    y(i, 2) = x(1, i) / (1.0d0 + x(2, i))
  end do
end subroutine

module explicit_shape_cases
  use check
  implicit none
contains
  subroutine elements_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call elements(size(x), x, y)
  end subroutine
  subroutine elements_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call elements_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine elements_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call elements_b(size(x), x, xb, y, seed)
    call check_true('elements: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine neighbours_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call neighbours(size(x), x, y)
  end subroutine
  subroutine neighbours_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call neighbours_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine neighbours_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call neighbours_b(size(x), x, xb, y, seed)
    call check_true('neighbours: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine folded_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call folded(size(x), x, y)
  end subroutine
  subroutine folded_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call folded_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine folded_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call folded_b(size(x), x, xb, y, seed)
    call check_true('folded: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module explicit_shape_cases

program explicit_shape_test
  use check
  use explicit_shape_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('elements', elements_map, elements_tangent, elements_adjoint, x, 6)
    call check_jacobian('neighbours', neighbours_map, neighbours_tangent, neighbours_adjoint, x, 6)
    call check_jacobian('folded', folded_map, folded_tangent, folded_adjoint, x, 6)
  end do
  call check_done()
end program explicit_shape_test
