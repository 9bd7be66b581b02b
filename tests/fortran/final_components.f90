! Final procedures of components, elemental ones and those of arrays and of parents.
! ad-option: -ad-adjoint=final_components(y)/(x)
! ad-option: -ad-tangent=final_components(y)/(x)
! ad-option: -ad-argnames=final_components_:n,m,x,y
module mfina
  implicit none
  real(8) :: total
  type :: part
    real(8) :: v = 1d0
  contains
    final :: drop_part, drop_parts
  end type
  type, extends(part) :: bigger
    real(8) :: w = 2d0
  contains
    final :: drop_bigger
  end type
  type :: whole
    type(part) :: one
    type(bigger) :: two(2)
    type(part), allocatable :: more(:)
  end type
contains
  subroutine drop_part(p)
    type(part), intent(inout) :: p
    total = total + p%v**2
  end subroutine
  subroutine drop_parts(p)
    type(part), intent(inout) :: p(:)
    total = total + sum(p%v**3)
  end subroutine
  elemental impure subroutine drop_bigger(p)
    type(bigger), intent(inout) :: p
    total = total*1.1d0 + p%v*p%w
  end subroutine
  subroutine work(x)
    real(8), intent(in) :: x(:)
    type(whole) :: h
    h%one%v = x(1)*x(2)
    h%two(1)%v = x(2)
    h%two(2)%w = x(3)*x(1)
    allocate(h%more(3))
    h%more(2)%v = x(4)
  end subroutine
end module
subroutine final_components(n, m, x, y)
  use mfina
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  total = 0
  call work(x)
  y(1) = total
  y(2) = total*x(3)
end subroutine

program final_components_test
  use check
  implicit none
  procedure(kernel) :: final_components
  procedure(kernel_tangent) :: final_components_d
  procedure(kernel_adjoint) :: final_components_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('final_components', final_components, final_components_d, final_components_b, x, 2)
  end do
  call check_done()
end program final_components_test
