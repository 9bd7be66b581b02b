! The area of a surface over the square [-1, 1]^2, of which u has the heights at the corners of (n + 1)^2 cells. Each cell is two triangles.
! Heights at the border are given.
subroutine area(n, u, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: u(0:n + 1, 0:n + 1)
  real(8), intent(out) :: a
  real(8) :: h
  integer :: i, j
  h = 2d0/(n + 1)
  a = 0
  do j = 0, n
    do i = 0, n
      a = a + 0.5d0*h*sqrt(h**2 + (u(i + 1, j) - u(i, j))**2 + (u(i, j + 1) - u(i, j))**2) &
            + 0.5d0*h*sqrt(h**2 + (u(i + 1, j + 1) - u(i, j + 1))**2 + (u(i + 1, j + 1) - u(i + 1, j))**2)
    end do
  end do
end subroutine
