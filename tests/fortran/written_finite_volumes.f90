! Finite volumes: states as derived types, faces, generic limiters.
! ad-option: -ad-adjoint=written_finite_volumes(y)/(x)
! ad-option: -ad-tangent=written_finite_volumes(y)/(x)
! ad-option: -ad-argnames=written_finite_volumes_:n,m,x,y
module fvm
  implicit none
  integer, parameter :: rk = selected_real_kind(12)
  type :: state
    real(rk) :: rho, mom, ene
  end type
  type :: face
    integer :: l, r
    type(state) :: flux
  end type
  interface operator(+)
    module procedure add_s
  end interface
  interface operator(*)
    module procedure mul_s
  end interface
  interface limiter
    procedure minmod, minmod3
  end interface
contains
  pure type(state) function add_s(a,b)
    type(state), intent(in) :: a, b
    add_s = state(a%rho+b%rho, a%mom+b%mom, a%ene+b%ene)
  end function
  pure type(state) function mul_s(c,a)
    real(rk), intent(in) :: c
    type(state), intent(in) :: a
    mul_s = state(c*a%rho, c*a%mom, c*a%ene)
  end function
  elemental real(rk) function minmod(a,b)
    real(rk), intent(in) :: a, b
    minmod = merge(sign(min(abs(a),abs(b)),a), 0._rk, a*b > 0)
  end function
  elemental real(rk) function minmod3(a,b,c)
    real(rk), intent(in) :: a, b, c
    minmod3 = minmod(a, minmod(b,c))
  end function
  pure function physical(u) result(f)
    type(state), intent(in) :: u
    type(state) :: f
    real(rk) :: v, p
    v = u%mom/u%rho
    p = 0.4_rk*(u%ene - 0.5_rk*u%rho*v*v)
    f = state(u%mom, u%mom*v+p, v*(u%ene+p))
  end function
  subroutine advance(u, faces, dt)
    type(state), intent(inout) :: u(0:)
    type(face), intent(inout) :: faces(:)
    real(rk), intent(in) :: dt
    real(rk) :: s(0:ubound(u,1))
    integer :: i, n
    n = ubound(u,1)
    s = 0
    s(1:n-1) = limiter(u(1:n-1)%rho-u(0:n-2)%rho, u(2:n)%rho-u(1:n-1)%rho)
    do i = 1, size(faces)
      associate (f => faces(i))
        associate (a => u(f%l), b => u(f%r))
          f%flux = 0.5_rk*(physical(a) + physical(b)) + 0.9_rk*(a + (-1._rk)*b)
          f%flux%rho = f%flux%rho + 0.1_rk*(s(f%l)-s(f%r))
        end associate
      end associate
    end do
    do i = 1, size(faces)
      u(faces(i)%l) = u(faces(i)%l) + (-dt)*faces(i)%flux
      u(faces(i)%r) = u(faces(i)%r) + dt*faces(i)%flux
    end do
  end subroutine
end module
subroutine written_finite_volumes(n,m,x,y)
  use fvm
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(state), allocatable :: u(:)
  type(face) :: f(7)
  integer :: i
  allocate(u(0:n-1))
  do i = 0, n-1
    u(i) = state(x(i+1), 0.3d0*x(n-i), 2.5d0+x(i+1)**2)
  end do
  f%l = [(i, i=0,6)]
  f%r = [(i, i=1,7)]
  do i = 1, 4
    call advance(u, f, 0.05d0)
  end do
  y(1) = sum(u%rho*u%ene)
  y(2) = u(3)%mom*f(4)%flux%ene
end subroutine

program written_finite_volumes_test
  use check
  implicit none
  procedure(kernel) :: written_finite_volumes
  procedure(kernel_tangent) :: written_finite_volumes_d
  procedure(kernel_adjoint) :: written_finite_volumes_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_finite_volumes', written_finite_volumes, written_finite_volumes_d, written_finite_volumes_b, x, 2)
  end do
  call check_done()
end program written_finite_volumes_test
