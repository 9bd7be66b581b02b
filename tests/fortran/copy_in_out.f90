! Sections as arguments of explicit shape: copied in and out.
! ad-option: -ad-adjoint=copy_in_out(y)/(x)
! ad-option: -ad-tangent=copy_in_out(y)/(x)
! ad-option: -ad-argnames=copy_in_out_:n,m,x,y
subroutine work(n,a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  a = a*a(1)
end subroutine
subroutine copy_in_out(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: t(6)
  t = x
  call work(3,t(1:6:2))
  call w2(t(6:1:-1))
  y(1) = sum(t*x); y(2) = t(5)
contains
  subroutine w2(b)
    real(8), intent(inout) :: b(:)
    call work(size(b), b)
  end subroutine
end subroutine

program copy_in_out_test
  use check
  implicit none
  procedure(kernel) :: copy_in_out
  procedure(kernel_tangent) :: copy_in_out_d
  procedure(kernel_adjoint) :: copy_in_out_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('copy_in_out', copy_in_out, copy_in_out_d, copy_in_out_b, x, 2)
  end do
  call check_done()
end program copy_in_out_test
