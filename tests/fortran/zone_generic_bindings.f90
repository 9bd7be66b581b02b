! Generic type-bound names, overridden, and procedures that are given no object.
! ad-option: -ad-adjoint=zone_generic_bindings(y)/(x)
! ad-option: -ad-tangent=zone_generic_bindings(y)/(x)
! ad-option: -ad-argnames=zone_generic_bindings_:n,m,x,y
module zone_binding_parts
  implicit none
  type :: scaler
    real(8) :: factor = 1
  contains
    procedure, private :: of_real, of_reals
    procedure, private, non_overridable :: of_integer
    generic :: apply => of_real, of_integer, of_reals
    procedure, nopass :: plain
  end type scaler
  type, extends(scaler) :: offset_scaler
    real(8) :: offset = 0
  contains
    procedure, private :: of_real => of_real_with_offset
  end type offset_scaler
contains
  real(8) function of_real(this, v)
    class(scaler), intent(in) :: this
    real(8), intent(in) :: v
    of_real = this%factor * v
  end function of_real
  real(8) function of_real_with_offset(this, v)
    class(offset_scaler), intent(in) :: this
    real(8), intent(in) :: v
    of_real_with_offset = this%factor * v**2 + this%offset
  end function of_real_with_offset
  real(8) function of_integer(this, v)
    class(scaler), intent(in) :: this
    integer, intent(in) :: v
    of_integer = this%of_real(1d0 * v)
  end function of_integer
  function of_reals(this, v) result(r)
    class(scaler), intent(in) :: this
    real(8), intent(in) :: v(:)
    real(8) :: r(size(v))
    integer :: i
    do i = 1, size(v)
      r(i) = this%of_real(v(i))
    end do
  end function of_reals
  real(8) function plain(v)
    real(8), intent(in) :: v
    plain = exp(-v)
  end function plain
end module zone_binding_parts

subroutine zone_generic_bindings(n, m, x, y)
  use zone_binding_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(offset_scaler) :: s
  class(scaler), allocatable :: c
  s%factor = x(1); s%offset = x(2)
  y(1) = s%apply(x(3)) + s%apply(3)
  y(2) = sum(s%apply(x(4:6)))
  allocate(c, source=s)
  y(3) = c%apply(x(7)) * c%plain(x(8))
end subroutine zone_generic_bindings

program zone_generic_bindings_test
  use check
  implicit none
  procedure(kernel) :: zone_generic_bindings
  procedure(kernel_tangent) :: zone_generic_bindings_d
  procedure(kernel_adjoint) :: zone_generic_bindings_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_generic_bindings', zone_generic_bindings, zone_generic_bindings_d, zone_generic_bindings_b, x, 3)
  end do
  call check_done()
end program zone_generic_bindings_test
