! Adaptive quadrature by recursive procedures over integrands with parameters; jets as a type with operators of its own.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=zone_recursive_quadrature(y)/(x)
! ad-option: -ad-tangent=zone_recursive_quadrature(y)/(x)
! ad-option: -ad-argnames=zone_recursive_quadrature_:n,m,x,y
module zone_jet_parts
  implicit none
  private
  integer, parameter, public :: wp = kind(1.d0)
  ! A value with two derivatives.
  type, public :: jet
    real(wp) :: c(0:2) = 0
  end type jet
  interface assignment(=)
    module procedure from_real
  end interface
  interface operator(+)
    module procedure add, add_real
  end interface
  interface operator(-)
    module procedure subtract, negate
  end interface
  interface operator(*)
    module procedure multiply, scale
  end interface
  interface operator(/)
    module procedure divide
  end interface
  interface operator(.at.)
    module procedure evaluate
  end interface
  interface exp
    module procedure exp_of_jet
  end interface
  interface sum
    module procedure sum_of_jets
  end interface
  public :: assignment(=), operator(+), operator(-), operator(*), operator(/), operator(.at.), exp, sum, variable
contains
  elemental subroutine from_real(a, b)
    type(jet), intent(out) :: a
    real(wp), intent(in) :: b
    a%c(0) = b
  end subroutine from_real
  elemental type(jet) function variable(b)
    real(wp), intent(in) :: b
    variable = jet([b, 1._wp, 0._wp])
  end function variable
  elemental type(jet) function add(a, b)
    type(jet), intent(in) :: a, b
    add%c = a%c + b%c
  end function add
  elemental type(jet) function add_real(a, b)
    real(wp), intent(in) :: a
    type(jet), intent(in) :: b
    add_real = b
    add_real%c(0) = a + b%c(0)
  end function add_real
  elemental type(jet) function subtract(a, b)
    type(jet), intent(in) :: a, b
    subtract%c = a%c - b%c
  end function subtract
  elemental type(jet) function negate(a)
    type(jet), intent(in) :: a
    negate%c = -a%c
  end function negate
  elemental type(jet) function scale(a, b)
    real(wp), intent(in) :: a
    type(jet), intent(in) :: b
    scale%c = a * b%c
  end function scale
  elemental type(jet) function multiply(a, b)
    type(jet), intent(in) :: a, b
    integer :: i
    do i = 0, 2
      multiply%c(i) = dot_product(a%c(0:i), b%c(i:0:-1))
    end do
  end function multiply
  elemental type(jet) function divide(a, b)
    type(jet), intent(in) :: a, b
    integer :: i
    do i = 0, 2
      divide%c(i) = (a%c(i) - sum(divide%c(:i-1) * b%c(i:1:-1))) / b%c(0)
    end do
  end function divide
  elemental type(jet) function exp_of_jet(a)
    type(jet), intent(in) :: a
    exp_of_jet%c(0) = exp(a%c(0))
    exp_of_jet%c(1) = exp_of_jet%c(0) * a%c(1)
    exp_of_jet%c(2) = exp_of_jet%c(0) * (a%c(2) + 0.5_wp * a%c(1)**2)
  end function exp_of_jet
  pure type(jet) function sum_of_jets(a)
    type(jet), intent(in) :: a(:)
    integer :: i
    do i = 1, size(a)
      sum_of_jets = sum_of_jets + a(i)
    end do
  end function sum_of_jets
  elemental real(wp) function evaluate(a, h)
    type(jet), intent(in) :: a
    real(wp), intent(in) :: h
    evaluate = (a%c(2) * h + a%c(1)) * h + a%c(0)
  end function evaluate
end module zone_jet_parts

module zone_quadrature_parts
  use zone_jet_parts
  implicit none
  abstract interface
    real(wp) function integrand(t)
      import :: wp
      real(wp), intent(in) :: t
    end function integrand
  end interface
contains
  real(wp) function quadrature(f, a, b, tolerance, depth) result(q)
    procedure(integrand) :: f
    real(wp), intent(in) :: a, b, tolerance
    integer, intent(out), optional :: depth
    integer :: deepest
    deepest = 0
    q = refine(a, b, f(a), f(0.5_wp * (a + b)), f(b), tolerance, 1)
    if (present(depth)) depth = deepest
  contains
    recursive real(wp) function refine(a, b, fa, fm, fb, tolerance, level) result(q)
      real(wp), intent(in) :: a, b, fa, fm, fb, tolerance
      integer, intent(in) :: level
      real(wp) :: middle, left, right, once, twice
      deepest = max(deepest, level)
      middle = 0.5_wp * (a + b)
      left = f(0.5_wp * (a + middle))
      right = f(0.5_wp * (middle + b))
      once = (b - a) / 6 * (fa + 4 * fm + fb)
      twice = (b - a) / 12 * (fa + 4 * left + 2 * fm + 4 * right + fb)
      if (level >= 4 .or. abs(twice - once) < 15 * tolerance) then
        q = twice + (twice - once) / 15
      else
        q = refine(a, middle, fa, left, fm, 0.5_wp * tolerance, level + 1) &
          + refine(middle, b, fm, right, fb, 0.5_wp * tolerance, level + 1)
      end if
    end function refine
  end function quadrature
end module zone_quadrature_parts

subroutine zone_recursive_quadrature(n, m, x, y)
  use zone_jet_parts
  use zone_quadrature_parts
  implicit none
  integer, intent(in) :: n, m
  real(wp), intent(in) :: x(n)
  real(wp), intent(out) :: y(m)
  integer :: depth
  type(jet) :: a, b, all(3)
  y(1) = quadrature(peak, 0._wp, x(3), 1e-6_wp, depth)
  y(2) = depth * quadrature(bell, x(4), 2 + x(5), 1e-3_wp)
  a = variable(x(6))
  b = x(7)
  all = [a * b, a / b - exp(-a), x(8) * a + b]
  y(3) = sum(all) .at. 0.3_wp
contains
  real(wp) function peak(t)
    real(wp), intent(in) :: t
    peak = x(1) / (x(2)**2 + (t - 0.5_wp)**2)
  end function peak
  real(wp) function bell(t)
    real(wp), intent(in) :: t
    bell = exp(-x(1) * t**2)
  end function bell
end subroutine zone_recursive_quadrature

program zone_recursive_quadrature_test
  use check
  implicit none
  procedure(kernel) :: zone_recursive_quadrature
  procedure(kernel_tangent) :: zone_recursive_quadrature_d
  procedure(kernel_adjoint) :: zone_recursive_quadrature_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_recursive_quadrature', zone_recursive_quadrature, zone_recursive_quadrature_d, zone_recursive_quadrature_b, x, 3)
  end do
  call check_done()
end program zone_recursive_quadrature_test
