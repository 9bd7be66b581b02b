! Parallel regions of OpenMP in Fortran, with one, two and three threads: a diffusion step with module arrays, reductions, a critical section,
! private and firstprivate variables, dynamic schedules, work sharing in a called procedure.
! ad-flags: -fopenmp
! ad-link: -fopenmp
! ad-i386: none, there is no OpenMP runtime of flang's for 32 bits
! ad-option: -ad-adjoint=zone_threads(y)/(x)
! ad-option: -ad-tangent=zone_threads(y)/(x)
! ad-option: -ad-argnames=zone_threads_:n,m,x,y
module zone_thread_parts
  implicit none
  integer, parameter :: dp = kind(1.d0)
contains
  pure real(dp) function flux(a, b)
    real(dp), intent(in) :: a, b
    flux = 0.1_dp * (a * a - b * b)
  end function flux
  subroutine advance(u, v, steps)
    real(dp), intent(inout) :: u(:), v(:)
    integer, intent(in) :: steps
    integer :: i, t
    !$omp parallel private(t)
    do t = 1, steps
      !$omp do
      do i = 2, size(u) - 1
        v(i) = u(i) + flux(u(i - 1), u(i)) - flux(u(i), u(i + 1))
      end do
      !$omp end do
      !$omp do schedule(monotonic: dynamic, 2)
      do i = 2, size(u) - 1
        u(i) = v(i)
      end do
      !$omp end do
    end do
    !$omp end parallel
  end subroutine advance
end module zone_thread_parts

subroutine zone_threads(n, m, x, y)
  use zone_thread_parts
  implicit none
  integer, intent(in) :: n, m
  real(dp), intent(in) :: x(n)
  real(dp), intent(out) :: y(m)
  real(dp) :: u(n), v(n), s, most, total, scale
  integer :: i
  u = x
  v = x
  call advance(u, v, 3)
  s = 0
  most = -huge(s)
  total = 0
  scale = x(1) * x(2)
  !$omp parallel do reduction(+:s,total) reduction(max:most) firstprivate(scale)
  do i = 1, n
    s = s + scale * u(i) * sin(x(i))
    most = max(most, u(i) * x(n + 1 - i))
    total = total + exp(u(i)) * x(3)
  end do
  !$omp end parallel do
  y(1) = s
  y(2) = most * total
  y(3) = 1
  !$omp parallel do schedule(static, 1)
  do i = 1, n
    !$omp critical
    y(3) = y(3) * (1 + 0.5_dp * u(i)**2)
    !$omp end critical
  end do
  !$omp end parallel do
end subroutine zone_threads

program zone_threads_test
  use check
  use omp_lib
  implicit none
  procedure(kernel) :: zone_threads
  procedure(kernel_tangent) :: zone_threads_d
  procedure(kernel_adjoint) :: zone_threads_b
  real(dp) :: x(9)
  integer :: k
  do k = 1, 3
    call omp_set_num_threads(k)
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_threads', zone_threads, zone_threads_d, zone_threads_b, x, 3)
  end do
  call check_done()
end program zone_threads_test
