! stat= and errmsg= of allocate and deallocate, where nothing is wrong and where something is.
! ad-option: -ad-adjoint=allocate_stat(y)/(x)
! ad-option: -ad-tangent=allocate_stat(y)/(x)
! ad-option: -ad-argnames=allocate_stat_:n,m,x,y
subroutine allocate_stat(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: t(:)
  integer :: st, st2
  character(40) :: msg
  allocate(t(n), stat=st, errmsg=msg)
  t = x*2
  allocate(t(n), stat=st2, errmsg=msg)
  y(1) = t(1)*t(2)*st2 + st
  if (msg(1:12) /= 'Base address') y(1) = 0
  deallocate(t, stat=st)
  deallocate(t, stat=st2)
  y(2) = x(3)**2*st2 + len_trim(msg)
end subroutine

program allocate_stat_test
  use check
  implicit none
  procedure(kernel) :: allocate_stat
  procedure(kernel_tangent) :: allocate_stat_d
  procedure(kernel_adjoint) :: allocate_stat_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('allocate_stat', allocate_stat, allocate_stat_d, allocate_stat_b, x, 2)
  end do
  call check_done()
end program allocate_stat_test
