subroutine gradient(n, x, g)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: g(n)
  real(8) :: y, yb
  external :: law_b
  g = 0
  yb = 1
  call law_b(n, x, g, y, yb)
end subroutine
