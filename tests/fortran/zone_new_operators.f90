! Operators and an assignment of the program for a type of truncated series.
! ad-option: -ad-adjoint=zone_new_operators(y)/(x)
! ad-option: -ad-tangent=zone_new_operators(y)/(x)
! ad-option: -ad-argnames=zone_new_operators_:n,m,x,y
module zone_operator_parts
  implicit none
  type :: series
    real(8) :: c(3) = 0
  end type series
  interface assignment(=)
    module procedure from_real
  end interface
  interface operator(+)
    module procedure add
  end interface
  interface operator(*)
    module procedure multiply
  end interface
  interface operator(.twice.)
    module procedure twice
  end interface
  interface operator(.compose.)
    module procedure compose
  end interface
  interface operator(>)
    module procedure greater
  end interface
contains
  elemental subroutine from_real(s, r)
    type(series), intent(out) :: s
    real(8), intent(in) :: r
    s%c(1) = r
  end subroutine from_real
  elemental type(series) function add(a, b)
    type(series), intent(in) :: a, b
    add%c = a%c + b%c
  end function add
  elemental type(series) function multiply(a, b)
    type(series), intent(in) :: a, b
    integer :: i, j
    do i = 1, 3
      do j = 1, 4 - i
        multiply%c(i + j - 1) = multiply%c(i + j - 1) + a%c(i) * b%c(j)
      end do
    end do
  end function multiply
  elemental type(series) function twice(a)
    type(series), intent(in) :: a
    twice%c = 2 * a%c
  end function twice
  elemental type(series) function compose(a, b)
    type(series), intent(in) :: a, b
    type(series) :: p
    integer :: i
    p = 1d0
    do i = 1, 3
      compose%c = compose%c + a%c(i) * p%c
      p = p * b
    end do
  end function compose
  logical function greater(a, b)
    type(series), intent(in) :: a, b
    greater = a%c(1) > b%c(1)
  end function greater
end module zone_operator_parts

subroutine zone_new_operators(n, m, x, y)
  use zone_operator_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(series) :: a, b
  a = x(1)
  a%c(2) = x(2)
  b = x(3)
  b%c(2) = x(4); b%c(3) = x(5)
  a = a * b + .twice. a
  b = a .compose. b
  y(1) = a%c(3)
  y(2) = sum(b%c**2)
  if (b > a) then
    y(3) = b%c(1)
  else
    y(3) = a%c(1) * b%c(2)
  end if
end subroutine zone_new_operators

program zone_new_operators_test
  use check
  implicit none
  procedure(kernel) :: zone_new_operators
  procedure(kernel_tangent) :: zone_new_operators_d
  procedure(kernel_adjoint) :: zone_new_operators_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_new_operators', zone_new_operators, zone_new_operators_d, zone_new_operators_b, x, 3)
  end do
  call check_done()
end program zone_new_operators_test
