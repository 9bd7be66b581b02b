! The gradient of `measured` with respect to the first state, beside its closed form.
program main
  implicit none
  integer, parameter :: n = 8, steps = 20
  real(8), parameter :: pi = 3.14159265358979324d0
  external :: measured_b
  real(8) :: u(n), ub(n), seed, exact(n), decay, amplitude
  integer :: i
  u = [(1 + 0.1d0 * i * i, i = 1, n)]

  ub = 0        ! the adjoint is added to it
  seed = 1      ! the adjoint of the result, by reference
  call measured_b(n, steps, u, ub, seed)

  ! The first mode is an eigenvector of a step: it decays by the same factor each time.
  decay = (1 - 0.5d0 * (1 - cos(pi / (n + 1))))**steps
  amplitude = 0
  do i = 1, n
    amplitude = amplitude + sin(pi * i / (n + 1)) * u(i)
  end do
  do i = 1, n
    exact(i) = 2 * decay**2 * amplitude * sin(pi * i / (n + 1))
    print '(a, i1, 2f16.10)', 'u', i, ub(i), exact(i)
  end do
  if (.not. all(abs(ub - exact) < 1d-12 * maxval(abs(exact)))) then   ! NaN fails
    print '(a)', 'WRONG'
    stop 1
  end if
  print '(a)', 'right'
end program
