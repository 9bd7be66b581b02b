! Fortran: a procedure calls what the head on it generates.
! ad-option: -ad-adjoint=f(y)/(x)
! ad-option: -ad-argnames=f_:n,x,y
! ad-error: AD014 - the code that this head differentiates calls 'f_b', which it generates
subroutine f(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(2)
  real(8), intent(out) :: y
  real(8) :: xb(2), yb, z
  external :: f_b
  y = x(1)**2 * x(2)
  if (n > 0) then
    xb = 0
    yb = 1
    call f_b(n - 1, x, xb, z, yb)
    y = y + xb(1)
  end if
end subroutine
