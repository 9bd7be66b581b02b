! Lists and trees whose nodes are reached through pointers that are dummy arguments.
! ad-option: -ad-adjoint=zone_pointer_lists(y)/(x)
! ad-option: -ad-tangent=zone_pointer_lists(y)/(x)
! ad-option: -ad-argnames=zone_pointer_lists_:n,m,x,y
module zone_list_parts
  implicit none
  type :: node
    real(8) :: key, value
    type(node), pointer :: left => null(), right => null()
  end type node
contains
  recursive subroutine insert(p, key, value)
    type(node), pointer, intent(inout) :: p
    real(8), intent(in) :: key, value
    if (.not. associated(p)) then
      allocate(p)
      p%key = key
      p%value = value
    else if (key < p%key) then
      call insert(p%left, key, value)
    else
      call insert(p%right, key, value)
    end if
  end subroutine insert
  recursive real(8) function total(p, depth) result(r)
    type(node), pointer, intent(in) :: p
    integer, intent(in) :: depth
    r = 0
    if (associated(p)) r = p%value**depth + total(p%left, depth + 1) * 0.5d0 + total(p%right, depth + 1)
  end function total
  recursive subroutine remove(p)
    type(node), pointer, intent(inout) :: p
    if (.not. associated(p)) return
    call remove(p%left)
    call remove(p%right)
    deallocate(p)
  end subroutine remove
end module zone_list_parts

subroutine zone_pointer_lists(n, m, x, y)
  use zone_list_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(node), pointer :: root
  integer :: i
  root => null()
  do i = 1, n
    call insert(root, x(i), x(i)**2)
  end do
  y(1) = total(root, 1)
  y(2) = root%value * x(2)
  y(3) = total(root%right, 2) + x(1)
  call remove(root)
end subroutine zone_pointer_lists

program zone_pointer_lists_test
  use check
  implicit none
  procedure(kernel) :: zone_pointer_lists
  procedure(kernel_tangent) :: zone_pointer_lists_d
  procedure(kernel_adjoint) :: zone_pointer_lists_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_pointer_lists', zone_pointer_lists, zone_pointer_lists_d, zone_pointer_lists_b, x, 3)
  end do
  call check_done()
end program zone_pointer_lists_test
