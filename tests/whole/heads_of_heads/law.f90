subroutine law(n, x, y)
  use iso_c_binding, only: c_double
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i
  interface
    function cube(v) bind(c)
      import :: c_double
      real(c_double), value :: v
      real(c_double) :: cube
    end function
  end interface
  y = 0
  do i = 1, n - 1
    y = y + cube(x(i)) * x(i+1)
  end do
end subroutine
