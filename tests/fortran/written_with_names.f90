! Text beside reals chooses what is computed: comparisons, index, scan, verify, len_trim, trim, of components and of parts.
! ad-option: -ad-adjoint=written_with_names(y)/(x)
! ad-option: -ad-tangent=written_with_names(y)/(x)
! ad-option: -ad-argnames=written_with_names_:n,m,x,y
module materials
  implicit none
  type :: material
    character(8) :: name = 'none'
    real(8) :: stiffness = 0
    character(12) :: law = 'linear'
    real(8) :: exponent = 1
  end type
contains
  ! As LAPACK's ilaenv chooses: by a copy in capitals, and its parts.
  integer function order(name)
    character(*), intent(in) :: name
    character(6) :: upper
    integer :: i
    upper = name
    do i = 1, 6
      if (ichar(upper(i:i)) >= 97) upper(i:i) = char(ichar(upper(i:i)) - 32)
    end do
    order = 1
    if (upper(2:3) == 'GE') order = 2
    if (upper(4:6) == 'TRF' .and. upper(1:1) /= 'S') order = order + 1
  end function
  subroutine strain(list, load, y)
    type(material), intent(in) :: list(:)
    real(8), intent(in) :: load
    real(8), intent(out) :: y
    integer :: k
    y = 0
    do k = 1, size(list)
      associate (one => list(k))
        if (one%name == 'steel') then
          y = y + load/one%stiffness
        else if (index(one%name, 'rub') == 1) then
          y = y + (load/one%stiffness)**one%exponent
        else if (scan(one%law, 'qx') > 0 .or. one%name > 'x') then
          y = y + len_trim(one%name)*load**2
        else if (verify(trim(one%law), 'abcdefghijklmnopqrstuvwxyz') == 0) then
          y = y + sin(load)*one%stiffness
        end if
      end associate
    end do
  end subroutine
end module

subroutine written_with_names(n, m, x, y)
  use materials
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(material) :: list(4)
  character(8), parameter :: names(4) = [character(8) :: 'steel', 'rubber', 'zinc', 'cork']
  integer :: k
  do k = 1, 4
    list(k) = material(names(k), x(k)**2, merge('power ', 'linear', k == 2), 1 + 0.1d0*x(1))
  end do
  call strain(list, x(2), y(1))
  y(2) = x(3)**order('dgetrf')*x(1)**order('sgetrs')
end subroutine

program written_with_names_test
  use check
  implicit none
  procedure(kernel) :: written_with_names
  procedure(kernel_tangent) :: written_with_names_d
  procedure(kernel_adjoint) :: written_with_names_b
  real(dp) :: x(4)
  call check_fill(x, 0.4_dp, 1.3_dp)
  call check_kernel('written_with_names', written_with_names, written_with_names_d, written_with_names_b, x, 2)
  call check_done()
end program written_with_names_test
