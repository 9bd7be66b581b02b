! Allocatables and pointers of modules, allocated and deallocated by the differentiated subroutine.
! ad-option: -ad-adjoint=allocatable_modules(y)/(x)
! ad-option: -ad-tangent=allocatable_modules(y)/(x)
! ad-option: -ad-argnames=allocatable_modules_:n,m,x,y
module mm
  real(8), allocatable :: wk(:), w2(:,:)
  real(8), pointer :: pp(:) => null()
end module
subroutine allocatable_modules(n,m,x,y)
  use mm
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  if (allocated(wk)) deallocate(wk)
  allocate(wk(n))
  wk = x*x
  allocate(w2(n,n))
  w2 = spread(wk,2,n)
  allocate(pp(3)); pp = wk(1:3)
  wk = wk(2:4)
  y(1) = wk(1)*wk(3); y(2) = sum(w2*w2)+pp(2)
  deallocate(wk); deallocate(w2); deallocate(pp)
end subroutine

program allocatable_modules_test
  use check
  implicit none
  procedure(kernel) :: allocatable_modules
  procedure(kernel_tangent) :: allocatable_modules_d
  procedure(kernel_adjoint) :: allocatable_modules_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('allocatable_modules', allocatable_modules, allocatable_modules_d, allocatable_modules_b, x, 2)
  end do
  call check_done()
end program allocatable_modules_test
