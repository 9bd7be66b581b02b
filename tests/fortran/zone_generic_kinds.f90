! A generic name for procedures of several kinds and ranks.
! ad-option: -ad-adjoint=zone_generic_kinds(y)/(x)
! ad-option: -ad-tangent=zone_generic_kinds(y)/(x)
! ad-option: -ad-argnames=zone_generic_kinds_:n,m,x,y
module zone_generic_parts
  implicit none
  interface size_of
    module procedure scalar, vector, matrix, number
  end interface size_of
contains
  real(8) function scalar(a)
    real(8), intent(in) :: a
    scalar = abs(a) + a**2
  end function scalar
  real(8) function vector(a)
    real(8), intent(in) :: a(:)
    vector = sqrt(sum(a**2))
  end function vector
  real(8) function matrix(a)
    real(8), intent(in) :: a(:,:)
    matrix = size_of(a(:,1)) * size_of(a(2,3))
  end function matrix
  complex(8) function number(a)
    complex(8), intent(in) :: a
    number = a * sqrt(a)
  end function number
end module zone_generic_parts

subroutine zone_generic_kinds(n, m, x, y)
  use zone_generic_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  complex(8) :: z
  y(1) = size_of(x(1))
  y(2) = size_of(x)
  z = size_of(cmplx(x(1), x(2), 8))
  y(3) = real(z) * aimag(z)
  y(4) = size_of(reshape(x, [2, 4]))
end subroutine zone_generic_kinds

program zone_generic_kinds_test
  use check
  implicit none
  procedure(kernel) :: zone_generic_kinds
  procedure(kernel_tangent) :: zone_generic_kinds_d
  procedure(kernel_adjoint) :: zone_generic_kinds_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_generic_kinds', zone_generic_kinds, zone_generic_kinds_d, zone_generic_kinds_b, x, 4)
  end do
  call check_done()
end program zone_generic_kinds_test
