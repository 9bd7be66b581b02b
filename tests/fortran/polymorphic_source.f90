! A polymorphic allocatable from a source, with a procedure that each type defines.
! ad-option: -ad-adjoint=polymorphic_source(y)/(x)
! ad-option: -ad-tangent=polymorphic_source(y)/(x)
! ad-option: -ad-argnames=polymorphic_source_:n,m,x,y
module shp
  type, abstract :: shape
  contains
    procedure(area_i), deferred :: area
  end type
  abstract interface
    real(8) function area_i(self)
      import shape
      class(shape), intent(in) :: self
    end function
  end interface
  type, extends(shape) :: circ
    real(8) :: r
  contains
    procedure :: area => ca
  end type
  type, extends(shape) :: rect
    real(8) :: a,b
  contains
    procedure :: area => ra
  end type
contains
  real(8) function ca(self)
    class(circ), intent(in) :: self
    ca = 3.14d0*self%r**2
  end function
  real(8) function ra(self)
    class(rect), intent(in) :: self
    ra = self%a*self%b
  end function
  real(8) function tot(s)
    class(shape), intent(in) :: s
    tot = s%area()**2
  end function
end module
subroutine polymorphic_source(n,m,x,y)
  use shp
  integer, intent(in) :: n,m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  class(shape), allocatable :: c
  type(rect) :: r
  allocate(c, source=circ(x(1))); r%a = x(2); r%b = x(3)
  y(1) = tot(c)+tot(r)
  y(2) = tot(r)*x(4)
end subroutine

program polymorphic_source_test
  use check
  implicit none
  procedure(kernel) :: polymorphic_source
  procedure(kernel_tangent) :: polymorphic_source_d
  procedure(kernel_adjoint) :: polymorphic_source_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('polymorphic_source', polymorphic_source, polymorphic_source_d, polymorphic_source_b, x, 2)
  end do
  call check_done()
end program polymorphic_source_test
