! Newton's method for the surface of least area. It never forms the Hessian: conjugate gradients need its products with vectors only.
module newton_cg
  implicit none
  external :: area_b, area_b_d ! generated
contains
  ! The area, and its gradient by the inner heights.
  subroutine gradient(n, u, a, g)
    integer, intent(in) :: n
    real(8), intent(in) :: u(0:n + 1, 0:n + 1)
    real(8), intent(out) :: a, g(n, n)
    real(8) :: ub(0:n + 1, 0:n + 1), seed
    ub = 0
    seed = 1
    call area_b(n, u, ub, a, seed)
    g = ub(1:n, 1:n)
  end subroutine

  ! The product of the Hessian with v.
  subroutine product(n, u, v, hv)
    integer, intent(in) :: n
    real(8), intent(in) :: u(0:n + 1, 0:n + 1), v(n, n)
    real(8), intent(out) :: hv(n, n)
    real(8), dimension(0:n + 1, 0:n + 1) :: ud, ub, ubd
    real(8) :: a, ad, seed, seed_d
    ud = 0
    ud(1:n, 1:n) = v
    ub = 0
    ubd = 0
    ad = 0
    seed = 1 ! the seed is constant
    seed_d = 0
    call area_b_d(n, u, ud, ub, ubd, a, ad, seed, seed_d)
    hv = ubd(1:n, 1:n)
  end subroutine

  ! A direction of descent: conjugate gradients for H d = -g, until the residual is small beside g or the curvature is negative.
  subroutine direction(n, u, g, d, products)
    integer, intent(in) :: n
    real(8), intent(in) :: u(0:n + 1, 0:n + 1), g(n, n)
    real(8), intent(out) :: d(n, n)
    integer, intent(inout) :: products
    real(8), dimension(n, n) :: r, p, hp
    real(8) :: rr, next, curvature, step
    d = 0
    r = -g
    p = r
    rr = sum(r**2)
    do while (sqrt(rr) > min(0.1d0, sqrt(norm2(g)))*norm2(g))
      call product(n, u, p, hp)
      products = products + 1
      curvature = sum(p*hp)
      if (curvature <= 0) then
        if (all(d == 0)) d = p
        exit
      end if
      step = rr/curvature
      d = d + step*p
      r = r - step*hp
      next = sum(r**2)
      p = r + next/rr*p
      rr = next
    end do
  end subroutine

  ! Minimises the area. Counts steps, and products of the Hessian with vectors.
  subroutine minimise(n, u, tolerance, steps, products)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(0:n + 1, 0:n + 1)
    real(8), intent(in) :: tolerance
    integer, intent(out) :: steps, products
    real(8) :: g(n, n), d(n, n), trial(0:n + 1, 0:n + 1), a, b, length
    products = 0
    do steps = 0, 50
      call gradient(n, u, a, g)
      print '(a, i3, a, f14.10, a, es9.2)', 'step', steps, ': area', a, ', gradient', norm2(g)
      if (.not. norm2(g) > tolerance) exit
      call direction(n, u, g, d, products)
      length = 1
      do
        trial = u
        trial(1:n, 1:n) = u(1:n, 1:n) + length*d
        call area(n, trial, b)
        if (b <= a + 1d-4*length*sum(g*d) + 1d-14*a .or. length < 1d-10) exit
        length = length/2
      end do
      u = trial
    end do
  end subroutine
end module

program main
  use newton_cg
  implicit none
  real(8) :: coarse, fine
  logical :: is_right = .true.
  call differences(12)
  coarse = solve(15)
  fine = solve(31)
  ! Scherk's surface is minimal. Its distance from the discrete one is of second order.
  call expect('order of convergence', abs(log(coarse/fine)/log(2d0) - 2), 0.1d0)
  print '(a)', trim(merge('right', 'WRONG', is_right))
  if (.not. is_right) stop 1
contains
  ! NaN fails.
  subroutine expect(what, value, bound)
    character(*), intent(in) :: what
    real(8), intent(in) :: value, bound
    print '(a, es10.2, a, es8.1)', what//':', value, ', at most', bound
    is_right = is_right .and. value <= bound
  end subroutine

  real(8) elemental function scherk(x, y)
    real(8), intent(in) :: x, y
    scherk = log(cos(y)/cos(x))
  end function

  ! Solves with n inner heights per side; returns the largest distance from Scherk's surface.
  real(8) function solve(n) result(distance)
    integer, intent(in) :: n
    real(8), dimension(0:n + 1, 0:n + 1) :: u, exact
    integer :: i, j, steps, products
    do j = 0, n + 1
      do i = 0, n + 1
        exact(i, j) = scherk(-1 + 2d0*i/(n + 1), -1 + 2d0*j/(n + 1))
      end do
    end do
    u = exact
    u(1:n, 1:n) = 0
    call minimise(n, u, 1d-11, steps, products)
    distance = maxval(abs(u - exact))
    print '(i0, a, i0, a, i0, a, es9.2)', n**2, ' unknowns: ', steps, ' steps, ', products, ' products, distance', distance
    call expect('steps', real(steps, 8), 12d0)
  end function

  ! Gradient and product against central differences.
  subroutine differences(n)
    integer, intent(in) :: n
    real(8) :: u(0:n + 1, 0:n + 1), v(n, n), up(0:n + 1, 0:n + 1), g(n, n), hv(n, n), low(n, n), high(n, n), a, b, c
    real(8), parameter :: h = 1d-5
    integer :: i
    u = reshape([(sin(1.3d0*i), i=1, (n + 2)**2)], shape(u))
    v = reshape([(cos(0.7d0*i), i=1, n**2)], shape(v))
    up = 0
    up(1:n, 1:n) = v
    call gradient(n, u + h*up, c, high)
    call gradient(n, u - h*up, b, low)
    call gradient(n, u, a, g)
    call product(n, u, v, hv)
    call expect('gradient', abs(sum(g*v) - (c - b)/(2*h)), 1d-8)
    call expect('product', maxval(abs(hv - (high - low)/(2*h))), 1d-8)
  end subroutine
end program
