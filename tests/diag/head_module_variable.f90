! An active value is stored in a module variable.
! ad-flags: -g
! ad-option: -ad-adjoint=step($2)/($1)
! ad-error: AD032 12:5 an active value is stored in memory that has no shadow
module state
  implicit none
  real(8) :: last
contains
  subroutine step(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    last = x * x
    y = last + x
  end subroutine
end module
