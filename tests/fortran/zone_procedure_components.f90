! Components that are procedures, with the object passed or not.
! ad-option: -ad-adjoint=zone_procedure_components(y)/(x)
! ad-option: -ad-tangent=zone_procedure_components(y)/(x)
! ad-option: -ad-argnames=zone_procedure_components_:n,m,x,y
module zone_procedure_parts
  implicit none
  type :: model
    real(8) :: rate
    procedure(law_of), pointer, pass :: law => null()
    procedure(shape_of), pointer, nopass :: shape => null()
  end type model
  abstract interface
    real(8) function law_of(this, t)
      import :: model
      class(model), intent(in) :: this
      real(8), intent(in) :: t
    end function law_of
    real(8) function shape_of(t)
      real(8), intent(in) :: t
    end function shape_of
  end interface
contains
  real(8) function linear(this, t)
    class(model), intent(in) :: this
    real(8), intent(in) :: t
    linear = this%rate * t
  end function linear
  real(8) function decaying(this, t)
    class(model), intent(in) :: this
    real(8), intent(in) :: t
    decaying = exp(-this%rate * t)
  end function decaying
  real(8) function square(t)
    real(8), intent(in) :: t
    square = t * t
  end function square
  real(8) function root(t)
    real(8), intent(in) :: t
    root = sqrt(t)
  end function root
end module zone_procedure_parts

subroutine zone_procedure_components(n, m, x, y)
  use zone_procedure_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(model) :: all(3)
  integer :: i
  all(1)%rate = x(1); all(1)%law => linear; all(1)%shape => square
  all(2)%rate = x(2); all(2)%law => decaying; all(2)%shape => root
  all(3)%rate = x(3); all(3)%law => linear; all(3)%shape => root
  y = 0
  do i = 1, 3
    y(1) = y(1) + all(i)%law(x(i + 3))
    y(2) = y(2) + all(i)%shape(y(1)) * x(8)
  end do
end subroutine zone_procedure_components

program zone_procedure_components_test
  use check
  implicit none
  procedure(kernel) :: zone_procedure_components
  procedure(kernel_tangent) :: zone_procedure_components_d
  procedure(kernel_adjoint) :: zone_procedure_components_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_procedure_components', zone_procedure_components, zone_procedure_components_d, zone_procedure_components_b, x, 2)
  end do
  call check_done()
end program zone_procedure_components_test
