! The examples of RR-7957 in their own language: figures 7, 8 and 11. tests/papers.rs looks at what was decided for them.
! ad-option: -ad-adjoint=activity(d,e)/(a,b,c)
! ad-option: -ad-tangent=activity(d,e)/(a,b,c)
! ad-option: -ad-argnames=activity_:a,b,c,d,e
! ad-option: -ad-adjoint=trajectory(a,b,z,t)/(a,b,z,t,x)
! ad-option: -ad-tangent=trajectory(a,b,z,t)/(a,b,z,t,x)
! ad-option: -ad-argnames=trajectory_:i,ind1,ind2,a,b,z,t,x
! ad-option: -ad-adjoint=control(a,c)/(a,b,c)
! ad-option: -ad-tangent=control(a,c)/(a,b,c)
! ad-option: -ad-argnames=control_:n,m,a,b,c

subroutine activity(a, b, c, d, e)
  real(8), intent(inout) :: a
  real(8), intent(in) :: b, c
  real(8), intent(out) :: d, e
  real(8) :: x
  x = a * b
  a = 5.0d0
  d = a * c
  e = a / x
  e = floor(e)
end subroutine

subroutine trajectory(i, ind1, ind2, a, b, z, t, x)
  integer, intent(in) :: i, ind1(4), ind2(4)
  real(8), intent(inout) :: a(5), b(5), z(5), t(5)
  real(8), intent(in) :: x
  real(8) :: c
  integer :: n
  n = ind1(i)
  b(n) = (a(n) + b(n)) * 0.5d0
  a(n) = a(n) + x
  c = a(n) * b(n)
  a(n) = a(n) * a(n + 1)
  n = ind2(i)
  z(n) = z(n) + c
  n = ind2(i + 1)
  c = a(n) / b(n)
  t(n) = t(n) - c
end subroutine

subroutine control(n, m, a, b, c)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a, c
  real(8), intent(in) :: b(24)
  integer :: i
  do i = 3 * n * m, 24
    a = a - 2.0d0 * b(i)
    if (a > 0.0d0) then
      c = c * a
    end if
  end do
end subroutine

module paper_cases
  use check
  implicit none
  integer :: ind1(4), ind2(4), n, m
contains
  subroutine activity_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    real(dp) :: a
    a = x(1)
    call activity(a, x(2), x(3), y(1), y(2))
  end subroutine
  subroutine activity_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: a, ad, y(2)
    a = x(1)
    ad = xd(1)
    yd = 0.0_dp
    call activity_d(a, ad, x(2), xd(2), x(3), xd(3), y(1), yd(1), y(2), yd(2))
  end subroutine
  subroutine activity_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: a, ab, y(2), seed(2)
    a = x(1)
    ab = 0.0_dp
    seed = yb
    call activity_b(a, ab, x(2), xb(2), x(3), xb(3), y(1), seed(1), y(2), seed(2))
    xb(1) = xb(1) + ab
  end subroutine

  ! a, b, z, t, then x.
  subroutine trajectory_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    y = x(:20)
    call trajectory(2, ind1, ind2, y(1:5), y(6:10), y(11:15), y(16:20), x(21))
  end subroutine
  subroutine trajectory_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(20)
    y = x(:20)
    yd = xd(:20)
    call trajectory_d(2, ind1, ind2, y(1), yd(1), y(6), yd(6), y(11), yd(11), y(16), yd(16), x(21), xd(21))
  end subroutine
  subroutine trajectory_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(20), seed(20)
    y = x(:20)
    seed = yb
    call trajectory_b(2, ind1, ind2, y(1), seed(1), y(6), seed(6), y(11), seed(11), y(16), seed(16), x(21), xb(21))
    xb(:20) = xb(:20) + seed
  end subroutine

  ! a, c, then b.
  subroutine control_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    y = x(:2)
    call control(n, m, y(1), x(3:), y(2))
  end subroutine
  subroutine control_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(2)
    y = x(:2)
    yd = xd(:2)
    call control_d(n, m, y(1), yd(1), x(3), xd(3), y(2), yd(2))
  end subroutine
  subroutine control_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(2), seed(2)
    y = x(:2)
    seed = yb
    call control_b(n, m, y(1), seed(1), x(3), xb(3), y(2), seed(2))
    xb(:2) = xb(:2) + seed
  end subroutine
end module paper_cases

program papers
  use check
  use paper_cases
  implicit none
  integer :: k
  real(dp) :: three(3), all(21), loop(26)
  do k = 1, 3
    call check_fill(three, 0.55_dp, 0.95_dp)
    call check_jacobian('figure 8', activity_map, activity_tangent, activity_adjoint, three, 2)
    call check_fill(all, 0.5_dp, 1.5_dp)
    ind1 = [1, 4, 2, 3] ! elements that are all different
    ind2 = [5, 3, 1, 2]
    call check_jacobian('figure 11', trajectory_map, trajectory_tangent, trajectory_adjoint, all, 20)
    ind1 = 2 ! one element again and again
    ind2 = 2
    call check_jacobian('figure 11, one element', trajectory_map, trajectory_tangent, trajectory_adjoint, all, 20)
    call check_fill(loop, -0.04_dp, 0.08_dp)
    loop(:2) = [0.317_dp, 1.1_dp]
    n = 1
    m = 4 * k - 3 ! from 3, 15, 27: the last loop does not run
    call check_jacobian('figure 7', control_map, control_tangent, control_adjoint, loop, 2)
  end do
  call check_done()
end program papers
