! Objects that own memory: assignment and final procedures of the type, and of types that contain it.
! ad-option: -ad-adjoint=zone_owned_buffers(y)/(x)
! ad-option: -ad-tangent=zone_owned_buffers(y)/(x)
! ad-option: -ad-argnames=zone_owned_buffers_:n,m,x,y
module zone_buffers_parts
  implicit none
  real(8) :: ledger = 0
  integer :: live = 0
  type :: buffer
    real(8), pointer :: p(:) => null()
  contains
    procedure, private :: copy
    generic :: assignment(=) => copy
    final :: release
  end type
  type :: pair
    type(buffer) :: a, b
    real(8) :: w = 1
  end type
  interface buffer
    procedure make
  end interface
contains
  function make(v) result(b)
    real(8), intent(in) :: v(:)
    type(buffer) :: b
    allocate (b%p(size(v)))
    b%p = v
    live = live + 1
  end function
  subroutine copy(l, r)
    class(buffer), intent(inout) :: l
    type(buffer), intent(in) :: r
    if (associated(l%p, r%p)) return
    if (.not. associated(l%p)) then
      live = live + 1
    else
      deallocate (l%p)
    end if
    allocate (l%p, source=r%p)
  end subroutine
  subroutine release(b)
    type(buffer), intent(inout) :: b
    if (associated(b%p)) then
      ledger = ledger + 0.1d0*sum(b%p)
      deallocate (b%p)
      live = live - 1
    end if
  end subroutine
  subroutine work(v, r)
    real(8), intent(in) :: v(:)
    real(8), intent(out) :: r
    type(buffer) :: t
    type(pair) :: q, z
    allocate (t%p(size(v)))
    live = live + 1
    t%p = v**2
    q%a = t
    q%b = t
    q%b%p = q%b%p + v(1)
    z = q
    z%w = 2
    t = z%b
    r = sum(z%a%p*q%b%p)*z%w + t%p(2)
  end subroutine
end module

subroutine zone_owned_buffers(n, m, x, y)
  use zone_buffers_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  ledger = x(1)
  live = 0
  call work(x(1:3), y(1))
  call work(x(4:6), y(2))
  y(3) = ledger
end subroutine

program zone_owned_buffers_test
  use check
  implicit none
  procedure(kernel) :: zone_owned_buffers
  procedure(kernel_tangent) :: zone_owned_buffers_d
  procedure(kernel_adjoint) :: zone_owned_buffers_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_owned_buffers', zone_owned_buffers, zone_owned_buffers_d, zone_owned_buffers_b, x, 3)
  end do
  call check_done()
end program zone_owned_buffers_test
