! Sparse matrices as a class with operators, a preconditioner object and conjugate gradients.
! ad-option: -ad-adjoint=zone_sparse_operators(y)/(x)
! ad-option: -ad-tangent=zone_sparse_operators(y)/(x)
! ad-option: -ad-argnames=zone_sparse_operators_:n,m,x,y
! ad-levels: O1 O2 O3
! ad-long: many generic functions of objects
module zone_sparse_parts
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: csr, builder, operator(*), operator(+), operator(.dot.), assignment(=), solve_cg, jacobi, identity, preconditioner
  type :: entry
    integer :: row, column
    real(wp) :: value
  end type entry
  type :: builder
    private
    integer :: used = 0
    type(entry), allocatable :: items(:)
  contains
    procedure :: add => builder_add
    final :: builder_free
  end type builder
  type :: csr
    integer :: rows = 0
    integer, allocatable :: start(:), column(:)
    real(wp), allocatable :: value(:)
  contains
    procedure :: diagonal
  end type csr
  type, abstract :: preconditioner
  contains
    procedure(apply_i), deferred :: apply
  end type preconditioner
  type, extends(preconditioner) :: identity
  contains
    procedure :: apply => apply_identity
  end type identity
  type, extends(preconditioner) :: jacobi
    real(wp), allocatable :: d(:)
  contains
    procedure :: apply => apply_jacobi
  end type jacobi
  abstract interface
    function apply_i(this, r) result(z)
      import :: preconditioner, wp
      class(preconditioner), intent(in) :: this
      real(wp), intent(in) :: r(:)
      real(wp), allocatable :: z(:)
    end function apply_i
  end interface
  interface operator(*)
    module procedure times_vector, times_scalar
  end interface
  interface operator(+)
    module procedure plus_matrix
  end interface
  interface operator(.dot.)
    module procedure inner
  end interface
  interface assignment(=)
    module procedure from_builder
  end interface
