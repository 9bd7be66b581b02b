! Optional arguments: pointers to a workspace of the caller or of the procedure.
! ad-option: -ad-adjoint=written_optional_workspace(y)/(x)
! ad-option: -ad-tangent=written_optional_workspace(y)/(x)
! ad-option: -ad-argnames=written_optional_workspace_:n,m,x,y
module optm
  implicit none
contains
  subroutine smooth(u, w, k, left, work)
    real(8), intent(inout) :: u(:)
    real(8), intent(in), optional :: w(:), left
    integer, intent(in), optional :: k
    real(8), intent(inout), optional, target :: work(:)
    real(8), pointer :: p(:)
    real(8), allocatable, target :: mine(:)
    integer :: i, kk
    kk = 1; if (present(k)) kk = k
    if (present(work)) then
      p => work
    else
      allocate(mine(size(u))); p => mine
    end if
    do i = 1, kk
      p = 0.25d0*(cshift(u,1) + 2*u + cshift(u,-1))
      if (present(w)) p = p*w
      if (present(left)) p(1) = left
      u = p
    end do
  end subroutine
end module
subroutine written_optional_workspace(n,m,x,y)
  use optm
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: u(n), buf(n)
  u = x
  call smooth(u)
  call smooth(u, k=2, left=x(2)**2)
  call smooth(u, w=sin(x), work=buf)
  y(1) = dot_product(u, buf); y(2) = sum(u, mask=x>0.7d0)
end subroutine

program written_optional_workspace_test
  use check
  implicit none
  procedure(kernel) :: written_optional_workspace
  procedure(kernel_tangent) :: written_optional_workspace_d
  procedure(kernel_adjoint) :: written_optional_workspace_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_optional_workspace', written_optional_workspace, &
                      written_optional_workspace_d, written_optional_workspace_b, x, 2)
  end do
  call check_done()
end program written_optional_workspace_test
