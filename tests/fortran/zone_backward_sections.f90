! Sections that go backwards and in steps, on both sides of assignments.
! ad-option: -ad-adjoint=zone_backward_sections(y)/(x)
! ad-option: -ad-tangent=zone_backward_sections(y)/(x)
! ad-option: -ad-argnames=zone_backward_sections_:n,m,x,y
subroutine zone_backward_sections(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(8), b(4,2)
  a = x(8:1:-1)
  a(2:8:3) = a(2:8:3) * x(1:3)
  a(7:1:-2) = a(:4) + a(8:5:-1)
  b = reshape(a(8:1:-1), [4, 2])
  b(4:1:-1, 2) = b(:, 1) * b(4:1:-1, 2)
  y(1) = sum(a**2)
  y(2) = sum(b(1:4:3, :)) * b(2, 2)
  y(3) = dot_product(a(:4), a(8:5:-1))
end subroutine zone_backward_sections

program zone_backward_sections_test
  use check
  implicit none
  procedure(kernel) :: zone_backward_sections
  procedure(kernel_tangent) :: zone_backward_sections_d
  procedure(kernel_adjoint) :: zone_backward_sections_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_backward_sections', zone_backward_sections, zone_backward_sections_d, zone_backward_sections_b, x, 3)
  end do
  call check_done()
end program zone_backward_sections_test
