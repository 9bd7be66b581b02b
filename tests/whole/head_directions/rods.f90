module rods
   implicit none
   real(8), save :: stiffness = 1.5d0
contains
   function force(x) result(f)
      real(8), intent(in) :: x(:)
      real(8) :: f
      interface
         subroutine bend(x, f)
            real(8), intent(in) :: x
            real(8), intent(inout) :: f
         end subroutine
      end interface
      integer :: i
      f = 0
      do i = 1, size(x)
         call bend(x(i), f)
      end do
      f = -stiffness*f
   end function
end module

subroutine force_of_x(x, f) bind(c)
   use rods, only: force
   use iso_c_binding, only: c_double
   real(c_double), intent(in) :: x(3)
   real(c_double), intent(out) :: f
   f = force(x)
end subroutine
