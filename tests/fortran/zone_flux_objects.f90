! Finite volumes whose fluxes and limiters are polymorphic objects, chosen by name and allocated at run time.
! ad-option: -ad-adjoint=zone_flux_objects(y)/(x)
! ad-option: -ad-tangent=zone_flux_objects(y)/(x)
! ad-option: -ad-argnames=zone_flux_objects_:n,m,x,y
module zone_flux_parts
  implicit none
  integer, parameter :: wp = kind(1.d0)
  type, abstract :: flux_function
    real(wp) :: gamma = 1.4_wp
    character(:), allocatable :: label
  contains
    procedure(flux_i), deferred :: numerical
    procedure :: physical
    procedure :: speed
  end type flux_function
  type, extends(flux_function) :: rusanov
  contains
    procedure :: numerical => rusanov_flux
  end type rusanov
  type, extends(flux_function) :: hll
    real(wp) :: widen = 1.0_wp
    integer :: calls = 0
  contains
    procedure :: numerical => hll_flux
  end type hll
  type, abstract :: limiter
  contains
    procedure(limit_i), deferred, nopass :: limit
  end type limiter
  type, extends(limiter) :: van_leer
  contains
    procedure, nopass :: limit => limit_van_leer
  end type van_leer
  type, extends(limiter) :: first_order
  contains
    procedure, nopass :: limit => limit_none
  end type first_order
  abstract interface
    subroutine flux_i(this, left, right, f)
      import :: flux_function, wp
      class(flux_function), intent(inout) :: this
      real(wp), intent(in) :: left(:), right(:)
      real(wp), intent(out) :: f(:)
    end subroutine flux_i
    pure real(wp) function limit_i(a, b)
      import :: wp
      real(wp), intent(in) :: a, b
    end function limit_i
  end interface
  type :: scheme
    class(flux_function), allocatable :: flux
    class(limiter), allocatable :: slope
    real(wp) :: cfl = 0.4_wp
  end type scheme
contains
  pure function physical(this, u) result(f)
    class(flux_function), intent(in) :: this
    real(wp), intent(in) :: u(:)
    real(wp) :: f(size(u)), p
    p = (this%gamma - 1) * (u(3) - 0.5_wp * u(2)**2 / u(1))
    f = [u(2), u(2)**2 / u(1) + p, u(2) / u(1) * (u(3) + p)]
  end function physical
  pure real(wp) function speed(this, u)
    class(flux_function), intent(in) :: this
    real(wp), intent(in) :: u(:)
    speed = sqrt(this%gamma * (this%gamma - 1) * (u(3) - 0.5_wp * u(2)**2 / u(1)) / u(1))
  end function speed
  subroutine rusanov_flux(this, left, right, f)
    class(rusanov), intent(inout) :: this
    real(wp), intent(in) :: left(:), right(:)
    real(wp), intent(out) :: f(:)
    real(wp) :: s
    s = max(abs(left(2) / left(1)) + this%speed(left), abs(right(2) / right(1)) + this%speed(right))
    f = 0.5_wp * (this%physical(left) + this%physical(right)) - 0.5_wp * s * (right - left)
  end subroutine rusanov_flux
  subroutine hll_flux(this, left, right, f)
    class(hll), intent(inout) :: this
    real(wp), intent(in) :: left(:), right(:)
    real(wp), intent(out) :: f(:)
    real(wp) :: sl, sr
    sl = this%widen * min(left(2) / left(1) - this%speed(left), right(2) / right(1) - this%speed(right))
    sr = this%widen * max(left(2) / left(1) + this%speed(left), right(2) / right(1) + this%speed(right))
    this%calls = this%calls + 1
    if (sl >= 0) then
      f = this%physical(left)
    else if (sr <= 0) then
      f = this%physical(right)
    else
      f = (sr * this%physical(left) - sl * this%physical(right) + sl * sr * (right - left)) / (sr - sl)
    end if
  end subroutine hll_flux
  pure real(wp) function limit_van_leer(a, b)
    real(wp), intent(in) :: a, b
    limit_van_leer = merge(2 * a * b / (a + b), 0._wp, a * b > 0)
  end function limit_van_leer
  pure real(wp) function limit_none(a, b)
    real(wp), intent(in) :: a, b
    limit_none = 0 * a * b
  end function limit_none
  function make_scheme(name, gamma) result(s)
    character(*), intent(in) :: name
    real(wp), intent(in) :: gamma
    type(scheme) :: s
    select case (name)
    case ('rusanov')
      allocate (rusanov :: s%flux)
      allocate (first_order :: s%slope)
    case ('hll')
      s%flux = hll(widen=1.05_wp)
      allocate (van_leer :: s%slope)
    case default
      error stop 'no such flux'
    end select
    s%flux%gamma = gamma
    s%flux%label = trim(name) // ' flux'
  end function make_scheme
  subroutine advance(s, u, h, time)
    type(scheme), intent(inout) :: s
    real(wp), intent(inout) :: u(:, :)
    real(wp), intent(in) :: h, time
    real(wp), allocatable :: face(:, :), slope(:, :)
    real(wp) :: t, dt
    integer :: i, k, cells
    cells = size(u, 2)
    allocate (face(3, cells - 1), slope(3, cells), source=0._wp)
    t = 0
    do while (t < time)
      dt = s%cfl * h / 2.5_wp
      dt = min(dt, time - t)
      do i = 2, cells - 1
        do k = 1, 3
          slope(k, i) = s%slope%limit(u(k, i) - u(k, i - 1), u(k, i + 1) - u(k, i))
        end do
      end do
      do i = 1, cells - 1
        call s%flux%numerical(u(:, i) + 0.5_wp * slope(:, i), u(:, i + 1) - 0.5_wp * slope(:, i + 1), face(:, i))
      end do
      u(:, 2:cells - 1) = u(:, 2:cells - 1) - dt / h * (face(:, 2:) - face(:, :cells - 2))
      t = t + dt
    end do
  end subroutine advance
end module zone_flux_parts

subroutine zone_flux_objects(n, m, x, y)
  use zone_flux_parts
  implicit none
  integer, intent(in) :: n, m
  real(wp), intent(in) :: x(n)
  real(wp), intent(out) :: y(m)
  character(8), parameter :: names(2) = ['rusanov ', 'hll     ']
  type(scheme) :: s
  real(wp) :: u(3, 12)
  integer :: k, i
  do k = 1, 2
    s = make_scheme(trim(names(k)), 1.3_wp + 0.1_wp * x(6))
    do i = 1, 12
      u(1, i) = merge(1 + x(1), 0.3_wp + x(2), i <= 6) + 0.01_wp * i * x(5)
      u(2, i) = 0.1_wp * x(3) * u(1, i)
      u(3, i) = merge(2.5_wp + x(4), 1 + 0.5_wp * x(4), i <= 6) + 0.02_wp * i**2 * x(5)
    end do
    call advance(s, u, 0.1_wp, 0.08_wp)
    y(2 * k - 1) = sum(u(1, 4:9)**2) + len(s%flux%label) * u(2, 7)
    y(2 * k) = dot_product(u(3, :), u(1, :)) + u(2, 6)
  end do
end subroutine zone_flux_objects

program zone_flux_objects_test
  use check
  implicit none
  procedure(kernel) :: zone_flux_objects
  procedure(kernel_tangent) :: zone_flux_objects_d
  procedure(kernel_adjoint) :: zone_flux_objects_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_flux_objects', zone_flux_objects, zone_flux_objects_d, zone_flux_objects_b, x, 4)
  end do
  call check_done()
end program zone_flux_objects_test
