! GMRES with a procedure argument, and its context as class(*).
! ad-option: -ad-adjoint=unlimited_context(y)/(x)
! ad-option: -ad-tangent=unlimited_context(y)/(x)
! ad-option: -ad-argnames=unlimited_context_:n,m,x,y
module krylov
  implicit none
  abstract interface
    subroutine op(n, v, w, ctx)
      integer, intent(in) :: n
      real(8), intent(in) :: v(n)
      real(8), intent(out) :: w(n)
      class(*), intent(in) :: ctx
    end subroutine
  end interface
  type diffusion
    real(8) :: k, dx
    integer :: mode = 1
  end type
contains
  subroutine apply(n, v, w, ctx)
    integer, intent(in) :: n
    real(8), intent(in) :: v(n)
    real(8), intent(out) :: w(n)
    class(*), intent(in) :: ctx
    integer :: i
    select type (ctx)
    type is (diffusion)
      do i = 1, n
        w(i) = 2*v(i)
        if (i > 1) w(i) = w(i) - v(i - 1)
        if (i < n) w(i) = w(i) - v(i + 1)
        w(i) = v(i) + ctx%k*w(i)/ctx%dx**2
      end do
    type is (real(8))
      w = ctx*v
    class default
      w = v
    end select
  end subroutine
  subroutine gmres(f, n, b, x, kmax, ctx)
    procedure(op) :: f
    integer, intent(in) :: n, kmax
    real(8), intent(in) :: b(n)
    real(8), intent(out) :: x(n)
    class(*), intent(in) :: ctx
    real(8) :: v(n, kmax + 1), h(kmax + 1, kmax), g(kmax + 1), c(kmax), s(kmax), t, beta
    integer :: j, i
    beta = norm2(b); v(:, 1) = b/beta; g = 0; g(1) = beta; h = 0
    do j = 1, kmax
      call f(n, v(:, j), v(:, j + 1), ctx)
      do i = 1, j
        h(i, j) = dot_product(v(:, i), v(:, j + 1))
        v(:, j + 1) = v(:, j + 1) - h(i, j)*v(:, i)
      end do
      h(j + 1, j) = sqrt(sum(v(:, j + 1)**2))
      v(:, j + 1) = v(:, j + 1)/h(j + 1, j)
      do i = 1, j - 1
        t = c(i)*h(i, j) + s(i)*h(i + 1, j)
        h(i + 1, j) = -s(i)*h(i, j) + c(i)*h(i + 1, j)
        h(i, j) = t
      end do
      t = hypot(h(j, j), h(j + 1, j))
      c(j) = h(j, j)/t; s(j) = h(j + 1, j)/t
      h(j, j) = t; h(j + 1, j) = 0
      g(j + 1) = -s(j)*g(j); g(j) = c(j)*g(j)
    end do
    do i = kmax, 1, -1
      g(i) = (g(i) - sum(h(i, i + 1:kmax)*g(i + 1:kmax)))/h(i, i)
    end do
    x = matmul(v(:, 1:kmax), g(1:kmax))
  end subroutine
end module
subroutine unlimited_context(n, m, x, y)
  use krylov
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: b(6), u(6)
  integer :: i
  b = [(x(3) + x(4)*i**2, i=1, 6)]
  call gmres(apply, 6, b, u, 3, diffusion(x(1), 1 + x(2)))
  y(1) = sum(u); y(2) = maxval(abs(u))*u(2)
end subroutine

program unlimited_context_test
  use check
  implicit none
  procedure(kernel) :: unlimited_context
  procedure(kernel_tangent) :: unlimited_context_d
  procedure(kernel_adjoint) :: unlimited_context_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('unlimited_context', unlimited_context, unlimited_context_d, unlimited_context_b, x, 2)
  end do
  call check_done()
end program unlimited_context_test
