! Names of dummy arguments count without regard to case; this one does not exist.
! ad-option: -ad-adjoint=step(Y)/(z)
! ad-option: -ad-argnames=step_:x,y
! ad-error: AD016 - 'step' has no parameter 'z' (2 parameters; it has
subroutine step(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  y = x * x
end subroutine
