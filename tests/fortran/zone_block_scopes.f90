! BLOCK: variables of a scope within a procedure, allocated there, and left early.
! ad-option: -ad-adjoint=zone_block_scopes(y)/(x)
! ad-option: -ad-tangent=zone_block_scopes(y)/(x)
! ad-option: -ad-argnames=zone_block_scopes_:n,m,x,y
subroutine zone_block_scopes(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer :: i
  y = 0
  do i = 1, 3
    block
      real(8), allocatable :: t(:)
      real(8) :: s
      allocate(t(i + 1))
      t = x(i:2*i) * x(i)
      s = sum(t**2)
      y(1) = y(1) + s
      inner: block
        if (i == 2) exit inner
        y(2) = y(2) + sin(s) * t(i)
      end block inner
    end block
  end do
end subroutine zone_block_scopes

program zone_block_scopes_test
  use check
  implicit none
  procedure(kernel) :: zone_block_scopes
  procedure(kernel_tangent) :: zone_block_scopes_d
  procedure(kernel_adjoint) :: zone_block_scopes_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_block_scopes', zone_block_scopes, zone_block_scopes_d, zone_block_scopes_b, x, 2)
  end do
  call check_done()
end program zone_block_scopes_test
