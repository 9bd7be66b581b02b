! Assignment that the types of components define, within the intrinsic assignment of the whole.
! ad-option: -ad-adjoint=bound_components(y)/(x)
! ad-option: -ad-tangent=bound_components(y)/(x)
! ad-option: -ad-argnames=bound_components_:n,m,x,y
module mbas
  implicit none
  type :: measured
    real(8) :: v = 0d0, before = 0d0
  contains
    procedure :: take
    generic :: assignment(=) => take
  end type
  type :: pair
    type(measured) :: a, b(2)
    real(8) :: plain = 1d0
    type(measured) :: last
  end type
contains
  subroutine take(self, from)
    class(measured), intent(inout) :: self
    type(measured), intent(in) :: from
    self%before = self%v
    self%v = from%v**2
  end subroutine
end module
subroutine bound_components(n, m, x, y)
  use mbas
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(pair) :: p, q, many(2)
  p%a%v = x(1)
  p%b(2)%v = x(2)*x(3)
  p%plain = x(4)
  q%a%v = x(3)
  p%last%v = x(4)*x(1)
  q = p
  many = q
  y(1) = q%a%v + q%b(2)%v*q%plain + q%a%before
  y(2) = many(1)%a%v*many(2)%b(2)%v + many(2)%last%v*q%last%before
end subroutine

program bound_components_test
  use check
  implicit none
  procedure(kernel) :: bound_components
  procedure(kernel_tangent) :: bound_components_d
  procedure(kernel_adjoint) :: bound_components_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('bound_components', bound_components, bound_components_d, bound_components_b, x, 2)
  end do
  call check_done()
end program bound_components_test
