! Sparse Jacobians and Hessians of Fortran procedures: patterns by heads, colouring, compressed entries against dense ones.
! ad-flags: -g
! ad-option: -ad-tangent=residual(r)/(u)
! ad-option: -ad-pattern=residual(r)/(u)
! ad-option: -ad-adjoint=energy(energy)/(x)
! ad-option: -ad-pattern=energy(energy)/(x)
! ad-option: -ad-tangent=gradient(g)/(x)
module model
  implicit none
  real(8) :: work(64)
contains
  subroutine residual(n, u, r)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n, n)
    real(8), intent(out) :: r(n, n)
    integer :: i, j
    work(:n) = u(:, 1)**2
    do j = 1, n
      do i = 1, n
        r(i, j) = -4*u(i, j) - exp(0.1d0*u(i, j))
        if (i > 1) r(i, j) = r(i, j) + u(i - 1, j)
        if (i < n) r(i, j) = r(i, j) + u(i + 1, j)
        if (j > 1) r(i, j) = r(i, j) + u(i, j - 1)*u(i, j)
        if (j < n) r(i, j) = r(i, j) + u(i, j + 1)
      end do
    end do
    r(:, n) = r(:, n) + work(:n)
  end subroutine
  real(8) function energy(n, x)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    energy = sum(x**4) + sum(x(2:)*x(:n - 1)) + 3*sum(x)
  end function
  subroutine gradient(n, x, g)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: g(n)
    external :: energy_b
    g = 0
    call energy_b(n, x, g, 1d0)
  end subroutine
end module

program main
  use, intrinsic :: iso_c_binding
  use ad_sparse
  use check
  use model
  implicit none
  integer, parameter :: n = 4, m = n*n
  external :: residual_d, residual_p, gradient_d
  real(8), external :: energy_p
  real(8) :: u(n, n), ud(n, n), r(n, n), rd(n, n), dense(m, m), x(m), xd(m), g(m), gd(m), set, primal
  type(c_ptr) :: matrix
  integer :: i, k
  integer(c_int), allocatable :: start(:), column(:), row(:)
  real(c_double), allocatable :: value(:)
  integer(c_long) :: d, directions
  u = reshape([(0.3d0 + 0.1d0*sin(1d0*i), i=1, m)], [n, n])

  do k = 1, m
    ud = 0
    ud(mod(k - 1, n) + 1, (k - 1)/n + 1) = 1
    call residual_d(n, u, ud, r, rd)
    dense(:, k) = reshape(rd, [m])
  end do
  matrix = ad_sparse_jacobian(int(m, c_long), int(m, c_long))
  call ad_sparse_inputs(matrix, ud, 0_c_long, int(m, c_long))
  rd = 0
  call residual_p(n, u, ud, r, rd)
  call ad_sparse_outputs(matrix, rd, 0_c_long, int(m, c_long))
  directions = ad_sparse_colour(matrix, ad_by_columns)
  do d = 0, directions - 1
    call ad_sparse_direction(matrix, d, ud, 0_c_long, int(m, c_long))
    call residual_d(n, u, ud, r, rd)
    call ad_sparse_values(matrix, d, rd, 0_c_long, int(m, c_long))
  end do
  call check_true('the check of the Jacobian', ad_sparse_check(matrix, 1d-10) == -1)
  call check_true('entries of the Jacobian', ad_sparse_nonzeros(matrix) == 5*m - 4*n + n)
  allocate (start(m + 1), column(ad_sparse_nonzeros(matrix)), value(ad_sparse_nonzeros(matrix)))
  call ad_sparse_csr(matrix, start, column, value, 1)
  do i = 1, m
    do k = start(i), start(i + 1) - 1
      call check_true('an entry', abs(value(k) - dense(i, column(k))) < 1d-12)
      dense(i, column(k)) = 0
    end do
  end do
  call check_true('all entries', all(dense == 0))
  call ad_sparse_free(matrix)
  deallocate (start, column, value)

  x = reshape(u, [m])
  matrix = ad_sparse_hessian(int(m, c_long))
  call ad_sparse_inputs(matrix, xd, 0_c_long, int(m, c_long))
  set = energy_p(m, x, xd, primal)
  call check_true('value', abs(primal - energy(m, x)) < 1d-12)
  call ad_sparse_outputs(matrix, [set], 0_c_long, 1_c_long)
  directions = ad_sparse_colour(matrix, ad_by_columns)
  call check_true('colours of the Hessian', ad_sparse_colours(matrix) <= 3)
  do d = 0, directions - 1
    call ad_sparse_direction(matrix, d, xd, 0_c_long, int(m, c_long))
    call gradient_d(m, x, xd, g, gd)
    call ad_sparse_values(matrix, d, gd, 0_c_long, int(m, c_long))
  end do
  call check_true('the check of the Hessian', ad_sparse_check(matrix, 1d-10) == -1)
  k = int(ad_sparse_lower_nonzeros(matrix))
  call check_true('entries of the Hessian', k == 2*m - 1)
  allocate (row(k), column(k), value(k))
  call ad_sparse_lower(matrix, row, column, value, 1)
  do i = 1, k
    if (row(i) == column(i)) then
      call check_true('an entry of the diagonal', abs(value(i) - 12*x(row(i))**2) < 1d-12)
    else
      call check_true('an entry beside it', row(i) == column(i) + 1 .and. abs(value(i) - 1) < 1d-12)
    end if
  end do
  call ad_sparse_free(matrix)
  call check_done()
end program
