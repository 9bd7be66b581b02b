! Fortran (mpif.h): time steps of a field of which each rank has some columns, with halos, sums and a broadcast; beside the
! gradient of one rank that has the whole field.
! option: --ad-tangent=model(j)/(start, k)
! option: --ad-adjoint=model(j)/(start, k)
module field
  implicit none
  include 'mpif.h'
  integer, parameter :: nx = 6, ny = 12, steps = 8
contains
  ! The columns 0 and n+1 are halos.
  subroutine exchange(u, n, comm)
    integer, intent(in) :: n, comm
    real(8), intent(inout) :: u(nx, 0:n+1)
    integer :: rank, size, left, right, e, requests(4)
    call MPI_Comm_rank(comm, rank, e)
    call MPI_Comm_size(comm, size, e)
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    call MPI_Irecv(u(1, 0), nx, MPI_DOUBLE_PRECISION, left, 1, comm, requests(1), e)
    call MPI_Irecv(u(1, n + 1), nx, MPI_DOUBLE_PRECISION, right, 2, comm, requests(2), e)
    call MPI_Isend(u(1, 1), nx, MPI_DOUBLE_PRECISION, left, 2, comm, requests(3), e)
    call MPI_Isend(u(1, n), nx, MPI_DOUBLE_PRECISION, right, 1, comm, requests(4), e)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, e)
  end subroutine
end module

subroutine model(start, k, n, first, comm, j)
  use field
  implicit none
  integer, intent(in) :: n, first, comm
  real(8), intent(in) :: start(nx, n), k(nx)
  real(8), intent(out) :: j
  real(8) :: u(nx, 0:n+1), v(nx, 0:n+1), own, speeds(nx), most
  integer :: t, i, c, e
  u = 0
  u(:, 1:n) = start
  ! The first rank says how fast.
  speeds = k
  call MPI_Bcast(speeds, nx, MPI_DOUBLE_PRECISION, 0, comm, e)
  do t = 1, steps
    call exchange(u, n, comm)
    do c = 1, n
      do i = 1, nx
        v(i, c) = u(i, c) + 0.2d0 * speeds(i) * (u(i, c - 1) - 2 * u(i, c) + u(i, c + 1)) + 0.01d0 * sin(u(i, c)) * (first + c)
      end do
    end do
    u(:, 1:n) = v(:, 1:n)
  end do
  own = sum(u(:, 1:n)**2)
  call MPI_Allreduce(MPI_IN_PLACE, own, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, e)
  most = maxval(abs(u(:, 1:n)))
  call MPI_Allreduce(most, j, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, e)
  j = j * own
end subroutine

program main
  use field
  implicit none
  integer :: rank, size, e, first, n, i, c, passed, failed, all(2)
  real(8) :: x(nx, ny), xd(nx, ny), xb(nx, ny), own(nx, ny), k(nx), kd(nx), kb(nx), ownk(nx)
  real(8) :: jd, alone
  external :: model_d, model_b
  passed = 0
  failed = 0
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, size, e)
  first = ny * rank / size
  n = ny * (rank + 1) / size - first
  do c = 1, ny
    do i = 1, nx
      x(i, c) = cos(0.7d0 * i + c)
      xd(i, c) = sin(1.3d0 * i * c)
    end do
  end do
  k = [(1 + 0.1d0 * i, i = 1, nx)]
  kd = [(cos(1d0 * i), i = 1, nx)]
  call tangent(x, xd, k, kd, ny, 0, MPI_COMM_SELF, alone)
  call adjoint(x, xb, k, kb, ny, 0, MPI_COMM_SELF)
  call tangent(x(1, first + 1), xd(1, first + 1), k, kd, n, first, MPI_COMM_WORLD, jd)
  call adjoint(x(1, first + 1), own, k, ownk, n, first, MPI_COMM_WORLD)
  call check(jd, alone, 1d-12)
  do c = 1, n
    do i = 1, nx
      call check(own(i, c), size * xb(i, first + c), 1d-11)
    end do
  end do
  ! The speeds are those of the first rank.
  if (rank == 0) then
    do i = 1, nx
      call check(ownk(i), size * kb(i), 1d-11)
    end do
  end if
  call MPI_Reduce([passed, failed], all, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
  if (rank == 0) print '(a,i0,a,i0,a)', 'checks: ', all(1), ' passed, ', all(2), ' failed'
contains
  subroutine check(got, want, bound)
    real(8), intent(in) :: got, want, bound
    if (abs(got - want) <= bound * max(1d0, abs(want))) then
      passed = passed + 1
    else
      failed = failed + 1
      print *, 'FAIL rank', rank, got, want
    end if
  end subroutine
  subroutine tangent(x, xd, k, kd, n, first, comm, d)
    integer, intent(in) :: n, first, comm
    real(8), intent(in) :: x(nx, n), xd(nx, n), k(nx), kd(nx)
    real(8), intent(out) :: d
    real(8) :: j
    d = 0
    call model_d(x, xd, k, kd, n, first, comm, j, d)
  end subroutine
  subroutine adjoint(x, xb, k, kb, n, first, comm)
    integer, intent(in) :: n, first, comm
    real(8), intent(in) :: x(nx, n), k(nx)
    real(8), intent(out) :: xb(nx, n), kb(nx)
    real(8) :: j, jb
    xb = 0
    kb = 0
    jb = 1
    call model_b(x, xb, k, kb, n, first, comm, j, jb)
  end subroutine
end program
