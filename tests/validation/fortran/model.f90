module physics
  real(8) :: weight = 2d0
contains
  subroutine inner(x, y, n)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    integer :: i
    do i = 1, n
      call leaf(x(i), y(i))
      y(i) = y(i) * weight
    end do
  end subroutine
end module

subroutine model(x, r, n)
  use physics
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: r
  real(8) :: y(n)
  integer :: i
  call inner(x, y, n)
  r = 0
  do i = 1, n
    r = r + y(i)
  end do
  r = r * x(1)
end subroutine
