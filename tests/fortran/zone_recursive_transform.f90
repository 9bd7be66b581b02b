! A Fourier transform by recursion, with arrays as results.
! ad-option: -ad-adjoint=zone_recursive_transform(y)/(x)
! ad-option: -ad-tangent=zone_recursive_transform(y)/(x)
! ad-option: -ad-argnames=zone_recursive_transform_:n,m,x,y
module zone_transform_parts
  implicit none
contains
  recursive function transform(a) result(r)
    complex(8), intent(in) :: a(:)
    complex(8) :: r(size(a))
    complex(8), allocatable :: even(:), odd(:)
    complex(8) :: w
    integer :: k, h
    if (size(a) == 1) then
      r = a
      return
    end if
    h = size(a) / 2
    even = transform(a(1::2))
    odd = transform(a(2::2))
    do k = 1, h
      w = exp(cmplx(0d0, -6.283185307179586d0 * (k - 1) / size(a), 8)) * odd(k)
      r(k) = even(k) + w
      r(k + h) = even(k) - w
    end do
  end function transform
end module zone_transform_parts

subroutine zone_recursive_transform(n, m, x, y)
  use zone_transform_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  complex(8) :: z(8)
  z = transform(cmplx(x, x(8:1:-1), 8))
  y(1) = sum(abs(z)**2 * [1, 2, 3, 4, 5, 6, 7, 8])
  y(2) = real(z(2) * conjg(z(4)))
end subroutine zone_recursive_transform

program zone_recursive_transform_test
  use check
  implicit none
  procedure(kernel) :: zone_recursive_transform
  procedure(kernel_tangent) :: zone_recursive_transform_d
  procedure(kernel_adjoint) :: zone_recursive_transform_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_recursive_transform', zone_recursive_transform, zone_recursive_transform_d, zone_recursive_transform_b, x, 2)
  end do
  call check_done()
end program zone_recursive_transform_test
