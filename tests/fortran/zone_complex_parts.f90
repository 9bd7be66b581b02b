! Real and imaginary parts as variables, of scalars and of sections.
! ad-option: -ad-adjoint=zone_complex_parts(y)/(x)
! ad-option: -ad-tangent=zone_complex_parts(y)/(x)
! ad-option: -ad-argnames=zone_complex_parts_:n,m,x,y
subroutine zone_complex_parts(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  complex(8) :: z, w(4)
  z%re = x(1); z%im = x(2) * x(3)
  w%re = x(:4)
  w%im = x(5:)
  w(2:3)%im = w(2:3)%im * z%re
  z = z * w(2) + conjg(w(3))
  y(1) = z%re * z%im
  y(2) = sum(w%re * w%im)
  call turn(w(4)%re, w(1)%im)
  y(3) = abs(w(4)) + w(1)%im**2
contains
  subroutine turn(a, b)
    real(8), intent(inout) :: a, b
    real(8) :: t
    t = a * cos(b)
    b = b + a**2
    a = t
  end subroutine turn
end subroutine zone_complex_parts

program zone_complex_parts_test
  use check
  implicit none
  procedure(kernel) :: zone_complex_parts
  procedure(kernel_tangent) :: zone_complex_parts_d
  procedure(kernel_adjoint) :: zone_complex_parts_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_complex_parts', zone_complex_parts, zone_complex_parts_d, zone_complex_parts_b, x, 3)
  end do
  call check_done()
end program zone_complex_parts_test
