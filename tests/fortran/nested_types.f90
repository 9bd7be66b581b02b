! Objects in objects, each with allocatable components: they begin as copies of constants with addresses.
! ad-option: -ad-adjoint=nested_types(y)/(x)
! ad-option: -ad-tangent=nested_types(y)/(x)
! ad-option: -ad-argnames=nested_types_:n,m,x,y
module shapes_of_memory
  implicit none
  type :: mesh
    real(8) :: dx = 0.5d0
    real(8), allocatable :: xc(:)
  end type
  type :: solution
    type(mesh) :: grid
    real(8), allocatable :: u(:)
  contains
    procedure :: init
  end type
contains
  subroutine init(self, n, x)
    class(solution), intent(inout) :: self
    integer, intent(in) :: n
    real(8), intent(in) :: x(:)
    integer :: i
    allocate(self%grid%xc(n), self%u(0:n + 1))
    self%grid%xc = [((i - 0.5d0)*self%grid%dx*x(1), i=1, n)]
    self%u = 0
    self%u(1:n) = x(2)*self%grid%xc**2
  end subroutine
end module
subroutine nested_types(n, m, x, y)
  use shapes_of_memory
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(solution) :: s
  call s%init(3, x)
  y(1) = sum(s%u)
  y(2) = s%u(2)*s%grid%xc(3)
end subroutine

program nested_types_test
  use check
  implicit none
  procedure(kernel) :: nested_types
  procedure(kernel_tangent) :: nested_types_d
  procedure(kernel_adjoint) :: nested_types_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('nested_types', nested_types, nested_types_d, nested_types_b, x, 2)
  end do
  call check_done()
end program nested_types_test
