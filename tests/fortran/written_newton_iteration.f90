! Newton iterations with a procedure argument that is internal, and elimination with pivots.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=written_newton_iteration(y)/(x)
! ad-option: -ad-tangent=written_newton_iteration(y)/(x)
! ad-option: -ad-argnames=written_newton_iteration_:n,m,x,y
module solve
  implicit none
  abstract interface
    subroutine residual(u, r)
      real(8), intent(in) :: u(:)
      real(8), intent(out) :: r(:)
    end subroutine
  end interface
contains
  subroutine newton(f, u, tol, iters)
    procedure(residual) :: f
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: tol
    integer, intent(out) :: iters
    real(8) :: r(size(u)), j(size(u),size(u)), rp(size(u)), up(size(u)), h
    integer :: k
    h = 1d-4
    do iters = 1, 12
      call f(u, r)
      if (maxval(abs(r)) < tol .and. iters > 6) exit
      do k = 1, size(u)
        up = u; up(k) = up(k) + h
        call f(up, rp)
        j(:,k) = (rp - r)/h
      end do
      call gauss(j, r)
      u = u - r
    end do
  end subroutine
  subroutine gauss(a, b)
    real(8), intent(inout) :: a(:,:), b(:)
    integer :: i, k, p, n
    real(8) :: t(size(b)), s
    n = size(b)
    do k = 1, n
      p = k - 1 + maxloc(abs(a(k:n,k)), 1)
      if (p /= k) then
        t = a(k,:); a(k,:) = a(p,:); a(p,:) = t
        s = b(k); b(k) = b(p); b(p) = s
      end if
      do i = k+1, n
        s = a(i,k)/a(k,k)
        a(i,k:) = a(i,k:) - s*a(k,k:)
        b(i) = b(i) - s*b(k)
      end do
    end do
    do k = n, 1, -1
      b(k) = (b(k) - dot_product(a(k,k+1:), b(k+1:)))/a(k,k)
    end do
  end subroutine
end module
subroutine written_newton_iteration(n,m,x,y)
  use solve
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: u(3)
  integer :: it
  u = 1
  call newton(mine, u, 1d-12, it)
  y(1) = sum(u**2); y(2) = u(1)*u(2)
contains
  subroutine mine(u, r)
    real(8), intent(in) :: u(:)
    real(8), intent(out) :: r(:)
    r(1) = u(1)**3 + x(1)*u(2) - 3*x(2)
    r(2) = 2*u(2) + 0.3d0*u(3)**2 - x(3)*x(4)
    r(3) = 3*u(3) - sin(u(1))*x(5)
  end subroutine
end subroutine

program written_newton_iteration_test
  use check
  implicit none
  procedure(kernel) :: written_newton_iteration
  procedure(kernel_tangent) :: written_newton_iteration_d
  procedure(kernel_adjoint) :: written_newton_iteration_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_newton_iteration', written_newton_iteration, &
                      written_newton_iteration_d, written_newton_iteration_b, x, 2)
  end do
  call check_done()
end program written_newton_iteration_test
