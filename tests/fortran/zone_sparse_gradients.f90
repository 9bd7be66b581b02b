! Conjugate gradients with a sparse matrix by rows.
! ad-option: -ad-adjoint=zone_sparse_gradients(y)/(x)
! ad-option: -ad-tangent=zone_sparse_gradients(y)/(x)
! ad-option: -ad-argnames=zone_sparse_gradients_:n,m,x,y
subroutine zone_sparse_gradients(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer, parameter :: rows = 6
  integer :: start(rows + 1), column(3 * rows), i, k, steps
  real(8) :: a(3 * rows), u(rows), r(rows), p(rows), q(rows), old, new, alpha
  k = 0
  do i = 1, rows
    start(i) = k + 1
    if (i > 1) call put(i - 1, -x(i) * 0.5d0)
    call put(i, 3 + x(i))
    if (i < rows) call put(i + 1, -x(i + 1) * 0.5d0)
  end do
  start(rows + 1) = k + 1
  u = 0
  r = x(3:8)
  p = r
  old = dot_product(r, r)
  do steps = 1, 5
    q = times(p)
    alpha = old / dot_product(p, q)
    u = u + alpha * p
    r = r - alpha * q
    new = dot_product(r, r)
    p = r + new / old * p
    old = new
  end do
  y(1) = sum(u)
  y(2) = dot_product(u, times(u))
contains
  subroutine put(j, v)
    integer, intent(in) :: j
    real(8), intent(in) :: v
    k = k + 1
    column(k) = j
    a(k) = v
  end subroutine put
  function times(v) result(w)
    real(8), intent(in) :: v(rows)
    real(8) :: w(rows)
    integer :: row, at
    do row = 1, rows
      w(row) = 0
      do at = start(row), start(row + 1) - 1
        w(row) = w(row) + a(at) * v(column(at))
      end do
    end do
  end function times
end subroutine zone_sparse_gradients

program zone_sparse_gradients_test
  use check
  implicit none
  procedure(kernel) :: zone_sparse_gradients
  procedure(kernel_tangent) :: zone_sparse_gradients_d
  procedure(kernel_adjoint) :: zone_sparse_gradients_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_sparse_gradients', zone_sparse_gradients, zone_sparse_gradients_d, zone_sparse_gradients_b, x, 2)
  end do
  call check_done()
end program zone_sparse_gradients_test
