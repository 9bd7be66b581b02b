subroutine model(x, y)
   use laws, only: force
   use iso_c_binding, only: c_double
   implicit none
   real(8), intent(in) :: x(3)
   real(8), intent(out) :: y(2)
   interface
      function bend(v) bind(c)
         import :: c_double
         real(c_double), value :: v
         real(c_double) :: bend
      end function
   end interface
   call add(x, y(1))
   y(2) = bend(x(1))*x(2)*x(3)
contains
   subroutine add(v, total)
      real(8), intent(in) :: v(3)
      real(8), intent(out) :: total
      integer :: i
      total = 0
      do i = 1, 3
         total = total + force(v(i))
      end do
   end subroutine
end subroutine
