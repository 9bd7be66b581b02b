! The function that is differentiated.
subroutine objective(n, x, y)
  use types
  use fields
  implicit none
  integer, intent(in) :: n
  real(dp), intent(in) :: x(n)
  real(dp), intent(out) :: y
  integer :: i, k, steps
  real(dp) :: dt, decay
  common /run/ dt, decay, steps
  interface
    subroutine step(g, k)
      import :: mesh
      type(mesh), intent(inout) :: g
      integer, intent(in) :: k
    end subroutine
  end interface
  do i = 1, n
    grid%u(i) = x(i)
  end do
  grid%left = source(x(1))
  grid%right = 0.5_dp * x(n)
  do k = 1, steps
    call step(grid, k)
  end do
  y = 0
  do i = 1, n
    y = y + grid%h(i) * grid%u(i)**2
  end do
end subroutine
