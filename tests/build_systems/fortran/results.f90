! A hidden argument for an array result, and the C convention.
module results
contains
 function arr(x, n) result(y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8) :: y(n)
  y = x**2
 end function
 subroutine bc(x, v, y) bind(c, name='Bound_C')
  real(8), intent(in) :: x(3)
  real(8), value :: v
  real(8), intent(out) :: y
  y = v * sum(x**2)
 end subroutine
end module
