! Internal units give names and integers, text is concatenated: numbers stay apart from their text.
! ad-option: -ad-adjoint=zone_internal_units(y)/(x)
! ad-option: -ad-tangent=zone_internal_units(y)/(x)
! ad-option: -ad-argnames=zone_internal_units_:n,m,x,y
subroutine zone_internal_units(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  character(12) :: label
  character(:), allocatable :: line
  integer :: i, place, power
  y = 0
  line = ''
  do i = 1, n
    write(label, '(a, i0)') 'x', i
    line = line // trim(label) // ';'
  end do
  do i = 1, n
    write(label, '(a, i0, a)') 'x', i, ';'
    place = index(line, trim(label))
    power = mod(place, 3) + 1
    y(1) = y(1) + x(i)**power
    if (verify(trim(label), 'x;0123456789') == 0) y(2) = y(2) + sin(x(i)) * len_trim(label)
  end do
  y(3) = y(1) * x(len(line) / 8)
end subroutine zone_internal_units

program zone_internal_units_test
  use check
  implicit none
  procedure(kernel) :: zone_internal_units
  procedure(kernel_tangent) :: zone_internal_units_d
  procedure(kernel_adjoint) :: zone_internal_units_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_internal_units', zone_internal_units, zone_internal_units_d, zone_internal_units_b, x, 3)
  end do
  call check_done()
end program zone_internal_units_test
