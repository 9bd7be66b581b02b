! Numbers that text gives to some elements of active arrays: null values, repeats, complex numbers, sections.
! ad-option: -ad-adjoint=zone_input_with_defaults(y)/(x)
! ad-option: -ad-tangent=zone_input_with_defaults(y)/(x)
! ad-option: -ad-argnames=zone_input_with_defaults_:n,m,x,y
subroutine zone_input_with_defaults(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: w(n), a(2, 3)
  complex(8) :: z, c(2)
  real(8) :: s
  character(60) :: line
  w = x**2
  z = cmplx(x(1), x(2), 8)
  c = [z*x(3), conjg(z)]
  s = x(4)
  a = reshape(x, [2, 3])
  line = '0.5 ,, 2*, 1.25/'
  read (line, *) w(1:6)
  line = '0.75 1.5'
  read (line, '(f4.0,1x,f4.0)') a(1, 3:1:-2)
  line = ' , (0.25,0.5)'
  read (line, *) c
  line = '3*'
  read (line, *) s, z
  y(1) = sum(w*x)
  y(2) = abs(z*c(1)) + real(c(2)*z)
  y(3) = sum(matmul(a, transpose(a)))*s
end subroutine

program zone_input_with_defaults_test
  use check
  implicit none
  procedure(kernel) :: zone_input_with_defaults
  procedure(kernel_tangent) :: zone_input_with_defaults_d
  procedure(kernel_adjoint) :: zone_input_with_defaults_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_input_with_defaults', zone_input_with_defaults, zone_input_with_defaults_d, &
                      zone_input_with_defaults_b, x, 3)
  end do
  call check_done()
end program zone_input_with_defaults_test
