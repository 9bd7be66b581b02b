subroutine bend(x, f)
   real(8), intent(in) :: x
   real(8), intent(inout) :: f
   f = f + x**3/(1 + x**2)
end subroutine
