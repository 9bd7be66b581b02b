! Allocates what the model works in.
block data defaults
  implicit none
  real(8) :: dt, decay
  integer :: steps
  common /run/ dt, decay, steps
  data dt /0.01d0/, decay /0.3d0/, steps /6/
end block data
module fields
  use types
  use laws
  implicit none
  type(mesh), save, target :: grid
  real(dp), save :: amplitude = 0.8_dp
contains
  subroutine setup(n, which) bind(c)
    integer, value :: n, which
    if (allocated(grid%h)) deallocate(grid%h, grid%u)
    allocate(grid%h(n), grid%u(0:n + 1))
    grid%n = n
    grid%h = 1d0 / n
    if (allocated(law)) deallocate(law)
    if (which == 1) then
      allocate(linear :: law)
    else
      allocate(power :: law)
    end if
    law%c = 0.02_dp
    source => waves
  end subroutine
  function waves(t) result(s)
    real(dp), intent(in) :: t
    real(dp) :: s
    s = amplitude * sin(3 * t)
  end function
end module
