! check-right: --ad-adjoint=work(y)/(x) --ad-tangent=work(y)/(x)
! check-compares: x (5), y (1)
! check-compares: x (3), y (1)
module m
  real(8) :: state = 1d0
contains
subroutine work(x, y, n)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8), allocatable :: t(:)
  integer :: i
  allocate(t(n))
  do i = 1, n
    t(i) = x(i) * x(n + 1 - i)
  end do
  state = 0
  do i = 1, n
    state = state + t(i)
  end do
  y = state * sin(x(1))
  deallocate(t)
end subroutine
end module
program main
  use m
  external :: work_b, work_d
  real(8), allocatable :: x(:), xb(:)
  real(8) :: y, yb, z(3) = [1d0, 2d0, 3d0], zd(3) = 1d0, yd
  allocate(x(5), xb(5))
  x = [0.1d0, 0.2d0, 0.3d0, 0.4d0, 0.5d0]
  xb = 0; yb = 1
  call work_b(x, xb, y, yb, 5)
  print *, xb
  call work_d(z, zd, y, yd, 3)
  print *, yd
end program
