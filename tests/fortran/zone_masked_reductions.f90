! Sums and products along a dimension under masks; counts and tests.
! ad-option: -ad-adjoint=zone_masked_reductions(y)/(x)
! ad-option: -ad-tangent=zone_masked_reductions(y)/(x)
! ad-option: -ad-argnames=zone_masked_reductions_:n,m,x,y
subroutine zone_masked_reductions(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,4)
  logical :: big(2,4)
  a = reshape(x, [2, 4])
  big = mod(reshape([1, 2, 3, 4, 5, 6, 7, 8], [2, 4]), 3) /= 0
  y(1) = sum(a**2, mask=big) + sum(sum(a, dim=1, mask=.not. big)**2)
  y(2) = product(a, mask=a > 0.1d0 .and. big)
  y(3) = sum(product(a, dim=2, mask=big)) * count(big)
  y(4) = merge(sum(a), product(a), any(a(1,:) > 0.1d0)) + merge(a(1,1), a(2,2), all(big))
end subroutine zone_masked_reductions

program zone_masked_reductions_test
  use check
  implicit none
  procedure(kernel) :: zone_masked_reductions
  procedure(kernel_tangent) :: zone_masked_reductions_d
  procedure(kernel_adjoint) :: zone_masked_reductions_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_masked_reductions', zone_masked_reductions, zone_masked_reductions_d, zone_masked_reductions_b, x, 4)
  end do
  call check_done()
end program zone_masked_reductions_test
