program use_beams
  use beams
  use beams_derivatives
  implicit none
  integer, parameter :: n = 2, p = 3
  real(8) :: a(n, n), ad(n, n, p), x(n, n), xd(n, n, 2*p), s, sd(p), size, sized(p), y(n), yd(n, p), kd(p), gd(2, 3, p)
  real(8) :: z(n), zd(n), o, od(p), yb(n, p), ab(n, n, p), xb(n, n, p), sb(p), sizeb(p), ob(p), kb(p), gb(2, 3, p), right, left
  real(8), allocatable :: w(:), w1(:), w2(:), w3(:), u1(:), u2(:), u3(:)
  type(beam) :: r, rd(p), rods(n), rodsd(n, p), rb(p), rodsb(n, p)
  character(80) :: word
  integer :: k, i
  call get_command_argument(1, word)
  call random_number(a); call random_number(ad); call random_number(x); call random_number(xd); call random_number(sd)
  call random_number(sized); call random_number(kd); call random_number(gd); call random_number(od); call random_number(yb)
  s = 0.3d0; size = 1.25d0; o = 0.75d0
  r = beam(1.5d0, [0.2d0, 0.4d0, 0.6d0])
  rods = [beam(1d0, [1d0, 2d0, 3d0]), beam(2d0, [0.5d0, -1d0, 1d0])]
  do k = 1, p
    rd(k) = beam(0.1d0 * k, [1d0, 2d0, 3d0])
    do i = 1, n
      rodsd(i, k) = beam(0.5d0 * i, [0.3d0, 0.1d0 * k, 1d0 * i])
    end do
  end do
  w = [0.4d0, -0.9d0]; w1 = [1d0, 0d0]; w2 = [0d0, 1d0]; w3 = [-1d0, 2d0]
  if (word == 'short') then
    ! One direction too few: the program ends.
    call bend_dv(n, a, ad(:, :, 1:2), x, xd(:, :, ::2), 'squared', r, rd, rods, rodsd, s, sd, size, sized, y, yd, o, od(1), od(2), od(3), &
      w, w1, w2, w3, kd, gd)
    print '(a)', 'not reached'
    stop
  end if
  ! Slices whose elements do not follow one another, too.
  call bend_dv(n, a, ad, x, xd(:, :, ::2), 'squared', r, rd, rods, rodsd, s, sd, size, sized, y, yd, o, od(1), od(2), od(3), w, w1, w2, w3, kd, gd)
  do k = 1, p
    zd = 0
    if (k == 2) w1 = w2
    if (k == 3) w1 = w3
    call bend_d(n, a, ad(:, :, k), x, xd(:, :, 2*k - 1), 'squared', r, rd(k), rods, rodsd(:, k), s, sd(k), size, sized(k), z, zd, o, od(k), w, w1, kd(k), gd(:, :, k))
    call check('bend_dv', maxval(abs(zd - yd(:, k))) < 1d-13 .and. maxval(abs(z - y)) < 1d-14 .and. minval(abs(zd)) > 1d-6)
  end do
  ! The dot product, of adjoints in one call and of these tangents.
  ab = 0; xb = 0; sb = 0; sizeb = 0; ob = 0; kb = 0; gb = 0
  rb = beam(0d0, [0d0, 0d0, 0d0]); rodsb = beam(0d0, [0d0, 0d0, 0d0])
  u1 = [0d0, 0d0]; u2 = u1; u3 = u1
  yd = yb
  call bend_bv(n, a, ab, x, xb, 'squared', r, rb, rods, rodsb, s, sb, size, sizeb, y, yb, o, ob(1), ob(2), ob(3), w, u1, u2, u3, kb, gb)
  do k = 1, p
    left = sum(yd(:, k) * zd)
    right = sum(ab(:, :, k) * ad(:, :, p)) + sum(xb(:, :, k) * xd(:, :, 2*p - 1)) + sb(k) * sd(p) + sizeb(k) * sized(p) + ob(k) * od(p)
    right = right + kb(k) * kd(p) + sum(gb(:, :, k) * gd(:, :, p)) + rb(k)%k * rd(p)%k + sum(rb(k)%u * rd(p)%u)
    do i = 1, n
      right = right + rodsb(i, k)%k * rodsd(i, p)%k + sum(rodsb(i, k)%u * rodsd(i, p)%u)
    end do
    if (k == 1) right = right + sum(u1 * w3)
    if (k == 2) right = right + sum(u2 * w3)
    if (k == 3) right = right + sum(u3 * w3)
    call check('bend_bv', abs(left - right) < 1d-13 * (1 + abs(left)))
    call check('bend_bv: seeds', all(yb(:, k) == 0))
  end do
  call of_energy()
  call of_counted()
  print '(a)', 'right'
