! Legacy FORTRAN 77 by its features: COMMON in different shapes, EQUIVALENCE, DATA, GOTO, computed GOTO, arithmetic IF, assumed size.
! ad-option: -ad-adjoint=written_as_f77(y)/(x)
! ad-option: -ad-tangent=written_as_f77(y)/(x)
! ad-option: -ad-argnames=written_as_f77_:n,m,x,y
block data consts
  double precision t0, cp, work
  integer nit
  common /phys/ t0, cp, nit
  common /scr/ work(24)
  data t0, cp, nit /0.7d0, 1.3d0, 4/
end block data

subroutine setup(n, x)
  integer n, i
  double precision x(*), a(12), b(3, 4)
  common /scr/ a, b
  i = 0
10 i = i + 1
  a(i) = x(mod(i - 1, n) + 1)*i*0.1d0
  if (i .lt. 12) goto 10
  do 30 j = 1, 4
    do 20 i = 1, 3
      b(i, j) = a(3*(j - 1) + i)**2
20  continue
30 continue
end

subroutine sweep(k, s)
  integer k, i
  double precision s, w(24), t0, cp, v(4), u(2, 2), t
  integer nit
  common /scr/ w
  common /phys/ t0, cp, nit
  equivalence (v(1), u(1, 1))
  i = 1
100 continue
  t = w(i + 12) - t0*w(i)
  if (t) 110, 120, 130
110 w(i) = w(i) + cp*t
  goto 140
120 w(i) = 0d0
  goto 140
130 w(i) = w(i)*exp(-t)
140 i = i + 1
  goto (100, 150, 100) 1 + (i - 1)/12 + (i - 1)/24
150 do 160 i = 1, 4
160 v(i) = w(i)*w(i + 4)
  goto (170, 180), k
  s = s + u(1, 2)*u(2, 1)
  return
170 s = s + u(1, 1)
  return
180 s = s + sin(u(2, 2))
end

subroutine written_as_f77(n, m, x, y)
  integer n, m, k
  intent(in) n, m, x
  intent(out) y
  double precision x(n), y(m), t0, cp
  integer nit
  common /phys/ t0, cp, nit
  double precision f, z
  f(z) = z*z + cp*z
  call setup(n, x)
  y(1) = 0d0
  do 200 k = 1, nit
    call sweep(k, y(1))
200 continue
  y(2) = f(x(1)) + f(y(1))
end

program written_as_f77_test
  use check
  implicit none
  procedure(kernel) :: written_as_f77
  procedure(kernel_tangent) :: written_as_f77_d
  procedure(kernel_adjoint) :: written_as_f77_b
  real(dp) :: x(5)
  call check_fill(x, 0.4_dp, 1.3_dp)
  call check_kernel('written_as_f77', written_as_f77, written_as_f77_d, written_as_f77_b, x, 2)
  call check_done()
end program written_as_f77_test
