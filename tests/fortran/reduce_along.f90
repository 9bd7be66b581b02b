! reduce along a dimension, with a mask, an identity; of complex numbers and derived types.
! ad-option: -ad-adjoint=reduce_along(y)/(x)
! ad-option: -ad-tangent=reduce_along(y)/(x)
! ad-option: -ad-argnames=reduce_along_:n,m,x,y
module mredd
  type :: p
    real(8) :: a = 1, b = 0
  end type
contains
  pure real(8) function comb(a,b)
    real(8), intent(in) :: a,b
    comb = a*b + 0.5d0*a
  end function
  pure complex(8) function cc(a,b)
    complex(8), intent(in) :: a,b
    cc = a*b + a
  end function
  pure type(p) function pp(a,b)
    type(p), intent(in) :: a, b
    pp%a = a%a*b%a
    pp%b = a%b + b%b*a%a
  end function
end module
subroutine reduce_along(n, m, x, y)
  use mredd
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(3, n), r1(n), r2(3)
  complex(8) :: z(n), zz
  type(p) :: q(n), qq
  integer :: i
  do i = 1, 3
    a(i, :) = x*i
  end do
  r1 = reduce(a, comb, dim=1)
  r2 = reduce(a, comb, dim=2, mask=a > 0.5d0, identity=1d0)
  z = cmplx(x, x*x, 8)
  zz = reduce(z, cc)
  q%a = x
  q%b = x**2
  qq = reduce(q, pp)
  y(1) = sum(r1*r1) + real(zz)
  y(2) = sum(r2) + aimag(zz) + qq%a*qq%b
end subroutine

program reduce_along_test
  use check
  implicit none
  procedure(kernel) :: reduce_along
  procedure(kernel_tangent) :: reduce_along_d
  procedure(kernel_adjoint) :: reduce_along_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('reduce_along', reduce_along, reduce_along_d, reduce_along_b, x, 2)
  end do
  call check_done()
end program reduce_along_test
