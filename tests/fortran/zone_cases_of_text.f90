! SELECT CASE on integers with ranges and on text.
! ad-option: -ad-adjoint=zone_cases_of_text(y)/(x)
! ad-option: -ad-tangent=zone_cases_of_text(y)/(x)
! ad-option: -ad-argnames=zone_cases_of_text_:n,m,x,y
subroutine zone_cases_of_text(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  character(6) :: names(4) = [character(6) :: 'sine', 'square', 'root', 'none']
  integer :: i
  y = 0
  do i = 1, n
    select case (i)
    case (:2)
      y(1) = y(1) + x(i)**2
    case (3, 5)
      y(1) = y(1) * x(i)
    case (6:7)
      y(1) = y(1) - sin(x(i))
    case default
      y(1) = y(1) + 1 / x(i)
    end select
  end do
  do i = 1, 4
    select case (trim(names(i)))
    case ('sine')
      y(2) = y(2) + sin(x(i))
    case ('square')
      y(2) = y(2) + x(i)**2
    case ('root':'rooz')
      y(2) = y(2) + sqrt(x(i))
    case default
      y(3) = y(2) * x(i)
    end select
  end do
end subroutine zone_cases_of_text

program zone_cases_of_text_test
  use check
  implicit none
  procedure(kernel) :: zone_cases_of_text
  procedure(kernel_tangent) :: zone_cases_of_text_d
  procedure(kernel_adjoint) :: zone_cases_of_text_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_cases_of_text', zone_cases_of_text, zone_cases_of_text_d, zone_cases_of_text_b, x, 3)
  end do
  call check_done()
end program zone_cases_of_text_test
