! Functions of text: their results choose what is computed.
! ad-option: -ad-adjoint=zone_text_functions(y)/(x)
! ad-option: -ad-tangent=zone_text_functions(y)/(x)
! ad-option: -ad-argnames=zone_text_functions_:n,m,x,y
module ch1_parts
  implicit none
  type :: entry
    character(:), allocatable :: name
    real(8) :: value
  end type entry
contains
  function padded(s, n) result(r)
    character(*), intent(in) :: s
    integer, intent(in) :: n
    character(n) :: r
    r = adjustl(s)
  end function padded
  function upper(s) result(r)
    character(*), intent(in) :: s
    character(len(s)) :: r
    integer :: i, k
    do i = 1, len(s)
      k = iachar(s(i:i))
      if (k >= 97 .and. k <= 122) then
        r(i:i) = achar(k - 32)
      else
        r(i:i) = s(i:i)
      end if
    end do
  end function upper
  function joined(a, b) result(r)
    character(*), intent(in) :: a, b
    character(:), allocatable :: r
    r = trim(a) // '_' // trim(adjustl(b))
  end function joined
  real(8) function by_name(name, v)
    character(*), intent(in) :: name
    real(8), intent(in) :: v
    select case (name)
    case ('SIN_x')
      by_name = sin(v)
    case ('SQR_x')
      by_name = v**2
    case default
      by_name = exp(-v)
    end select
  end function by_name
end module ch1_parts

subroutine zone_text_functions(n, m, x, y)
  use ch1_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  character(:), allocatable :: label
  character(8) :: kinds(3) = [character(8) :: 'sin', ' sqr', 'none']
  type(entry) :: list(3)
  integer :: i
  y = 0
  do i = 1, n
    label = joined(upper(adjustl(kinds(1 + mod(i, 3)))), 'x')
    y(1) = y(1) + by_name(label, x(i)) * len(label)
    if (index(label, 'SQ') > 0) y(2) = y(2) + x(i)**3
    if (padded(label, 3) == 'SIN') y(2) = y(2) * x(i)
  end do
  do i = 1, 3
    list(i)%name = repeat('a', i) // trim(kinds(i))
    list(i)%value = x(i) * len_trim(list(i)%name)
  end do
  do i = 1, 3
    if (scan(list(i)%name, 'q') > 0) then
      y(3) = y(3) + list(i)%value**2
    else if (list(i)%name < 'aaaan') then
      y(3) = y(3) + sin(list(i)%value)
    end if
  end do
end subroutine zone_text_functions

program zone_text_functions_test
  use check
  implicit none
  procedure(kernel) :: zone_text_functions
  procedure(kernel_tangent) :: zone_text_functions_d
  procedure(kernel_adjoint) :: zone_text_functions_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_text_functions', zone_text_functions, zone_text_functions_d, zone_text_functions_b, x, 3)
  end do
  call check_done()
end program zone_text_functions_test
