! An integrator whose force is the gradient that a head generates, in a checkpointed loop; adjoints of it, and their tangents.
! ad-option: -ad-adjoint=zone_energy(e)/(q,k)
! ad-option: -ad-adjoint=zone_stepped(y)/(x)
! ad-option: -ad-tangent=zone_stepped(y)/(x)
! ad-option: -ad-tangent=zone_stepped_b(xb)/(x)
! ad-option: -ad-argnames=zone_energy_:q,k,e
! ad-option: -ad-argnames=zone_stepped_:x,y
module zone_stepped_system
  implicit none
  integer, parameter :: n = 4
  real(8) :: stiffness(n) = [1d0, 2d0, 0.5d0, 1.5d0]
end module

subroutine zone_energy(q, k, e)
  use zone_stepped_system
  implicit none
  real(8), intent(in) :: q(n), k
  real(8), intent(out) :: e
  real(8) :: parts(n)
  integer :: i
  do i = 1, n
    parts(i) = stiffness(i) * q(i)**2
  end do
  e = 0.5d0 * k * sum(parts) + 0.25d0 * sum(q(1:n-1)**2 * q(2:n)**2)
end subroutine

subroutine zone_stepped(x, y)
  use ad
  use zone_stepped_system
  implicit none
  real(8), intent(in) :: x(2*n+1)
  real(8), intent(out) :: y
  real(8) :: q(n), p(n), g(n), k, kb, e, eb
  integer :: t, i
  external :: zone_energy_b
  do i = 1, n
    q(i) = x(i)
    p(i) = x(n+i)
  end do
  k = x(2*n+1)
  do t = 1, 100
    call ad_checkpoint_loop(5)
    do i = 1, n
      g(i) = 0
    end do
    kb = 0
    eb = 1
    call zone_energy_b(q, g, k, kb, e, eb)
    do i = 1, n
      p(i) = p(i) - 0.05d0 * g(i)
      q(i) = q(i) + 0.05d0 * p(i) * (1 + 0.001d0 * kb)
    end do
  end do
  y = q(1) * q(2) + q(4)
  do i = 1, n
    y = y + p(i)**2
  end do
end subroutine

program zone_stepped_forces_test
  use check
  implicit none
  integer, parameter :: m = 9
  real(dp), parameter :: h = 1e-5_dp
  real(dp) :: x(m), v(m), y, yd, yb, ybd, up, down, xb(m), xb_up(m), xb_down(m), hv(m), want
  integer :: k, i
  external :: zone_stepped, zone_stepped_b, zone_stepped_d, zone_stepped_b_d
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.1_dp)
    call check_fill(v, -1.0_dp, 1.0_dp)
    call zone_stepped(x + h * v, up)
    call zone_stepped(x - h * v, down)
    want = (up - down) / (2 * h)
    call zone_stepped_d(x, v, y, yd)
    call check_within('tangent', yd, want, 1e-7_dp * (1 + abs(want)))
    xb = 0; yb = 1
    call zone_stepped_b(x, xb, y, yb)
    call check_within('adjoint', dot_product(xb, v), yd, 1e-12_dp * (1 + abs(yd)))
    xb_up = 0; yb = 1
    call zone_stepped_b(x + h * v, xb_up, y, yb)
    xb_down = 0; yb = 1
    call zone_stepped_b(x - h * v, xb_down, y, yb)
    xb = 0; hv = 0; yb = 1; ybd = 0; yd = 0
    call zone_stepped_b_d(x, v, xb, hv, y, yd, yb, ybd)
    do i = 1, m
      want = (xb_up(i) - xb_down(i)) / (2 * h)
      call check_within('tangent of the adjoint', hv(i), want, 1e-7_dp * (1 + abs(want)))
    end do
  end do
  call check_done()
end program
