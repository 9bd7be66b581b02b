! Polymorphic objects of types with initial values, among them targets of pointers.
! ad-option: -ad-adjoint=class_initial_values(y)/(x)
! ad-option: -ad-tangent=class_initial_values(y)/(x)
! ad-option: -ad-argnames=class_initial_values_:n,m,x,y
module grid
  implicit none
  real(8), target, save :: scale = 3d0
  integer, target, save :: kk = 2
  type field
    real(8), allocatable :: v(:)
    integer :: halo = 1
    real(8), pointer :: p => scale
    integer, pointer :: k => kk
  end type
  type, extends(field) :: scaled
    real(8) :: s = 1d0, w(3) = [1d0, 2d0, 3d0]
    character(9) :: name = 'scaled'
    complex(8) :: c = (1d0, 2d0)
    logical :: flag(2) = [.true., .false.]
    type(field), pointer :: other => null()
  end type
end module
subroutine class_initial_values(n, m, x, y)
  use grid
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  class(field), allocatable :: f, g(:)
  scale = x(4)
  if (x(1) > 0) then
    allocate(scaled :: f, g(3))
  else
    allocate(f, g(2))
  end if
  allocate(f%v(3), source=x(1)*x(2))
  g(2)%v = f%v * 2
  select type (f)
  type is (scaled)
    f%s = x(3) * 2 + f%s
    f%w(2) = f%w(3) * x(2)
    y(2) = f%s * f%halo + sum(f%w) + real(f%c) * f%s + len_trim(f%name) * x(2)
  end select
  y(1) = sum(f%v) * f%p ** f%k + g(3)%p * sum(g(2)%v)
end subroutine

program class_initial_values_test
  use check
  implicit none
  procedure(kernel) :: class_initial_values
  procedure(kernel_tangent) :: class_initial_values_d
  procedure(kernel_adjoint) :: class_initial_values_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('class_initial_values', class_initial_values, class_initial_values_d, class_initial_values_b, x, 2)
  end do
  call check_done()
end program class_initial_values_test
