! Text: allocatable characters, comparisons, `scan` and `verify` beside active numbers.
! ad-option: -ad-adjoint=written_units_by_name(y)/(x)
! ad-option: -ad-tangent=written_units_by_name(y)/(x)
! ad-option: -ad-argnames=written_units_by_name_:n,m,x,y
module units
  implicit none
  character(*), parameter :: names(3) = [character(6) :: 'km', 'metre', 'inch']
  real(8), parameter :: factor(3) = [1000d0, 1d0, 0.0254d0]
contains
  function lookup(unit) result(f)
    character(*), intent(in) :: unit
    real(8) :: f
    character(:), allocatable :: low
    integer :: i, j
    low = adjustl(unit)
    do i = 1, len(low)
      j = iachar(low(i:i))
      if (j >= 65 .and. j <= 90) low(i:i) = achar(j+32)
    end do
    f = 0
    do i = 1, size(names)
      if (trim(low) == trim(names(i))) f = factor(i)
    end do
    if (index(low, 'mm') > 0) f = 1d-3
    if (scan(low, '%') > 0) f = 0.01d0
    if (verify(trim(low), 'abcdefghijklmnopqrstuvwxyz%') > 0) f = -1
  end function
end module
subroutine written_units_by_name(n,m,x,y)
  use units
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  character(12) :: u(4)
  character(:), allocatable :: s
  integer :: i
  u = [character(12) :: 'KM', 'Inch', 'mm', 'x y']
  y = 0
  do i = 1, 4
    s = trim(u(i)) // ''
    y(1) = y(1) + x(i)**2*lookup(s)
    if (max(s, 'L') == s) y(2) = y(2) + x(i)*lookup(' %')
  end do
  write(u(1), '(a,i0)') 'k', 7
  if (u(1)(2:2) == '7') y(2) = y(2) + x(5)**3
  y(2) = y(2) + x(6)*sum(len_trim(u)) + x(7)*count(index(u,'m') > 0)
end subroutine

program written_units_by_name_test
  use check
  implicit none
  procedure(kernel) :: written_units_by_name
  procedure(kernel_tangent) :: written_units_by_name_d
  procedure(kernel_adjoint) :: written_units_by_name_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_units_by_name', written_units_by_name, written_units_by_name_d, written_units_by_name_b, x, 2)
  end do
  call check_done()
end program written_units_by_name_test
