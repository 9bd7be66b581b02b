! allocate with source= and mold=: arrays, scalars, other bounds, pointers.
! ad-option: -ad-adjoint=allocate_source(y)/(x)
! ad-option: -ad-tangent=allocate_source(y)/(x)
! ad-option: -ad-argnames=allocate_source_:n,m,x,y
subroutine allocate_source(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: t(:), u(:), v(:,:)
  real(8), pointer :: p(:)
  allocate(t, source=x*x)
  allocate(u(2:5), source=t)
  allocate(v(3,2), source=x(2)*x(3))
  allocate(p, mold=t)
  p = 1.5d0*u
  y(1) = sum(u*t); y(2) = v(2,2)*v(3,1)+sum(v); y(3)=p(3)*p(1)
  deallocate(p)
end subroutine

program allocate_source_test
  use check
  implicit none
  procedure(kernel) :: allocate_source
  procedure(kernel_tangent) :: allocate_source_d
  procedure(kernel_adjoint) :: allocate_source_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('allocate_source', allocate_source, allocate_source_d, allocate_source_b, x, 3)
  end do
  call check_done()
end program allocate_source_test
