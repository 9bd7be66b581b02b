! Work arrays of a module: allocatable, allocated before the first gradient or in it, and a pointer array.
! ad-option: -ad-adjoint=smooth(y)/(x)
! ad-option: -ad-tangent=smooth(y)/(x)
! ad-option: -ad-argnames=_QMworkspacePsmooth:n,x,y

module workspace
  implicit none
  real(8), allocatable :: left(:), later(:)
  real(8), pointer :: grid(:, :) => null()
contains
  subroutine set_up(n)
    integer, intent(in) :: n
    allocate (left(n))
    allocate (grid(n, 2))
    left = 0.0d0
    grid = 1.0d0
  end subroutine

  subroutine smooth(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    integer :: i
    if (.not. allocated(later)) allocate (later(n))
    do i = 1, n
      left(i) = x(i) * x(max(1, i - 1))
      later(i) = sin(x(i))
      grid(i, 1) = left(i) * x(1)
      grid(i, 2) = later(i) * left(i)
    end do
    do i = 1, n
      y(i) = left(i) * later(n + 1 - i) + grid(i, 1) * grid(n + 1 - i, 2)
    end do
  end subroutine
end module workspace

module workspaces_cases
  use check
  use workspace, only: smooth
  implicit none
  external :: smooth_d, smooth_b
contains
  subroutine smooth_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call smooth(size(x), x, y)
  end subroutine
  subroutine smooth_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call smooth_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine smooth_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call smooth_b(size(x), x, xb, y, seed)
    call check_true('smooth: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module workspaces_cases

program workspaces_test
  use check
  use workspace, only: set_up
  use workspaces_cases
  implicit none
  integer :: k
  real(dp) :: x(7)
  call set_up(7)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.0_dp)
    call check_jacobian('smooth', smooth_map, smooth_tangent, smooth_adjoint, x, 7)
  end do
  call check_done()
end program workspaces_test
