! Layers of weights: allocate with source= and mold=, copies of objects in objects.
! ad-option: -ad-adjoint=zone_layers_by_mold(y)/(x)
! ad-option: -ad-tangent=zone_layers_by_mold(y)/(x)
! ad-option: -ad-argnames=zone_layers_by_mold_:n,m,x,y
module zone_layers_parts
  implicit none
  type :: layer
    real(8), allocatable :: w(:, :), b(:)
  end type
  type :: net
    type(layer), allocatable :: l(:)
  end type
contains
  function forward(this, v) result(r)
    type(net), intent(in) :: this
    real(8), intent(in) :: v(:)
    real(8), allocatable :: r(:)
    integer :: k
    r = v
    do k = 1, size(this%l)
      r = tanh(matmul(this%l(k)%w, r) + this%l(k)%b)
    end do
  end function
  subroutine average(a, b, c)
    type(net), intent(in) :: a, b
    type(net), intent(out) :: c
    integer :: k
    allocate (c%l, mold=a%l)
    do k = 1, size(a%l)
      allocate (c%l(k)%w, mold=a%l(k)%w)
      c%l(k)%w = 0.5d0*(a%l(k)%w + b%l(k)%w)
      allocate (c%l(k)%b, source=a%l(k)%b)
      c%l(k)%b = c%l(k)%b + b%l(k)%b
    end do
  end subroutine
end module

subroutine zone_layers_by_mold(n, m, x, y)
  use zone_layers_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(net) :: a, c
  type(net), allocatable :: b
  type(layer), allocatable :: t(:)
  allocate (a%l(2))
  allocate (a%l(1)%w(3, 2), source=reshape(x, [3, 2]))
  allocate (a%l(1)%b, source=x(1:3))
  allocate (a%l(2)%w(2, 3), source=x(2))
  a%l(2)%w(1, :) = x(4:6)
  a%l(2)%b = [x(3), -x(1)]
  allocate (b, source=a)
  b%l(2)%w = b%l(2)%w*x(5)
  call average(a, b, c)
  y(1) = sum(forward(a, x(1:2)))
  y(2) = sum(forward(c, x(5:6)))
  allocate (t(3))
  t(1:2) = c%l
  t(3) = b%l(2)
  t(3)%w = t(1)%w*2
  t(3)%b = t(1)%b
  call move_alloc(t, c%l)
  y(3) = product(forward(c, x(2:3)))
end subroutine

program zone_layers_by_mold_test
  use check
  implicit none
  procedure(kernel) :: zone_layers_by_mold
  procedure(kernel_tangent) :: zone_layers_by_mold_d
  procedure(kernel_adjoint) :: zone_layers_by_mold_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_layers_by_mold', zone_layers_by_mold, zone_layers_by_mold_d, zone_layers_by_mold_b, x, 3)
  end do
  call check_done()
end program zone_layers_by_mold_test
