! A number that is written to an internal unit and read again.
! ad-flags: -g
! ad-option: -ad-prebuilt=shadow
! ad-option: -ad-adjoint=rounded(y)/(x)
! ad-option: -ad-argnames=rounded_:x,y
! ad-error: AD024 - reads a number from text that holds active data
subroutine rounded(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  character(40) :: text
  write (text, '(es26.17)') x**2
  read (text, *) y
end subroutine
