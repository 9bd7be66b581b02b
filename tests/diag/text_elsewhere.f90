! A number that a procedure of another file reads from an internal unit.
! ad-flags: -g
! ad-option: -ad-prebuilt=shadow
! ad-option: -ad-adjoint=rounded(y)/(x)
! ad-option: -ad-argnames=rounded_:x,y
! ad-error: AD024 - 'parse_' reads a number from text that holds active data
subroutine rounded(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  character(40) :: text, label
  write (label, '(es26.17)') x**3
  write (text, '(es26.17)') x**2
  call parse(text, y)
  print *, label
end subroutine
