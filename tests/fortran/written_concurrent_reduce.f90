! `do concurrent` with masks, `local` and `reduce`; `forall`; `where` with several masks.
! ad-option: -ad-adjoint=written_concurrent_reduce(y)/(x)
! ad-option: -ad-tangent=written_concurrent_reduce(y)/(x)
! ad-option: -ad-argnames=written_concurrent_reduce_:n,m,x,y
subroutine written_concurrent_reduce(n,m,x,y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: a(n,n), s, mx, b(n)
  integer :: i, j
  do concurrent (j=1:n, i=1:n, i /= j)
    a(i,j) = x(i)*x(j)/(1+abs(i-j))
  end do
  forall (i=1:n) a(i,i) = 1 + x(i)**2
  s = 0
  do concurrent (i=1:n) local(mx) shared(a,x) reduce(+:s)
    mx = a(i,i)*x(i)
    s = s + mx**2
  end do
  where (x > 0.77d0)
    b = sqrt(x)
  elsewhere (x > 0.6d0)
    b = x**3
  elsewhere
    b = 1/x
  end where
  y(1) = s + sum(matmul(a,b))
  y(2) = maxval(a*spread(b,2,n)) + norm2(a(2::2,::3))
end subroutine

program written_concurrent_reduce_test
  use check
  implicit none
  procedure(kernel) :: written_concurrent_reduce
  procedure(kernel_tangent) :: written_concurrent_reduce_d
  procedure(kernel_adjoint) :: written_concurrent_reduce_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_concurrent_reduce', written_concurrent_reduce, &
                      written_concurrent_reduce_d, written_concurrent_reduce_b, x, 2)
  end do
  call check_done()
end program written_concurrent_reduce_test
