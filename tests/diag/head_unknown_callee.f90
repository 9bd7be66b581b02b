! Fortran: the differentiated procedure calls one that has no body in this file.
! ad-flags: -g
! ad-option: -ad-adjoint=outer(y)/(x)
! ad-option: -ad-argnames=outer_:x,y
! ad-error: AD021 - 'missing_' has no body in this file
subroutine outer(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8), external :: missing
  y = missing(x) * x
end subroutine
