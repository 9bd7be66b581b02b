! An implicit integrator with callbacks: a class(*) context, an interface block, an internal procedure, Newton's method, dense LU.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=zone_callback_integrator(y)/(x)
! ad-option: -ad-tangent=zone_callback_integrator(y)/(x)
! ad-option: -ad-argnames=zone_callback_integrator_:n,m,x,y
module zone_integrator_parts
  implicit none
  integer, parameter :: wp = kind(1.d0)
  type :: options
    real(wp) :: tolerance = 1e-13_wp
    integer :: most = 20
    logical :: central = .false.
  end type options
  type :: history
    real(wp), allocatable :: t(:), u(:, :)
    integer :: factorisations = 0
  end type history
  abstract interface
    subroutine residual_t(t, u, du, r, context)
      import :: wp
      real(wp), intent(in) :: t, u(:), du(:)
      real(wp), intent(out) :: r(:)
      class(*), intent(inout), optional :: context
    end subroutine residual_t
  end interface
contains
  subroutine factor(a, pivot)
    real(wp), intent(inout) :: a(:, :)
    integer, intent(out) :: pivot(:)
    integer :: k, p
    real(wp) :: row(size(a, 2))
    do k = 1, size(a, 1)
      p = k - 1 + maxloc(abs(a(k:, k)), dim=1)
      pivot(k) = p
      if (p /= k) then
        row = a(k, :)
        a(k, :) = a(p, :)
        a(p, :) = row
      end if
      a(k+1:, k) = a(k+1:, k) / a(k, k)
      a(k+1:, k+1:) = a(k+1:, k+1:) - spread(a(k+1:, k), 2, size(a, 2) - k) * spread(a(k, k+1:), 1, size(a, 1) - k)
    end do
  end subroutine factor
  subroutine solve(a, pivot, b)
    real(wp), intent(in) :: a(:, :)
    integer, intent(in) :: pivot(:)
    real(wp), intent(inout) :: b(:)
    integer :: k
    do k = 1, size(b)
      b([k, pivot(k)]) = b([pivot(k), k])
      b(k+1:) = b(k+1:) - b(k) * a(k+1:, k)
    end do
    do k = size(b), 1, -1
      b(k) = b(k) / a(k, k)
      b(:k-1) = b(:k-1) - b(k) * a(:k-1, k)
    end do
  end subroutine solve

  subroutine integrate(f, u, t0, h, steps, track, with, context)
    procedure(residual_t) :: f
    real(wp), intent(inout) :: u(:)
    real(wp), intent(in) :: t0, h
    integer, intent(in) :: steps
    type(history), intent(out) :: track
    type(options), intent(in), optional :: with
    class(*), intent(inout), optional :: context
    type(options) :: o
    real(wp) :: old(size(u)), r(size(u)), shifted(size(u)), jacobian(size(u), size(u)), delta
    integer :: pivot(size(u)), i, j, k
    if (present(with)) o = with
    allocate(track%t(0:steps), track%u(size(u), 0:steps))
    track%t(0) = t0
    track%u(:, 0) = u
    steps_in_time: do i = 1, steps
      old = u
      newton: do k = 1, o%most
        call f(t0 + i * h, u, (u - old) / h, r, context)
        block
          real(wp) :: moved(size(u))
          do j = 1, size(u)
            delta = 1e-3_wp
            moved = u
            moved(j) = moved(j) + delta
            call f(t0 + i * h, moved, (moved - old) / h, shifted, context)
            if (o%central) then
              jacobian(:, j) = shifted
              moved(j) = u(j) - delta
              call f(t0 + i * h, moved, (moved - old) / h, shifted, context)
              jacobian(:, j) = (jacobian(:, j) - shifted) / (2 * delta)
            else
              jacobian(:, j) = (shifted - r) / delta
            end if
          end do
        end block
        call factor(jacobian, pivot)
        track%factorisations = track%factorisations + 1
        call solve(jacobian, pivot, r)
        u = u - r
        if (maxval(abs(r)) < o%tolerance) exit newton
        if (k == o%most) exit steps_in_time
      end do newton
      track%t(i) = t0 + i * h
      track%u(:, i) = u
    end do steps_in_time
  end subroutine integrate
end module zone_integrator_parts

subroutine zone_callback_integrator(n, m, x, y)
  use zone_integrator_parts
  implicit none
  integer, intent(in) :: n, m
  real(wp), intent(in) :: x(n)
  real(wp), intent(out) :: y(m)
  type :: rates
    real(wp) :: k(3)
    integer :: evaluations = 0
  end type rates
  type(rates) :: my
  type(history) :: track
  real(wp) :: u(3)
  integer :: i
  my%k = [0.4_wp * x(1), 3 * x(2), 2 * x(3)]
  u = [1 + x(4), x(5), x(6)]
  call integrate(robertson, u, 0._wp, 0.1_wp, 3, track, context=my)
  y(:3) = u
  y(4) = sum(track%u(2, :) * track%t)
  u(:2) = [x(7), x(8)]
  call integrate(pendulum, u(:2), 0._wp, 0.2_wp, 2, track, options(central=.true.))
  y(5) = u(1) * u(2) + sum([(track%u(1, i) * i, i = 0, 2)])
contains
  subroutine robertson(t, u, du, r, context)
    real(wp), intent(in) :: t, u(:), du(:)
    real(wp), intent(out) :: r(:)
    class(*), intent(inout), optional :: context
    select type (context)
    type is (rates)
      associate (k => context%k)
        r(1) = du(1) + k(1) * u(1) - k(3) * u(2) * u(3)
        r(2) = du(2) - k(1) * u(1) + k(3) * u(2) * u(3) + k(2) * u(2)**2
        r(3) = sum(u) - (1 + x(4) + x(5) + x(6))
      end associate
      context%evaluations = context%evaluations + 1
    class default
      error stop 'another context'
    end select
  end subroutine robertson
  subroutine pendulum(t, u, du, r, context)
    real(wp), intent(in) :: t, u(:), du(:)
    real(wp), intent(out) :: r(:)
    class(*), intent(inout), optional :: context
    if (present(context)) error stop 'a context'
    r = du - [u(2), -x(1) * sin(u(1)) + 0.1_wp * cos(t)]
  end subroutine pendulum
end subroutine zone_callback_integrator

program zone_callback_integrator_test
  use check
  implicit none
  procedure(kernel) :: zone_callback_integrator
  procedure(kernel_tangent) :: zone_callback_integrator_d
  procedure(kernel_adjoint) :: zone_callback_integrator_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_callback_integrator', zone_callback_integrator, zone_callback_integrator_d, zone_callback_integrator_b, x, 5)
  end do
  call check_done()
end program zone_callback_integrator_test
