! where, forall and subscripts from a vector.
! ad-option: -ad-adjoint=where_and_forall(y)/(x)
! ad-option: -ad-tangent=where_and_forall(y)/(x)
! ad-option: -ad-argnames=where_and_forall_:n,m,x,y
subroutine where_and_forall(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: t(6), u(6)
  integer :: i, idx(6)
  t = x
  idx = [2,1,4,3,6,5]
  where (t > 0.0d0) t = t*t(6:1:-1)
  u = t(idx)
  forall (i=2:6) u(i) = u(i-1)*t(i)
  t(idx) = u
  where (x < 5d0)
    t = t + u
  elsewhere
    t = 0
  end where
  y = t
end subroutine

program where_and_forall_test
  use check
  implicit none
  procedure(kernel) :: where_and_forall
  procedure(kernel_tangent) :: where_and_forall_d
  procedure(kernel_adjoint) :: where_and_forall_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('where_and_forall', where_and_forall, where_and_forall_d, where_and_forall_b, x, 6)
  end do
  call check_done()
end program where_and_forall_test
