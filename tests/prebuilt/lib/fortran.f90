! A library in Fortran: arrays of each kind, common blocks, complex numbers, internal procedures.
module kept
  implicit none
  real(8) :: factor = 1
  real(8), allocatable :: table(:)
contains
  ! Assumed shape: by descriptor.
  function shaped(a) result(s)
    real(8), intent(in) :: a(:)
    real(8) :: s
    integer :: i
    s = 0
    do i = 1, size(a)
      s = s + a(i) * a(size(a) + 1 - i) * i
    end do
  end function
  subroutine scaled(a, by)
    real(8), intent(inout) :: a(:, :)
    real(8), intent(in) :: by
    a = a * by + transpose(a)
  end subroutine
end module

subroutine f_explicit(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(n)
  y = x * x + sin(x)
  y(2:n-1) = y(2:n-1) + x(1:n-2) * x(3:n)
end subroutine
subroutine f_assumed_size(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(*)
  real(8), intent(inout) :: y(*)
  integer :: i
  do i = 1, n
    y(i) = y(i) + x(i)**3 / x(n + 1 - i)
  end do
end subroutine
! Packed copies of sections that have steps.
subroutine f_sections(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  call f_assumed_size(x(1:n:2), y(1:n:2), n / 2)
  call f_assumed_size(x(n:1:-2), y(2:n:2), n / 2)
end subroutine
subroutine f_descriptors(x, y, n)
  use kept
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  real(8) :: m(2, 2)
  y(1) = shaped(x)
  y(2) = shaped(x(1:n:3))
  y(3) = shaped(x(n:1:-2))
  m = reshape(x(1:4), [2, 2])
  call scaled(m, x(5))
  call scaled(m(2:1:-1, :), x(6))
  y(4:7) = reshape(m, [4])
end subroutine
subroutine f_in_place(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  integer :: i, k
  y = x
  do k = 1, 3
    do i = 2, n
      y(i) = y(i) * 0.5d0 + y(i - 1) * x(1)
    end do
  end do
end subroutine
subroutine f_common(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  real(8) :: a, b(4)
  common /state/ a, b
  a = x(1) * x(2)
  b = x(3:6)
  call f_from_common(y)
end subroutine
subroutine f_from_common(y)
  implicit none
  real(8), intent(inout) :: y(*)
  real(8) :: a, b(4)
  common /state/ a, b
  y(1) = a * sum(b)
  y(2) = product(b) / a
end subroutine
subroutine f_module(x, y, n)
  use kept
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  factor = x(1)
  if (allocated(table)) deallocate(table)
  allocate(table(n))
  table = x * factor
  y = table(n:1:-1) * table
end subroutine
subroutine f_complex(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  complex(8) :: z, w
  z = cmplx(x(1), x(2), 8)
  call f_turn(z, x(3), w)
  w = w * exp(z) + sqrt(z) / conjg(w)
  y(1) = real(w, 8)
  y(2) = aimag(w)
  y(3) = abs(w)
end subroutine
subroutine f_turn(z, by, w)
  implicit none
  complex(8), intent(in) :: z
  real(8), intent(in) :: by
  complex(8), intent(out) :: w
  w = z * cmplx(cos(by), sin(by), 8) + z**3
end subroutine
subroutine f_matrices(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  real(8) :: a(3, 3), b(3, 3)
  integer :: i
  do i = 1, 3
    a(:, i) = x(i) * x(4:6)
    b(i, :) = x(i:i + 2)
  end do
  a = matmul(a, b) + transpose(b)
  y(1) = maxval(a)
  y(2) = minval(a)
  y(3) = dot_product(a(:, 1), b(2, :))
  y(4) = sum(a, mask=a > 1)
  y(5) = norm2(b(1, :))
  y(6) = sum(merge(a, b, a < b))
end subroutine
subroutine f_narrow(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  real(10) :: q
  integer :: i
  q = 1
  do i = 1, n
    q = q * x(i) + 1 / q
    y(i) = real(q, 8)
  end do
end subroutine
subroutine f_intrinsics(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  y(1) = sign(x(1), -x(2))
  y(2) = max(x(1), x(2), x(3)) * min(x(3), x(4))
  y(3) = mod(7 * x(1) + 5, 2.3d0)
  y(4) = abs(x(1) - 2) ** x(2)
  y(5) = aint(x(3) + 4) * x(3) + anint(4 + x(4) / 10) * x(5)
  y(6) = hypot(x(1), x(2)) + atan2(x(3), x(4))
  y(7) = erf(x(5)) * gamma(x(6) + 1) + log_gamma(x(1))
  y(8) = dim(x(1) + 1, x(2)) + x(3)**(-3)
end subroutine
function f_double(x, n) result(s)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8) :: s
  s = inside(x(1)) * inside(x(2))
contains
  recursive function deep(t, k) result(r)
    real(8), intent(in) :: t
    integer, intent(in) :: k
    real(8) :: r
    if (k == 0) then
      r = t
    else
      r = deep(t * x(3), k - 1) + t
    end if
  end function
  function inside(t) result(r)
    real(8), intent(in) :: t
    real(8) :: r
    r = deep(t, 4) + n * x(4)
  end function
end function
subroutine f_workspace(x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  real(8) :: w(n, n), v(n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      w(i, j) = x(i) / (x(j) + i)
    end do
  end do
  v = matmul(w, x)
  y = v * w(:, 2) + w(3, :)
end subroutine
