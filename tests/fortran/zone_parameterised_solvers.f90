! An abstract type of problems with a deferred function; a solver takes any of them.
! ad-option: -ad-adjoint=zone_parameterised_solvers(y)/(x)
! ad-option: -ad-tangent=zone_parameterised_solvers(y)/(x)
! ad-option: -ad-argnames=zone_parameterised_solvers_:n,m,x,y
module zone_problem_parts
  implicit none
  type, abstract :: problem
    integer :: calls = 0
  contains
    procedure(rhs), deferred :: slope
    procedure :: advance
  end type problem
  abstract interface
    function rhs(this, t, u) result(f)
      import :: problem
      class(problem), intent(inout) :: this
      real(8), intent(in) :: t, u(:)
      real(8) :: f(size(u))
    end function rhs
  end interface
  type, extends(problem) :: decay
    real(8) :: rate
  contains
    procedure :: slope => decay_slope
  end type decay
  type, extends(problem) :: oscillator
    real(8) :: mass, spring
  contains
    procedure :: slope => oscillator_slope
  end type oscillator
contains
  function decay_slope(this, t, u) result(f)
    class(decay), intent(inout) :: this
    real(8), intent(in) :: t, u(:)
    real(8) :: f(size(u))
    this%calls = this%calls + 1
    f = -this%rate * u + t
  end function decay_slope
  function oscillator_slope(this, t, u) result(f)
    class(oscillator), intent(inout) :: this
    real(8), intent(in) :: t, u(:)
    real(8) :: f(size(u))
    this%calls = this%calls + 1
    f(1) = u(2) / this%mass
    f(2) = -this%spring * u(1)
    if (size(u) > 2) f(3:) = t
  end function oscillator_slope
  subroutine advance(this, u, steps)
    class(problem), intent(inout) :: this
    real(8), intent(inout) :: u(:)
    integer, intent(in) :: steps
    real(8), parameter :: h = 0.1d0
    real(8) :: k1(size(u)), k2(size(u))
    integer :: i
    do i = 1, steps
      k1 = this%slope(h * i, u)
      k2 = this%slope(h * (i + 0.5d0), u + 0.5d0 * h * k1)
      u = u + h * k2
    end do
  end subroutine advance
end module zone_problem_parts

subroutine zone_parameterised_solvers(n, m, x, y)
  use zone_problem_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  class(problem), allocatable :: p
  real(8) :: u(2)
  integer :: i
  y = 0
  do i = 1, 3
    if (mod(i, 2) == 0) then
      p = decay(rate=x(1))
    else
      p = oscillator(mass=x(2), spring=x(3))
    end if
    u = x(3 + i:4 + i)
    call p%advance(u, 4)
    y(1) = y(1) + u(1)
    y(2) = y(2) + u(2) * p%calls
    deallocate(p)
  end do
  y(3) = y(1) * y(2)
end subroutine zone_parameterised_solvers

program zone_parameterised_solvers_test
  use check
  implicit none
  procedure(kernel) :: zone_parameterised_solvers
  procedure(kernel_tangent) :: zone_parameterised_solvers_d
  procedure(kernel_adjoint) :: zone_parameterised_solvers_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_parameterised_solvers', zone_parameterised_solvers, zone_parameterised_solvers_d, zone_parameterised_solvers_b, x, 3)
  end do
  call check_done()
end program zone_parameterised_solvers_test
