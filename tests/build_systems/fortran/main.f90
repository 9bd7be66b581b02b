! Calls what --ad-interface declares, and compares with the derivatives by hand.
program main
  use rods_derivatives
  use rods, only: rod, box
  implicit none
  real(8) :: a, b(6), c(3), e(2:5), ab, bb(6), cb(3), eb(2:5)
  real(8), allocatable :: d(:,:), db(:,:)
  real(8), pointer :: q(:), qb(:)
  type(rod) :: t, tb
  type(box) :: g, gb
  complex(8) :: z, zb
  real(4) :: r4, r4b
  real(8) :: y, yb, r, rb, x, xb
  integer(8) :: i8
  integer :: k
  a = 1.5d0; b = [(k*0.5d0, k=1,6)]; c = [1d0,2d0,3d0]; e = [4d0,5d0,6d0,7d0]
  allocate(d(2,2), db(2,2), q(2), qb(2)); d = 2; q = 3
  t%k = 1.25d0; g%k = 0.75d0; g%w = 2; z = (1d0, 2d0); r4 = 0.5; i8 = 3
  ab=0; bb=0; cb=0; eb=0; db=0; qb=0; tb%k=0; gb%k=0; gb%w=0; zb=0; r4b=0; yb=1
  call s_b(a, ab, b(1:6:2), bb(1:6:2), c, cb, 3, d, db, e, eb, .true., t, tb, z, zb, g, gb, 'cube', r4, r4b, q, qb, i8, y, yb)
  call check(ab, 3*a**2*1.25d0)
  call check(sum(bb), 2*sum(b(1:6:2)))
  call check(sum(bb(2:6:2)), 0d0)
  call check(sum(cb), 3*3*2d0)
  call check(eb(5), 2d0); call check(eb(2), 1d0)
  call check(sum(db), 4*4d0*1d0)
  call check(sum(qb), 2*3d0)
  call check(tb%k, a**3)
  call check(gb%w, 2*g%w); call check(gb%k, 0d0)
  call check(real(zb), 2*real(z)); call check(dble(r4b), 3*1d0)
  r = 0; rb = 1; xb = 0; x = 2
  call f_b(x, xb, 'cube', rb)
  call check(xb, 12d0)
  xb = f_d(x, 1d0, 'square', r)
  call check(xb, 4d0); call check(r, 4d0)
  rb = 1; xb = 0; gb%w = 0; gb%k = 0
  call rod_energy_b(g, gb, x, xb, rb)
  call check(xb, 2*0.75d0*2d0); call check(gb%k, 4d0)
  print *, 'done'
contains
  subroutine check(is, want)
    real(8), intent(in) :: is, want
    if (abs(is - want) > 1d-12*max(1d0,abs(want))) then
      print *, 'wrong', is, want
      error stop 1
    end if
  end subroutine
end program
