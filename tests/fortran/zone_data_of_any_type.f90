! What a user passes to an objective: a class(*) pointer in the problem, an optional argument where it is used.
! ad-option: -ad-adjoint=zone_data_of_any_type(y)/(x)
! ad-option: -ad-tangent=zone_data_of_any_type(y)/(x)
! ad-option: -ad-argnames=zone_data_of_any_type_:n,m,x,y
module zone_data_parts
  implicit none
  type :: params
    real(8) :: a(2), b
  end type
  type, extends(params) :: more
    real(8), allocatable :: c(:)
  end type
  type :: problem
    class(*), pointer :: user => null()
    procedure(objective), pointer, nopass :: f => null()
  end type
  abstract interface
    subroutine objective(u, v, user)
      real(8), intent(in) :: u(:)
      real(8), intent(out) :: v
      class(*), intent(inout), optional :: user
    end subroutine
  end interface
contains
  subroutine f1(u, v, user)
    real(8), intent(in) :: u(:)
    real(8), intent(out) :: v
    class(*), intent(inout), optional :: user
    v = sum(u**2)
    if (present(user)) then
      select type (user)
      class is (params)
        v = v*user%b + dot_product(user%a, u(1:2))
        user%b = user%b*1.1d0
        select type (user)
        type is (more)
          v = v + sum(user%c)
        end select
      type is (real(8))
        v = v*user
        user = v
      end select
    end if
  end subroutine
  real(8) function run(p, u) result(r)
    type(problem), intent(inout) :: p
    real(8), intent(in) :: u(:)
    real(8) :: w(size(u)), v
    integer :: k
    w = u
    r = 0
    do k = 1, 3
      if (associated(p%user)) then
        call p%f(w, v, p%user)
      else
        call p%f(w, v)
      end if
      w = w*0.5d0
      r = r + v
    end do
  end function
end module

subroutine zone_data_of_any_type(n, m, x, y)
  use zone_data_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(problem) :: p
  type(params), target :: a
  type(more), target :: b
  real(8), target :: s
  class(*), allocatable, target :: any
  a = params(x(1:2), x(3))
  b%a = x(3:4); b%b = x(5); b%c = x**2
  s = x(6)
  p%f => f1
  y(1) = run(p, x)
  p%user => a
  y(1) = y(1) + run(p, x(2:4))
  p%user => b
  y(2) = run(p, x) + a%b
  p%user => s
  y(2) = y(2)*run(p, x(1:2)) + s
  allocate (any, source=b)
  p%user => any
  y(3) = run(p, x) + b%b
  select type (any)
  type is (more)
    y(3) = y(3) + any%b
  end select
end subroutine

program zone_data_of_any_type_test
  use check
  implicit none
  procedure(kernel) :: zone_data_of_any_type
  procedure(kernel_tangent) :: zone_data_of_any_type_d
  procedure(kernel_adjoint) :: zone_data_of_any_type_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_data_of_any_type', zone_data_of_any_type, zone_data_of_any_type_d, zone_data_of_any_type_b, x, 3)
  end do
  call check_done()
end program zone_data_of_any_type_test
