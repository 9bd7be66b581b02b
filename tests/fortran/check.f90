! Checks for the Fortran test programs: comparisons that NaN never passes, central differences with Richardson
! extrapolation, the dot-product identity, numbers that look random and are the same everywhere.
!
! A program ends with `call check_done()`, which prints the closing line that the harness looks for.
module check
  use, intrinsic :: iso_fortran_env, only: int64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  implicit none
  private
  public :: dp, sp, check_true, check_close, check_within, check_dot, check_fill, check_uniform, check_directional
  public :: check_jacobian, check_kernel, check_done, kernel, kernel_tangent, kernel_adjoint

  integer, parameter :: dp = kind(1.0d0), sp = kind(1.0)
  integer, parameter :: levels = 6
  integer :: passed = 0, failed = 0
  integer(int64) :: state = 88172645463325252_int64

  abstract interface
    ! y = F(x)
    subroutine map(x, y)
      import :: dp
      real(dp), intent(in) :: x(:)
      real(dp), intent(out) :: y(:)
    end subroutine
    ! yd = F'(x) xd
    subroutine tangent_of_map(x, xd, yd)
      import :: dp
      real(dp), intent(in) :: x(:), xd(:)
      real(dp), intent(out) :: yd(:)
    end subroutine
    ! xb = xb + F'(x)^T yb
    subroutine adjoint_of_map(x, xb, yb)
      import :: dp
      real(dp), intent(in) :: x(:), yb(:)
      real(dp), intent(inout) :: xb(:)
    end subroutine
    ! The same as a subroutine that is given sizes, and its derivatives as they are generated.
    subroutine kernel(n, m, x, y)
      import :: dp
      integer, intent(in) :: n, m
      real(dp), intent(in) :: x(n)
      real(dp), intent(out) :: y(m)
    end subroutine
    subroutine kernel_tangent(n, m, x, xd, y, yd)
      import :: dp
      integer, intent(in) :: n, m
      real(dp), intent(in) :: x(n), xd(n)
      real(dp), intent(out) :: y(m)
      real(dp), intent(inout) :: yd(m)
    end subroutine
    subroutine kernel_adjoint(n, m, x, xb, y, yb)
      import :: dp
      integer, intent(in) :: n, m
      real(dp), intent(in) :: x(n)
      real(dp), intent(inout) :: xb(n), yb(m)
      real(dp), intent(out) :: y(m)
    end subroutine
  end interface

  ! The kernel whose differences are taken.
  procedure(kernel), pointer :: current => null()
  integer, parameter :: most = 64
  real(dp), save :: static_x(most), static_xd(most), static_xb(most), static_y(most), static_yd(most), static_yb(most)

