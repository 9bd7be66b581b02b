! FORTRAN 77: COMMON of two layouts, EQUIVALENCE, ENTRY, alternate returns, assigned work arrays, DATA, computed GOTO.
! ad-option: -ad-adjoint=zone_common_layouts(y)/(x)
! ad-option: -ad-tangent=zone_common_layouts(y)/(x)
! ad-option: -ad-argnames=zone_common_layouts_:n,m,x,y
subroutine zone_common_layouts(n, m, x, y)
  implicit double precision (a-h, o-z)
  integer n, m
  double precision x(n), y(m)
  common /state/ t, u(6), k, v(2)
  common /store/ w(20)
  double precision a(3, 3), b(9), row(3)
  equivalence (a, b), (a(1, 2), row(1))
  complex*16 z(2)
  double precision zz(4)
  equivalence (z, zz)
  external fcn, first, second
  t = x(1)
  k = 2
  do 10 i = 1, 6
    u(i) = x(mod(i, n) + 1) * i
10 continue
  v(1) = x(2)
  v(2) = x(3)
  do 20 i = 1, 9
    b(i) = x(mod(i, n) + 1) + i
20 continue
  row(2) = row(2) * x(1)
  y(1) = a(1, 1) * a(2, 2) - a(2, 1) * a(1, 2) + a(3, 3)
  z(1) = cmplx(x(1), x(2), 8)
  z(2) = z(1) * z(1) + conjg(z(1))
  y(2) = zz(3) * zz(4) + abs(z(2))
  call setup(x(4))
  call step(fcn, 3, *30, *40)
  y(3) = -1
  goto 50
30 y(3) = u(1) * w(1)
  goto 50
40 y(3) = u(2) * w(2) + w(3)
50 y(4) = second(x(1)) + first(x(2))
  y(5) = stmt(x(1), x(2)) + v(1) * t
contains
  double precision function stmt(p, q)
    double precision p, q
    stmt = p * exp(-q) + w(4)
  end function
end subroutine zone_common_layouts

subroutine setup(s)
  implicit double precision (a-h, o-z)
  common /store/ lead(2), a1, a2, rest(10), tail(7)
  double precision lead
  lead(1) = s
  lead(2) = s * s
  a1 = sin(s)
  a2 = cos(s)
end subroutine setup

subroutine fcn(neq, s, q, dq)
  implicit double precision (a-h, o-z)
  double precision q(neq), dq(neq)
  common /store/ w(20)
  do 10 i = 1, neq
10 dq(i) = -w(i) * q(i) + s
end subroutine fcn

subroutine step(f, neq, *, *)
  implicit double precision (a-h, o-z)
  external f
  common /state/ t, q(3), r(3), k, v(2)
  double precision dq(3), h(2)
  save h
  data h / 0.1d0, 0.05d0 /
  do 20 j = 1, 4
    call f(neq, t, q, dq)
    do 10 i = 1, neq
10  q(i) = q(i) + h(mod(j, 2) + 1) * dq(i)
20 t = t + h(mod(j, 2) + 1)
  goto (30, 40), k
  return
30 return 1
40 return 2
end subroutine step

double precision function first(p)
  implicit double precision (a-h, o-z)
  common /state/ t, u(6), k, v(2)
  save count
  data count / 0d0 /
  factor = 2
  first = p * factor + v(2)
  count = count + 1
  return
  entry second(q)
  second = q * q * v(1) + t
end function first

program zone_common_layouts_test
  use check
  implicit none
  procedure(kernel) :: zone_common_layouts
  procedure(kernel_tangent) :: zone_common_layouts_d
  procedure(kernel_adjoint) :: zone_common_layouts_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_common_layouts', zone_common_layouts, zone_common_layouts_d, zone_common_layouts_b, x, 5)
  end do
  call check_done()
end program zone_common_layouts_test
