! FORALL over components of an array of objects: values and places are set aside on stacks of the runtime.
! ad-option: -ad-adjoint=zone_forall_components(y)/(x)
! ad-option: -ad-tangent=zone_forall_components(y)/(x)
! ad-option: -ad-argnames=zone_forall_components_:n,m,x,y
module zone_kick_parts
  implicit none
  type :: atom
    real(8) :: v(2) = 0, f(2) = 0
    real(8) :: mass = 1
  end type atom
  type :: ensemble
    type(atom), allocatable :: atoms(:)
  end type ensemble
contains
  subroutine kick(this, dt)
    class(ensemble), intent(inout) :: this
    real(8), intent(in) :: dt
    integer :: i
    forall (i = 1:size(this%atoms)) this%atoms(i)%v = this%atoms(i)%v + 0.5d0 * dt / this%atoms(i)%mass * this%atoms(i)%f
  end subroutine kick
end module zone_kick_parts

subroutine zone_forall_components(n, m, x, y)
  use zone_kick_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(ensemble) :: gas
  integer :: i
  allocate(gas%atoms(3))
  do i = 1, 3
    gas%atoms(i)%v = x(i)
    gas%atoms(i)%f = [x(i + 1), x(i)**2]
    gas%atoms(i)%mass = x(i + 3)
  end do
  call kick(gas, x(8))
  do i = 1, 3
    y(i) = sum(gas%atoms(i)%v * [1, 2])
  end do
end subroutine zone_forall_components

program zone_forall_components_test
  use check
  implicit none
  procedure(kernel) :: zone_forall_components
  procedure(kernel_tangent) :: zone_forall_components_d
  procedure(kernel_adjoint) :: zone_forall_components_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_forall_components', zone_forall_components, zone_forall_components_d, zone_forall_components_b, x, 3)
  end do
  call check_done()
end program zone_forall_components_test
