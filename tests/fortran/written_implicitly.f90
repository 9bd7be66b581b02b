! Crank-Nicolson for heat with conductivity that depends on temperature: Thomas algorithm, Picard iterations until they converge.
! ad-option: -ad-adjoint=written_implicitly(y)/(x)
! ad-option: -ad-tangent=written_implicitly(y)/(x)
! ad-option: -ad-argnames=written_implicitly_:n,m,x,y
module tridiagonal
  implicit none
contains
  pure subroutine thomas(lower, middle, upper, right, solution)
    real(8), intent(in) :: lower(:), middle(:), upper(:), right(:)
    real(8), intent(out) :: solution(:)
    real(8) :: c(size(middle)), d(size(middle)), w
    integer :: i, n
    n = size(middle)
    c(1) = upper(1)/middle(1)
    d(1) = right(1)/middle(1)
    do i = 2, n
      w = middle(i) - lower(i)*c(i - 1)
      c(i) = upper(i)/w
      d(i) = (right(i) - lower(i)*d(i - 1))/w
    end do
    solution(n) = d(n)
    do i = n - 1, 1, -1
      solution(i) = d(i) - c(i)*solution(i + 1)
    end do
  end subroutine
  elemental real(8) function conductivity(u)
    real(8), intent(in) :: u
    conductivity = 0.5d0 + 0.2d0*u**2/(1 + u)
  end function
end module

subroutine written_implicitly(n, m, x, y)
  use tridiagonal
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: u(0:n + 1), next(0:n + 1), k(0:n), change
  real(8), dimension(n) :: a, b, c, r, previous
  integer :: t, turn
  u(1:n) = x
  u(0) = 1
  u(n + 1) = x(1)
  do t = 1, 3
    next = u
    turn = 0
    do
      turn = turn + 1
      k = conductivity(0.5d0*(next(0:n) + next(1:n + 1)))
      a = -0.2d0*k(0:n - 1)
      c = -0.2d0*k(1:n)
      b = 1 - a - c
      r = u(1:n) - a*(u(0:n - 1) - u(1:n)) + c*(u(1:n) - u(2:n + 1))
      r(1) = r(1) - a(1)*u(0)
      r(n) = r(n) - c(n)*u(n + 1)
      previous = next(1:n)
      call thomas(a, b, c, r, next(1:n))
      change = maxval(abs(next(1:n) - previous))
      if (change < 1d-13 .or. turn == 40) exit
    end do
    u = next
  end do
  y(1) = sum(u*u)
  y(2) = u(n/2)
end subroutine

program written_implicitly_test
  use check
  implicit none
  procedure(kernel) :: written_implicitly
  procedure(kernel_tangent) :: written_implicitly_d
  procedure(kernel_adjoint) :: written_implicitly_b
  real(dp) :: x(6)
  call check_fill(x, 0.4_dp, 1.3_dp)
  call check_kernel('written_implicitly', written_implicitly, written_implicitly_d, written_implicitly_b, x, 2)
  call check_done()
end program written_implicitly_test
