! Nonlinear least squares by Levenberg and Marquardt over QR: submodules, generic interfaces, models as procedure pointers.
! ad-option: -ad-adjoint=zone_least_squares_submodules(y)/(x)
! ad-option: -ad-tangent=zone_least_squares_submodules(y)/(x)
! ad-option: -ad-argnames=zone_least_squares_submodules_:n,m,x,y
module zone_fit_parts
  implicit none
  integer, parameter :: sp = kind(1.0), wp = kind(1d0)
  type :: fit
    real(wp), allocatable :: parameters(:), residual(:), jacobian(:, :)
    real(wp) :: damping = 1e-2_wp
    integer :: iterations = 0
    procedure(model), pointer, nopass :: f => null()
  contains
    procedure :: iterate
    procedure, private :: evaluate
    generic :: cost => cost_of_fit, cost_of_vector
    procedure, private :: cost_of_fit, cost_of_vector
  end type fit
  abstract interface
    pure function model(t, p) result(v)
      import :: wp
      real(wp), intent(in) :: t(:), p(:)
      real(wp) :: v(size(t))
    end function model
  end interface
  interface least_squares
    module subroutine solve_double(a, b, x)
      real(wp), intent(in), contiguous :: a(:, :)
      real(wp), intent(in) :: b(:)
      real(wp), intent(out) :: x(:)
    end subroutine solve_double
    module subroutine solve_single(a, b, x)
      real(sp), intent(in), contiguous :: a(:, :)
      real(sp), intent(in) :: b(:)
      real(sp), intent(out) :: x(:)
    end subroutine solve_single
  end interface least_squares
  interface
    module subroutine iterate(this, t, data, most)
      class(fit), intent(inout) :: this
      real(wp), intent(in) :: t(:), data(:)
      integer, intent(in) :: most
    end subroutine iterate
    module subroutine evaluate(this, t, data)
      class(fit), intent(inout) :: this
      real(wp), intent(in) :: t(:), data(:)
    end subroutine evaluate
    pure module function cost_of_fit(this) result(c)
      class(fit), intent(in) :: this
      real(wp) :: c
    end function cost_of_fit
    pure module function cost_of_vector(this, r) result(c)
      class(fit), intent(in) :: this
      real(wp), intent(in) :: r(:)
      real(wp) :: c
    end function cost_of_vector
  end interface
end module zone_fit_parts

submodule (zone_fit_parts) zone_fit_linear
  implicit none
contains
  module procedure solve_double
    real(wp) :: qr(size(a, 1), size(a, 2) + 1), v(size(a, 1)), s
    integer :: k, j, n
    n = size(a, 2)
    qr(:, :n) = a
    qr(:, n + 1) = b
    do k = 1, n
      v = 0
      v(k:) = qr(k:, k)
      v(k) = v(k) + sign(norm2(v), v(k))
      s = 2 / dot_product(v, v)
      do j = k, n + 1
        qr(:, j) = qr(:, j) - s * dot_product(v, qr(:, j)) * v
      end do
    end do
    do k = n, 1, -1
      x(k) = (qr(k, n + 1) - dot_product(qr(k, k + 1:n), x(k + 1:n))) / qr(k, k)
    end do
  end procedure solve_double
  module procedure solve_single
    real(wp) :: precise(size(x))
    call solve_double(real(a, wp), real(b, wp), precise)
    x = real(precise, sp)
  end procedure solve_single
end submodule zone_fit_linear

submodule (zone_fit_parts) zone_fit_nonlinear
  implicit none
contains
  module procedure evaluate
    real(wp) :: moved(size(this%parameters))
    real(wp), parameter :: h = 1e-2_wp
    integer :: k
    this%residual = data - this%f(t, this%parameters)
    if (.not. allocated(this%jacobian)) allocate(this%jacobian(size(t), size(moved)))
    do k = 1, size(moved)
      moved = this%parameters
      moved(k) = moved(k) + h
      this%jacobian(:, k) = this%f(t, moved)
      moved(k) = moved(k) - 2 * h
      this%jacobian(:, k) = (this%jacobian(:, k) - this%f(t, moved)) / (2 * h)
    end do
  end procedure evaluate
  module procedure iterate
    real(wp), allocatable :: stacked(:, :), right(:)
    real(wp) :: step(size(this%parameters)), before
    integer :: i, k, n, m
    m = size(t)
    n = size(step)
    call this%evaluate(t, data)
    do i = 1, most
      this%iterations = i
      allocate(stacked(m + n, n), right(m + n), source=0._wp)
      stacked(:m, :) = this%jacobian
      forall (k = 1:n) stacked(m + k, k) = sqrt(this%damping)
      right(:m) = this%residual
      call least_squares(stacked, right, step)
      before = this%cost()
      this%parameters = this%parameters + step
      if (this%cost(data - this%f(t, this%parameters)) < before) then
        this%damping = this%damping / 3
      else
        this%parameters = this%parameters - step
        this%damping = this%damping * 5
      end if
      call this%evaluate(t, data)
      deallocate(stacked, right)
    end do
  end procedure iterate
  module procedure cost_of_fit
    c = 0.5_wp * sum(this%residual**2)
  end procedure cost_of_fit
  module procedure cost_of_vector
    c = 0.5_wp * sum(r**2) + 0 * this%damping
  end procedure cost_of_vector
end submodule zone_fit_nonlinear

subroutine zone_least_squares_submodules(n, m, x, y)
  use zone_fit_parts
  implicit none
  integer, intent(in) :: n, m
  real(wp), intent(in) :: x(n)
  real(wp), intent(out) :: y(m)
  type(fit) :: mine
  real(wp) :: t(n)
  real(sp) :: line(2)
  integer :: i
  t = [(0.25_wp * i, i = 1, n)]
  mine%parameters = [1._wp, 0.3_wp]
  mine%f => decay
  call mine%iterate(t, 2 + x, 3)
  y(1:2) = mine%parameters
  y(3) = mine%cost()
  call least_squares(reshape([(1._sp, i = 1, n), real(t, sp)], [n, 2]), [(1._sp * i, i = 1, n)], line)
  y(1) = y(1) * line(2)
contains
  pure function decay(t, p) result(v)
    real(wp), intent(in) :: t(:), p(:)
    real(wp) :: v(size(t))
    v = 2 * p(1) * exp(-p(2) * t)
  end function decay
end subroutine zone_least_squares_submodules

program zone_least_squares_submodules_test
  use check
  implicit none
  procedure(kernel) :: zone_least_squares_submodules
  procedure(kernel_tangent) :: zone_least_squares_submodules_d
  procedure(kernel_adjoint) :: zone_least_squares_submodules_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_least_squares_submodules', zone_least_squares_submodules, zone_least_squares_submodules_d, zone_least_squares_submodules_b, x, 3)
  end do
  call check_done()
end program zone_least_squares_submodules_test
