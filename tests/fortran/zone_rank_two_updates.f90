! A quasi-Newton step: outer products by SPREAD, MATMUL with TRANSPOSE, updates of a symmetric matrix in a BLOCK.
! ad-option: -ad-adjoint=zone_rank_two_updates(y)/(x)
! ad-option: -ad-tangent=zone_rank_two_updates(y)/(x)
! ad-option: -ad-argnames=zone_rank_two_updates_:n,m,x,y
subroutine zone_rank_two_updates(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer, parameter :: d = 4
  real(8) :: h(d, d), p(d), g(d), old(d), at(d)
  integer :: k
  h = 0
  do concurrent (k = 1:d)
    h(k, k) = 1
  end do
  at = x(1:d)
  g = slope(at)
  do k = 1, 3
    p = -0.1d0 * matmul(h, g)
    at = at + p
    old = g
    g = slope(at)
    block
      real(8) :: s(d), rho
      s = g - old
      rho = 1 / dot_product(s, p)
      associate (left => rho * spread(p, 2, d) * spread(s, 1, d))
        h = h - matmul(left, h)
        h = h - matmul(h, transpose(left)) + rho * spread(p, 2, d) * spread(p, 1, d)
      end associate
    end block
  end do
  y(1) = sum(at**2)
  y(2) = h(1, 2) + h(3, 3)
  y(3) = norm2(g)
contains
  function slope(z) result(r)
    real(8), intent(in) :: z(:)
    real(8) :: r(size(z))
    r = z**3 + x(5:8) * z
    r(1) = r(1) + z(2)
    r(2) = r(2) + z(1)
  end function slope
end subroutine zone_rank_two_updates

program zone_rank_two_updates_test
  use check
  implicit none
  procedure(kernel) :: zone_rank_two_updates
  procedure(kernel_tangent) :: zone_rank_two_updates_d
  procedure(kernel_adjoint) :: zone_rank_two_updates_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_rank_two_updates', zone_rank_two_updates, zone_rank_two_updates_d, zone_rank_two_updates_b, x, 3)
  end do
  call check_done()
end program zone_rank_two_updates_test
