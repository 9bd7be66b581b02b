! Assignments of sections that overlap: forwards, backwards, with strides.
! ad-option: -ad-adjoint=array_overlap(y)/(x)
! ad-option: -ad-tangent=array_overlap(y)/(x)
! ad-option: -ad-argnames=array_overlap_:n,m,x,y
subroutine array_overlap(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: t(10)
  integer :: k
  t(1:6) = x; t(7:10)=x(1:4)**2
  k = n
  t(2:k) = t(1:k-1)*2
  t(1:5) = t(5:1:-1)
  t(3:9:2) = t(2:5)
  y = t(1:6)+t(5:10)
end subroutine

program array_overlap_test
  use check
  implicit none
  procedure(kernel) :: array_overlap
  procedure(kernel_tangent) :: array_overlap_d
  procedure(kernel_adjoint) :: array_overlap_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_overlap', array_overlap, array_overlap_d, array_overlap_b, x, 6)
  end do
  call check_done()
end program array_overlap_test
