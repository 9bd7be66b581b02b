! Tasks: recursive ones, dependences, groups, of all threads of a team.
! ad-flags: -fopenmp
! ad-link: -fopenmp
! ad-i386: none, there is no OpenMP runtime of flang's for 32 bits
! ad-option: -ad-adjoint=zone_tasks(y)/(x)
! ad-option: -ad-tangent=zone_tasks(y)/(x)
! ad-option: -ad-argnames=zone_tasks_:n,m,x,y
module zone_task_parts
  implicit none
contains
  recursive function total(x, n) result(s)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: s, a, b
    if (n <= 2) then
      s = sum(x**2)
      return
    end if
    !$omp task shared(a, x)
    a = total(x(1:n/2), n/2)
    !$omp end task
    !$omp task shared(b, x) if(n > 4)
    b = total(x(n/2+1:n), n - n/2)
    !$omp end task
    !$omp taskwait
    s = a * b + a
  end function total
end module zone_task_parts

subroutine zone_tasks(n, m, x, y)
  use zone_task_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8) :: u(8), scale
  integer :: i
  u = [x(1), x(2), x(3), x(4), x(1) * x(2), x(2) * x(3), x(3) * x(4), x(4) * x(1)]
  scale = x(2)
  !$omp parallel num_threads(2)
  !$omp single
  y(1) = total(u, 8)
  do i = 2, 8
    !$omp task firstprivate(i, scale) depend(in: u(i-1)) depend(out: u(i))
    scale = scale * 2d0
    u(i) = u(i-1) * u(i) * scale
    !$omp end task
  end do
  !$omp end single
  !$omp do
  do i = 1, 4
    !$omp taskgroup
    !$omp task shared(u)
    u(i) = u(i) * u(i+4)
    !$omp end task
    !$omp end taskgroup
    u(i) = u(i) + x(i)
  end do
  !$omp end parallel
  y(2) = sum(u)
end subroutine zone_tasks

program zone_tasks_test
  use check
  implicit none
  procedure(kernel) :: zone_tasks
  procedure(kernel_tangent) :: zone_tasks_d
  procedure(kernel_adjoint) :: zone_tasks_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 3
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_tasks', zone_tasks, zone_tasks_d, zone_tasks_b, x, 2)
  end do
  call check_done()
end program zone_tasks_test