contains
  subroutine builder_add(this, row, column, value)
    class(builder), intent(inout) :: this
    integer, intent(in) :: row, column
    real(wp), intent(in) :: value
    type(entry), allocatable :: larger(:)
    if (.not. allocated(this%items)) allocate (this%items(4))
    if (this%used == size(this%items)) then
      allocate (larger(2 * this%used))
      larger(:this%used) = this%items
      call move_alloc(larger, this%items)
    end if
    this%used = this%used + 1
    this%items(this%used) = entry(row, column, value)
  end subroutine builder_add
  subroutine builder_free(this)
    type(builder), intent(inout) :: this
    if (allocated(this%items)) deallocate (this%items)
  end subroutine builder_free
  subroutine from_builder(a, b)
    type(csr), intent(out) :: a
    type(builder), intent(in) :: b
    integer :: k, i, p
    integer, allocatable :: next(:)
    a%rows = maxval(b%items(:b%used)%row)
    allocate (a%start(a%rows + 1), a%column(b%used), a%value(b%used))
    a%start(1) = 1
    do i = 1, a%rows
      a%start(i + 1) = a%start(i) + count(b%items(:b%used)%row == i)
    end do
    next = a%start(:a%rows)
    do k = 1, b%used
      p = next(b%items(k)%row)
      a%column(p) = b%items(k)%column
      a%value(p) = b%items(k)%value
      next(b%items(k)%row) = p + 1
    end do
  end subroutine from_builder
  function times_vector(a, v) result(w)
    type(csr), intent(in) :: a
    real(wp), intent(in) :: v(:)
    real(wp) :: w(a%rows)
    integer :: i
    do i = 1, a%rows
      associate (span => a%value(a%start(i):a%start(i + 1) - 1), at => a%column(a%start(i):a%start(i + 1) - 1))
        w(i) = dot_product(span, v(at))
      end associate
    end do
  end function times_vector
  function times_scalar(s, a) result(b)
    real(wp), intent(in) :: s
    type(csr), intent(in) :: a
    type(csr) :: b
    b = csr(a%rows, a%start, a%column, s * a%value)
  end function times_scalar
  function plus_matrix(a, b) result(c)
    type(csr), intent(in) :: a, b
    type(csr) :: c
    type(builder) :: t
    integer :: i, k
    do i = 1, a%rows
      do k = a%start(i), a%start(i + 1) - 1
        call t%add(i, a%column(k), a%value(k))
      end do
      do k = b%start(i), b%start(i + 1) - 1
        call t%add(i, b%column(k), b%value(k))
      end do
    end do
    c = t
  end function plus_matrix
  pure real(wp) function inner(a, b)
    real(wp), intent(in) :: a(:), b(:)
    inner = sum(a * b)
  end function inner
  function diagonal(this) result(d)
    class(csr), intent(in) :: this
    real(wp) :: d(this%rows)
    integer :: i
    do i = 1, this%rows
      d(i) = sum(this%value(this%start(i):this%start(i + 1) - 1), mask=this%column(this%start(i):this%start(i + 1) - 1) == i)
    end do
  end function diagonal
  function apply_identity(this, r) result(z)
    class(identity), intent(in) :: this
    real(wp), intent(in) :: r(:)
    real(wp), allocatable :: z(:)
    z = r
  end function apply_identity
  function apply_jacobi(this, r) result(z)
    class(jacobi), intent(in) :: this
    real(wp), intent(in) :: r(:)
    real(wp), allocatable :: z(:)
    z = r / this%d
  end function apply_jacobi
  subroutine solve_cg(a, b, u, p, steps)
    type(csr), intent(in) :: a
    real(wp), intent(in) :: b(:)
    real(wp), allocatable, intent(inout) :: u(:)
    class(preconditioner), intent(in) :: p
    integer, intent(in) :: steps
    real(wp), allocatable :: r(:), z(:), d(:), q(:)
    real(wp) :: rho, previous
    integer :: k
    r = b - a * u
    z = p%apply(r)
    d = z
    rho = r .dot. z
    do k = 1, steps
      q = a * d
      u = u + rho / (d .dot. q) * d
      r = r - rho / (d .dot. q) * q
      z = p%apply(r)
      previous = rho
      rho = r .dot. z
      d = z + rho / previous * d
    end do
  end subroutine solve_cg
end module zone_sparse_parts

subroutine zone_sparse_operators(n, m, x, y)
  use zone_sparse_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(builder) :: stiff, mass
  type(csr) :: k, w, a
  class(preconditioner), allocatable :: p
  real(8), allocatable :: u(:)
  real(8) :: b(n)
  integer :: i
  do i = 1, n
    call stiff%add(i, i, 2 + x(i)**2)
    if (i > 1) call stiff%add(i, i - 1, -x(i) * x(i - 1) * 0.5d0)
    if (i < n) call stiff%add(i, i + 1, -x(i + 1) * x(i) * 0.5d0)
    call mass%add(i, i, 1 + sin(x(i)))
  end do
  k = stiff
  w = mass
  a = k + x(1) * w
  b = [(x(i) * i, i = 1, n)]
  allocate (u(n), source=0d0)
  p = identity()
  call solve_cg(a, b, u, p, 3)
  y(1) = sum(u**2)
  p = jacobi(a%diagonal())
  u = 0
  call solve_cg(a, b, u, p, 3)
  y(2) = u .dot. b
  y(3) = maxval(u) * u(2)
end subroutine zone_sparse_operators

program zone_sparse_operators_test
  use check
  implicit none
  procedure(kernel) :: zone_sparse_operators
  procedure(kernel_tangent) :: zone_sparse_operators_d
  procedure(kernel_adjoint) :: zone_sparse_operators_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_sparse_operators', zone_sparse_operators, zone_sparse_operators_d, zone_sparse_operators_b, x, 3)
  end do
  call check_done()
end program zone_sparse_operators_test
