! Allocatables that take another shape in each iteration.
! ad-option: -ad-adjoint=allocation_in_loops(y)/(x)
! ad-option: -ad-tangent=allocation_in_loops(y)/(x)
! ad-option: -ad-argnames=allocation_in_loops_:n,m,x,y
subroutine allocation_in_loops(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: s(:), t(:,:)
  integer :: i
  s = x(1:1)
  do i=2,n
    s = [s, s(i-1)*x(i)]
    if (mod(i,2)==0) then
      t = spread(s,2,i)
    else
      t = transpose(t)
    end if
  end do
  y(1) = sum(s)+sum(t*t)
end subroutine

program allocation_in_loops_test
  use check
  implicit none
  procedure(kernel) :: allocation_in_loops
  procedure(kernel_tangent) :: allocation_in_loops_d
  procedure(kernel_adjoint) :: allocation_in_loops_b
  real(dp) :: x(5)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('allocation_in_loops', allocation_in_loops, allocation_in_loops_d, allocation_in_loops_b, x, 1)
  end do
  call check_done()
end program allocation_in_loops_test
