! Arrays behind addresses of C.
! ad-option: -ad-adjoint=zone_c_addresses(y)/(x)
! ad-option: -ad-tangent=zone_c_addresses(y)/(x)
! ad-option: -ad-argnames=zone_c_addresses_:n,m,x,y
subroutine zone_c_addresses(n, m, x, y)
  use iso_c_binding, only: c_ptr, c_loc, c_f_pointer
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), target :: a(8)
  real(8), pointer :: p(:), q(:,:)
  type(c_ptr) :: at
  a = x * x(1)
  at = c_loc(a)
  call c_f_pointer(at, p, [8])
  call c_f_pointer(c_loc(a(3)), q, [2, 3])
  p(2) = p(2) * x(3)
  q(1, 2) = q(2, 2) + p(1)
  y(1) = sum(p * x)
  y(2) = sum(q**2)
end subroutine zone_c_addresses

program zone_c_addresses_test
  use check
  implicit none
  procedure(kernel) :: zone_c_addresses
  procedure(kernel_tangent) :: zone_c_addresses_d
  procedure(kernel_adjoint) :: zone_c_addresses_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_c_addresses', zone_c_addresses, zone_c_addresses_d, zone_c_addresses_b, x, 2)
  end do
  call check_done()
end program zone_c_addresses_test
