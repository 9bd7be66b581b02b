! Active numbers that are written to a unit and read again in the same request: the program ends (AD223), however the file is known. Units
! that are written and others that are read are as ever.
! ad-flags: -g
! ad-option: -ad-prebuilt=_FortranAioInputReal64=inactive
! ad-option: -ad-adjoint=apart(y)/(x)
! ad-option: -ad-tangent=apart(y)/(x)
! ad-option: -ad-argnames=apart_:x,y
! ad-option: -ad-adjoint=again(y)/(x)
! ad-option: -ad-tangent=again(y)/(x)
! ad-option: -ad-argnames=again_:way,x,y

module units_files
  character(40) :: table, second, both
end module

! The unit 31 has a table, the unit 32 a record of what is computed. A scratch file that only is written gives its unit to the table.
subroutine apart(x, y)
  use units_files
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: weight, state
  integer :: i
  rewind(31)
  state = x
  y = 0.0d0
  do i = 1, 3
    read(31, *) weight
    state = state * x + weight
    write(32, *) i, state
    write(*, *) i, state
    y = y + state * state
  end do
  open(33, status='scratch')
  write(33, *) state
  close(33)
  open(33, file=second)
  read(33, *) weight
  close(33)
  y = y + weight * x
end subroutine

subroutine again(way, x, y)
  use units_files
  integer, intent(in) :: way
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: back
  select case (way)
  case (1)
    open(34, status='scratch')
    write(34, *) x * x
    rewind(34)
    read(34, *) back
    close(34)
  case (2)
    open(34, file=both)
    write(34, '(f20.10)') x * x
    close(34)
    open(35, file=both)
    read(35, '(f20.10)') back
    close(35)
  case (3)
    open(34, status='scratch', form='unformatted')
    write(34) x * x
    rewind(34)
    read(34) back
    close(34)
  case default
    write(36, *) x * x
    rewind(36)
    read(36, *) back
    close(36)
  end select
  y = back * x
end subroutine

module units_cases
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
    function getpid() bind(c)
      import :: c_int
      integer(c_int) :: getpid
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
        call again_b(way, x, xb, y, yb)
      else
        call again_d(way, x, xd, y, yd)
      end if
      call leave(0)
    end if
    status = 0
    ends = waitpid(child, status, 0) == child .and. iand(status, 127) == 6
  end function
end module units_cases

program units
  use check
  use units_cases
  use units_files
  implicit none
  real(dp) :: x, xd, xb, y, yd, yb, state, dot, want
  real(dp), parameter :: weights(3) = [0.5_dp, 1.5_dp, 2.5_dp]
  integer :: i, way
  write(table, '(a, i0)') '/tmp/adcc_units_table_', getpid()
  write(second, '(a, i0)') '/tmp/adcc_units_second_', getpid()
  write(both, '(a, i0)') '/tmp/adcc_units_both_', getpid()
  open(33, file=second)
  write(33, *) weights(1)
  close(33)
  open(31, file=table)
  write(31, *) weights(1)
  write(31, *) weights(2)
  write(31, *) weights(3)
  open(32, status='scratch')
  x = 0.7_dp
  state = x
  dot = 1.0_dp
  want = weights(1)
  do i = 1, 3
    dot = dot * x + state
    state = state * x + weights(i)
    want = want + 2.0_dp * state * dot
  end do
  do i = 1, 2
    xd = 1.0_dp
    xb = 0.0_dp
    yb = 1.0_dp
    call apart_d(x, xd, y, yd)
    call check_close('apart, tangent', yd, want, 1e-14_dp)
    call apart_b(x, xb, y, yb)
    call check_close('apart, adjoint', xb, want, 1e-14_dp)
  end do
  do way = 1, 4
    call check_true('read again, tangent', ends(way, .false.))
    call check_true('read again, adjoint', ends(way, .true.))
  end do
  close(31, status='delete')
  open(35, file=both)
  close(35, status='delete')
  open(33, file=second)
  close(33, status='delete')
  open(36, file='fort.36')
  close(36, status='delete')
  call check_done()
end program
