! QR by reflections in place, and a least-squares solution.
! ad-option: -ad-adjoint=zone_householder(y)/(x)
! ad-option: -ad-tangent=zone_householder(y)/(x)
! ad-option: -ad-argnames=zone_householder_:n,m,x,y
subroutine zone_householder(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(4,2), b(4), v(4), norm
  integer :: k
  a = reshape(x, [4, 2])
  a(1,1) = a(1,1) + 2
  b = x(4:1:-1)
  do k = 1, 2
    norm = sign(sqrt(sum(a(k:,k)**2)), a(k,k))
    v = 0
    v(k:) = a(k:,k)
    v(k) = v(k) + norm
    v = v / sqrt(sum(v**2))
    a(:,k:) = a(:,k:) - 2 * spread(v, 2, 3 - k) * spread(matmul(v, a(:,k:)), 1, 4)
    b = b - 2 * v * dot_product(v, b)
  end do
  b(2) = b(2) / a(2,2)
  b(1) = (b(1) - a(1,2) * b(2)) / a(1,1)
  y(1) = b(1) * b(2)
  y(2) = sum(b(3:)**2)
end subroutine zone_householder

program zone_householder_test
  use check
  implicit none
  procedure(kernel) :: zone_householder
  procedure(kernel_tangent) :: zone_householder_d
  procedure(kernel_adjoint) :: zone_householder_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_householder', zone_householder, zone_householder_d, zone_householder_b, x, 2)
  end do
  call check_done()
end program zone_householder_test
