! if, else if, else; select case with ranges and default; logical conditions; merge.
! ad-option: -ad-adjoint=pieces(y)/(x)
! ad-option: -ad-tangent=pieces(y)/(x)
! ad-option: -ad-argnames=pieces_:n,x,y
! ad-option: -ad-adjoint=selected(y)/(x)
! ad-option: -ad-tangent=selected(y)/(x)
! ad-option: -ad-argnames=selected_:n,x,y
! ad-option: -ad-adjoint=combined(y)/(x)
! ad-option: -ad-tangent=combined(y)/(x)
! ad-option: -ad-argnames=combined_:n,x,y

subroutine pieces(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  integer :: i
  do i = 1, n
    if (x(i) < 0.3d0) then
      y(i) = x(i) * x(1)
    else if (x(i) < 0.7d0) then
      y(i) = sin(x(i)) + x(n) * x(n)
    else
      y(i) = exp(-x(i))
      if (i > 2) y(i) = y(i) * x(2)
    end if
  end do
end subroutine

subroutine selected(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  integer :: i
  do i = 1, n
    select case (i)
    case (1)
      y(i) = x(i) * x(i)
    case (2, 4)
      y(i) = y(i - 1) * x(i)
    case (5:)
      y(i) = cos(x(i)) / x(1)
    case default
      y(i) = x(i)
    end select
  end do
end subroutine

subroutine combined(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  logical :: is_low, is_odd
  integer :: i
  do i = 1, n
    is_low = x(i) < 0.5d0
    is_odd = mod(i, 2) == 1
    y(i) = merge(x(i) * x(i), x(i) * x(1), is_low .or. is_odd)
    if (is_low .neqv. is_odd) y(i) = y(i) * x(n)
    if (.not. is_low .and. i > 1) y(i) = y(i) + y(i - 1)
  end do
end subroutine

module branches_cases
  use check
  implicit none
contains
  subroutine pieces_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call pieces(size(x), x, y)
  end subroutine
  subroutine pieces_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call pieces_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine pieces_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call pieces_b(size(x), x, xb, y, seed)
    call check_true('pieces: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine selected_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call selected(size(x), x, y)
  end subroutine
  subroutine selected_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call selected_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine selected_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call selected_b(size(x), x, xb, y, seed)
    call check_true('selected: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine combined_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call combined(size(x), x, y)
  end subroutine
  subroutine combined_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call combined_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine combined_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call combined_b(size(x), x, xb, y, seed)
    call check_true('combined: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module branches_cases

program branches_test
  use check
  use branches_cases
  implicit none
  integer :: k
  real(dp) :: x(6)
  do k = 1, 3
    x = cshift([0.15_dp, 0.42_dp, 0.9_dp, 1.1_dp, 0.58_dp, 0.22_dp], k) ! far from the thresholds
    call check_jacobian('pieces', pieces_map, pieces_tangent, pieces_adjoint, x, 6)
    call check_jacobian('selected', selected_map, selected_tangent, selected_adjoint, x, 6)
    call check_jacobian('combined', combined_map, combined_tangent, combined_adjoint, x, 6)
  end do
  call check_done()
end program branches_test
