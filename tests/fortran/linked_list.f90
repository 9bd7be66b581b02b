! A list of nodes, allocated one by one and followed by their pointers.
! ad-option: -ad-adjoint=linked_list(y)/(x)
! ad-option: -ad-tangent=linked_list(y)/(x)
! ad-option: -ad-argnames=linked_list_:n,m,x,y
module mm
  type :: node
    real(8) :: v
    type(node), pointer :: next => null()
  end type
end module
subroutine linked_list(n,m,x,y)
  use mm
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(node), pointer :: h, p
  integer :: i
  h => null()
  do i=1,n
    allocate(p)
    p%v = x(i)*i
    p%next => h
    h => p
  end do
  y = 0
  p => h
  do while(associated(p))
    y(1) = y(1)*p%v + p%v
    y(2) = y(2) + sin(p%v)
    p => p%next
  end do
end subroutine

program linked_list_test
  use check
  implicit none
  procedure(kernel) :: linked_list
  procedure(kernel_tangent) :: linked_list_d
  procedure(kernel_adjoint) :: linked_list_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('linked_list', linked_list, linked_list_d, linked_list_b, x, 2)
  end do
  call check_done()
end program linked_list_test
