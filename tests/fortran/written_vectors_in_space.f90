! Bodies in space: operators and an assignment that a type defines.
! ad-option: -ad-adjoint=written_vectors_in_space(y)/(x)
! ad-option: -ad-tangent=written_vectors_in_space(y)/(x)
! ad-option: -ad-argnames=written_vectors_in_space_:n,m,x,y
module vec3m
  implicit none
  type :: vec3
    real(8) :: x = 0, y = 0, z = 0
  contains
    procedure, private :: plus, minus, scaled, dotted, set_scalar
    procedure, private, pass(b) :: scaled_l
    generic :: operator(+) => plus
    generic :: operator(-) => minus
    generic :: operator(*) => scaled, dotted, scaled_l
    generic :: assignment(=) => set_scalar
  end type
  type :: body
    type(vec3) :: r, v
    real(8) :: m
  end type
contains
  elemental function plus(a,b) result(c)
    class(vec3), intent(in) :: a, b
    type(vec3) :: c
    c = vec3(a%x+b%x, a%y+b%y, a%z+b%z)
  end function
  elemental function minus(a,b) result(c)
    class(vec3), intent(in) :: a, b
    type(vec3) :: c
    c%x = a%x-b%x; c%y = a%y-b%y; c%z = a%z-b%z
  end function
  elemental function scaled(a,s) result(c)
    class(vec3), intent(in) :: a
    real(8), intent(in) :: s
    type(vec3) :: c
    c%x = a%x*s; c%y = a%y*s; c%z = a%z*s
  end function
  elemental function scaled_l(s,b) result(c)
    real(8), intent(in) :: s
    class(vec3), intent(in) :: b
    type(vec3) :: c
    c = b%scaled(s)
  end function
  elemental function dotted(a,b) result(s)
    class(vec3), intent(in) :: a, b
    real(8) :: s
    s = a%x*b%x + a%y*b%y + a%z*b%z
  end function
  elemental subroutine set_scalar(a, s)
    class(vec3), intent(inout) :: a
    real(8), intent(in) :: s
    a%x = s; a%y = s; a%z = s
  end subroutine
  subroutine forces(b, f)
    type(body), intent(in) :: b(:)
    type(vec3), intent(out) :: f(:)
    integer :: i, j
    type(vec3) :: d
    do i = 1, size(b)
      f(i) = 0d0
    end do
    do i = 1, size(b)
      do j = 1, size(b)
        if (i == j) cycle
        d = b(j)%r - b(i)%r
        f(i) = f(i) + (b(i)%m*b(j)%m/(d*d + 0.1d0)**1.5d0) * d
      end do
    end do
  end subroutine
end module
subroutine written_vectors_in_space(n,m,x,y)
  use vec3m
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(body) :: b(3)
  type(vec3) :: f(3)
  integer :: i, s
  do i = 1, 3
    b(i)%r = vec3(x(i), x(i+2)*i, x(i+4)-i)
    b(i)%v = vec3(0.1d0*i, x(i+5), 0d0)
    b(i)%m = 1 + x(i)*0.2d0
  end do
  do s = 1, 4
    call forces(b, f)
    do i = 1, 3
      b(i)%v = b(i)%v + f(i)*(0.05d0/b(i)%m)
      b(i)%r = b(i)%r + 0.05d0*b(i)%v
    end do
  end do
  y(1) = sum([(b(i)%m*(b(i)%v*b(i)%v), i=1,3)])
  y(2) = b(1)%r*b(3)%r
end subroutine

program written_vectors_in_space_test
  use check
  implicit none
  procedure(kernel) :: written_vectors_in_space
  procedure(kernel_tangent) :: written_vectors_in_space_d
  procedure(kernel_adjoint) :: written_vectors_in_space_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_vectors_in_space', written_vectors_in_space, &
                      written_vectors_in_space_d, written_vectors_in_space_b, x, 2)
  end do
  call check_done()
end program written_vectors_in_space_test
