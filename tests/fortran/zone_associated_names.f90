! ASSOCIATE: names for expressions, sections and components, which may be written.
! ad-option: -ad-adjoint=zone_associated_names(y)/(x)
! ad-option: -ad-tangent=zone_associated_names(y)/(x)
! ad-option: -ad-argnames=zone_associated_names_:n,m,x,y
subroutine zone_associated_names(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type :: pair
    real(8) :: a, b(3)
  end type pair
  type(pair) :: p(2)
  real(8) :: w(4)
  w = x(:4)
  p(1) = pair(x(1), x(2:4))
  p(2) = pair(x(5), x(6:8))
  associate (r => sqrt(x(1)**2 + x(2)**2), q => p(2)%b(2:3), s => w(::2))
    s = s * r
    q = q + s
    associate (t => q(1) * r)
      y(1) = t * t
    end associate
  end associate
  y(2) = sum(w) + p(2)%b(2) * p(2)%b(3)
  associate (all => p%a)
    y(3) = product(all)
  end associate
end subroutine zone_associated_names

program zone_associated_names_test
  use check
  implicit none
  procedure(kernel) :: zone_associated_names
  procedure(kernel_tangent) :: zone_associated_names_d
  procedure(kernel_adjoint) :: zone_associated_names_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_associated_names', zone_associated_names, zone_associated_names_d, zone_associated_names_b, x, 3)
  end do
  call check_done()
end program zone_associated_names_test
