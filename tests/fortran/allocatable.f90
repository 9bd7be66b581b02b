! Allocatable local arrays: allocated, written, read and deallocated; one allocated in each trip of a loop.
! ad-option: -ad-adjoint=temporaries(y)/(x)
! ad-option: -ad-tangent=temporaries(y)/(x)
! ad-option: -ad-argnames=temporaries_:n,x,y
! ad-switches: aliasing

subroutine temporaries(n, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  real(8), allocatable :: t(:), s(:)
  integer :: i, j
  allocate (t(n))
  do i = 1, n
    t(i) = x(i) * x(i)
  end do
  do i = 1, n
    allocate (s(i))
    do j = 1, i
      s(j) = t(j) * x(i)
    end do
    y(i) = s(1) * s(i)
    deallocate (s)
  end do
  deallocate (t)
end subroutine

module allocatable_cases
  use check
  implicit none
contains
  subroutine temporaries_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call temporaries(size(x), x, y)
  end subroutine
  subroutine temporaries_tangent(x, xd, yd)
    real(dp), intent(in) :: x(:), xd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y(size(yd))
    yd = 0.0_dp
    call temporaries_d(size(x), x, xd, y, yd)
  end subroutine
  subroutine temporaries_adjoint(x, xb, yb)
    real(dp), intent(in) :: x(:), yb(:)
    real(dp), intent(inout) :: xb(:)
    real(dp) :: y(size(yb)), seed(size(yb))
    seed = yb
    call temporaries_b(size(x), x, xb, y, seed)
    call check_true('temporaries: seed is consumed', all(seed == 0.0_dp))
  end subroutine
end module allocatable_cases

program allocatable_test
  use check
  use allocatable_cases
  implicit none
  integer :: k
  real(dp) :: x(5)
  do k = 1, 3
    call check_fill(x, 0.2_dp, 1.2_dp)
    call check_jacobian('temporaries', temporaries_map, temporaries_tangent, temporaries_adjoint, x, 5)
  end do
  call check_done()
end program allocatable_test
