! Heads with several directions against heads with one: module procedures, assumed shapes, derived types, results, array
! functions, module variables, allocatable and optional arguments, characters, values of bind(c), heads of heads.
! ad-option: -ad-directions=3
! ad-option: -ad-tangent=zone_beams%bend(y)/(a,x,r,s,stiffness,grid)
! ad-option: -ad-adjoint=zone_beams%bend(y)/(a,x,r,s,stiffness,grid)
! ad-option: -ad-tangent=zone_beams%energy(e)/(x,s)*7
! ad-option: -ad-adjoint=zone_beams%energy(e)/(x,s)*7
! ad-option: -ad-tangent=zone_beams%doubled(z)/(x)*4
! ad-option: -ad-adjoint=zone_beams%doubled(z)/(x)*4
! ad-option: -ad-tangent=zone_beams%grow(u)/(u,w)*1
! ad-option: -ad-adjoint=zone_beams%grow(u)/(u,w)*1
! ad-option: -ad-tangent=zone_beams%work(work)/(x,forces)*2
! ad-option: -ad-adjoint=zone_beams%work(work)/(x,forces)*2
! ad-option: -ad-tangent=zone_scaled(y)/(x,by)
! ad-option: -ad-adjoint=zone_scaled(y)/(x,by)
! ad-option: -ad-tangent=zone_plain(y)/(x)*2
! ad-option: -ad-tangent=zone_plain_dv(yd2)/(x,xd1)*1
! ad-option: -ad-adjoint=zone_plain(y)/(x)*2
! ad-option: -ad-argnames=_QMzone_beamsPbend:n,m,a,x,tag,r,s,y,
! ad-option: -ad-argnames=_QMzone_beamsPenergy:x,s,=e
! ad-option: -ad-argnames=_QMzone_beamsPdoubled:z,x,=z
! ad-option: -ad-argnames=_QMzone_beamsPgrow:u,w
! ad-option: -ad-argnames=_QMzone_beamsPwork:x,=work
! ad-option: -ad-argnames=zone_scaled:n,x,by,y
! ad-option: -ad-argnames=zone_plain_:n,x,y
module zone_beams
  implicit none
  type beam
    real(8) :: k
    integer :: n
    real(8) :: u(3)
  end type
  real(8) :: stiffness = 2d0, grid(2, 3) = 0.5d0
  real(8), allocatable :: forces(:)
contains
  subroutine bend(n, m, a, x, tag, r, s, y)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(n, m), x(:)
    character(*), intent(in) :: tag
    type(beam), intent(in) :: r
    real(8), intent(in) :: s
    real(8), intent(out) :: y(n)
    integer :: i
    do i = 1, n
      y(i) = sum(a(i, :)) * x(i) * r%k + r%u(2) * s * sin(x(i)) * stiffness + grid(2, 3) * x(i)**2
      if (tag == 'squared') y(i) = y(i)**2
    end do
  end subroutine

  real(8) function energy(x, s) result(e)
    real(8), intent(in) :: x(:), s
    integer :: i
    e = 0
    do i = 2, size(x)
      e = e + exp(s * x(i)) * x(i-1)**2
    end do
  end function

  function doubled(x) result(z)
    real(8), intent(in) :: x(:)
    real(8) :: z(size(x))
    z = 2 * x * cshift(x, 1)
  end function

  ! w may be absent.
  subroutine grow(u, w)
    real(8), allocatable, intent(inout) :: u(:)
    real(8), optional, intent(in) :: w
    real(8) :: factor
    factor = 3
    if (present(w)) factor = w
    u(2) = u(1)**2 * u(2)
    u = u * factor
  end subroutine

  real(8) function work(x)
    real(8), intent(in) :: x(:)
    work = sum(forces * x**2)
  end function
end module

subroutine zone_scaled(n, x, by, y) bind(c)
  use, intrinsic :: iso_c_binding
  integer(c_int), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double), value :: by
  real(c_double), intent(out) :: y(n)
  y = by**2 * x
end subroutine

