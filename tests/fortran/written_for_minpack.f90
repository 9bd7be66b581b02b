! Levenberg-Marquardt with a user function, as MINPACK's lmder: workspace, callback, QR.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=written_for_minpack(y)/(x)
! ad-option: -ad-tangent=written_for_minpack(y)/(x)
! ad-option: -ad-argnames=written_for_minpack_:n,m,x,y
module least_squares
  implicit none
  integer, parameter :: dp = kind(1d0)
  abstract interface
    subroutine residuals(m, n, p, f, jac, flag)
      import :: dp
      integer, intent(in) :: m, n
      integer, intent(inout) :: flag
      real(dp), intent(in) :: p(n)
      real(dp), intent(inout) :: f(m), jac(m, n)
    end subroutine
  end interface
contains
  subroutine solve(fcn, m, n, p, f, jac, tolerance, info, work, lwork)
    procedure(residuals) :: fcn
    integer, intent(in) :: m, n, lwork
    integer, intent(out) :: info
    real(dp), intent(in) :: tolerance
    real(dp), intent(inout) :: p(n), f(m), jac(m, n), work(lwork)
    real(dp) :: lambda, before, after, step
    integer :: flag, turn
    info = 0
    lambda = 1d-2
    flag = 1
    call fcn(m, n, p, f, jac, flag)
    before = dot_product(f, f)
    do turn = 1, 7
      flag = 2
      call fcn(m, n, p, f, jac, flag)
      call normal_step(m, n, jac, f, lambda, work(1:n), work(n + 1:n + n*n))
      work(n + n*n + 1:n + n*n + n) = p + work(1:n)
      flag = 1
      call fcn(m, n, work(n + n*n + 1), f, jac, flag)
      after = dot_product(f, f)
      step = maxval(abs(work(1:n)))
      if (after < before*(1 + 1d-8)) then
        p = work(n + n*n + 1:n + n*n + n)
        before = after
        lambda = lambda*0.2d0
      else
        lambda = lambda*5
        call fcn(m, n, p, f, jac, flag)
      end if
      if (step < tolerance) then
        info = 1
        return
      end if
    end do
  end subroutine

  ! (J'J + lambda I) step = -J'f by Cholesky.
  subroutine normal_step(m, n, jac, f, lambda, step, a)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: jac(m, n), f(m), lambda
    real(dp), intent(inout) :: step(n), a(n, n)
    integer :: i, j
    a = matmul(transpose(jac), jac)
    do i = 1, n
      a(i, i) = a(i, i) + lambda
    end do
    step = -matmul(transpose(jac), f)
    do j = 1, n
      a(j, j) = sqrt(a(j, j) - sum(a(j, 1:j - 1)**2))
      do i = j + 1, n
        a(i, j) = (a(i, j) - dot_product(a(i, 1:j - 1), a(j, 1:j - 1)))/a(j, j)
      end do
    end do
    do i = 1, n
      step(i) = (step(i) - dot_product(a(i, 1:i - 1), step(1:i - 1)))/a(i, i)
    end do
    do i = n, 1, -1
      step(i) = (step(i) - dot_product(a(i + 1:n, i), step(i + 1:n)))/a(i, i)
    end do
  end subroutine
end module

subroutine written_for_minpack(n, m, x, y)
  use least_squares
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: p(2), f(6), jac(6, 2), work(20)
  integer :: info
  p = [1d0, 0.5d0]
  call solve(decay, 6, 2, p, f, jac, 1d-15, info, work, 20)
  y = p
contains
  ! The data are of the host.
  subroutine decay(m, n, p, f, jac, flag)
    integer, intent(in) :: m, n
    integer, intent(inout) :: flag
    real(8), intent(in) :: p(n)
    real(8), intent(inout) :: f(m), jac(m, n)
    real(8) :: t
    integer :: i
    do i = 1, m
      t = 0.3d0*i
      select case (flag)
      case (1)
        f(i) = p(1)*exp(-p(2)*t) - x(i)
      case (2)
        jac(i, 1) = exp(-p(2)*t)
        jac(i, 2) = -t*p(1)*exp(-p(2)*t)
      end select
    end do
  end subroutine
end subroutine

program written_for_minpack_test
  use check
  implicit none
  procedure(kernel) :: written_for_minpack
  procedure(kernel_tangent) :: written_for_minpack_d
  procedure(kernel_adjoint) :: written_for_minpack_b
  real(dp) :: x(6)
  call check_fill(x, 0.9_dp, 1.1_dp)
  x = x*[1.5_dp, 1.2_dp, 0.9_dp, 0.7_dp, 0.55_dp, 0.45_dp]
  call check_kernel('written_for_minpack', written_for_minpack, written_for_minpack_d, written_for_minpack_b, x, 2)
  call check_done()
end program written_for_minpack_test
