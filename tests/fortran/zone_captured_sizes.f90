! Internal procedures as integrands, which read sizes and arrays of their host and change its variables.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=zone_captured_sizes(y)/(x)
! ad-option: -ad-tangent=zone_captured_sizes(y)/(x)
! ad-option: -ad-argnames=zone_captured_sizes_:n,m,x,y
module zone_captured_parts
  implicit none
  abstract interface
    function f1(t) result(r)
      real(8), intent(in) :: t
      real(8) :: r
    end function
  end interface
contains
  function simpson(f, a, b, k) result(s)
    procedure(f1) :: f
    real(8), intent(in) :: a, b
    integer, intent(in) :: k
    real(8) :: s, h
    integer :: i
    h = (b - a)/(2*k)
    s = f(a) + f(b)
    do i = 1, 2*k - 1
      s = s + merge(4, 2, mod(i, 2) == 1)*f(a + i*h)
    end do
    s = s*h/3
  end function
end module

subroutine zone_captured_sizes(n, m, x, y)
  use zone_captured_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: w(n), peak
  integer :: calls
  calls = 0
  w = x**2
  peak = 0
  y(1) = simpson(weighted, 0d0, x(1), 4)
  y(2) = simpson(outer, x(2), 2d0, 3)*peak
  call bump(w, 3)
  y(3) = sum(w)*calls
contains
  function weighted(t) result(r)
    real(8), intent(in) :: t
    real(8) :: r
    integer :: i
    calls = calls + 1
    r = 0
    do i = 1, n
      r = r + w(i)*cos(i*t)
    end do
    if (r > peak) peak = r
  end function
  function outer(t) result(r)
    real(8), intent(in) :: t
    real(8) :: r
    r = t*sum(x(1:2)) + helper(t)
  end function
  function helper(t) result(r)
    real(8), intent(in) :: t
    real(8) :: r
    r = w(2)*exp(-t)
  end function
  subroutine bump(v, k)
    real(8), intent(inout) :: v(:)
    integer, intent(in) :: k
    v(k:) = v(k:) + x(k:)*peak
    calls = 2
  end subroutine
end subroutine

program zone_captured_sizes_test
  use check
  implicit none
  procedure(kernel) :: zone_captured_sizes
  procedure(kernel_tangent) :: zone_captured_sizes_d
  procedure(kernel_adjoint) :: zone_captured_sizes_b
  real(dp) :: x(5)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_captured_sizes', zone_captured_sizes, zone_captured_sizes_d, zone_captured_sizes_b, x, 3)
  end do
  call check_done()
end program zone_captured_sizes_test
