! Sections of size zero.
! ad-option: -ad-adjoint=zero_size_sections(y)/(x)
! ad-option: -ad-tangent=zero_size_sections(y)/(x)
! ad-option: -ad-argnames=zero_size_sections_:n,m,x,y
subroutine zero_size_sections(n,m,x,y)
  implicit none
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(4), b(4)
  integer :: i
  a = x; b = x*x
  y(1) = 0
  do i = 1, 4
    y(1) = y(1) + dot_product(a(i+1:4), b(i+1:4))   ! i=4: zero-size sections
  end do
end subroutine

program zero_size_sections_test
  use check
  implicit none
  procedure(kernel) :: zero_size_sections
  procedure(kernel_tangent) :: zero_size_sections_d
  procedure(kernel_adjoint) :: zero_size_sections_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zero_size_sections', zero_size_sections, zero_size_sections_d, zero_size_sections_b, x, 1)
  end do
  call check_done()
end program zero_size_sections_test