contains

  subroutine check_true(name, holds)
    character(*), intent(in) :: name
    logical, intent(in) :: holds
    if (holds) then
      passed = passed + 1
    else
      failed = failed + 1
      print '(2a)', 'FAIL ', name
    end if
  end subroutine

  ! With CHECK_SHOW in the environment each number is printed too, for comparison with those of another build.
  subroutine check_show(name, got, bound)
    character(*), intent(in) :: name
    real(dp), intent(in) :: got, bound
    integer :: length
    call get_environment_variable('CHECK_SHOW', length=length)
    if (length > 0) print '(a,es24.16e3,a,es10.2e3,2a)', '= ', got, ' ', bound, ' ', name
  end subroutine

  ! |got - want| <= bound, all of them finite.
  subroutine check_within(name, got, want, bound)
    character(*), intent(in) :: name
    real(dp), intent(in) :: got, want, bound
    logical :: holds
    call check_show(name, got, bound)
    holds = ieee_is_finite(got) .and. ieee_is_finite(want) .and. ieee_is_finite(bound)
    if (holds) holds = abs(got - want) <= bound
    if (holds) then
      passed = passed + 1
    else
      failed = failed + 1
      print '(3a,es24.16,a,es24.16,a,es10.2)', 'FAIL ', name, ': got', got, ', want', want, ', bound', bound
    end if
  end subroutine

  ! Relative to the larger of the two; a wanted zero must be met exactly.
  subroutine check_close(name, got, want, tolerance)
    character(*), intent(in) :: name
    real(dp), intent(in) :: got, want, tolerance
    call check_within(name, got, want, tolerance * max(abs(got), abs(want)))
  end subroutine

  ! <yd, yb> = <xd, xb>, relative to the magnitudes of the terms; two sums of nothing but zeros prove nothing.
  subroutine check_dot(name, xd, xb, yd, yb, tolerance)
    character(*), intent(in) :: name
    real(dp), intent(in) :: xd(:), xb(:), yd(:), yb(:), tolerance
    real(dp) :: terms
    terms = max(sum(abs(yd * yb)), sum(abs(xd * xb)))
    call check_true(name // ': terms that are not zero', terms > 0.0_dp)
    call check_within(name // ': <yd,yb> = <xd,xb>', sum(xd * xb), sum(yd * yb), tolerance * terms)
  end subroutine

  ! In [low, high); xorshift.
  real(dp) function check_uniform(low, high)
    real(dp), intent(in) :: low, high
    state = ieor(state, ishft(state, 13))
    state = ieor(state, ishft(state, -7))
    state = ieor(state, ishft(state, 17))
    check_uniform = low + (high - low) * real(ishft(state, -11), dp) * 2.0_dp**(-53)
  end function

  subroutine check_fill(values, low, high)
    real(dp), intent(out) :: values(:)
    real(dp), intent(in) :: low, high
    integer :: i
    do i = 1, size(values)
      values(i) = check_uniform(low, high)
    end do
  end subroutine

  ! yd: central differences of f along xd with steps h, h/2, ...; of the extrapolated ones, the steadiest.
  subroutine check_directional(f, x, xd, h, yd)
    procedure(map) :: f
    real(dp), intent(in) :: x(:), xd(:), h
    real(dp), intent(out) :: yd(:)
    real(dp) :: plus(size(yd)), minus(size(yd)), table(size(yd), levels, levels), least(size(yd)), spread, step
    integer :: row, column, j
    least = huge(1.0_dp)
    step = h
    do row = 1, levels
      call f(x + step * xd, plus)
      call f(x - step * xd, minus)
      table(:, row, 1) = (plus - minus) / (2.0_dp * step)
      step = 0.5_dp * step
      do column = 2, row
        do j = 1, size(yd)
          table(j, row, column) = table(j, row, column - 1) + (table(j, row, column - 1) - table(j, row - 1, column - 1)) &
            / (4.0_dp**(column - 1) - 1.0_dp)
          spread = max(abs(table(j, row, column) - table(j, row, column - 1)), &
                       abs(table(j, row, column) - table(j, row - 1, column - 1)))
          if (spread <= least(j)) then
            least(j) = spread
            yd(j) = table(j, row, column)
          end if
        end do
      end do
    end do
  end subroutine

  ! One map with its tangent and its adjoint at x: every column of the tangent against differences, the adjoint against
  ! the tangents, the dot-product identity, and that a second adjoint adds to the first.
  subroutine check_jacobian(name, f, tangent, adjoint, x, m)
    character(*), intent(in) :: name
    procedure(map) :: f
    procedure(tangent_of_map) :: tangent
    procedure(adjoint_of_map) :: adjoint
    real(dp), intent(in) :: x(:)
    integer, intent(in) :: m
    real(dp) :: y(m), yd(m), yb(m), want(m), entries(m, size(x)), xd(size(x)), xb(size(x)), again(size(x)), bound
    integer :: i, j
    call f(x, y)
    do i = 1, size(x)
      xd = 0.0_dp
      xd(i) = 1.0_dp
      call tangent(x, xd, entries(:, i))
      call check_directional(f, x, xd, 0.02_dp, want)
      do j = 1, m ! differences carry the rounding of f over the step
        bound = 1.0e-8_dp * max(abs(entries(j, i)), abs(want(j))) + 1.0e-11_dp * maxval(abs(y))
        call check_within(name // ': tangent against differences', entries(j, i), want(j), bound)
      end do
    end do
    call check_fill(xd, -1.0_dp, 1.0_dp)
    call check_fill(yb, 0.5_dp, 1.5_dp)
    xb = 0.0_dp
    call tangent(x, xd, yd)
    call adjoint(x, xb, yb)
    call check_dot(name, xd, xb, yd, yb, 1.0e-12_dp)
    again = xb
    call adjoint(x, again, yb)
    do i = 1, size(x)
      bound = 1.0e-12_dp * sum(abs(yb * entries(:, i)))
      call check_within(name // ': adjoint against tangent', xb(i), sum(yb * entries(:, i)), bound)
      call check_within(name // ': adjoint accumulates', again(i), 2.0_dp * xb(i), 2.0_dp * bound)
    end do
  end subroutine

  ! A kernel with its derivatives at x, with arguments on the heap, on the stack and in static memory.
  subroutine check_kernel(name, f, tangent, adjoint, x, m)
    character(*), intent(in) :: name
    procedure(kernel) :: f
    procedure(kernel_tangent) :: tangent
    procedure(kernel_adjoint) :: adjoint
    real(dp), intent(in) :: x(:)
    integer, intent(in) :: m
    real(dp), allocatable :: heap(:, :)
    integer :: n
    n = size(x)
    current => f
    allocate (heap(max(n, m), 6))
    heap(1:n, 1) = x
    call check_kernel_at(name // ' on the heap', f, tangent, adjoint, n, m, heap(:, 1), heap(:, 2), heap(:, 3), heap(:, 4), &
                         heap(:, 5), heap(:, 6))
    call check_kernel_on_stack(name // ' on the stack', f, tangent, adjoint, n, m, x)
    static_x(1:n) = x
    call check_kernel_at(name // ' in static memory', f, tangent, adjoint, n, m, static_x, static_xd, static_xb, static_y, &
                         static_yd, static_yb)
  end subroutine

  recursive subroutine check_kernel_on_stack(name, f, tangent, adjoint, n, m, given)
    character(*), intent(in) :: name
    procedure(kernel) :: f
    procedure(kernel_tangent) :: tangent
    procedure(kernel_adjoint) :: adjoint
    integer, intent(in) :: n, m
    real(dp), intent(in) :: given(n)
    real(dp) :: x(most), xd(most), xb(most), y(most), yd(most), yb(most)
    x(1:n) = given
    call check_kernel_at(name, f, tangent, adjoint, n, m, x, xd, xb, y, yd, yb)
  end subroutine

  subroutine check_kernel_at(name, f, tangent, adjoint, n, m, x, xd, xb, y, yd, yb)
    character(*), intent(in) :: name
    procedure(kernel) :: f
    procedure(kernel_tangent) :: tangent
    procedure(kernel_adjoint) :: adjoint
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: x(n), xd(n), xb(n), y(m), yd(m), yb(m)
    real(dp) :: primal(m), entries(m, n), want(m), weights(m), again(n), bound
    integer :: i, j
    call f(n, m, x, primal)
    do i = 1, n
      xd = 0.0_dp
      xd(i) = 1.0_dp
      yd = 0.0_dp
      call tangent(n, m, x, xd, y, yd)
      entries(:, i) = yd
      call check_directional(current_map, x, xd, 0.02_dp, want)
      do j = 1, m
        bound = 1.0e-8_dp * max(abs(entries(j, i)), abs(want(j))) + 1.0e-11_dp * maxval(abs(primal))
        call check_within(name // ': tangent against differences', entries(j, i), want(j), bound)
        call check_close(name // ': primal of the tangent', y(j), primal(j), 1.0e-13_dp)
      end do
    end do
    call check_fill(weights, 0.5_dp, 1.5_dp)
    xb = 0.0_dp
    yb = weights
    call adjoint(n, m, x, xb, y, yb)
    again = xb
    yb = weights
    call adjoint(n, m, x, again, y, yb)
    do i = 1, n
      bound = 1.0e-12_dp * sum(abs(weights * entries(:, i)))
      call check_within(name // ': adjoint against tangent', xb(i), sum(weights * entries(:, i)), bound)
      call check_within(name // ': adjoint accumulates', again(i), 2.0_dp * xb(i), 2.0_dp * bound)
    end do
    call check_true(name // ': a derivative that is not zero', any(entries /= 0.0_dp))
  end subroutine

  subroutine current_map(x, y)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    call current(size(x), size(y), x, y)
  end subroutine

  ! The closing line; a program without a check has failed.
  subroutine check_done()
    print '(a,i0,a,i0,a)', 'checks: ', passed, ' passed, ', failed, ' failed'
    if (failed /= 0 .or. passed == 0) stop 1
  end subroutine
end module check
