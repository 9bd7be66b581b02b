! Assumed rank: `select rank` over descriptors that are copied for it.
! ad-option: -ad-adjoint=written_ranks_at_run_time(y)/(x)
! ad-option: -ad-tangent=written_ranks_at_run_time(y)/(x)
! ad-option: -ad-argnames=written_ranks_at_run_time_:n,m,x,y
module ranks
  implicit none
  interface total
    module procedure total_any
  end interface
contains
  function total_any(a, scale) result(s)
    real(8), intent(in) :: a(..)
    real(8), intent(in), optional :: scale
    real(8) :: s, f
    f = 1
    if (present(scale)) f = scale
    select rank (a)
    rank (0)
      s = a*f
    rank (1)
      s = sum(a**2)*f
    rank (2)
      s = sum(matmul(a, transpose(a)))*f
    rank default
      s = -1
    end select
  end function
end module
subroutine written_ranks_at_run_time(n,m,x,y)
  use ranks
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,4)
  a = reshape(x(1:8), [2,4])
  y(1) = total(x(2)) + total(x(1:7:2), x(3)) + total(a)
  y(2) = total(a(:,2:4:2), scale=x(1)*x(2))
end subroutine

program written_ranks_at_run_time_test
  use check
  implicit none
  procedure(kernel) :: written_ranks_at_run_time
  procedure(kernel_tangent) :: written_ranks_at_run_time_d
  procedure(kernel_adjoint) :: written_ranks_at_run_time_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_ranks_at_run_time', written_ranks_at_run_time, &
                      written_ranks_at_run_time_d, written_ranks_at_run_time_b, x, 2)
  end do
  call check_done()
end program written_ranks_at_run_time_test
