module parameters
  implicit none
  real(8) :: rate = 0.5d0
contains
  real(8) function decay(x)
    real(8), intent(in) :: x
    decay = exp(-rate * x)
  end function
end module
