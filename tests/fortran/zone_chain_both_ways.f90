! A list that is linked both ways, to which is added in order, and from which is taken.
! ad-option: -ad-adjoint=zone_chain_both_ways(y)/(x)
! ad-option: -ad-tangent=zone_chain_both_ways(y)/(x)
! ad-option: -ad-argnames=zone_chain_both_ways_:n,m,x,y
module zone_chain_parts
  implicit none
  type :: node
    real(8) :: v
    type(node), pointer :: next => null(), before => null()
  end type node
contains
  subroutine insert(first, v)
    type(node), pointer, intent(inout) :: first
    real(8), intent(in) :: v
    type(node), pointer :: new, at
    allocate(new)
    new%v = v
    if (.not. associated(first)) then
      first => new
      return
    end if
    if (v < first%v) then
      new%next => first
      first%before => new
      first => new
      return
    end if
    at => first
    do while (associated(at%next))
      if (at%next%v > v) exit
      at => at%next
    end do
    new%next => at%next
    new%before => at
    if (associated(at%next)) at%next%before => new
    at%next => new
  end subroutine insert
end module zone_chain_parts

subroutine zone_chain_both_ways(n, m, x, y)
  use zone_chain_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(node), pointer :: first, at, next
  integer :: i
  first => null()
  do i = 1, n
    call insert(first, x(i) * merge(1d0, x(1), i == 1))
  end do
  at => first%next
  at%before%next => at%next
  at%next%before => at%before
  y(1) = at%v
  deallocate(at)
  y(2) = 0
  at => first
  do while (associated(at%next))
    at => at%next
  end do
  do while (associated(at))
    y(2) = y(2) * 0.7d0 + at%v
    next => at%before
    deallocate(at)
    at => next
  end do
end subroutine zone_chain_both_ways

program zone_chain_both_ways_test
  use check
  implicit none
  procedure(kernel) :: zone_chain_both_ways
  procedure(kernel_tangent) :: zone_chain_both_ways_d
  procedure(kernel_adjoint) :: zone_chain_both_ways_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_chain_both_ways', zone_chain_both_ways, zone_chain_both_ways_d, zone_chain_both_ways_b, x, 2)
  end do
  call check_done()
end program zone_chain_both_ways_test
