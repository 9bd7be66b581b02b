! COMMON, EQUIVALENCE, ENTRY, statement functions and an arithmetic IF.
! ad-option: -ad-adjoint=written_common_entry(y)/(x)
! ad-option: -ad-tangent=written_common_entry(y)/(x)
! ad-option: -ad-argnames=written_common_entry_:n,m,x,y
subroutine setup(x, n)
  integer n
  real(8) x(n), w
  real(8) a, b, buf(16), vec(8), mat(2,4)
  common /shared_data/ a, b, buf
  equivalence (buf(1), vec(1)), (buf(9), mat(1,1))
  integer i
  do i = 1, n
    vec(i) = x(i)*i
    mat(1+mod(i,2), (i+1)/2) = x(i)**2
  end do
  a = x(1); b = x(2)
  return
  entry setup2(w)
  a = a*w
  b = b + buf(3)*w
end subroutine
subroutine written_common_entry(n,m,x,y)
  integer n, m
  real(8) x(n), y(m), f, u, v, dot
  real(8) a, b, buf
  common /shared_data/ a, b, buf(16)
  f(u,v) = u*v + sin(u)
  call setup(x, n)
  call setup2(x(3))
  y(1) = f(a, b)
  dot = 0
  do 10 i = 1, 16
    if (mod(i,3) .eq. 0) goto 10
    dot = dot + buf(i)*f(buf(17-i), a)
10 continue
  if (dot) 20, 30, 40
20 y(2) = -dot
  goto 50
30 y(2) = 0
  goto 50
40 y(2) = dot
50 continue
end subroutine

program written_common_entry_test
  use check
  implicit none
  procedure(kernel) :: written_common_entry
  procedure(kernel_tangent) :: written_common_entry_d
  procedure(kernel_adjoint) :: written_common_entry_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_common_entry', written_common_entry, written_common_entry_d, written_common_entry_b, x, 2)
  end do
  call check_done()
end program written_common_entry_test
