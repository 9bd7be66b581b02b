! Taylor coefficients of t -> f(x + t v) to order 6: each order is a procedure that calls the tangent of the one before, along the same
! direction. Heads of heads give the third. Against closed forms.
! ad-option: -ad-tangent=zone_taylor_0(y)/(x)
! ad-option: -ad-tangent=zone_taylor_1(y)/(x)
! ad-option: -ad-tangent=zone_taylor_2(y)/(x)
! ad-option: -ad-tangent=zone_taylor_3(y)/(x)
! ad-option: -ad-tangent=zone_taylor_4(y)/(x)
! ad-option: -ad-tangent=zone_taylor_5(y)/(x)
! ad-option: -ad-tangent=zone_taylor_0_d(yd)/(x)
! ad-option: -ad-tangent=zone_taylor_0_d_d(ydd)/(x)
! ad-option: -ad-adjoint=zone_taylor_5(y)/(x)
! ad-option: -ad-argnames=zone_taylor_0_:n,x,y
! ad-option: -ad-argnames=zone_taylor_1_:n,x,v,y
! ad-option: -ad-argnames=zone_taylor_2_:n,x,v,y
! ad-option: -ad-argnames=zone_taylor_3_:n,x,v,y
! ad-option: -ad-argnames=zone_taylor_4_:n,x,v,y
! ad-option: -ad-argnames=zone_taylor_5_:n,x,v,y
subroutine zone_taylor_0(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y
  real(8) :: a(n)
  integer :: i
  a = [(0.3d0*i, i=1, n)]
  y = exp(dot_product(a, x)) + log(sum(x)) + sum(x**5) + 1/x(2) + sqrt(x(3)) + x(n)**2.7d0
end subroutine

subroutine zone_taylor_1(n, x, v, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), v(n)
  real(8), intent(out) :: y
  real(8) :: value
  external :: zone_taylor_0_d
  call zone_taylor_0_d(n, x, v, value, y)
end subroutine

subroutine zone_taylor_2(n, x, v, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), v(n)
  real(8), intent(out) :: y
  real(8) :: value
  external :: zone_taylor_1_d
  call zone_taylor_1_d(n, x, v, v, value, y)
end subroutine

subroutine zone_taylor_3(n, x, v, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), v(n)
  real(8), intent(out) :: y
  real(8) :: value
  external :: zone_taylor_2_d
  call zone_taylor_2_d(n, x, v, v, value, y)
end subroutine

subroutine zone_taylor_4(n, x, v, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), v(n)
  real(8), intent(out) :: y
  real(8) :: value
  external :: zone_taylor_3_d
  call zone_taylor_3_d(n, x, v, v, value, y)
end subroutine

subroutine zone_taylor_5(n, x, v, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), v(n)
  real(8), intent(out) :: y
  real(8) :: value
  external :: zone_taylor_4_d
  call zone_taylor_4_d(n, x, v, v, value, y)
end subroutine

subroutine zone_taylor_6(n, x, v, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), v(n)
  real(8), intent(out) :: y
  real(8) :: value
  external :: zone_taylor_5_d
  call zone_taylor_5_d(n, x, v, v, value, y)
end subroutine

program main
  use check
  implicit none
  integer, parameter :: n = 5
  external :: zone_taylor_1, zone_taylor_2, zone_taylor_3, zone_taylor_4, zone_taylor_5, zone_taylor_6
  external :: zone_taylor_0_d_d_d, zone_taylor_5_b
  real(dp) :: x(n), v(n), zero(n), y(6), xb(n), unused, yb, y1(8)
  integer :: k
  do k = 1, 3
    call check_fill(x, 0.5_dp, 1.4_dp)
    call check_fill(v, -1.0_dp, 1.0_dp)
    call zone_taylor_1(n, x, v, y(1))
    call zone_taylor_2(n, x, v, y(2))
    call zone_taylor_3(n, x, v, y(3))
    call zone_taylor_4(n, x, v, y(4))
    call zone_taylor_5(n, x, v, y(5))
    call zone_taylor_6(n, x, v, y(6))
    call check_orders('procedures', y)
    ! The gradient of the fifth derivative, along v.
    xb = 0; yb = 1
    call zone_taylor_5_b(n, x, xb, v, unused, yb)
    y(6) = dot_product(xb, v)
    call check_orders('procedures, outer adjoint', y)
    ! Three heads of heads, which take the three directions.
    y1 = 0
    call zone_taylor_0_d_d_d(n, x, v, v, v, y1(1), y1(2), y1(3), y1(4), y1(5), y1(6), y1(7), y1(8))
    call check_orders('heads of heads', [y1(5), y1(7), y1(8)])
  end do
  call check_done()
contains
  ! Coefficients: the derivative of order k by k!. The bound is 2e-16 (2 + k) times the sum of the magnitudes of all terms.
  subroutine check_orders(name, derivatives)
    character(*), intent(in) :: name
    real(dp), intent(in) :: derivatives(:)
    real(dp) :: a(n), terms(5 + n), size_of_sums
    integer :: i, k
    a = [(0.3_dp*i, i=1, n)]
    do k = 1, size(derivatives)
      terms(1) = exp(dot_product(a, x))*dot_product(a, v)**k/gamma(k + 1.0_dp)
      terms(2) = -(-sum(v)/sum(x))**k/k
      terms(3) = (-v(2)/x(2))**k/x(2)
      terms(4) = binomial(0.5_dp, k)*sqrt(x(3))*(v(3)/x(3))**k
      terms(5) = binomial(2.7_dp, k)*x(n)**2.7_dp*(v(n)/x(n))**k
      do i = 1, n
        terms(5 + i) = binomial(5.0_dp, k)*x(i)**5*(v(i)/x(i))**k
      end do
      ! Where directions have both signs, sums of their parts are smaller than the parts.
      size_of_sums = sum(abs(terms(3:))) + abs(terms(1))*(sum(abs(a*v))/abs(dot_product(a, v)))**k &
        + abs(terms(2))*(sum(abs(v))/abs(sum(v)))**k
      call check_within(name, derivatives(k)/gamma(k + 1.0_dp), sum(terms), 2e-16_dp*(2 + k)*size_of_sums)
    end do
  end subroutine
  real(dp) function binomial(a, k)
    real(dp), intent(in) :: a
    integer, intent(in) :: k
    integer :: j
    binomial = 1
    do j = 0, k - 1
      binomial = binomial*(a - j)/(j + 1)
    end do
  end function
end program
