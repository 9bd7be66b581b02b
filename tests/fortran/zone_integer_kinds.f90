! Integers of all kinds beside reals: INT64 indices, INT8 flags in a type, bits, NINT and FLOOR that choose.
! ad-option: -ad-adjoint=zone_integer_kinds(y)/(x)
! ad-option: -ad-tangent=zone_integer_kinds(y)/(x)
! ad-option: -ad-argnames=zone_integer_kinds_:n,m,x,y
subroutine zone_integer_kinds(n, m, x, y)
  use, intrinsic :: iso_fortran_env, only: int8, int16, int64, real32, real64
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type :: sample
    integer(int8) :: flag
    real(real32) :: coarse
    integer(int16) :: group
    real(real64) :: fine
    logical(1) :: is_used
  end type sample
  type(sample) :: all(8)
  integer(int64) :: i, mask
  mask = 0
  do i = 1_int64, int(n, int64)
    all(i) = sample(int(mod(i, 3_int64), int8), 0.5, int(i / 2, int16), x(i)**2, mod(i, 4_int64) /= 0)
    if (all(i)%is_used) mask = ibset(mask, int(i))
  end do
  y = 0
  do i = 1, n
    if (.not. btest(mask, int(i))) cycle
    y(1) = y(1) + all(i)%fine * (all(i)%flag + 1) + all(i)%coarse * x(1)
    y(2) = y(2) + x(i) * (nint(10 * i / 3.0) + floor(-1.5) + all(i)%group)
  end do
  all(1:4) = all(5:8)
  y(2) = y(2) * all(2)%fine + popcnt(mask) * all(1)%fine
end subroutine zone_integer_kinds

program zone_integer_kinds_test
  use check
  implicit none
  procedure(kernel) :: zone_integer_kinds
  procedure(kernel_tangent) :: zone_integer_kinds_d
  procedure(kernel_adjoint) :: zone_integer_kinds_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_integer_kinds', zone_integer_kinds, zone_integer_kinds_d, zone_integer_kinds_b, x, 2)
  end do
  call check_done()
end program zone_integer_kinds_test
