! A list whose items are class(*): reals, integers and objects, found through pointers.
! ad-option: -ad-adjoint=zone_items_of_any_type(y)/(x)
! ad-option: -ad-tangent=zone_items_of_any_type(y)/(x)
! ad-option: -ad-argnames=zone_items_of_any_type_:n,m,x,y
module zone_items_parts
  implicit none
  integer, parameter :: wp = kind(1d0)
  type :: link
    class(*), allocatable :: item
    type(link), pointer :: next => null()
  end type
  type :: list
    type(link), pointer :: head => null(), tail => null()
    integer :: n = 0
  contains
    procedure :: append
    procedure :: get
    procedure :: free
  end type
  type :: spring
    real(wp) :: k, l0
  end type
contains
  subroutine append(this, item)
    class(list), intent(inout) :: this
    class(*), intent(in) :: item
    type(link), pointer :: p
    allocate (p)
    allocate (p%item, source=item)
    if (associated(this%tail)) then
      this%tail%next => p
    else
      this%head => p
    end if
    this%tail => p
    this%n = this%n + 1
  end subroutine
  function get(this, i) result(p)
    class(list), intent(in) :: this
    integer, intent(in) :: i
    class(*), pointer :: p
    type(link), pointer :: l
    integer :: k
    l => this%head
    do k = 2, i
      l => l%next
    end do
    p => l%item
  end function
  subroutine free(this)
    class(list), intent(inout) :: this
    type(link), pointer :: l, nx
    l => this%head
    do while (associated(l))
      nx => l%next
      deallocate (l)
      l => nx
    end do
    nullify (this%head, this%tail)
    this%n = 0
  end subroutine
end module

subroutine zone_items_of_any_type(n, m, x, y)
  use zone_items_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(list) :: l
  class(*), pointer :: p
  integer :: i
  call l%append(x(1)*x(2))
  call l%append(7)
  call l%append(spring(x(3), x(4)))
  call l%append(x(5)**2)
  call l%append(spring(x(6), x(1)))
  y = 0
  do i = 1, l%n
    p => l%get(i)
    select type (p)
    type is (real(wp))
      y(1) = y(1) + p*i
      p = p*2
    type is (integer)
      y(1) = y(1)*p
    type is (spring)
      y(2) = y(2) + 0.5d0*p%k*(p%l0 - x(2))**2
    end select
  end do
  p => l%get(4)
  select type (p)
  type is (real(wp))
    y(3) = sin(p)
  end select
  call l%free()
end subroutine

program zone_items_of_any_type_test
  use check
  implicit none
  procedure(kernel) :: zone_items_of_any_type
  procedure(kernel_tangent) :: zone_items_of_any_type_d
  procedure(kernel_adjoint) :: zone_items_of_any_type_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_items_of_any_type', zone_items_of_any_type, zone_items_of_any_type_d, zone_items_of_any_type_b, x, 3)
  end do
  call check_done()
end program zone_items_of_any_type_test
