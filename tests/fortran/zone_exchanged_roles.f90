! Arrays that exchange roles between two calls of a procedure: what it says of its dummies holds in one execution.
! ad-option: -ad-adjoint=zone_exchanged_roles(y)/(x)
! ad-option: -ad-tangent=zone_exchanged_roles(y)/(x)
! ad-option: -ad-argnames=zone_exchanged_roles_:n,m,x,y
module zone_exchanged_steps
  implicit none
contains
  subroutine step(c, u, next)
    real(8), intent(in) :: c, u(:)
    real(8), intent(out) :: next(:)
    integer :: i
    next(1) = u(1)
    do i = 2, size(u) - 1
      next(i) = u(i) - 0.1d0 * c * u(i) * (u(i+1) - u(i-1))
    end do
    next(size(u)) = u(size(u))
  end subroutine step
  subroutine step_of_all(c, u, next)
    real(8), intent(in) :: c, u(:)
    real(8), intent(out) :: next(:)
    integer :: n
    n = size(u)
    next(1) = u(1)
    next(n) = u(n)
    next(2:n-1) = u(2:n-1) - 0.1d0 * c * u(2:n-1) * (u(3:) - u(:n-2))
  end subroutine step_of_all
end module zone_exchanged_steps

subroutine zone_exchanged_roles(n, m, x, y)
  use zone_exchanged_steps
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable :: u(:), work(:)
  integer :: s
  allocate(u(n - 1), work(n - 1))
  u = x(2:)
  do s = 1, 3
    call step(x(1), u, work)
    call step(x(1), work, u)
  end do
  do s = 1, 2
    call step_of_all(x(1), u, work)
    call step_of_all(x(1), work, u)
  end do
  y(1) = sum(u**2)
  y(2) = u(1) * u(2) + u(n - 2) * u(n - 1)
  y(3) = sum(u * work)
end subroutine zone_exchanged_roles

program zone_exchanged_roles_test
  use check
  implicit none
  procedure(kernel) :: zone_exchanged_roles
  procedure(kernel_tangent) :: zone_exchanged_roles_d
  procedure(kernel_adjoint) :: zone_exchanged_roles_b
  real(dp) :: x(10)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_exchanged_roles', zone_exchanged_roles, zone_exchanged_roles_d, zone_exchanged_roles_b, x, 3)
  end do
  call check_done()
end program zone_exchanged_roles_test
