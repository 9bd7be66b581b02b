! Integers of active reals. int, nint and floor round: derivative zero for the integer, one for the rest, nothing is said. An integer that holds all digits and
! becomes a real again ends the program (AD219), in the function, through arrays and across calls.
! ad-flags: -g
! ad-option: -ad-adjoint=rounded(y)/(x)
! ad-option: -ad-tangent=rounded(y)/(x)
! ad-option: -ad-argnames=rounded_:x,y
! ad-option: -ad-adjoint=apart(y)/(x)
! ad-option: -ad-tangent=apart(y)/(x)
! ad-option: -ad-argnames=apart_:way,x,y

subroutine rounded(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: table(0:20), t
  integer :: i
  integer(8) :: n
  do i = 0, 20
    table(i) = 0.3d0 * i * i
  end do
  t = 16.0d0 * x
  i = int(t)
  n = nint(1.0d3 * x, 8)
  y = table(i) + (t - i) * (table(i + 1) - table(i)) + x * real(n, 8) + x * real(floor(10.0d0 * x, 8), 8)
end subroutine

function digits_of(x) result(n)
  real(8), intent(in) :: x
  integer(8) :: n
  n = int(scale(fraction(x), 53), 8)
end function

subroutine apart(way, x, y)
  integer, intent(in) :: way
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  integer(8) :: held(3), n
  integer :: high, low
  real(8) :: m
  interface
    function digits_of(x) result(n)
      real(8), intent(in) :: x
      integer(8) :: n
    end function
  end interface
  select case (way)
  case (1)
    n = int(scale(fraction(x), 53), 8)
    y = scale(real(n * 2, 8), exponent(x) - 53)
  case (2)
    n = nint(x * 2.0d0**60, 8)
    y = real(n, 8) / 2.0d0**60
  case (3)
    held = int([x, 2.0d0 * x, 3.0d0 * x] * 2.0d0**53, 8)
    y = (real(held(1), 8) + real(held(2), 8) + real(held(3), 8)) / 2.0d0**53
  case (4)
    y = scale(real(digits_of(x), 8), exponent(x) - 53)
  case default
    m = x * 2.0d0**26
    high = int(m)
    low = int((m - high) * 2.0d0**27)
    y = (high + low / 2.0d0**27) / 2.0d0**26
  end select
end subroutine

module digits_cases
  use check
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    function fork() bind(c)
      import :: c_int
      integer(c_int) :: fork
    end function
    function waitpid(child, status, options) bind(c)
      import :: c_int
      integer(c_int), value :: child, options
      integer(c_int) :: status, waitpid
    end function
    subroutine leave(code) bind(c, name='_exit')
      import :: c_int
      integer(c_int), value :: code
    end subroutine
  end interface
contains
  ! Whether a derivative ends the process by SIGABRT.
  logical function ends(way, is_adjoint)
    integer, intent(in) :: way
    logical, intent(in) :: is_adjoint
    real(dp) :: x, xd, xb, y, yd, yb
    integer(c_int) :: child, status
    child = fork()
    if (child == 0) then
      x = 0.7_dp
      xd = 1.0_dp
      xb = 0.0_dp
      yb = 1.0_dp
      if (is_adjoint) then
        call apart_b(way, x, xb, y, yb)
      else
        call apart_d(way, x, xd, y, yd)
      end if
      call leave(0)
    end if
    status = 0
    ends = waitpid(child, status, 0) == child .and. iand(status, 127) == 6
  end function
end module digits_cases

program digits
  use check
  use digits_cases
  implicit none
  real(dp) :: x, xd, xb, y, yd, yb, want
  integer :: way
  x = 0.7_dp
  xd = 1.0_dp
  xb = 0.0_dp
  yb = 1.0_dp
  want = 16.0_dp * 0.3_dp * (12 * 12 - 11 * 11) + 700.0_dp + 7.0_dp
  call rounded_d(x, xd, y, yd)
  call check_close('rounded, tangent', yd, want, 1e-14_dp)
  call rounded_b(x, xb, y, yb)
  call check_close('rounded, adjoint', xb, want, 1e-14_dp)
  do way = 1, 5
    call check_true('taken apart, tangent', ends(way, .false.))
    call check_true('taken apart, adjoint', ends(way, .true.))
  end do
  call check_done()
end program
