! A stack of reals that grows as it must.
! ad-option: -ad-adjoint=zone_growing_stack(y)/(x)
! ad-option: -ad-tangent=zone_growing_stack(y)/(x)
! ad-option: -ad-argnames=zone_growing_stack_:n,m,x,y
module zone_stack_parts
  implicit none
  type :: stack
    integer :: count = 0
    real(8), allocatable :: values(:)
  contains
    procedure :: push
    procedure :: pop
  end type stack
contains
  subroutine push(this, v)
    class(stack), intent(inout) :: this
    real(8), intent(in) :: v
    real(8), allocatable :: larger(:)
    if (.not. allocated(this%values)) allocate(this%values(2))
    if (this%count == size(this%values)) then
      allocate(larger(2 * this%count))
      larger(:this%count) = this%values
      call move_alloc(larger, this%values)
    end if
    this%count = this%count + 1
    this%values(this%count) = v
  end subroutine push
  real(8) function pop(this)
    class(stack), intent(inout) :: this
    pop = this%values(this%count)
    this%count = this%count - 1
  end function pop
end module zone_stack_parts

subroutine zone_growing_stack(n, m, x, y)
  use zone_stack_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(stack) :: s
  integer :: i
  do i = 1, n
    call s%push(x(i))
    if (mod(i, 3) == 0) call s%push(s%pop() * s%pop())
  end do
  y(1) = 0
  do while (s%count > 0)
    y(1) = y(1) * 0.5d0 + s%pop()
  end do
  call s%push(y(1)**2)
  y(2) = s%pop()
end subroutine zone_growing_stack

program zone_growing_stack_test
  use check
  implicit none
  procedure(kernel) :: zone_growing_stack
  procedure(kernel_tangent) :: zone_growing_stack_d
  procedure(kernel_adjoint) :: zone_growing_stack_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_growing_stack', zone_growing_stack, zone_growing_stack_d, zone_growing_stack_b, x, 2)
  end do
  call check_done()
end program zone_growing_stack_test