subroutine zone_plain(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  integer :: i
  y = 0
  do i = 2, n
    y = y + x(i)**2 * x(i-1)
  end do
end subroutine

program main
  use check
  use zone_beams
  implicit none
  interface
    subroutine bend_d(n, m, a, ad, x, xd, tag, r, rd, s, sd, y, yd, kd, gd)
      use zone_beams, only: beam
      integer :: n, m
      real(8) :: a(*), ad(*), x(:), xd(:), s, sd, y(*), yd(*), kd, gd(*)
      character(*) :: tag
      type(beam) :: r, rd
    end subroutine
    subroutine bend_b(n, m, a, ab, x, xb, tag, r, rb, s, sb, y, yb, kb, gb)
      use zone_beams, only: beam
      integer :: n, m
      real(8) :: a(*), ab(*), x(:), xb(:), s, sb, y(*), yb(*), kb, gb(*)
      character(*) :: tag
      type(beam) :: r, rb
    end subroutine
    subroutine bend_dv(n, m, a, ad1, ad2, ad3, x, xd1, xd2, xd3, tag, r, rd1, rd2, rd3, s, sd1, sd2, sd3, y, yd1, yd2, yd3, &
        kd1, kd2, kd3, gd1, gd2, gd3)
      use zone_beams, only: beam
      integer :: n, m
      real(8) :: a(*), ad1(*), ad2(*), ad3(*), x(:), xd1(:), xd2(:), xd3(:), s, sd1, sd2, sd3, y(*), yd1(*), yd2(*), yd3(*)
      real(8) :: kd1, kd2, kd3, gd1(*), gd2(*), gd3(*)
      character(*) :: tag
      type(beam) :: r, rd1, rd2, rd3
    end subroutine
    subroutine bend_bv(n, m, a, ab1, ab2, ab3, x, xb1, xb2, xb3, tag, r, rb1, rb2, rb3, s, sb1, sb2, sb3, y, yb1, yb2, yb3, &
        kb1, kb2, kb3, gb1, gb2, gb3)
      use zone_beams, only: beam
      integer :: n, m
      real(8) :: a(*), ab1(*), ab2(*), ab3(*), x(:), xb1(:), xb2(:), xb3(:), s, sb1, sb2, sb3, y(*), yb1(*), yb2(*), yb3(*)
      real(8) :: kb1, kb2, kb3, gb1(*), gb2(*), gb3(*)
      character(*) :: tag
      type(beam) :: r, rb1, rb2, rb3
    end subroutine
    subroutine energy_dv(x, x1, x2, x3, x4, x5, x6, x7, s, s1, s2, s3, s4, s5, s6, s7, ed, e)
      real(8) :: x(:), x1(:), x2(:), x3(:), x4(:), x5(:), x6(:), x7(:), s, s1, s2, s3, s4, s5, s6, s7, ed(7), e
    end subroutine
    subroutine energy_bv(x, x1, x2, x3, x4, x5, x6, x7, s, s1, s2, s3, s4, s5, s6, s7, eb)
      real(8) :: x(:), x1(:), x2(:), x3(:), x4(:), x5(:), x6(:), x7(:), s, s1, s2, s3, s4, s5, s6, s7, eb(7)
    end subroutine
    real(8) function energy_d(x, xd, s, sd, e)
      real(8) :: x(:), xd(:), s, sd, e
    end function
    subroutine energy_b(x, xb, s, sb, eb)
      real(8) :: x(:), xb(:), s, sb, eb
    end subroutine
    subroutine doubled_dv(z, z1, z2, z3, z4, x, x1, x2, x3, x4)
      real(8) :: z(*), z1(*), z2(*), z3(*), z4(*), x(:), x1(:), x2(:), x3(:), x4(:)
    end subroutine
    subroutine doubled_bv(z, z1, z2, z3, z4, x, x1, x2, x3, x4)
      real(8) :: z(*), z1(*), z2(*), z3(*), z4(*), x(:), x1(:), x2(:), x3(:), x4(:)
    end subroutine
    subroutine grow_dv(u, ud, w, wd)
      real(8), allocatable :: u(:), ud(:)
      real(8), optional :: w, wd
    end subroutine
    subroutine grow_bv(u, ub, w, wb)
      real(8), allocatable :: u(:), ub(:)
      real(8), optional :: w, wb
    end subroutine
    subroutine work_dv(x, xd1, xd2, wd, w, fd1, fd2)
      real(8) :: x(:), xd1(:), xd2(:), wd(2), w, fd1(*), fd2(*)
    end subroutine
    subroutine work_bv(x, xb1, xb2, wb, fb1, fb2)
      real(8) :: x(:), xb1(:), xb2(:), wb(2), fb1(*), fb2(*)
    end subroutine
    subroutine zone_scaled_dv(n, x, x1, x2, x3, by, byd, y, y1, y2, y3) bind(c)
      integer, value :: n
      real(8), value :: by
      real(8) :: x(*), x1(*), x2(*), x3(*), byd(3), y(*), y1(*), y2(*), y3(*)
    end subroutine
    subroutine zone_scaled_bv(n, x, x1, x2, x3, by, byb, y, y1, y2, y3) bind(c)
      integer, value :: n
      real(8), value :: by
      real(8) :: x(*), x1(*), x2(*), x3(*), byb(3), y(*), y1(*), y2(*), y3(*)
    end subroutine
  end interface
  call of_bend('squared')
  call of_bend('linear')
  call of_energy()
  call of_doubled()
  call of_grow()
  call of_work()
  call of_scaled()
  call of_heads()
  call check_done()
contains
  subroutine same(name, got, want)
    character(*), intent(in) :: name
    real(8), intent(in) :: got(:), want(:)
    integer :: i
    do i = 1, size(want)
      call check_within(name, got(i), want(i), 1d-13 * (1 + abs(want(i))))
    end do
  end subroutine

  subroutine fill(v)
    real(8), intent(out) :: v(:)
    call check_fill(v, -1d0, 1d0)
  end subroutine

  subroutine of_bend(tag)
    character(*), intent(in) :: tag
    integer, parameter :: n = 3, m = 2
    real(8) :: a(n, m), ad(n, m, 3), x(2*n), xd(2*n, 3), s, sd(3), y(n), yd(n, 3), kd(3), gd(2, 3, 3), z(n), zd(n)
    real(8) :: ab(n, m, 3), xb(2*n, 3), sb(3), yb(n, 3), kb(3), gb(2, 3, 3), ac(n, m), xc(2*n), sc, kc, gc(2, 3), seed(n, 3)
    type(beam) :: r, rd(3), rb(3), rc
    integer :: k, i
    do i = 1, m
      call fill(a(:, i))
      do k = 1, 3
        call fill(ad(:, i, k))
      end do
    end do
    call fill(x)
    do k = 1, 3
      call fill(xd(:, k))
      call fill(seed(:, k))
      call fill(gd(1, :, k))
      call fill(gd(2, :, k))
      call fill(rd(k)%u)
      rd(k)%k = 0.3d0 * k
      rd(k)%n = 0
      rb(k) = beam(0d0, 0, [1d0, 2d0, 3d0])
    end do
    call fill(sd)
    call fill(kd)
    s = 0.7d0
    r = beam(1.25d0, 5, [0.3d0, -0.6d0, 1d0])
    ! Every second element: descriptors say so.
    call bend_dv(n, m, a, ad(:, :, 1), ad(:, :, 2), ad(:, :, 3), x(1::2), xd(1::2, 1), xd(1::2, 2), xd(1::2, 3), tag, &
      r, rd(1), rd(2), rd(3), s, sd(1), sd(2), sd(3), y, yd(:, 1), yd(:, 2), yd(:, 3), kd(1), kd(2), kd(3), &
      gd(:, :, 1), gd(:, :, 2), gd(:, :, 3))
    do k = 1, 3
      zd = 0
      call bend_d(n, m, a, ad(:, :, k), x(1::2), xd(1::2, k), tag, r, rd(k), s, sd(k), z, zd, kd(k), gd(:, :, k))
      call same('bend_dv', yd(:, k), zd)
      call same('bend_dv: primal', y, z)
    end do
    ab = 0; xb = 0; sb = 1; kb = 0; gb = 0
    yb = seed
    call bend_bv(n, m, a, ab(:, :, 1), ab(:, :, 2), ab(:, :, 3), x(1::2), xb(1::2, 1), xb(1::2, 2), xb(1::2, 3), tag, &
      r, rb(1), rb(2), rb(3), s, sb(1), sb(2), sb(3), y, yb(:, 1), yb(:, 2), yb(:, 3), kb(1), kb(2), kb(3), &
      gb(:, :, 1), gb(:, :, 2), gb(:, :, 3))
    do k = 1, 3
      ac = 0; xc = 0; sc = 1; kc = 0; gc = 0
      rc = beam(0d0, 0, [1d0, 2d0, 3d0])
      zd = seed(:, k)
      call bend_b(n, m, a, ac, x(1::2), xc(1::2), tag, r, rc, s, sc, z, zd, kc, gc)
      call same('bend_bv: a', reshape(ab(:, :, k), [n * m]), reshape(ac, [n * m]))
      call same('bend_bv: x', xb(:, k), xc)
      call same('bend_bv: r', [rb(k)%k, rb(k)%u], [rc%k, rc%u])
      call same('bend_bv: s, stiffness', [sb(k), kb(k)], [sc, kc])
      call same('bend_bv: grid', reshape(gb(:, :, k), [6]), reshape(gc, [6]))
      call same('bend_bv: seed', yb(:, k), zd)
    end do
  end subroutine

  subroutine of_energy()
    integer, parameter :: n = 4
    real(8) :: x(n), xd(n, 7), s, sd(7), ed(7), e, one, xb(n, 7), sb(7), eb(7), xc(n), sc
    integer :: k
    call fill(x)
    do k = 1, 7
      call fill(xd(:, k))
    end do
    call fill(sd)
    call fill(eb)
    s = 0.4d0
    call energy_dv(x, xd(:, 1), xd(:, 2), xd(:, 3), xd(:, 4), xd(:, 5), xd(:, 6), xd(:, 7), &
      s, sd(1), sd(2), sd(3), sd(4), sd(5), sd(6), sd(7), ed, e)
    call check_within('energy_dv: primal', e, energy(x, s), 1d-14)
    xb = 0
    sb = 0
    call energy_bv(x, xb(:, 1), xb(:, 2), xb(:, 3), xb(:, 4), xb(:, 5), xb(:, 6), xb(:, 7), &
      s, sb(1), sb(2), sb(3), sb(4), sb(5), sb(6), sb(7), eb)
    do k = 1, 7
      call same('energy_dv', ed(k:k), [energy_d(x, xd(:, k), s, sd(k), one)])
      xc = 0
      sc = 0
      call energy_b(x, xc, s, sc, eb(k))
      call same('energy_bv', xb(:, k), xc)
      call same('energy_bv: s', sb(k:k), [sc])
    end do
  end subroutine

  subroutine of_doubled()
    integer, parameter :: n = 3
    real(8) :: x(n), z(n), xd(n, 4), zd(n, 4), zb(n, 4), xb(n, 4), seed(n, 4)
    integer :: k
    call fill(x)
    do k = 1, 4
      call fill(xd(:, k))
      call fill(seed(:, k))
    end do
    call doubled_dv(z, zd(:, 1), zd(:, 2), zd(:, 3), zd(:, 4), x, xd(:, 1), xd(:, 2), xd(:, 3), xd(:, 4))
    zb = seed
    xb = 0
    call same('doubled_dv: primal', z, doubled(x))
    call doubled_bv(z, zb(:, 1), zb(:, 2), zb(:, 3), zb(:, 4), x, xb(:, 1), xb(:, 2), xb(:, 3), xb(:, 4))
    do k = 1, 4
      call same('doubled_dv', zd(:, k), 2 * xd(:, k) * cshift(x, 1) + 2 * x * cshift(xd(:, k), 1))
      call same('doubled_bv', xb(:, k), 2 * seed(:, k) * cshift(x, 1) + 2 * cshift(seed(:, k) * x, -1))
    end do
  end subroutine

  subroutine of_grow()
    real(8), allocatable :: u(:), ud(:)
    real(8) :: w, wd
    u = [2d0, -1d0]
    ud = [0.5d0, 3d0]
    w = 1.5d0
    wd = 0.25d0
    call grow_dv(u, ud, w, wd)
    call same('grow_dv: primal', u, [3d0, -6d0])
    call same('grow_dv', ud, [0.5d0 * w + 2 * wd, (-2d0 + 12d0) * w - 4 * wd])
    u = [2d0, -1d0]
    ud = [0.5d0, 3d0]
    call grow_dv(u, ud)
    call same('grow_dv, absent', ud, [1.5d0, 30d0])
    u = [2d0, -1d0]
    ud = [1d0, 10d0]
    wd = 7
    call grow_bv(u, ud, w, wd)
    call same('grow_bv', [ud, wd], [w + 10 * w * (-4d0), 10 * w * 4, 7 + 2d0 - 40d0])
    u = [2d0, -1d0]
    ud = [1d0, 10d0]
    call grow_bv(u, ud)
    call same('grow_bv, absent', ud, [3d0 - 120d0, 120d0])
  end subroutine

  subroutine of_work()
    real(8) :: x(2), xd(2, 2), wd(2), w, fd(2, 2), xb(2, 2), fb(2, 2), wb(2)
    integer :: k
    forces = [3d0, -2d0]
    call fill(x)
    do k = 1, 2
      call fill(xd(:, k))
      call fill(fd(:, k))
    end do
    wb = [1d0, -0.5d0]
    xb = 0
    fb = 0
    call work_dv(x, xd(:, 1), xd(:, 2), wd, w, fd(:, 1), fd(:, 2))
    call check_within('work_dv: primal', w, work(x), 1d-14)
    call work_bv(x, xb(:, 1), xb(:, 2), wb, fb(:, 1), fb(:, 2))
    do k = 1, 2
      call same('work_dv', wd(k:k), [sum(fd(:, k) * x**2) + sum(2 * forces * x * xd(:, k))])
      call same('work_bv', xb(:, k), 2 * forces * x * wb(k))
      call same('work_bv: forces', fb(:, k), x**2 * wb(k))
    end do
  end subroutine

  subroutine of_scaled()
    real(8) :: x(2), xd(2, 3), by, byd(3), y(2), yd(2, 3), byb(3), xb(2, 3), yb(2, 3)
    integer :: k
    x = [1d0, -2d0]
    by = 1.5d0
    byd = [1d0, 0d0, 2d0]
    do k = 1, 3
      call fill(xd(:, k))
      call fill(yb(:, k))
    end do
    call zone_scaled_dv(2, x, xd(:, 1), xd(:, 2), xd(:, 3), by, byd, y, yd(:, 1), yd(:, 2), yd(:, 3))
    byb = [10d0, 20d0, 30d0]
    xb = 0
    xd(:, 3) = yb(:, 3)
    call zone_scaled_bv(2, x, xb(:, 1), xb(:, 2), xb(:, 3), by, byb, y, yb(:, 1), yb(:, 2), yb(:, 3))
    do k = 1, 2
      call same('zone_scaled_dv', yd(:, k), 2 * by * byd(k) * x + by**2 * xd(:, k))
    end do
    call same('zone_scaled_bv', xb(:, 3), by**2 * xd(:, 3))
    call same('zone_scaled_bv: by', byb(3:3), [30 + 2 * by * sum(x * xd(:, 3))])
    call same('zone_scaled_bv: seeds', [yb(1, 1), yb(2, 2), yb(1, 3)], [0d0, 0d0, 0d0])
  end subroutine

  ! The tangent of the second of two tangents.
  subroutine of_heads()
    external :: zone_plain_dv_dv, zone_plain_bv
    integer, parameter :: n = 3
    real(8) :: x(n), xe(n), x1(n), x1e(n), x2(n), y, ye, y1, y1e, y2, y2e, want, xb(n, 2), yb(2)
    integer :: i
    call fill(x); call fill(xe); call fill(x1); call fill(x1e); call fill(x2)
    ye = 0; y1e = 0; y2e = 0
    call zone_plain_dv_dv(n, x, xe, x1, x1e, x2, y, ye, y1, y1e, y2, y2e)
    want = 0
    do i = 2, n
      want = want + 2 * xe(i) * x2(i) * x(i-1) + 2 * x(i) * (x2(i) * xe(i-1) + x2(i-1) * xe(i))
    end do
    call same('zone_plain_dv_dv', [y2e], [want])
    xb = 0
    yb = [1d0, -2d0]
    call zone_plain_bv(n, x, xb(:, 1), xb(:, 2), y, yb(1), yb(2))
    call same('zone_plain_bv', xb(:, 2), -2 * xb(:, 1))
    call same('zone_plain_bv: x(1)', xb(1:1, 1), [x(2)**2])
  end subroutine
end program
