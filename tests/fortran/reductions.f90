! Reductions as explicit loops: sum, dot product, matrix times vector and matrix times matrix, norms, a running maximum.
! ad-option: -ad-adjoint=sums(y)/(x)
! ad-option: -ad-tangent=sums(y)/(x)
! ad-option: -ad-argnames=sums_:n,x,y
! ad-option: -ad-adjoint=products(y)/(x)
! ad-option: -ad-tangent=products(y)/(x)
! ad-option: -ad-argnames=products_:n,x,y
! ad-option: -ad-adjoint=largest(y)/(x)
! ad-option: -ad-tangent=largest(y)/(x)
! ad-option: -ad-argnames=largest_:n,x,y

subroutine sums(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(4)
  integer :: i
  y(1) = 0.0d0
  y(2) = 0.0d0
  y(3) = 0.0d0
  do i = 1, n
    y(1) = y(1) + x(i)
    y(2) = y(2) + x(i) * x(n + 1 - i)
    y(3) = y(3) + x(i)**2
  end do
  y(3) = sqrt(y(3))
  y(4) = 1.0d0
  do i = 1, n
    y(4) = y(4) * x(i)
  end do
end subroutine

subroutine products(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(2, 2, n / 4)
  real(8), intent(out) :: y(2, 2)
  real(8) :: a(2, 2)
  integer :: i, j, k, m
  do j = 1, 2
    do i = 1, 2
      y(i, j) = x(i, j, 1)
    end do
  end do
  do m = 2, n / 4
    do j = 1, 2
      do i = 1, 2
        a(i, j) = 0.0d0
        do k = 1, 2
          a(i, j) = a(i, j) + y(i, k) * x(k, j, m)
        end do
      end do
    end do
    do j = 1, 2
      do i = 1, 2
        y(i, j) = a(i, j)
      end do
    end do
  end do
end subroutine

subroutine largest(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(4)
  integer :: i, best
  y(1) = x(1) * x(1)
  best = 1
  do i = 2, n
    if (x(i) * x(i) > y(1)) then
      y(1) = x(i) * x(i)
      best = i
    end if
  end do
  y(2) = x(best)
  y(3) = x(1)
  do i = 2, n
    y(3) = min(y(3), x(i))
  end do
  y(4) = log(exp(x(1) - y(2)) + exp(x(2) - y(2))) + y(2)
end subroutine

module reductions_cases
  use check
  implicit none
contains
  subroutine sums_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call sums(size(x), x, y)
  end subroutine
  subroutine sums_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call sums_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine sums_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call sums_b(size(x), x, xb, y, seed)
    call check_true('sums: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine products_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call products(size(x), x, y)
  end subroutine
  subroutine products_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call products_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine products_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call products_b(size(x), x, xb, y, seed)
    call check_true('products: seed is consumed', all(seed == 0.0_dp))
  end subroutine
  subroutine largest_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call largest(size(x), x, y)
  end subroutine
  subroutine largest_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call largest_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine largest_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call largest_b(size(x), x, xb, y, seed)
    call check_true('largest: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module reductions_cases

program reductions_test
  use check
  use reductions_cases
  implicit none
  integer :: k
  real(dp) :: x(12)
  do k = 1, 3
    x = cshift([0.2_dp, 0.9_dp, 0.4_dp, 1.2_dp, 0.5_dp, 0.7_dp, 0.3_dp, 1.1_dp, 0.8_dp, 0.6_dp, 1.0_dp, 0.35_dp], 2 * k)
    call check_jacobian('sums', sums_map, sums_tangent, sums_adjoint, x, 4)
    call check_jacobian('products', products_map, products_tangent, products_adjoint, x, 4)
    call check_jacobian('largest', largest_map, largest_tangent, largest_adjoint, x, 4)
  end do
  call check_done()
end program reductions_test
