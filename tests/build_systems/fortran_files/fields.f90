! Data of a module that other files use.
module fields
  use materials, only: wp, cells
  implicit none
  real(wp), allocatable :: velocity(:)
  real(wp) :: scale = 1.5_wp
contains
  subroutine fill(x)
    real(wp), intent(in) :: x(:)
    velocity = scale*x
  end subroutine
  subroutine clear()
    if (allocated(velocity)) deallocate (velocity)
  end subroutine
end module
