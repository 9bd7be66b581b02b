! Optional and keyword arguments, assumed rank, block constructs, associate of expressions, do concurrent, contiguous pointers.
! ad-option: -ad-adjoint=zone_ranks_and_operators(y)/(x)
! ad-option: -ad-tangent=zone_ranks_and_operators(y)/(x)
! ad-option: -ad-argnames=zone_ranks_and_operators_:n,m,x,y
module zone_small_parts
  implicit none
  interface norm
    module procedure norm_1, norm_2, norm_any
  end interface
  type :: vector
    real(8) :: x = 0, y = 0
  contains
    procedure, pass(b) :: scaled
    generic :: operator(*) => scaled
    procedure :: plus
    generic :: operator(+) => plus
    procedure, private :: write_vector
    generic :: write(formatted) => write_vector
  end type vector
contains
  pure real(8) function norm_1(v, p)
    real(8), intent(in) :: v(:)
    integer, intent(in), optional :: p
    if (present(p)) then
      norm_1 = sum(abs(v)**p)**(1d0 / p)
    else
      norm_1 = norm2(v)
    end if
  end function norm_1
  pure real(8) function norm_2(v)
    real(8), intent(in) :: v(:, :)
    norm_2 = maxval(sum(abs(v), dim=1))
  end function norm_2
  real(8) function norm_any(v)
    type(vector), intent(in) :: v
    norm_any = hypot(v%x, v%y)
  end function norm_any
  elemental type(vector) function scaled(a, b)
    real(8), intent(in) :: a
    class(vector), intent(in) :: b
    scaled = vector(a * b%x, a * b%y)
  end function scaled
  elemental type(vector) function plus(a, b)
    class(vector), intent(in) :: a
    type(vector), intent(in) :: b
    plus = vector(a%x + b%x, a%y + b%y)
  end function plus
  subroutine write_vector(dtv, unit, iotype, v_list, iostat, iomsg)
    class(vector), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, *, iostat=iostat, iomsg=iomsg) dtv%x, dtv%y
  end subroutine write_vector
  real(8) function any_rank(a, by)
    real(8), intent(inout) :: a(..)
    real(8), intent(in) :: by
    any_rank = 0
    select rank (a)
    rank (0)
      a = a * by
      any_rank = a
    rank (1)
      a = a + by
      any_rank = sum(a)
    rank (2)
      a(2:, :) = a(:size(a, 1) - 1, :) * by
      any_rank = sum(a**2)
    rank default
      error stop 'rank'
    end select
  end function any_rank
end module zone_small_parts

subroutine zone_ranks_and_operators(n, m, x, y)
  use zone_small_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), target :: work(3, 4)
  real(8), pointer, contiguous :: flat(:)
  real(8), pointer :: diagonal(:), rows(:, :)
  real(8) :: s, total
  type(vector) :: v(3)
  integer :: i, j
  work = reshape([((x(i) * j + x(j), i = 1, 3), j = 1, 4)], [3, 4])
  flat(1:12) => work
  diagonal => flat(1:9:4)
  rows => work(3:1:-2, :)
  y(1) = norm(diagonal) + norm(diagonal, 3) + norm(rows)
  diagonal = diagonal * x(1)
  y(2) = norm(v=work) + any_rank(work, x(2)) + any_rank(diagonal, x(3)) + any_rank(flat(2), x(1))
  total = 0
  do concurrent (i = 1:4, j = 1:3, mod(i + j, 2) == 0) local(s) shared(work) reduce(+: total)
    s = work(j, i)**2
    total = total + sqrt(1 + s)
  end do
  y(3) = total
  block
    real(8) :: local(size(work, 1))
    local = matmul(work, x(:4))
    associate (p => local / sum(local), q => rows(1, :))
      y(4) = -sum(p * log(abs(p))) + sum(q)
    end associate
  end block
  v = [(vector(x(i), x(i + 1)), i = 1, 3)]
  v(2:3) = 2d0 * v(1:2) + v(2:3)
  y(5) = norm(v(1) + x(2) * v(2)) + norm(v(3))
end subroutine zone_ranks_and_operators

program zone_ranks_and_operators_test
  use check
  implicit none
  procedure(kernel) :: zone_ranks_and_operators
  procedure(kernel_tangent) :: zone_ranks_and_operators_d
  procedure(kernel_adjoint) :: zone_ranks_and_operators_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_ranks_and_operators', zone_ranks_and_operators, zone_ranks_and_operators_d, zone_ranks_and_operators_b, x, 5)
  end do
  call check_done()
end program zone_ranks_and_operators_test
