subroutine f(x, y)
  real(8), intent(in) :: x(2)
  real(8), intent(out) :: y
  y = x(1)*sin(x(2))
end subroutine
program main
  real(8) :: x(2) = [2d0, 0.5d0], b(2) = 0, y, yb = 1
  call f_b(x, b, y, yb)
  if (abs(b(1) - sin(0.5d0)) > 1d-15 .or. abs(b(2) - 2*cos(0.5d0)) > 1d-15) stop 1
  print '(a)', 'right'
end program
