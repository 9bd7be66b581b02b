! An integrator over an abstract state with operators whose results are polymorphic.
! ad-option: -ad-adjoint=zone_states_by_class(y)/(x)
! ad-option: -ad-tangent=zone_states_by_class(y)/(x)
! ad-option: -ad-argnames=zone_states_by_class_:n,m,x,y
module zone_states_parts
  implicit none
  integer, parameter :: wp = selected_real_kind(15, 307)
  type, abstract :: stateful
  contains
    procedure(add_i), deferred :: add
    procedure(scale_i), deferred, pass(this) :: scale
    generic :: operator(+) => add
    generic :: operator(*) => scale
    procedure(deriv_i), deferred :: d
    procedure(norm_i), deferred :: norm
  end type
  abstract interface
    function add_i(this, o) result(r)
      import
      class(stateful), intent(in) :: this, o
      class(stateful), allocatable :: r
    end function
    function scale_i(f, this) result(r)
      import
      real(wp), intent(in) :: f
      class(stateful), intent(in) :: this
      class(stateful), allocatable :: r
    end function
    function deriv_i(this) result(r)
      import
      class(stateful), intent(in) :: this
      class(stateful), allocatable :: r
    end function
    real(wp) function norm_i(this)
      import
      class(stateful), intent(in) :: this
    end function
  end interface
  type, extends(stateful) :: lorenz
    real(wp) :: u(3) = 0, p(3) = 0
  contains
    procedure :: add => add_l
    procedure, pass(this) :: scale => scale_l
    procedure :: d => d_l
    procedure :: norm => norm_l
  end type
contains
  function add_l(this, o) result(r)
    class(lorenz), intent(in) :: this
    class(stateful), intent(in) :: o
    class(stateful), allocatable :: r
    type(lorenz), allocatable :: t
    allocate (t)
    t%p = this%p
    select type (o)
    type is (lorenz)
      t%u = this%u + o%u
    class default
      error stop 'mixed'
    end select
    call move_alloc(t, r)
  end function
  function scale_l(f, this) result(r)
    real(wp), intent(in) :: f
    class(lorenz), intent(in) :: this
    class(stateful), allocatable :: r
    r = lorenz(f*this%u, this%p)
  end function
  function d_l(this) result(r)
    class(lorenz), intent(in) :: this
    class(stateful), allocatable :: r
    associate (u => this%u, p => this%p)
      r = lorenz([p(1)*(u(2) - u(1)), u(1)*(p(2) - u(3)) - u(2), u(1)*u(2) - p(3)*u(3)], p)
    end associate
  end function
  real(wp) function norm_l(this)
    class(lorenz), intent(in) :: this
    norm_l = sqrt(sum(this%u**2))
  end function
  subroutine midpoint(s, h)
    class(stateful), allocatable, intent(inout) :: s
    real(wp), intent(in) :: h
    class(stateful), allocatable :: half, k
    k = s%d()
    half = s + (0.5_wp*h)*k
    k = half%d()
    s = s + h*k
  end subroutine
end module

subroutine zone_states_by_class(n, m, x, y)
  use zone_states_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  class(stateful), allocatable :: s
  real(wp) :: t, h
  integer :: steps
  s = lorenz([x(1), x(2), 1d0], [4*x(3), 10*x(4), x(5)])
  t = 0; steps = 0
  do
    h = min(0.05_wp/(1 + 0.1d0*s%norm()), 0.2_wp - t)
    if (h <= 1e-12_wp) exit
    call midpoint(s, h)
    t = t + h
    steps = steps + 1
  end do
  y(1) = s%norm()
  select type (s)
  type is (lorenz)
    y(2) = s%u(1)
    y(3) = s%u(3)*steps
  end select
end subroutine

program zone_states_by_class_test
  use check
  implicit none
  procedure(kernel) :: zone_states_by_class
  procedure(kernel_tangent) :: zone_states_by_class_d
  procedure(kernel_adjoint) :: zone_states_by_class_b
  real(dp) :: x(5)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_states_by_class', zone_states_by_class, zone_states_by_class_d, zone_states_by_class_b, x, 3)
  end do
  call check_done()
end program zone_states_by_class_test
