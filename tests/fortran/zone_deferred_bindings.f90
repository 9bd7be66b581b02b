! An abstract type with deferred procedures, and a list of objects of its extensions.
! ad-option: -ad-adjoint=zone_deferred_bindings(y)/(x)
! ad-option: -ad-tangent=zone_deferred_bindings(y)/(x)
! ad-option: -ad-argnames=zone_deferred_bindings_:n,m,x,y
module zone_deferred_parts
  implicit none
  type, abstract :: shape
  contains
    procedure(area_of), deferred :: area
    procedure(grown), deferred :: grow
    procedure :: twice
  end type shape
  abstract interface
    real(8) function area_of(this)
      import :: shape
      class(shape), intent(in) :: this
    end function area_of
    subroutine grown(this, by)
      import :: shape
      class(shape), intent(inout) :: this
      real(8), intent(in) :: by
    end subroutine grown
  end interface
  type, extends(shape) :: circle
    real(8) :: r
  contains
    procedure :: area => circle_area
    procedure :: grow => circle_grow
  end type circle
  type, extends(shape) :: box
    real(8) :: a, b
  contains
    procedure :: area => box_area
    procedure :: grow => box_grow
  end type box
  type :: holder
    class(shape), allocatable :: it
  end type holder
contains
  real(8) function twice(this)
    class(shape), intent(in) :: this
    twice = 2 * this%area() * this%area()
  end function twice
  real(8) function circle_area(this)
    class(circle), intent(in) :: this
    circle_area = 3.14d0 * this%r**2
  end function circle_area
  subroutine circle_grow(this, by)
    class(circle), intent(inout) :: this
    real(8), intent(in) :: by
    this%r = this%r * by
  end subroutine circle_grow
  real(8) function box_area(this)
    class(box), intent(in) :: this
    box_area = this%a * this%b
  end function box_area
  subroutine box_grow(this, by)
    class(box), intent(inout) :: this
    real(8), intent(in) :: by
    this%a = this%a + by
    this%b = this%b * by
  end subroutine box_grow
end module zone_deferred_parts

subroutine zone_deferred_bindings(n, m, x, y)
  use zone_deferred_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(holder) :: all(4)
  integer :: i
  allocate(all(1)%it, source=circle(x(1)))
  allocate(all(2)%it, source=box(x(2), x(3)))
  allocate(all(3)%it, source=circle(x(4) * x(5)))
  allocate(all(4)%it, source=box(x(6), x(7)))
  y = 0
  do i = 1, 4
    y(1) = y(1) + all(i)%it%area()
    call all(i)%it%grow(x(8))
    y(2) = y(2) + all(i)%it%twice()
  end do
end subroutine zone_deferred_bindings

program zone_deferred_bindings_test
  use check
  implicit none
  procedure(kernel) :: zone_deferred_bindings
  procedure(kernel_tangent) :: zone_deferred_bindings_d
  procedure(kernel_adjoint) :: zone_deferred_bindings_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_deferred_bindings', zone_deferred_bindings, zone_deferred_bindings_d, zone_deferred_bindings_b, x, 2)
  end do
  call check_done()
end program zone_deferred_bindings_test
