! Allocatable results and dummies that are given up at entry.
! ad-option: -ad-adjoint=zone_fresh_results(y)/(x)
! ad-option: -ad-tangent=zone_fresh_results(y)/(x)
! ad-option: -ad-argnames=zone_fresh_results_:n,m,x,y
subroutine zone_fresh_results(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: a(:), b(:)
  a = grown(x(:3), 5)
  y(1) = sum(a**2)
  allocate(b(2)); b = x(7:)
  call take(a, b)
  y(2) = sum(b) * b(1)
  b = [b, grown(b, 4)]
  y(3) = sum(b * b)
contains
  function grown(v, k) result(r)
    real(8), intent(in) :: v(:)
    integer, intent(in) :: k
    real(8), allocatable :: r(:)
    integer :: i
    allocate(r(k))
    do i = 1, k
      r(i) = v(mod(i, size(v)) + 1) * i
    end do
  end function grown
  subroutine take(v, w)
    real(8), allocatable, intent(inout) :: v(:)
    real(8), allocatable, intent(out) :: w(:)
    if (allocated(w)) stop 1
    allocate(w(size(v) - 1))
    w = v(2:) * v(:size(v) - 1)
    deallocate(v)
  end subroutine take
end subroutine zone_fresh_results

program zone_fresh_results_test
  use check
  implicit none
  procedure(kernel) :: zone_fresh_results
  procedure(kernel_tangent) :: zone_fresh_results_d
  procedure(kernel_adjoint) :: zone_fresh_results_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_fresh_results', zone_fresh_results, zone_fresh_results_d, zone_fresh_results_b, x, 3)
  end do
  call check_done()
end program zone_fresh_results_test
