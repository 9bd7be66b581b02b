! Recursive functions: adaptive integration, a determinant of shrinking sections.
! ad-link: -Wl,-z,execstack
! ad-option: -ad-adjoint=written_recursion_depth(y)/(x)
! ad-option: -ad-tangent=written_recursion_depth(y)/(x)
! ad-option: -ad-argnames=written_recursion_depth_:n,m,x,y
module adaptive
  implicit none
contains
  recursive real(8) function simpson(f, a, b, fa, fm, fb, depth) result(s)
    interface
      pure real(8) function f(t)
        real(8), intent(in) :: t
      end function
    end interface
    real(8), intent(in) :: a, b, fa, fm, fb
    integer, value :: depth
    real(8) :: m, l, r
    m = 0.5d0*(a+b)
    l = f(0.5d0*(a+m)); r = f(0.5d0*(m+b))
    s = (b-a)/12*(fa + 4*l + 2*fm + 4*r + fb)
    if (depth > 0) s = simpson(f, a, m, fa, l, fm, depth-1) + simpson(f, m, b, fm, r, fb, depth-1)
  end function
  recursive pure function det(a) result(d)
    real(8), intent(in) :: a(:,:)
    real(8) :: d, b(size(a,1)-1, size(a,1)-1)
    integer :: j, n
    n = size(a,1)
    if (n == 1) then
      d = a(1,1); return
    end if
    d = 0
    do j = 1, n
      b(:,:j-1) = a(2:,:j-1)
      b(:,j:) = a(2:,j+1:)
      d = d + (-1)**(j+1)*a(1,j)*det(b)
    end do
  end function
end module
subroutine written_recursion_depth(n,m,x,y)
  use adaptive
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(4,4)
  integer :: i, j
  do j = 1, 4; do i = 1, 4; a(i,j) = x(1+mod(i*j,n)) + x(i)*j; end do; a(j,j) = a(j,j)+2; end do
  y(1) = simpson(g, x(1), x(2)+1, g(x(1)), g(0.5d0*(x(1)+x(2)+1)), g(x(2)+1), 3)
  y(2) = det(a)
contains
  pure real(8) function g(t)
    real(8), intent(in) :: t
    g = exp(-x(3)*t)*cos(x(4)*t)
  end function
end subroutine

program written_recursion_depth_test
  use check
  implicit none
  procedure(kernel) :: written_recursion_depth
  procedure(kernel_tangent) :: written_recursion_depth_d
  procedure(kernel_adjoint) :: written_recursion_depth_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_recursion_depth', written_recursion_depth, &
                      written_recursion_depth_d, written_recursion_depth_b, x, 2)
  end do
  call check_done()
end program written_recursion_depth_test
