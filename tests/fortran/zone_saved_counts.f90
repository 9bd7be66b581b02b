! Variables with SAVE: counts of calls, and tables that the first call makes.
! ad-option: -ad-adjoint=zone_saved_counts(y)/(x)
! ad-option: -ad-tangent=zone_saved_counts(y)/(x)
! ad-option: -ad-argnames=zone_saved_counts_:n,m,x,y
subroutine zone_saved_counts(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  y(1) = tabulated(x(1)) * x(2)
  y(2) = tabulated(x(3)) + tabulated(y(1))
contains
  real(8) function tabulated(t)
    real(8), intent(in) :: t
    integer, save :: calls = 0
    real(8), save :: table(4)
    integer :: i
    if (calls == 0) then
      do i = 1, 4
        table(i) = sqrt(1.0d0 * i)
      end do
    end if
    calls = calls + 1
    tabulated = 0
    do i = 4, 1, -1
      tabulated = tabulated * t + table(i)
    end do
  end function tabulated
end subroutine zone_saved_counts

program zone_saved_counts_test
  use check
  implicit none
  procedure(kernel) :: zone_saved_counts
  procedure(kernel_tangent) :: zone_saved_counts_d
  procedure(kernel_adjoint) :: zone_saved_counts_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_saved_counts', zone_saved_counts, zone_saved_counts_d, zone_saved_counts_b, x, 2)
  end do
  call check_done()
end program zone_saved_counts_test
