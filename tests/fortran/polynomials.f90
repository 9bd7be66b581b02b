! Functions and operators whose results have allocatable components with lower bound 0.
! ad-option: -ad-adjoint=polynomials(y)/(x)
! ad-option: -ad-tangent=polynomials(y)/(x)
! ad-option: -ad-argnames=polynomials_:n,m,x,y
module poly_mod
  implicit none
  type :: poly
    real(8), allocatable :: c(:)
  end type
  interface operator(*)
    module procedure mulp
  end interface
  interface operator(+)
    module procedure addp
  end interface
contains
  pure function mulp(a, b) result(r)
    type(poly), intent(in) :: a, b
    type(poly) :: r
    integer :: i
    allocate(r%c(0:ubound(a%c, 1) + ubound(b%c, 1)))
    r%c = 0
    do i = 0, ubound(a%c, 1)
      r%c(i:i + ubound(b%c, 1)) = r%c(i:i + ubound(b%c, 1)) + a%c(i)*b%c
    end do
  end function
  pure function addp(a, b) result(r)
    type(poly), intent(in) :: a, b
    type(poly) :: r
    integer :: n
    n = max(ubound(a%c, 1), ubound(b%c, 1))
    allocate(r%c(0:n)); r%c = 0
    r%c(0:ubound(a%c, 1)) = a%c
    r%c(0:ubound(b%c, 1)) = r%c(0:ubound(b%c, 1)) + b%c
  end function
  pure function deriv(a) result(r)
    type(poly), intent(in) :: a
    type(poly) :: r
    integer :: i
    allocate(r%c(0:max(0, ubound(a%c, 1) - 1)))
    r%c = 0
    r%c(0:ubound(a%c, 1) - 1) = [(i*a%c(i), i=1, ubound(a%c, 1))]
  end function
  pure real(8) function eval(a, t)
    type(poly), intent(in) :: a
    real(8), intent(in) :: t
    integer :: i
    eval = sum([(a%c(i)*t**i, i=0, ubound(a%c, 1))])
  end function
end module
subroutine polynomials(n, m, x, y)
  use poly_mod
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(poly) :: a, b, c
  type(poly), allocatable :: basis(:)
  integer :: i
  allocate(a%c(0:2), source=x(1:3))
  allocate(b%c(0:1)); b%c = x(3:4)
  c = a*b + a
  c = deriv(c)
  y(1) = eval(c, x(1))
  allocate(basis(0:3))
  basis(0) = poly([1d0]); 
  allocate(basis(1)%c(0:1)); basis(1)%c = [0d0, x(2)]
  do i = 2, 3
    basis(i) = basis(1)*basis(i - 1) + basis(i - 2)
  end do
  y(2) = sum([(eval(basis(i), 0.5d0)*i, i=0, 3)])
end subroutine

program polynomials_test
  use check
  implicit none
  procedure(kernel) :: polynomials
  procedure(kernel_tangent) :: polynomials_d
  procedure(kernel_adjoint) :: polynomials_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('polynomials', polynomials, polynomials_d, polynomials_b, x, 2)
  end do
  call check_done()
end program polynomials_test
