! What is differentiated in several directions through the module that adfc writes.
module beams
  implicit none
  type beam
    real(8) :: k, u(3)
  contains
    procedure :: energy => beam_energy
  end type
  real(8) :: stiffness = 2d0, grid(2, 3) = 0.5d0
  real(8), allocatable :: forces(:)
contains
  subroutine bend(n, a, x, t, r, rods, s, size, y, o, w)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), x(:, :), s
    character(*), intent(in) :: t
    type(beam), intent(in) :: r, rods(:)
    real(8), intent(in) :: size
    real(8), intent(out) :: y(n)
    real(8), optional, intent(in) :: o
    real(8), allocatable, intent(in) :: w(:)
    integer :: i
    do i = 1, n
      y(i) = sum(a(i, :) * x(:, i)) * r%k + rods(i)%u(2) * s * sin(x(i, 1)) * stiffness + grid(1, 3) * w(i)**2 * size
      if (present(o)) y(i) = y(i) * o
      if (t == 'squared') y(i) = y(i)**2
    end do
  end subroutine

  real(8) function beam_energy(self, x) result(e)
    class(beam), intent(in) :: self
    real(8), intent(in) :: x(:)
    e = self%k * sum(x**2) * sum(forces) + self%u(1) * x(1)
  end function

  integer function counted(n, x, y) result(c)
    integer, intent(in) :: n
    real(4), intent(in) :: x(n, n, *)
    real(8), intent(out) :: y
    c = n
    y = real(x(1, 2, 2), 8) * x(2, 1, 1)
  end function
end module
