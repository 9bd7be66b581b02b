! Blocks of a grid with halos, linked by pointers, and whole arrays with bounds of their own.
! ad-option: -ad-adjoint=zone_blocks_of_a_grid(y)/(x)
! ad-option: -ad-tangent=zone_blocks_of_a_grid(y)/(x)
! ad-option: -ad-argnames=zone_blocks_of_a_grid_:n,m,x,y
module zone_blocks_parts
  implicit none
  type :: block_t
    integer :: lo(2), hi(2)
    real(8), pointer :: u(:, :) => null()
    type(block_t), pointer :: left => null(), right => null()
  end type
contains
  subroutine exchange(b)
    type(block_t), intent(inout) :: b(:)
    integer :: i
    do i = 1, size(b)
      if (associated(b(i)%left)) b(i)%u(b(i)%lo(1) - 1, :) = b(i)%left%u(b(i)%left%hi(1), :)
      if (associated(b(i)%right)) b(i)%u(b(i)%hi(1) + 1, :) = b(i)%right%u(b(i)%right%lo(1), :)
    end do
  end subroutine
  subroutine sweep(b, c)
    type(block_t), intent(inout) :: b
    real(8), intent(in) :: c
    real(8), allocatable :: w(:, :)
    integer :: i1, i2
    i1 = b%lo(1); i2 = b%hi(1)
    w = b%u
    w(lbound(w, 1) + 1:ubound(w, 1) - 1, :) = b%u(i1:i2, :) + c*(b%u(i1 - 1:i2 - 1, :) - 2*b%u(i1:i2, :) + b%u(i1 + 1:i2 + 1, :))
    b%u(:, :) = w
  end subroutine
end module

subroutine zone_blocks_of_a_grid(n, m, x, y)
  use zone_blocks_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(block_t), target :: b(3)
  integer :: i, s
  do i = 1, 3
    b(i)%lo = [3*i - 2, 1]
    b(i)%hi = [3*i, 2]
    allocate (b(i)%u(3*i - 3:3*i + 1, 2))
    b(i)%u = 0
    b(i)%u(3*i - 2:3*i, 1) = x(i:i + 2)
    b(i)%u(3*i - 2:3*i, 2) = x(8:6:-1)**i
    if (i > 1) then
      b(i)%left => b(i - 1)
      b(i - 1)%right => b(i)
    end if
  end do
  do s = 1, 4
    call exchange(b)
    do i = 1, 3
      call sweep(b(i), 0.2d0*x(4))
    end do
  end do
  y(1) = sum([(sum(b(i)%u(b(i)%lo(1):b(i)%hi(1), :)**2), i=1, 3)])
  y(2) = b(2)%left%u(2, 1)*b(2)%right%u(8, 2)
  y(3) = maxval(b(1)%u)
  do i = 1, 3
    deallocate (b(i)%u)
  end do
end subroutine

program zone_blocks_of_a_grid_test
  use check
  implicit none
  procedure(kernel) :: zone_blocks_of_a_grid
  procedure(kernel_tangent) :: zone_blocks_of_a_grid_d
  procedure(kernel_adjoint) :: zone_blocks_of_a_grid_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_blocks_of_a_grid', zone_blocks_of_a_grid, zone_blocks_of_a_grid_d, zone_blocks_of_a_grid_b, x, 3)
  end do
  call check_done()
end program zone_blocks_of_a_grid_test
