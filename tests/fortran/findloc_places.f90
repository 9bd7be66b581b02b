! findloc of reals, integers, logicals and characters, with dim=, mask= and back=.
! ad-option: -ad-adjoint=findloc_places(y)/(x)
! ad-option: -ad-tangent=findloc_places(y)/(x)
! ad-option: -ad-argnames=findloc_places_:n,m,x,y
subroutine findloc_places(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(3, n), b(n)
  integer :: where2(2), ii(n), k(n), c(3), i
  character(3) :: names(4)
  logical :: l(n)
  b = x
  do i = 1, n
    a(:, i) = [1d0, 2d0, 3d0]
    ii(i) = mod(i, 3)
    l(i) = i > 2
  end do
  a(2, 3) = x(1)
  names = ['abc', 'def', 'ghi', 'jkl']
  where2 = findloc(a, 3d0)
  k = findloc(a, 2d0, dim=1)
  c = findloc(a, 1d0, dim=2, back=.true.)
  y(1) = b(where2(2))*b(findloc(ii, 2, dim=1)) + b(findloc(l, .true., dim=1))
  y(2) = a(2, 3)*b(findloc(names, 'ghi', dim=1)) + sum(b*k) + sum(c*b(1:3)) + b(findloc(x, x(2), dim=1))
end subroutine

program findloc_places_test
  use check
  implicit none
  procedure(kernel) :: findloc_places
  procedure(kernel_tangent) :: findloc_places_d
  procedure(kernel_adjoint) :: findloc_places_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('findloc_places', findloc_places, findloc_places_d, findloc_places_b, x, 2)
  end do
  call check_done()
end program findloc_places_test
