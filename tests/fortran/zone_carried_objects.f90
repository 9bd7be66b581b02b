! Objects with allocatable components in constructors, array functions, FORALL, WHERE and assignments of arrays to themselves: copies are deep.
! ad-option: -ad-adjoint=zone_carried_objects(y)/(x)
! ad-option: -ad-tangent=zone_carried_objects(y)/(x)
! ad-option: -ad-argnames=zone_carried_objects_:n,m,x,y
module zone_carried_parts
  implicit none
  type :: law
    real(8), allocatable :: order(:)
    real(8) :: factor = 0
    integer :: id = 0
  end type law
  interface operator(+)
    module procedure plus
  end interface
contains
  elemental type(law) function make(factor, id) result(r)
    real(8), intent(in) :: factor
    integer, intent(in) :: id
    integer :: i
    r%factor = factor
    r%id = id
    r%order = [(factor * i, i = 1, id)]
  end function make
  elemental type(law) function plus(a, b) result(r)
    type(law), intent(in) :: a, b
    r = a
    r%factor = a%factor + b%factor
  end function plus
  pure real(8) function total(list) result(t)
    type(law), intent(in) :: list(:)
    integer :: i
    t = 0
    do i = 1, size(list)
      t = t + list(i)%factor * i
      if (allocated(list(i)%order)) t = t + i * sum(list(i)%order**2) * list(i)%id
    end do
  end function total
end module

subroutine zone_carried_objects(n, m, x, y)
  use zone_carried_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(law), allocatable :: a(:), b(:), c(:, :), d(:)
  type(law) :: fill
  integer :: i
  y = 0
  allocate (a(0))
  do i = 1, n
    a = [a, make(x(i), i)]
  end do
  y(1) = total(a)
  a(2)%order = a(2)%order * x(1)
  y(2) = total(a)
  b = pack(a, [(mod(i, 2) == 0, i = 1, n)])
  b(1)%order = b(1)%order * x(1)
  y(3) = total(b) + total(a)
  c = reshape(a, [2, 2])
  c(1, 2)%order(1) = x(2)**2
  y(4) = total(c(:, 2)) * total(c(1, :)) + total(a)
  b = cshift(a, 1)
  b(1)%order(1) = x(2)**2
  y(5) = total(b) + total(a)
  fill = make(x(3), 2)
  b = eoshift(a, 1, boundary=fill)
  b(n)%order(1) = x(2)**2
  y(6) = total(b) + total(a) + total([fill])
  c = spread(a(:2), 1, 2)
  c(1, 2)%order(1) = x(2)**2
  y(7) = total(c(:, 2)) * total(c(1, :)) + total(a)
  c = transpose(reshape(a, [2, 2]))
  c(1, 2)%order(1) = x(2)**2
  y(8) = total(c(:, 2)) * total(c(1, :)) + total(a)
  b = unpack(a(:2), [.true., .false., .false., .true.], a)
  b(4)%order(1) = x(2)**2
  y(9) = total(b) + total(a)
  b = merge(a, a(n:1:-1), [.true., .false., .false., .true.])
  b(4)%order(1) = x(2)**2
  y(10) = total(b) + total(a)
  forall (i = 1:n) a(i) = a(n + 1 - i)
  a(1)%order(1) = x(2)**2
  y(11) = total(a)
  b = a
  where ([(x(i) > 0.5d0, i = 1, n)]) b = a(n:1:-1) + a
  b(1)%order(1) = x(2)**2
  y(12) = total(b) + total(a)
  a = a(n:1:-1)
  a(1)%order(1) = x(2)**2
  y(13) = total(a)
  a([1, 3]) = a([3, 1])
  a(1)%order(1) = x(2)**2
  y(14) = total(a)
  y(15) = total((a)) + total([a(2:3), a(1:1)])
  d = [law :: (make(x(i), i + 1), i = 1, n - 1)]
  d = [d(2:), d(:1)]
  y(15) = y(15) * total(d)
end subroutine zone_carried_objects

program zone_carried_objects_test
  use check
  implicit none
  procedure(kernel) :: zone_carried_objects
  procedure(kernel_tangent) :: zone_carried_objects_d
  procedure(kernel_adjoint) :: zone_carried_objects_b
  real(dp) :: x(4)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_carried_objects', zone_carried_objects, zone_carried_objects_d, zone_carried_objects_b, x, 15)
  end do
  call check_done()
end program zone_carried_objects_test