contains
  subroutine check(what, holds)
    character(*), intent(in) :: what
    logical, intent(in) :: holds
    if (.not. holds) then
      print '(2a)', 'wrong: ', what
      stop 1
    end if
  end subroutine

  ! An object of a class, a result and an allocatable variable; both forms of the call.
  subroutine of_energy()
    type(beam) :: self, selfd(2), selfb(2)
    real(8) :: v(2), vd(2, 2), vb(2, 2), fd(2, 2), fb(2, 2), ed(2), ec(2), e, eb(2), want
    integer :: d
    self = beam(2d0, [3d0, 0d0, 0d0])
    selfd = [beam(1d0, [0d0, 1d0, 1d0]), beam(0d0, [-1d0, 1d0, 1d0])]
    v = [0.5d0, -0.25d0]
    forces = [1d0, 1.5d0]
    call random_number(vd)
    call random_number(fd)
    call beam_energy_dv(self, selfd, v, vd, ed, e, fd)
    call beam_energy_dv(self, selfd(1), selfd(2), v, vd(:, 1), vd(:, 2), ec, e, fd(:, 1), fd(:, 2))
    call check('energy: both forms', all(ed == ec))
    selfb = beam(0d0, [0d0, 0d0, 0d0])
    vb = 0; fb = 0; eb = [1d0, -3d0]
    call beam_energy_bv(self, selfb, v, vb, eb, fb)
    do d = 1, 2
      want = selfd(d)%k * sum(v**2) * 2.5d0 + 2 * 2 * sum(v * vd(:, d)) * 2.5d0 + 2 * sum(v**2) * sum(fd(:, d))
      want = want + selfd(d)%u(1) * v(1) + 3 * vd(1, d)
      call check('energy_dv', abs(ed(d) - want) < 1d-13)
      call check('energy_bv', abs(selfb(d)%k - eb(d) * sum(v**2) * 2.5d0) < 1d-13 .and. abs(selfb(d)%u(1) - eb(d) * v(1)) < 1d-14)
      call check('energy_bv: x', abs(vb(2, d) - eb(d) * 10 * v(2)) < 1d-13 .and. abs(vb(1, d) - eb(d) * (10 * v(1) + 3)) < 1d-13)
      call check('energy_bv: forces', all(abs(fb(:, d) - eb(d) * 2 * sum(v**2)) < 1d-13))
    end do
  end subroutine

  ! A function whose result has no derivative.
  subroutine of_counted()
    real(4) :: v(2, 2, 2), vd(2, 2, 2, 2)
    real(8) :: f, fd(2)
    integer :: c
    call random_number(v)
    call random_number(vd)
    c = counted_dv(2, v, vd, f, fd)
    call check('counted_dv', c == 2)
    call check('counted_dv', all(abs(fd - (v(1, 2, 2) * vd(2, 1, 1, :) + vd(1, 2, 2, :) * v(2, 1, 1))) < 1d-6))
    c = counted_dv(2, v, vd(:, :, :, 1), vd(:, :, :, 2), f, fd(2), fd(1))
    call check('counted_dv: slices', abs(fd(2) - (v(1, 2, 2) * vd(2, 1, 1, 1) + vd(1, 2, 2, 1) * v(2, 1, 1))) < 1e-6)
  end subroutine
end program
