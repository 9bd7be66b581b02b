! An integrator with steps of its own choice, over a procedure that it is given.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=zone_adaptive_steps(y)/(x)
! ad-option: -ad-tangent=zone_adaptive_steps(y)/(x)
! ad-option: -ad-argnames=zone_adaptive_steps_:n,m,x,y
subroutine zone_adaptive_steps(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: u(2)
  integer :: steps
  u = x(:2)
  call integrate(pendulum, u, 0d0, 1d0, 0.2d0, steps)
  y(1) = u(1) * u(2)
  y(2) = u(1) + steps * u(2)
contains
  subroutine pendulum(t, u, du)
    real(8), intent(in) :: t, u(:)
    real(8), intent(out) :: du(:)
    du(1) = u(2)
    du(2) = -x(3) * sin(u(1)) - x(4) * u(2) + 0.1d0 * t
  end subroutine pendulum
  subroutine integrate(f, u, from, to, first, steps)
    interface
      subroutine f(t, u, du)
        real(8), intent(in) :: t, u(:)
        real(8), intent(out) :: du(:)
      end subroutine f
    end interface
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: from, to, first
    integer, intent(out) :: steps
    real(8) :: k1(size(u)), k2(size(u)), whole(size(u)), t, h
    t = from; h = first; steps = 0
    do while (t < to - 1d-9)
      h = min(h, to - t)
      call f(t, u, k1)
      call f(t + 0.5d0 * h, u + 0.5d0 * h * k1, k2)
      whole = u + h * k2
      if (mod(steps, 3) == 2) then
        h = 0.5d0 * h
      else
        u = whole
        t = t + h
      end if
      steps = steps + 1
      if (steps > 50) exit
    end do
  end subroutine integrate
end subroutine zone_adaptive_steps

program zone_adaptive_steps_test
  use check
  implicit none
  procedure(kernel) :: zone_adaptive_steps
  procedure(kernel_tangent) :: zone_adaptive_steps_d
  procedure(kernel_adjoint) :: zone_adaptive_steps_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_adaptive_steps', zone_adaptive_steps, zone_adaptive_steps_d, zone_adaptive_steps_b, x, 2)
  end do
  call check_done()
end program zone_adaptive_steps_test
