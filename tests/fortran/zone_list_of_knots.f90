! A list by allocatable components of its own type, sorted as it grows by internal procedures that call themselves.
! ad-option: -ad-adjoint=zone_list_of_knots(y)/(x)
! ad-option: -ad-tangent=zone_list_of_knots(y)/(x)
! ad-option: -ad-argnames=zone_list_of_knots_:n,m,x,y
module zone_knots_parts
  implicit none
  type :: knot
    real(8) :: t, v
    type(knot), allocatable :: next
  end type
  type :: curve
    type(knot), allocatable :: first
    integer :: n = 0
  contains
    procedure :: insert
    procedure :: eval
    procedure :: area
  end type
contains
  subroutine insert(this, t, v)
    class(curve), intent(inout) :: this
    real(8), intent(in) :: t, v
    call put(this%first)
    this%n = this%n + 1
  contains
    recursive subroutine put(k)
      type(knot), allocatable, intent(inout) :: k
      type(knot), allocatable :: fresh
      if (allocated(k)) then
        if (k%t < t) then
          call put(k%next)
          return
        end if
      end if
      allocate (fresh)
      fresh%t = t
      fresh%v = v
      call move_alloc(k, fresh%next)
      call move_alloc(fresh, k)
    end subroutine
  end subroutine
  real(8) function eval(this, t) result(v)
    class(curve), intent(in), target :: this
    real(8), intent(in) :: t
    type(knot), pointer :: p
    p => this%first
    v = p%v
    do while (allocated(p%next))
      if (t <= p%next%t) then
        v = p%v + (t - p%t)/(p%next%t - p%t)*(p%next%v - p%v)
        return
      end if
      p => p%next
    end do
    v = p%v
  end function
  real(8) function area(this) result(s)
    class(curve), intent(in) :: this
    s = rest(this%first)
  contains
    recursive real(8) function rest(k) result(r)
      type(knot), intent(in) :: k
      r = 0
      if (allocated(k%next)) r = 0.5d0*(k%next%t - k%t)*(k%next%v + k%v) + rest(k%next)
    end function
  end function
end module

subroutine zone_list_of_knots(n, m, x, y)
  use zone_knots_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(curve) :: c
  integer :: i
  do i = 1, n
    call c%insert(mod(3*i, n) + 0.1d0*x(i), x(i)**2)
  end do
  y(1) = c%area()
  y(2) = c%eval(2.5d0*x(1))
  y(3) = c%first%next%v*c%n
end subroutine

program zone_list_of_knots_test
  use check
  implicit none
  procedure(kernel) :: zone_list_of_knots
  procedure(kernel_tangent) :: zone_list_of_knots_d
  procedure(kernel_adjoint) :: zone_list_of_knots_b
  real(dp) :: x(7)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_list_of_knots', zone_list_of_knots, zone_list_of_knots_d, zone_list_of_knots_b, x, 3)
  end do
  call check_done()
end program zone_list_of_knots_test
