! Procedures of one name in two modules, in a host, and one that needs its host.
module first
contains
 subroutine step(X, Y)
  real(8), intent(in) :: X(:)
  real(8), intent(out) :: Y
  Y = sum(X**2)
 end subroutine
end module
module second
contains
 subroutine step(x, y)
  real(8), intent(in) :: x(:)
  real(8), intent(out) :: y
  y = sum(x**3)
 end subroutine
 subroutine outer(a, b)
  real(8), intent(in) :: a
  real(8), intent(out) :: b
  b = needy(a)
 contains
  real(8) function needy(t)
   real(8), intent(in) :: t
   needy = t * a
  end function
 end subroutine
 subroutine plain(a, b)
  real(8), intent(in) :: a
  real(8), intent(out) :: b
  b = alone(a)
 contains
  real(8) function alone(t)
   real(8), intent(in) :: t
   alone = t * t
  end function
 end subroutine
end module
