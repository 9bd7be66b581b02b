! One argument of each kind that an interface declares, and a procedure that a type binds.
module rods
 implicit none
 type :: rod
  real(8) :: k
 contains
  procedure :: energy => rod_energy
 end type
 type, extends(rod) :: box
  real(8) :: w
 end type
contains
 real(8) function rod_energy(self, x)
  class(rod), intent(in) :: self
  real(8), intent(in) :: x
  rod_energy = self%k * x * x
 end function
 subroutine s(a, b, c, n, d, e, l, t, z, g, nm, r4, q, i8, y, opt)
  integer, intent(in) :: n
  real(8), intent(in) :: a, b(:), c(n), e(2:5)
  real(8), allocatable, intent(in) :: d(:,:)
  logical, intent(in) :: l
  type(rod), intent(in) :: t
  complex(8), intent(in) :: z
  class(box), intent(in) :: g
  character(*), intent(in) :: nm
  real(4), intent(in) :: r4
  real(8), pointer, intent(in) :: q(:)
  integer(8), value :: i8
  real(8), intent(out) :: y
  real(8), optional, intent(in) :: opt
  y = 0
  if (nm == 'cube') y = a**3 * t%k
  y = y + sum(b**2) + n * sum(c) * 2 + sum(d**2) + 2 * e(5) + e(2) + sum(q) * i8 + g%w**2 + real(z * conjg(z)) + i8 * r4
  if (present(opt)) y = y * opt
  if (.not. l) y = 0
 end subroutine
 real(8) function f(x, nm) result(r)
  real(8), intent(in) :: x
  character(*), intent(in) :: nm
  r = x**2
  if (nm == 'cube') r = x**3
 end function
end module
