! What is differentiated: all that it calls and uses is in other files.
subroutine model(n, m, x, y)
  use materials, only: hardening, law, wp, weights
  use fields, only: velocity, fill, clear
  implicit none
  integer, intent(in) :: n, m
  real(wp), intent(in) :: x(n)
  real(wp), intent(out) :: y(m)
  class(law), allocatable :: rule
  real(wp) :: u(n)
  integer :: i
  external :: steps, setalp
  allocate (rule, source=hardening(x(1), 3._wp))
  call fill(x)
  u = velocity
  call setalp(x(2)/2)
  call steps(n, u)
  y(1) = 0
  do i = 2, n - 1
    y(1) = y(1) + rule%stress(dot_product(weights, u(i - 1:i + 1)))
  end do
  y(2) = sum(u*x)
  call clear()
end subroutine
