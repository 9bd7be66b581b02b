! Bits of integers that choose what is summed.
! ad-option: -ad-adjoint=zone_sets_of_bits(y)/(x)
! ad-option: -ad-tangent=zone_sets_of_bits(y)/(x)
! ad-option: -ad-argnames=zone_sets_of_bits_:n,m,x,y
subroutine zone_sets_of_bits(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer :: set, i, mask
  real(8) :: s
  y = 0
  mask = ior(ishft(1, 3), 5)
  do set = 0, 31
    if (popcnt(set) /= 2 .and. iand(set, mask) == 0) cycle
    s = 1
    do i = 0, 4
      if (btest(set, i)) s = s * x(i + 1)
    end do
    y(1) = y(1) + s * merge(1, -1, btest(ieor(set, mask), 0))
    y(2) = max(y(2), s * x(shiftr(set, 3) + 1)) + 0.1d0 * s
  end do
end subroutine zone_sets_of_bits

program zone_sets_of_bits_test
  use check
  implicit none
  procedure(kernel) :: zone_sets_of_bits
  procedure(kernel_tangent) :: zone_sets_of_bits_d
  procedure(kernel_adjoint) :: zone_sets_of_bits_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_sets_of_bits', zone_sets_of_bits, zone_sets_of_bits_d, zone_sets_of_bits_b, x, 2)
  end do
  call check_done()
end program zone_sets_of_bits_test
