! Particles in cells: allocatable arrays inside allocatable objects, lists of indices, scatter and gather by vector subscripts.
! ad-option: -ad-adjoint=zone_particles_in_cells(y)/(x)
! ad-option: -ad-tangent=zone_particles_in_cells(y)/(x)
! ad-option: -ad-argnames=zone_particles_in_cells_:n,m,x,y
module zone_cell_parts
  implicit none
  type :: cell
    real(8), allocatable :: at(:), charge(:)
    real(8) :: field = 0
  end type cell
end module zone_cell_parts

subroutine zone_particles_in_cells(n, m, x, y)
  use zone_cell_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(cell), allocatable :: cells(:)
  integer :: home(n), i, k
  integer, allocatable :: list(:)
  allocate(cells(3))
  home = [(1 + mod(i * i, 3), i = 1, n)]
  do k = 1, 3
    list = pack([(i, i = 1, n)], home == k)
    allocate(cells(k)%at(size(list)), cells(k)%charge(size(list)))
    cells(k)%at(:) = x(list)
    cells(k)%charge = x(list)**2
  end do
  do k = 1, 3
    cells(k)%field = sum(cells(k)%charge) / (1 + size(cells(k)%at))
    cells(k)%at = [cells(k)%at, cells(k)%field]
    cells(k)%charge = [cells(k)%charge, x(k)]
  end do
  y = 0
  do k = 1, 3
    do i = 1, size(cells(k)%at)
      y(k) = y(k) + cells(k)%charge(i) * exp(-cells(k)%at(i)) * cells(1)%field
    end do
  end do
end subroutine zone_particles_in_cells

program zone_particles_in_cells_test
  use check
  implicit none
  procedure(kernel) :: zone_particles_in_cells
  procedure(kernel_tangent) :: zone_particles_in_cells_d
  procedure(kernel_adjoint) :: zone_particles_in_cells_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_particles_in_cells', zone_particles_in_cells, zone_particles_in_cells_d, zone_particles_in_cells_b, x, 3)
  end do
  call check_done()
end program zone_particles_in_cells_test
