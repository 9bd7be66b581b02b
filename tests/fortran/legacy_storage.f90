! COMMON, EQUIVALENCE, ENTRY, statement functions, alternate returns, computed GOTO, arithmetic IF.
! ad-option: -ad-adjoint=legacy_storage(y)/(x)
! ad-option: -ad-tangent=legacy_storage(y)/(x)
! ad-option: -ad-argnames=legacy_storage_:n,m,x,y
subroutine legacy_storage(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: sx, sy, sf, a, b, q(4), r
  integer :: kount, i
  common /params/ a, b, q, kount
  real(8) :: work(8), w2(2, 4)
  equivalence (work, w2)
  complex(8) :: z, cz(2)
  real(8) :: rz(4)
  equivalence (cz, rz)
  sf(sx, sy) = sx*sy + sin(sx)*a
  save /params/
  a = x(1); b = x(2); kount = 0
  do 10 i = 1, 4
    q(i) = x(mod(i, n) + 1)**i
10 continue
  call accum(r)
  call accum2(r, *200)
  y(1) = r
200 continue
  do i = 1, 8
    work(i) = sf(x(mod(i, n) + 1), b*i)
  end do
  y(2) = sum(w2(1, :))*w2(2, 3)
  rz = x(1:4)
  z = cz(1)*conjg(cz(2)) + cmplx(r, work(3), 8)
  y(1) = y(1) + abs(z)*aimag(cz(1)/cz(2))
  call mixed(x, n, r)
  y(2) = y(2) + r*kount
end subroutine
subroutine accum(r)
  implicit none
  real(8) :: r, aa, bb, p(4), s
  integer :: k, i
  common /params/ aa, bb, p, k
  integer, save :: calls = 0
  calls = calls + 1
  k = k + 1
  r = 0
  i = 0
1 i = i + 1
  if (i > 4) goto 2
  r = r + p(i)*aa**i
  goto 1
2 return
  entry accum2(s, *)
  if (bb > 1d3) return 1
  s = s*bb + p(2)
  k = k + 10
end subroutine
subroutine mixed(x, n, r)
  implicit none
  integer :: n, i, kind_of
  real(8) :: x(n), r
  real(4) :: t(3)
  integer :: it
  r = 0
  do i = 1, n
    kind_of = mod(i, 3)
    if (x(i) - 0.9d0) 11, 12, 13
11  r = r + x(i)**2
    goto 14
12  r = r - 1
    goto 14
13  r = r + 3*x(i)
14  continue
    goto (21, 22) kind_of
    r = r*1.1d0
    cycle
21  r = r + sqrt(x(i))
    cycle
22  r = r - x(i)
  end do
end subroutine
block data init_params
  implicit none
  real(8) :: a, b, q(4)
  integer :: kount
  common /params/ a, b, q, kount
  data a, b /1d0, 2d0/, q /4*0d0/, kount /0/
end block data

program legacy_storage_test
  use check
  implicit none
  procedure(kernel) :: legacy_storage
  procedure(kernel_tangent) :: legacy_storage_d
  procedure(kernel_adjoint) :: legacy_storage_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('legacy_storage', legacy_storage, legacy_storage_d, legacy_storage_b, x, 2)
  end do
  call check_done()
end program legacy_storage_test
