! Atomic operations of Fortran on shared reals, which are loops of compare-and-swap, and locks, with one to four threads.
! ad-flags: -fopenmp
! ad-link: -fopenmp
! ad-i386: none, there is no OpenMP runtime of flang's for 32 bits
! ad-option: -ad-adjoint=zone_team_atomics(y)/(x)
! ad-option: -ad-tangent=zone_team_atomics(y)/(x)
! ad-option: -ad-argnames=zone_team_atomics_:n,m,x,y
subroutine zone_team_atomics(n, m, x, y)
  use omp_lib
  implicit none
  integer, parameter :: dp = kind(1.d0)
  integer, intent(in) :: n, m
  real(dp), intent(in) :: x(n)
  real(dp), intent(out) :: y(m)
  real(dp) :: bins(3), product, most, rest
  integer :: i
  integer(omp_lock_kind) :: lock
  bins = 0
  product = 1
  most = -huge(most)
  rest = 1
  call omp_init_lock(lock)
  !$omp parallel do schedule(static, 1)
  do i = 1, n
    !$omp atomic update
    bins(mod(i, 3) + 1) = bins(mod(i, 3) + 1) + x(i) * x(1)
    !$omp atomic update
    bins(1) = bins(1) - sin(x(i))
    !$omp atomic update
    product = product * (1 + 0.1_dp * x(i))
    !$omp atomic update
    most = max(most, x(i) * x(n + 1 - i))
    call omp_set_lock(lock)
    rest = rest / (1 + x(i))
    call omp_unset_lock(lock)
  end do
  !$omp end parallel do
  call omp_destroy_lock(lock)
  y(1) = bins(1) * bins(2) + bins(3)
  y(2) = product * most
  y(3) = rest * product
end subroutine zone_team_atomics

program zone_team_atomics_test
  use check
  use omp_lib
  implicit none
  procedure(kernel) :: zone_team_atomics
  procedure(kernel_tangent) :: zone_team_atomics_d
  procedure(kernel_adjoint) :: zone_team_atomics_b
  real(dp) :: x(9)
  integer :: k
  do k = 1, 4
    call omp_set_num_threads(k)
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_team_atomics', zone_team_atomics, zone_team_atomics_d, zone_team_atomics_b, x, 3)
  end do
  call check_done()
end program zone_team_atomics_test
