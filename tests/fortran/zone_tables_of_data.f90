! Tables by DATA with implied loops, and constant arrays.
! ad-option: -ad-adjoint=zone_tables_of_data(y)/(x)
! ad-option: -ad-tangent=zone_tables_of_data(y)/(x)
! ad-option: -ad-argnames=zone_tables_of_data_:n,m,x,y
subroutine zone_tables_of_data(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), parameter :: nodes(3) = [-0.7745966692414834d0, 0d0, 0.7745966692414834d0]
  real(8), parameter :: weights(3) = [5d0, 8d0, 5d0] / 9
  real(8) :: c(3,3), d(4)
  integer :: i, j, k
  data ((c(i,j), i = 1, 3), j = 1, 3) / 3*1d0, 2d0, 2*0.5d0, 0.25d0, 3d0, 1.5d0 /
  data d(1), (d(k), k = 2, 4) / 0.5d0, 3*0.25d0 /
  y = 0
  do i = 1, 3
    y(1) = y(1) + weights(i) * exp(x(1) * nodes(i)) * x(2)
  end do
  y(2) = dot_product(matmul(c, x(:3)), x(4:6))
  y(3) = sum(d * x(5:8)**2)
end subroutine zone_tables_of_data

program zone_tables_of_data_test
  use check
  implicit none
  procedure(kernel) :: zone_tables_of_data
  procedure(kernel_tangent) :: zone_tables_of_data_d
  procedure(kernel_adjoint) :: zone_tables_of_data_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_tables_of_data', zone_tables_of_data, zone_tables_of_data_d, zone_tables_of_data_b, x, 3)
  end do
  call check_done()
end program zone_tables_of_data_test
