! The procedure of the head is in another module.
! ad-option: -ad-tangent=other%step($2)/($1)
! ad-error: AD015 - function 'other%step' is not defined in this file
module state
contains
  subroutine step(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x * x
  end subroutine
end module
