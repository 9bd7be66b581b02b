! Reals that are moved as integers of eight bytes: in a common block that another procedure declares so, by EQUIVALENCE, and as arguments of
! procedures that take integers. Beside them, integers that are some, in a workspace of reals.
! ad-option: -ad-adjoint=views(y)/(x)
! ad-option: -ad-tangent=views(y)/(x)
! ad-option: -ad-argnames=views_:n,x,y

subroutine views(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8) :: a(4), b(4), c(4), w(8)
  integer(8) :: ib(4), ic(4)
  common /shared_words/ a
  equivalence (b, ib), (c, ic)
  integer :: i
  external :: exchange, reverse_words, number, gather
  do i = 1, 4
    a(i) = x(i)**2
    w(i) = sin(x(i))
  end do
  call exchange
  call reverse_words(4, a, b)
  do i = 1, 4
    ic(i) = ib(1 + mod(i, 4))
  end do
  call number(4, w(5))
  call gather(4, w, w(5), y(4))
  y(1) = a(1) * a(3) + a(2)
  y(2) = b(1) * b(2) - b(4)
  y(3) = c(1) * c(2) - c(4)
end subroutine

subroutine exchange
  implicit none
  integer(8) :: k(4), t
  integer :: i
  common /shared_words/ k
  do i = 1, 2
    t = k(i)
    k(i) = k(i + 2)
    k(i + 2) = t
  end do
end subroutine

subroutine reverse_words(n, from, to)
  implicit none
  integer, intent(in) :: n
  integer(8), intent(in) :: from(n)
  integer(8), intent(out) :: to(n)
  integer :: i
  do i = 1, n
    to(i) = from(n + 1 - i)
  end do
end subroutine

subroutine number(n, list)
  implicit none
  integer, intent(in) :: n
  integer, intent(out) :: list(n)
  integer :: i
  do i = 1, n
    list(i) = n + 1 - i
  end do
end subroutine

subroutine gather(n, w, list, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: w(n)
  integer, intent(inout) :: list(n)
  real(8), intent(out) :: y
  integer :: t
  t = list(1)
  list(1) = list(2)
  list(2) = t
  y = w(list(1)) * w(list(2)) + w(list(3))
end subroutine

module integer_views_cases
  use check
  implicit none
  external :: views, views_d, views_b
contains
  subroutine views_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call views(size(x), x, y)
  end subroutine
  subroutine views_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call views_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine views_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call views_b(size(x), x, xb, y, seed)
  end subroutine
end module integer_views_cases

program integer_views_test
  use check
  use integer_views_cases
  implicit none
  integer :: k
  real(dp) :: x(4)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.0_dp)
    call check_jacobian('views', views_map, views_tangent, views_adjoint, x, 4)
  end do
  call check_done()
end program integer_views_test
