module laws
   implicit none
   real(8), save :: stiffness = 1.5d0
contains
   pure function force(x) result(f)
      real(8), intent(in) :: x
      real(8) :: f
      f = -stiffness*x + 0.25d0*x**3
   end function
end module
