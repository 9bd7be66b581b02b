! pack and unpack, with and without vector=.
! ad-option: -ad-adjoint=array_packing(y)/(x)
! ad-option: -ad-tangent=array_packing(y)/(x)
! ad-option: -ad-argnames=array_packing_:n,m,x,y
subroutine array_packing(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: p(:)
  logical :: msk(6)
  integer :: k
  msk = x > 0.8d0
  p = pack(x*x, msk)
  y = unpack(p*2, msk, x**3)
  y = y + pack(x, msk, vector=[x(6),x(5),x(4),x(3),x(2),x(1)])
  y(1) = y(1)*size(p)
end subroutine

program array_packing_test
  use check
  implicit none
  procedure(kernel) :: array_packing
  procedure(kernel_tangent) :: array_packing_d
  procedure(kernel_adjoint) :: array_packing_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, -0.1_dp, 0.1_dp)
    x = x + [1.1_dp, 0.5_dp, 1.2_dp, 0.45_dp, 0.6_dp, 1.3_dp] ! not close to the bound of the mask
    call check_kernel('array_packing', array_packing, array_packing_d, array_packing_b, x, 6)
  end do
  call check_done()
end program array_packing_test
