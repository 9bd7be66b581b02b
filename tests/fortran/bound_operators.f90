! Operators and assignment bound to a type, elemental, over arrays of it.
! ad-option: -ad-adjoint=bound_operators(y)/(x)
! ad-option: -ad-tangent=bound_operators(y)/(x)
! ad-option: -ad-argnames=bound_operators_:n,m,x,y
module vec_mod
  implicit none
  type vec3
    real(8) :: c(3) = 0
  contains
    procedure, private :: plus, minus, scale_r, dot
    procedure, private, pass(b) :: scale_l
    generic :: operator(+) => plus
    generic :: operator(-) => minus
    generic :: operator(*) => scale_r, scale_l
    generic :: operator(.dot.) => dot
    procedure, private :: set_scalar
    generic :: assignment(=) => set_scalar
    procedure :: norm
  end type
  interface vec3
    module procedure from_xyz
  end interface
  interface cross
    module procedure cross_v
  end interface
contains
  elemental function plus(a, b) result(r)
    class(vec3), intent(in) :: a, b
    type(vec3) :: r
    r%c = a%c + b%c
  end function
  elemental function minus(a, b) result(r)
    class(vec3), intent(in) :: a, b
    type(vec3) :: r
    r%c = a%c - b%c
  end function
  elemental function scale_r(a, s) result(r)
    class(vec3), intent(in) :: a
    real(8), intent(in) :: s
    type(vec3) :: r
    r%c = a%c*s
  end function
  elemental function scale_l(s, b) result(r)
    real(8), intent(in) :: s
    class(vec3), intent(in) :: b
    type(vec3) :: r
    r%c = s*b%c
  end function
  elemental function dot(a, b) result(r)
    class(vec3), intent(in) :: a, b
    real(8) :: r
    r = sum(a%c*b%c)
  end function
  elemental subroutine set_scalar(a, s)
    class(vec3), intent(inout) :: a
    real(8), intent(in) :: s
    a%c = s
  end subroutine
  elemental real(8) function norm(a)
    class(vec3), intent(in) :: a
    norm = sqrt(a .dot. a)
  end function
  pure function from_xyz(x, y, z) result(r)
    real(8), intent(in) :: x, y, z
    type(vec3) :: r
    r%c = [x, y, z]
  end function
  pure function cross_v(a, b) result(r)
    type(vec3), intent(in) :: a, b
    type(vec3) :: r
    r%c = [a%c(2)*b%c(3) - a%c(3)*b%c(2), a%c(3)*b%c(1) - a%c(1)*b%c(3), a%c(1)*b%c(2) - a%c(2)*b%c(1)]
  end function
end module
subroutine bound_operators(n, m, x, y)
  use vec_mod
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(vec3) :: r(4), v(4), f(4), ones
  real(8) :: dt, d
  integer :: i, j, k
  dt = 0.02d0
  do i = 1, 4
    r(i) = vec3(x(1)*i, x(2)*cos(1d0*i), sin(x(3)*i))
  end do
  v = 0d0
  ones = x(4)
  do k = 1, 3
    f = 0d0
    do i = 1, 4
      do j = 1, 4
        if (i == j) cycle
        associate (dr => r(j) - r(i))
          d = dr%norm() + 0.1d0
          f(i) = f(i) + (1/d**3)*dr
        end associate
      end do
    end do
    v = v + dt*f + cross(ones, v(1))*dt
    r = r + v*dt
  end do
  y(1) = sum(v .dot. v)/2
  y(2) = sum(r%norm()) + (ones .dot. r(2))
end subroutine

program bound_operators_test
  use check
  implicit none
  procedure(kernel) :: bound_operators
  procedure(kernel_tangent) :: bound_operators_d
  procedure(kernel_adjoint) :: bound_operators_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('bound_operators', bound_operators, bound_operators_d, bound_operators_b, x, 2)
  end do
  call check_done()
end program bound_operators_test
