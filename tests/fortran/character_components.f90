! Deferred-length character components beside reals, assigned one by one and as a whole.
! ad-option: -ad-adjoint=character_components(y)/(x)
! ad-option: -ad-tangent=character_components(y)/(x)
! ad-option: -ad-argnames=character_components_:n,m,x,y
module mcc
  implicit none
  type :: named
    real(8) :: v = 0d0
    character(:), allocatable :: name
    real(8) :: w = 1d0
  end type
end module
subroutine character_components(n, m, x, y)
  use mcc
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(named) :: t, s
  type(named), allocatable :: all(:)
  integer :: i
  t%name = 'pressure'
  t%v = x(1)*x(2)
  t%w = x(3)
  s = t
  allocate(all(3))
  do i = 1, 3
    all(i)%name = 'abc'
    all(i)%v = x(i)*s%w
    all(i) = s
    all(i)%v = all(i)%v*x(i)
  end do
  y(1) = s%v*s%w*len(s%name)
  y(2) = sum(all%v)
end subroutine

program character_components_test
  use check
  implicit none
  procedure(kernel) :: character_components
  procedure(kernel_tangent) :: character_components_d
  procedure(kernel_adjoint) :: character_components_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('character_components', character_components, character_components_d, character_components_b, x, 2)
  end do
  call check_done()
end program character_components_test
