subroutine leaf(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = x * x + sin(x)
end subroutine

