! A table of parameters by name: keys of deferred length, looked up by a hash, values real.
! ad-option: -ad-adjoint=zone_hash_of_names(y)/(x)
! ad-option: -ad-tangent=zone_hash_of_names(y)/(x)
! ad-option: -ad-argnames=zone_hash_of_names_:n,m,x,y
module zone_hash_parts
  implicit none
  type :: slot
    character(:), allocatable :: key
    real(8) :: value = 0
  end type slot
  type :: dictionary
    type(slot) :: slots(0:16)
  contains
    procedure :: place
    procedure :: set
    procedure :: get
  end type dictionary
contains
  integer function place(this, key)
    class(dictionary), intent(in) :: this
    character(*), intent(in) :: key
    integer :: i
    place = 0
    do i = 1, len(key)
      place = mod(place * 31 + ichar(key(i:i)), 17)
    end do
    do
      if (.not. allocated(this%slots(place)%key)) exit
      if (this%slots(place)%key == key) exit
      place = mod(place + 1, 17)
    end do
  end function place
  subroutine set(this, key, value)
    class(dictionary), intent(inout) :: this
    character(*), intent(in) :: key
    real(8), intent(in) :: value
    integer :: k
    k = this%place(key)
    this%slots(k)%key = key
    this%slots(k)%value = value
  end subroutine set
  real(8) function get(this, key)
    class(dictionary), intent(in) :: this
    character(*), intent(in) :: key
    integer :: k
    k = this%place(key)
    get = 0
    if (allocated(this%slots(k)%key)) get = this%slots(k)%value
  end function get
end module zone_hash_parts

subroutine zone_hash_of_names(n, m, x, y)
  use zone_hash_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(dictionary) :: table
  character(5), parameter :: names(8) = [character(5) :: 'mass', 'k', 'gamma', 'beta', 'x0', 'v0', 'tau', 'omega']
  integer :: i
  do i = 1, n
    call table%set(trim(names(i)), x(i)**2)
  end do
  call table%set('mass', table%get('mass') * table%get('tau'))
  y(1) = table%get('k') / table%get('mass') + sin(table%get('omega'))
  y(2) = table%get('gamma') * table%get('beta') + table%get('none') + table%get('x0') * table%get('v0')
end subroutine zone_hash_of_names

program zone_hash_of_names_test
  use check
  implicit none
  procedure(kernel) :: zone_hash_of_names
  procedure(kernel_tangent) :: zone_hash_of_names_d
  procedure(kernel_adjoint) :: zone_hash_of_names_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_hash_of_names', zone_hash_of_names, zone_hash_of_names_d, zone_hash_of_names_b, x, 2)
  end do
  call check_done()
end program zone_hash_of_names_test
