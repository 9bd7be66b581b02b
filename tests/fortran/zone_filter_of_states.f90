! A Kalman filter: products of small matrices with transposes, and an inverse by hand.
! ad-option: -ad-adjoint=zone_filter_of_states(y)/(x)
! ad-option: -ad-tangent=zone_filter_of_states(y)/(x)
! ad-option: -ad-argnames=zone_filter_of_states_:n,m,x,y
subroutine zone_filter_of_states(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: f(2,2), p(2,2), q(2,2), s(2), h(1,2), k(2,1), r
  integer :: i
  f = reshape([1d0, 0d0, x(1), 1d0], [2, 2])
  q = 0.1d0 * reshape([x(2), 0.1d0, 0.1d0, x(3)], [2, 2])
  p = reshape([1d0, 0d0, 0d0, x(4)], [2, 2])
  h = reshape([1d0, x(5)], [1, 2])
  s = 0
  do i = 6, 8
    s = matmul(f, s)
    p = matmul(matmul(f, p), transpose(f)) + q
    r = sum(matmul(matmul(h, p), transpose(h))) + 0.3d0
    k = matmul(p, transpose(h)) / r
    s = s + k(:,1) * (x(i) - dot_product(h(1,:), s))
    p = p - matmul(k, matmul(h, p))
  end do
  y(1) = s(1) * s(2)
  y(2) = p(1,1) + p(2,2)
end subroutine zone_filter_of_states

program zone_filter_of_states_test
  use check
  implicit none
  procedure(kernel) :: zone_filter_of_states
  procedure(kernel_tangent) :: zone_filter_of_states_d
  procedure(kernel_adjoint) :: zone_filter_of_states_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_filter_of_states', zone_filter_of_states, zone_filter_of_states_d, zone_filter_of_states_b, x, 2)
  end do
  call check_done()
end program zone_filter_of_states_test
