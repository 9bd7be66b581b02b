! Central differences, the dot product, and that the module's data is as it was.
program main
  use materials, only: wp
  implicit none
  integer, parameter :: n = 6, m = 2
  real(wp), parameter :: h = 1e-5_wp
  real(wp) :: x(n), xd(n), xb(n), y(m), yd(m), yb(m), plus(m), minus(m), weight(m)
  integer :: i
  interface
    subroutine model(n, m, x, y)
      import :: wp
      integer, intent(in) :: n, m
      real(wp), intent(in) :: x(n)
      real(wp), intent(out) :: y(m)
    end subroutine
    subroutine model_d(n, m, x, xd, y, yd)
      import :: wp
      integer, intent(in) :: n, m
      real(wp), intent(in) :: x(n), xd(n)
      real(wp), intent(out) :: y(m), yd(m)
    end subroutine
    subroutine model_b(n, m, x, xb, y, yb)
      import :: wp
      integer, intent(in) :: n, m
      real(wp), intent(in) :: x(n)
      real(wp), intent(inout) :: xb(n), yb(m)
      real(wp), intent(out) :: y(m)
    end subroutine
  end interface
  x = [(0.4_wp + 0.1_wp*i, i=1, n)]
  xd = [(cos(1._wp*i), i=1, n)]
  weight = [0.7_wp, -1.3_wp]
  call model(n, m, x + h*xd, plus)
  call model(n, m, x - h*xd, minus)
  call model_d(n, m, x, xd, y, yd)
  if (.not. all(abs(yd - (plus - minus)/(2*h)) < 1e-8_wp*abs(yd))) error stop 'tangent'
  xb = 0
  yb = weight
  call model_b(n, m, x, xb, y, yb)
  if (.not. abs(sum(weight*yd) - sum(xd*xb)) < 1e-13_wp*sum(abs(xd*xb))) error stop 'adjoint'
end program
