! A gradient of Fortran that a head asks for: arrays with bounds, their adjoints.
! ad-build: -O0 -g --ad-adjoint=model(y)/(x)
! ad-gdb: break model_b
! ad-gdb: run
! ad-shows: model_b (n=2,
! ad-shows: y_b=1
! ad-gdb: break gradient.f90:35
! ad-gdb: continue
! ad-shows: model.adjoint (n=
! ad-gdb: print x(1)
! ad-shows: = 0.5
! ad-gdb: print i
! ad-shows: = 1
! ad-gdb: continue
! ad-gdb: print i
! ad-shows: = 2
! ad-gdb: continue
! ad-gdb: print part_b
! ad-shows: = 3.36588
! ad-gdb: continue
! ad-gdb: print x_b(2)
! ad-shows: = 1.8185
! ad-gdb: bt
! ad-shows: in model_b
! ad-shows: in MAIN () at
subroutine model(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: part
  integer :: i
  y = 0d0
  do i = 1, n
    part = sin(x(i))
    y = y + part * part
  end do
  y = y * 2d0
end subroutine

program main
  implicit none
  real(8) :: x(2) = [0.5d0, 1d0], xb(2) = 0d0, y, yb = 1d0
  external model_b
  call model_b(2, x, xb, y, yb)
  print '(2f10.6)', xb
end program
