! Pointers: to sections backwards, allocated, remapped, asked what they are associated with.
! ad-option: -ad-adjoint=pointer_arrays(y)/(x)
! ad-option: -ad-tangent=pointer_arrays(y)/(x)
! ad-option: -ad-argnames=pointer_arrays_:n,m,x,y
subroutine pointer_arrays(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), pointer :: p(:), q(:), r(:,:)
  real(8), target :: t(4)
  t = x*x
  p => t(4:1:-1)
  allocate(q(0:3)); q = p*x
  r(1:2,1:2) => q
  r(2,1) = r(2,1)*x(1)
  y(1) = p(1)*q(1); y(2) = sum(r)
  y(3) = 0
  if (associated(p)) y(3) = q(3)
  if (associated(q,t)) y(3) = y(3)+1
  deallocate(q); nullify(p)
end subroutine

program pointer_arrays_test
  use check
  implicit none
  procedure(kernel) :: pointer_arrays
  procedure(kernel_tangent) :: pointer_arrays_d
  procedure(kernel_adjoint) :: pointer_arrays_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('pointer_arrays', pointer_arrays, pointer_arrays_d, pointer_arrays_b, x, 3)
  end do
  call check_done()
end program pointer_arrays_test
