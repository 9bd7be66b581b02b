! A stiff reaction by implicit Euler: Newton iterations with a Jacobian and LU factors with pivots, internal procedures that share arrays.
! ad-option: -ad-adjoint=zone_implicit_chemistry(y)/(x)
! ad-option: -ad-tangent=zone_implicit_chemistry(y)/(x)
! ad-option: -ad-argnames=zone_implicit_chemistry_:n,m,x,y
subroutine zone_implicit_chemistry(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer, parameter :: d = 3
  real(8) :: c(d), before(d), residual(d), jacobian(d, d)
  integer :: pivots(d), step, iteration
  c = [1d0, 0.1d0 * x(1), 0.2d0]
  do step = 1, 3
    before = c
    do iteration = 1, 5
      call rates(c, residual, jacobian)
      residual = c - before - 0.2d0 * residual
      jacobian = -0.2d0 * jacobian
      jacobian(1, 1) = jacobian(1, 1) + 1
      jacobian(2, 2) = jacobian(2, 2) + 1
      jacobian(3, 3) = jacobian(3, 3) + 1
      call factorise
      call solve(residual)
      c = c - residual
    end do
  end do
  y = c
contains
  subroutine rates(c, f, df)
    real(8), intent(in) :: c(:)
    real(8), intent(out) :: f(:), df(:, :)
    df = 0
    f(1) = -x(2) * c(1) + 10 * x(3) * c(2) * c(3)
    df(1, :) = [-x(2), 10 * x(3) * c(3), 10 * x(3) * c(2)]
    f(3) = 30 * x(4) * c(2)**2
    df(3, 2) = 60 * x(4) * c(2)
    f(2) = -f(1) - f(3)
    df(2, :) = -df(1, :) - df(3, :)
  end subroutine rates
  subroutine factorise
    integer :: j, k
    real(8) :: row(d)
    do k = 1, d
      pivots(k) = k - 1 + maxloc(abs(jacobian(k:, k)), dim=1)
      row = jacobian(k, :)
      jacobian(k, :) = jacobian(pivots(k), :)
      jacobian(pivots(k), :) = row
      do j = k + 1, d
        jacobian(j, k) = jacobian(j, k) / jacobian(k, k)
        jacobian(j, k + 1:) = jacobian(j, k + 1:) - jacobian(j, k) * jacobian(k, k + 1:)
      end do
    end do
  end subroutine factorise
  subroutine solve(b)
    real(8), intent(inout) :: b(d)
    integer :: k
    real(8) :: value
    do k = 1, d
      value = b(k)
      b(k) = b(pivots(k))
      b(pivots(k)) = value
    end do
    do k = 2, d
      b(k) = b(k) - dot_product(jacobian(k, :k - 1), b(:k - 1))
    end do
    do k = d, 1, -1
      b(k) = (b(k) - dot_product(jacobian(k, k + 1:), b(k + 1:))) / jacobian(k, k)
    end do
  end subroutine solve
end subroutine zone_implicit_chemistry

program zone_implicit_chemistry_test
  use check
  implicit none
  procedure(kernel) :: zone_implicit_chemistry
  procedure(kernel_tangent) :: zone_implicit_chemistry_d
  procedure(kernel_adjoint) :: zone_implicit_chemistry_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_implicit_chemistry', zone_implicit_chemistry, zone_implicit_chemistry_d, zone_implicit_chemistry_b, x, 3)
  end do
  call check_done()
end program zone_implicit_chemistry_test
