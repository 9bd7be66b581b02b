! A common block, and a variable of a module, that C code shares.
module shared_module
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  real(c_double), bind(c, name='shared_gain') :: gain = 1.0d0
end module

subroutine shared_relax()
  use shared_module, only: gain
  implicit none
  integer :: n, i
  real(8) :: before(3), after(3)
  common /shared_block/ before, after, n
  do i = 1, n
    after(i) = gain * before(i) * before(1)
  end do
  gain = after(n)
end subroutine
