! A class variable whose type a procedure changes.
! ad-option: -ad-adjoint=zone_types_set_by_others(y)/(x)
! ad-option: -ad-tangent=zone_types_set_by_others(y)/(x)
! ad-option: -ad-argnames=zone_types_set_by_others_:n,m,x,y
module zone_types_set_by_others_parts
  implicit none
  type :: base
    real(8) :: w = 2
  end type base
  type, extends(base) :: ext
    real(8) :: u(4) = 1
    real(8), allocatable :: v(:)
  end type ext
contains
  subroutine set(c, k, x)
    class(base), allocatable, intent(inout) :: c
    integer, intent(in) :: k
    real(8), intent(in) :: x(:)
    if (allocated(c)) deallocate (c)
    if (k == 1) then
      allocate (c, source=ext(x(1), x(2) * [1d0, 2d0, 3d0, 4d0], [x(3), x(4)]))
    else
      allocate (c, source=base(x(3)))
    end if
  end subroutine set
  real(8) function total(c) result(r)
    class(base), intent(in) :: c
    r = c%w**2
    select type (c)
    type is (ext)
      r = r + sum(c%u) * sum(c%v)
    end select
  end function total
end module zone_types_set_by_others_parts

subroutine zone_types_set_by_others(n, m, x, y)
  use zone_types_set_by_others_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  class(base), allocatable :: c, d, e
  allocate (c)
  d = c
  call set(c, 1, x)
  d = c
  e = d
  y(1) = total(c) + total(d) * total(e)
  call set(d, 2, x)
  c = d
  y(2) = total(c) * x(2)
  call move_alloc(e, c)
  d = c
  y(3) = total(d) + total(c)
end subroutine zone_types_set_by_others

program zone_types_set_by_others_test
  use check
  implicit none
  procedure(kernel) :: zone_types_set_by_others
  procedure(kernel_tangent) :: zone_types_set_by_others_d
  procedure(kernel_adjoint) :: zone_types_set_by_others_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_types_set_by_others', zone_types_set_by_others, zone_types_set_by_others_d, zone_types_set_by_others_b, x, 3)
  end do
  call check_done()
end program zone_types_set_by_others_test
