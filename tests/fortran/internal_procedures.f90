! Internal procedures as arguments, through pointers and recursion, with variables of their host.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=internal_procedures(y)/(x)
! ad-option: -ad-tangent=internal_procedures(y)/(x)
! ad-option: -ad-argnames=internal_procedures_:n,m,x,y
module quad
  implicit none
  abstract interface
    real(8) function fun(t)
      real(8), intent(in) :: t
    end function
  end interface
  procedure(fun), pointer, save :: hook => null()
contains
  recursive real(8) function adapt(f, a, b, tol, depth) result(s)
    procedure(fun) :: f
    real(8), intent(in) :: a, b, tol
    integer, intent(in) :: depth
    real(8) :: c, s1, s2
    c = (a + b)/2
    s1 = (b - a)/6*(f(a) + 4*f(c) + f(b))
    s2 = (b - a)/12*(f(a) + 4*f((a + c)/2) + 2*f(c) + 4*f((c + b)/2) + f(b))
    if (depth == 0 .or. abs(s2 - s1) < tol) then
      s = s2 + (s2 - s1)/15
    else
      s = adapt(f, a, c, tol/2, depth - 1) + adapt(f, c, b, tol/2, depth - 1)
    end if
  end function
  real(8) function secant(f, a, b, n)
    procedure(fun) :: f
    real(8), intent(in) :: a, b
    integer, intent(in) :: n
    real(8) :: x0, x1, t
    integer :: i
    x0 = a; x1 = b
    do i = 1, n
      if (abs(f(x1) - f(x0)) < 1d-13) exit
      t = x1 - f(x1)*(x1 - x0)/(f(x1) - f(x0))
      x0 = x1; x1 = t
    end do
    secant = x1
  end function
  real(8) function twice(t)
    real(8), intent(in) :: t
    twice = 2*hook(t)
  end function
end module
subroutine internal_procedures(n, m, x, y)
  use quad
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: c(:)
  real(8) :: shift, total
  integer :: calls
  c = x**2; shift = x(1); calls = 0; total = 0
  y(1) = adapt(poly, 0d0, x(3), 1d-4, 4)
  shift = shift*y(1)
  y(2) = secant(root, 0.5d0, 1.5d0, 8) + adapt(wave, 0d0, 1d0, 1d-3, 3)
  hook => wave
  y(1) = y(1) + total*calls + twice(x(2))
  nullify(hook)
contains
  real(8) function poly(t)
    real(8), intent(in) :: t
    integer :: i
    poly = shift
    do i = size(c), 1, -1
      poly = poly*t + c(i)
    end do
    calls = calls + 1
    total = total + poly
  end function
  real(8) function root(t)
    real(8), intent(in) :: t
    root = t**3 + shift*t - x(2)
  end function
  real(8) function wave(t)
    real(8), intent(in) :: t
    wave = sin(x(4)*t)*shift + c(2)
  end function
end subroutine

program internal_procedures_test
  use check
  implicit none
  procedure(kernel) :: internal_procedures
  procedure(kernel_tangent) :: internal_procedures_d
  procedure(kernel_adjoint) :: internal_procedures_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('internal_procedures', internal_procedures, internal_procedures_d, internal_procedures_b, x, 2)
  end do
  call check_done()
end program internal_procedures_test
