! Module arrays that procedures reach by their names, through descriptors and through pointer components that the function sets.
! ad-option: -ad-adjoint=combine(y)/(x)
! ad-option: -ad-tangent=combine(y)/(x)
! ad-option: -ad-argnames=_QMstorePcombine:n,x,y

module store
  implicit none
  type view
    real(8), pointer :: values(:)
    integer :: used
  end type
  real(8), target :: field(8), other(8)
  real(8), target :: weights(8) = [1.0d0, 0.5d0, 2.0d0, 0.25d0, 1.5d0, 0.75d0, 1.25d0, 3.0d0]
  real(8), allocatable, target :: table(:)
contains
  real(8) function total(a)
    real(8), intent(in) :: a(:)
    integer :: i
    total = 0.0d0
    do i = 1, size(a)
      total = total + a(i) * weights(i)
    end do
  end function

  integer function positive(a)
    real(8), intent(in) :: a(:)
    integer :: i
    positive = 0
    do i = 1, size(a)
      if (a(i) > 0.0d0) positive = positive + 1
    end do
  end function

  real(8) function seen(v)
    type(view), intent(in) :: v
    integer :: i
    seen = 0.0d0
    do i = 1, v%used
      seen = seen + v%values(i) * weights(i)
    end do
  end function

  subroutine damp(v, by)
    type(view), intent(inout) :: v
    real(8), intent(in) :: by
    integer :: i
    do i = 1, v%used
      v%values(i) = v%values(i) * by
    end do
  end subroutine

  subroutine combine(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    type(view) :: some, turned
    real(8) :: before
    integer :: i
    do i = 1, 8
      field(i) = weights(i)
      other(i) = 1.0d0
    end do
    some%values => field(2:8:2)
    some%used = 4
    ! Nothing active lies there yet.
    before = seen(some) + positive(field)
    do i = 1, n
      field(i) = x(i) * x(1)
      other(9 - i) = x(i) + before
    end do
    call damp(some, x(2))
    turned%values => other(8:1:-1)
    turned%used = 8
    allocate(table(n))
    do i = 1, n
      table(i) = field(i) * seen(turned)
    end do
    do i = 1, n
      y(i) = seen(some) * total(field(i:)) + table(i) + positive(other)
    end do
    deallocate(table)
  end subroutine
end module store

module module_targets_cases
  use check
  use store, only: combine
  implicit none
  external :: combine_d, combine_b
contains
  subroutine combine_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call combine(size(x), x, y)
  end subroutine
  subroutine combine_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call combine_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine combine_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call combine_b(size(x), x, xb, y, seed)
    call check_true('combine: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module module_targets_cases

program module_targets_test
  use check
  use module_targets_cases
  implicit none
  integer :: k
  real(dp) :: x(5)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('combine', combine_map, combine_tangent, combine_adjoint, x, 5)
  end do
  call check_done()
end program module_targets_test
