! Assumed-shape dummies of rank three, sections backwards as arguments, reductions along dimensions, a shift in place.
! ad-option: -ad-adjoint=assumed_shape(y)/(x)
! ad-option: -ad-tangent=assumed_shape(y)/(x)
! ad-option: -ad-argnames=assumed_shape_:n,m,x,y
module mod3
contains
 subroutine work(a,s,p)
  real(8), intent(in) :: a(:,:,:)
  real(8), intent(out) :: s(:,:)
  real(8), intent(inout) :: p(:)
  s = sum(a,dim=2)
  p = p + maxval(maxval(a,dim=3),dim=1)
  p = cshift(p,1)
  p(:) = p(size(p):1:-1)
 end subroutine
end module
subroutine assumed_shape(n,m,x,y)
  use mod3
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(2,2,2), s(2,2), p(2)
  real(4) :: r(4)
  a = reshape(x,[2,2,2])
  p = x(1:2)*x(3)
  call work(a(2:1:-1,:,:), s, p)
  y(1:2) = s(:,1)*s(:,2); y(3:4) = p
end subroutine

program assumed_shape_test
  use check
  implicit none
  procedure(kernel) :: assumed_shape
  procedure(kernel_tangent) :: assumed_shape_d
  procedure(kernel_adjoint) :: assumed_shape_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('assumed_shape', assumed_shape, assumed_shape_d, assumed_shape_b, x, 4)
  end do
  call check_done()
end program assumed_shape_test
