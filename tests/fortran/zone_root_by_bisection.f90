! Roots of a procedure argument: bracketing, EXIT and CYCLE, then Newton steps; procedures in an array of pointers.
! ad-option: -ad-adjoint=zone_root_by_bisection(y)/(x)
! ad-option: -ad-tangent=zone_root_by_bisection(y)/(x)
! ad-option: -ad-argnames=zone_root_by_bisection_:n,m,x,y
module zone_root_parts
  implicit none
  abstract interface
    real(8) function law(t, a)
      real(8), intent(in) :: t, a
    end function law
  end interface
  type :: holder
    procedure(law), pointer, nopass :: f => null()
  end type holder
contains
  real(8) function cubic(t, a)
    real(8), intent(in) :: t, a
    cubic = t**3 + t - a
  end function cubic
  real(8) function kepler(t, a)
    real(8), intent(in) :: t, a
    kepler = t - 0.3d0 * sin(t) - a
  end function kepler
  real(8) function root(f, a) result(t)
    procedure(law) :: f
    real(8), intent(in) :: a
    real(8) :: low, high, slope
    integer :: k
    low = 0
    high = 3
    do k = 1, 60
      t = 0.5d0 * (low + high)
      if (f(t, a) > 0) then
        high = t
        cycle
      end if
      low = t
      if (high - low < 1d-3) exit
    end do
    do k = 1, 6
      slope = (f(t + 1d-4, a) - f(t - 1d-4, a)) / 2d-4
      t = t - f(t, a) / slope
    end do
  end function root
end module zone_root_parts

subroutine zone_root_by_bisection(n, m, x, y)
  use zone_root_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(holder) :: laws(2)
  integer :: i
  laws(1)%f => cubic
  laws(2)%f => kepler
  y = 0
  do i = 1, n
    y(1 + mod(i, 2)) = y(1 + mod(i, 2)) + root(laws(1 + mod(i, 2))%f, x(i)) * x(1)
  end do
end subroutine zone_root_by_bisection

program zone_root_by_bisection_test
  use check
  implicit none
  procedure(kernel) :: zone_root_by_bisection
  procedure(kernel_tangent) :: zone_root_by_bisection_d
  procedure(kernel_adjoint) :: zone_root_by_bisection_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_root_by_bisection', zone_root_by_bisection, zone_root_by_bisection_d, zone_root_by_bisection_b, x, 2)
  end do
  call check_done()
end program zone_root_by_bisection_test
