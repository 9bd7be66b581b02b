! Arrays of complex numbers: constructors, sums, products, shifts.
! ad-option: -ad-adjoint=array_complex(y)/(x)
! ad-option: -ad-tangent=array_complex(y)/(x)
! ad-option: -ad-argnames=array_complex_:n,m,x,y
subroutine array_complex(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  complex(8), allocatable :: c(:), d(:)
  real(4), allocatable :: s(:)
  c = cmplx(x(1:3),x(4:6),8)
  d = [c, c*c]
  y(1) = real(sum(d)); y(2) = aimag(dot_product(c,d(4:6))); y(3) = abs(product(c))
  d = cshift(d,1)
  y(4) = real(d(6)*d(1))
end subroutine

program array_complex_test
  use check
  implicit none
  procedure(kernel) :: array_complex
  procedure(kernel_tangent) :: array_complex_d
  procedure(kernel_adjoint) :: array_complex_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('array_complex', array_complex, array_complex_d, array_complex_b, x, 4)
  end do
  call check_done()
end program array_complex_test
