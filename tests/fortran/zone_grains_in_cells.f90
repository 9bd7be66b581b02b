! Allocatable objects inside the objects of an array, and arrays inside these: only the types say what their descriptors hold.
! ad-option: -ad-adjoint=zone_grains_in_cells(y)/(x)
! ad-option: -ad-tangent=zone_grains_in_cells(y)/(x)
! ad-option: -ad-argnames=zone_grains_in_cells_:n,m,x,y
module zone_grain_parts
  implicit none
  type :: grain
    real(8) :: mass = 0
    real(8), allocatable :: spectrum(:)
  end type grain
  type :: cell
    type(grain), allocatable :: inside(:)
    real(8) :: total = 0
  end type cell
end module zone_grain_parts

subroutine zone_grains_in_cells(n, m, x, y)
  use zone_grain_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(cell), allocatable :: cells(:)
  integer :: i, k
  allocate(cells(3))
  do k = 1, 3
    allocate(cells(k)%inside(k))
    do i = 1, k
      allocate(cells(k)%inside(i)%spectrum(2))
      cells(k)%inside(i)%mass = x(k) * i
      cells(k)%inside(i)%spectrum = [x(k + 1) * i, x(i) ** 2]
    end do
  end do
  do k = 1, 3
    do i = 1, size(cells(k)%inside)
      cells(k)%total = cells(k)%total + cells(k)%inside(i)%mass * sum(cells(k)%inside(i)%spectrum)
    end do
    y(k) = cells(k)%total
  end do
end subroutine zone_grains_in_cells

program zone_grains_in_cells_test
  use check
  implicit none
  procedure(kernel) :: zone_grains_in_cells
  procedure(kernel_tangent) :: zone_grains_in_cells_d
  procedure(kernel_adjoint) :: zone_grains_in_cells_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_grains_in_cells', zone_grains_in_cells, zone_grains_in_cells_d, zone_grains_in_cells_b, x, 3)
  end do
  call check_done()
end program zone_grains_in_cells_test
