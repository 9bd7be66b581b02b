! Variables that a procedure keeps are its own: no head can name them.
! ad-option: -ad-adjoint=step(y)/(x,kept)
! ad-option: -ad-argnames=step_:x,y
! ad-error: AD016 - variable 'kept' is private to its file or procedure
subroutine step(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8), save :: kept = 1
  kept = kept * x
  y = kept
end subroutine
