! Interpolation in a table with components that are allocated on assignment, a search and an operator.
! ad-option: -ad-adjoint=written_hermite_tables(y)/(x)
! ad-option: -ad-tangent=written_hermite_tables(y)/(x)
! ad-option: -ad-argnames=written_hermite_tables_:n,m,x,y
module tables
  implicit none
  integer, parameter :: wp = kind(1d0)
  type :: table
    real(wp), allocatable :: x(:), f(:), slope(:)
  contains
    procedure :: build
    procedure :: eval
    generic :: operator(.at.) => eval
  end type
contains
  subroutine build(this, x, f)
    class(table), intent(inout) :: this
    real(wp), intent(in) :: x(:), f(:)
    integer :: n, i
    real(wp) :: d(size(x)-1)
    n = size(x)
    this%x = x; this%f = f
    if (allocated(this%slope)) deallocate(this%slope)
    allocate(this%slope(n))
    d = (f(2:n) - f(1:n-1)) / (x(2:n) - x(1:n-1))
    this%slope(1) = d(1); this%slope(n) = d(n-1)
    do i = 2, n-1
      if (d(i)*d(i-1) <= 0) then
        this%slope(i) = 0
      else
        this%slope(i) = 2*d(i)*d(i-1)/(d(i)+d(i-1))
      end if
    end do
  end subroutine
  function eval(this, at) result(v)
    class(table), intent(in) :: this
    real(wp), intent(in) :: at
    real(wp) :: v, t, h
    integer :: lo, hi, mid
    lo = 1; hi = size(this%x)
    do while (hi - lo > 1)
      mid = (lo + hi)/2
      if (this%x(mid) > at) then
        hi = mid
      else
        lo = mid
      end if
    end do
    h = this%x(hi) - this%x(lo)
    t = (at - this%x(lo))/h
    v = (1+2*t)*(1-t)**2*this%f(lo) + t*(1-t)**2*h*this%slope(lo) &
      + t**2*(3-2*t)*this%f(hi) + t**2*(t-1)*h*this%slope(hi)
  end function
end module
subroutine written_hermite_tables(n,m,x,y)
  use tables
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(table) :: t
  integer :: i
  call t%build([(0.3d0*i, i=0,n-1)], x*[(1d0+i*i*0.1d0, i=1,n)])
  y(1) = 0
  do i = 1, n
    y(1) = y(1) + (t .at. (0.9d0*x(i)))**2
  end do
  y(2) = t%eval(1.1d0) * t%eval(x(3))
end subroutine

program written_hermite_tables_test
  use check
  implicit none
  procedure(kernel) :: written_hermite_tables
  procedure(kernel_tangent) :: written_hermite_tables_d
  procedure(kernel_adjoint) :: written_hermite_tables_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_hermite_tables', written_hermite_tables, written_hermite_tables_d, written_hermite_tables_b, x, 2)
  end do
  call check_done()
end program written_hermite_tables_test
