! Elements chosen by vectors: gathered, scattered, and passed.
! ad-option: -ad-adjoint=zone_vector_subscripts(y)/(x)
! ad-option: -ad-tangent=zone_vector_subscripts(y)/(x)
! ad-option: -ad-argnames=zone_vector_subscripts_:n,m,x,y
subroutine zone_vector_subscripts(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer :: at(4), back(3)
  real(8) :: a(8)
  at = [7, 2, 5, 1]
  back = at(4:2:-1)
  a = x
  y(1) = sum(a(at)**2)
  a(at) = a(at) * x(back(1)) + a([1, 2, 3, 4])
  a(back) = a(back) - x(:3)
  y(2) = energy(a(at(2:)))
  y(3) = dot_product(a(back), a(at(:3))) + a(at(at(2)))
contains
  real(8) function energy(v)
    real(8), intent(in) :: v(:)
    energy = sum(v * v) * v(1)
  end function energy
end subroutine zone_vector_subscripts

program zone_vector_subscripts_test
  use check
  implicit none
  procedure(kernel) :: zone_vector_subscripts
  procedure(kernel_tangent) :: zone_vector_subscripts_d
  procedure(kernel_adjoint) :: zone_vector_subscripts_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_vector_subscripts', zone_vector_subscripts, zone_vector_subscripts_d, zone_vector_subscripts_b, x, 3)
  end do
  call check_done()
end program zone_vector_subscripts_test
