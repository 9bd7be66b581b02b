! Pointers that are contiguous, and a branch on what is.
! ad-option: -ad-adjoint=zone_contiguous_views(y)/(x)
! ad-option: -ad-tangent=zone_contiguous_views(y)/(x)
! ad-option: -ad-argnames=zone_contiguous_views_:n,m,x,y
subroutine zone_contiguous_views(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), target :: a(4,4)
  real(8), pointer, contiguous :: c(:)
  a = reshape([x, x * x], [4, 4])
  c => a(:, 2)
  c = c * x(1)
  y(1) = total(a(:, 3)) + total(a(2, :)) + total(c)
  y(2) = sum(a * a)
contains
  real(8) function total(v)
    real(8), intent(in) :: v(:)
    if (is_contiguous(v)) then
      total = sum(v**2)
    else
      total = 2 * sum(v)
    end if
  end function total
end subroutine zone_contiguous_views

program zone_contiguous_views_test
  use check
  implicit none
  procedure(kernel) :: zone_contiguous_views
  procedure(kernel_tangent) :: zone_contiguous_views_d
  procedure(kernel_adjoint) :: zone_contiguous_views_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_contiguous_views', zone_contiguous_views, zone_contiguous_views_d, zone_contiguous_views_b, x, 2)
  end do
  call check_done()
end program zone_contiguous_views_test
