subroutine model(x, y, n)
  use parameters
  use iso_c_binding
  implicit none
  interface
    real(c_double) function bend(x) bind(c)
      import c_double
      real(c_double), value :: x
    end function
  end interface
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(2)
  integer :: i
  y = 0.0d0
  do i = 1, n
    y(1) = y(1) + decay(x(i)) * bend(x(n + 1 - i))
    y(2) = y(2) + bend(decay(x(i)))
  end do
end subroutine
