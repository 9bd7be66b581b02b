! transfer between reals, integers, arrays and derived types.
! ad-option: -ad-adjoint=transfers(y)/(x)
! ad-option: -ad-tangent=transfers(y)/(x)
! ad-option: -ad-argnames=transfers_:n,m,x,y
module mtra
  type :: p3
    real(8) :: a, b, c
  end type
end module
subroutine transfers(n, m, x, y)
  use mtra
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(p3) :: p
  integer(8) :: k(n)
  complex(8) :: z
  real(8) :: w(2), v(4)
  p = transfer(x(1:3), p)
  k = transfer(x, k)
  v = transfer(k, v)
  z = transfer(x(1:2), z)
  w = transfer(z*z, [0d0])
  y(1) = p%a*p%b + p%c**2 + w(1)
  y(2) = v(3)*v(4)*w(2) + sum(transfer(p, x, 3))
end subroutine

program transfers_test
  use check
  implicit none
  procedure(kernel) :: transfers
  procedure(kernel_tangent) :: transfers_d
  procedure(kernel_adjoint) :: transfers_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('transfers', transfers, transfers_d, transfers_b, x, 2)
  end do
  call check_done()
end program transfers_test
