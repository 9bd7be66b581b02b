! Derived types with kind parameters.
! ad-option: -ad-adjoint=kind_parameters(y)/(x)
! ad-option: -ad-tangent=kind_parameters(y)/(x)
! ad-option: -ad-argnames=kind_parameters_:n,m,x,y
module mpdt
  implicit none
  type :: vec(k)
    integer, kind :: k
    real(k) :: c(3)
  end type
end module
subroutine kind_parameters(n, m, x, y)
  use mpdt
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(vec(8)) :: v
  type(vec(8)), allocatable :: w(:)
  v%c = x(1:3)
  allocate(w(2))
  w(1) = v
  w(2)%c = v%c*x(4)
  y(1) = dot_product(w(1)%c, w(2)%c)
  y(2) = product(v%c)
end subroutine

program kind_parameters_test
  use check
  implicit none
  procedure(kernel) :: kind_parameters
  procedure(kernel_tangent) :: kind_parameters_d
  procedure(kernel_adjoint) :: kind_parameters_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('kind_parameters', kind_parameters, kind_parameters_d, kind_parameters_b, x, 2)
  end do
  call check_done()
end program kind_parameters_test
