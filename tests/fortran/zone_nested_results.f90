! Functions of automatic arrays within calls of others.
! ad-option: -ad-adjoint=zone_nested_results(y)/(x)
! ad-option: -ad-tangent=zone_nested_results(y)/(x)
! ad-option: -ad-argnames=zone_nested_results_:n,m,x,y
subroutine zone_nested_results(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  y(1) = sum(cumulated(outer(x(:2), x(3:5), 2 * 3)))
  y(2) = dot_product(cumulated(cumulated(x(:4))), reversed(cumulated(x(5:))))
contains
  pure function cumulated(v) result(s)
    real(8), intent(in) :: v(:)
    real(8) :: s(size(v))
    integer :: i
    s(1) = v(1)
    do i = 2, size(v)
      s(i) = s(i-1) + v(i)**2
    end do
  end function cumulated
  pure function reversed(v) result(r)
    real(8), intent(in) :: v(:)
    real(8) :: r(size(v))
    r = v(size(v):1:-1)
  end function reversed
  pure function outer(a, b, k) result(r)
    integer, intent(in) :: k
    real(8), intent(in) :: a(:), b(:)
    real(8) :: r(k)
    r = reshape(spread(a, 2, size(b)) * spread(b, 1, size(a)), [k])
  end function outer
end subroutine zone_nested_results

program zone_nested_results_test
  use check
  implicit none
  procedure(kernel) :: zone_nested_results
  procedure(kernel_tangent) :: zone_nested_results_d
  procedure(kernel_adjoint) :: zone_nested_results_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_nested_results', zone_nested_results, zone_nested_results_d, zone_nested_results_b, x, 2)
  end do
  call check_done()
end program zone_nested_results_test
