! Procedures that are called through the type.
module laws
  use types
  implicit none
  type, extends(closure) :: linear
  contains
    procedure :: flux => linear_flux
  end type
  type, extends(closure) :: power
    real(dp) :: p = 2
  contains
    procedure :: flux => power_flux
  end type
contains
  pure function linear_flux(self, u, du) result(f)
    class(linear), intent(in) :: self
    real(dp), intent(in) :: u, du
    real(dp) :: f
    f = self%c * du * (1 + 0.1_dp * u)
  end function
  pure function power_flux(self, u, du) result(f)
    class(power), intent(in) :: self
    real(dp), intent(in) :: u, du
    real(dp) :: f
    f = self%c * (0.1_dp + u**2)**(self%p / 2) * du
  end function
end module
