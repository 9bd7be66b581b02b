! Temporaries of array expressions in loops, nested loops and loops that end early; what they hold is needed by the reverse sweep.
! ad-option: -ad-adjoint=temporaries_in_steps(y)/(x)
! ad-option: -ad-tangent=temporaries_in_steps(y)/(x)
! ad-option: -ad-argnames=temporaries_in_steps_:n,m,x,y
module temporaries_parts
  implicit none
contains
  elemental real(8) function law(u)
    real(8), intent(in) :: u
    law = 1 + 0.1d0*u*u
  end function
  ! The right side overlaps what is assigned, so the compiler has it in a temporary.
  subroutine smooth(u, w)
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: w(:)
    integer :: n
    n = size(u)
    u(2:n-1) = 0.25d0*(law(u(:n-2)) + sin(u(2:n-1)) + law(u(3:))) + w(2:n-1)
    u(n:1:-1) = u*(1 - 0.05d0*u)
  end subroutine
  function squares(u) result(q)
    real(8), intent(in) :: u(:)
    real(8), allocatable :: q(:)
    q = u*u
  end function
end module

subroutine temporaries_in_steps(n, m, x, y)
  use temporaries_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: u(n), w(n), a(n, n)
  real(8), allocatable :: t(:)
  integer :: s, k
  u = x
  w = 0.1d0*x
  a = spread(x, 2, n)*spread(x(n:1:-1), 1, n)
  do s = 1, 6
    call smooth(u, w)
    ! A temporary of the inner loop, then of the outer one.
    do k = 1, 3
      w(2:) = w(:n-1)*cos(w(2:))
    end do
    w = matmul(transpose(a), w)/n + 0.1d0*squares(u)
    ! Not all of them reach the end.
    if (sum(u) > 1d6) exit
    t = u(n:1:-1)*w
    if (mod(s, 2) == 0) cycle
    u = u + 0.1d0*t*cshift(t, 1)
  end do
  y = u + w
end subroutine

program temporaries_in_steps_test
  use check
  implicit none
  procedure(kernel) :: temporaries_in_steps
  procedure(kernel_tangent) :: temporaries_in_steps_d
  procedure(kernel_adjoint) :: temporaries_in_steps_b
  real(dp) :: x(7)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('temporaries_in_steps', temporaries_in_steps, temporaries_in_steps_d, temporaries_in_steps_b, x, 7)
  end do
  call check_done()
end program temporaries_in_steps_test
