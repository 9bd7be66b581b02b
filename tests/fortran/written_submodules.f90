! A generic interface whose procedures are in a submodule, of real(4), real(8) and complex numbers.
! ad-option: -ad-adjoint=written_submodules(y)/(x)
! ad-option: -ad-tangent=written_submodules(y)/(x)
! ad-option: -ad-argnames=written_submodules_:n,m,x,y
module api
  implicit none
  interface norm
    module function norm_r(a) result(v)
      real(8), intent(in) :: a(:)
      real(8) :: v
    end function
    module function norm_c(a) result(v)
      complex(8), intent(in) :: a(:)
      real(8) :: v
    end function
    module function norm_s(a) result(v)
      real(4), intent(in) :: a(:)
      real(4) :: v
    end function
  end interface
end module
submodule (api) impl
  implicit none
  real(8), parameter :: eps = 1d-3
contains
  module procedure norm_r
    v = sqrt(sum(a*a) + eps)
  end procedure
  module procedure norm_c
    v = sqrt(sum(real(a*conjg(a))) + eps) + abs(a(1))
  end procedure
  module procedure norm_s
    v = sqrt(sum(a*a))
  end procedure
end submodule
subroutine written_submodules(n,m,x,y)
  use api
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  complex(8) :: z(4), w
  z = cmplx(x(1:4), x(5:8), 8)
  w = exp(z(2)*(0d0,0.5d0))/z(3) + z(1)**2
  z(4) = w*log(z(4))
  y(1) = norm(x(1:3)) + norm(z)*aimag(w)
  y(2) = norm([real(w), x(2)]) * norm(z(2:4:2))
end subroutine

program written_submodules_test
  use check
  implicit none
  procedure(kernel) :: written_submodules
  procedure(kernel_tangent) :: written_submodules_d
  procedure(kernel_adjoint) :: written_submodules_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_submodules', written_submodules, written_submodules_d, written_submodules_b, x, 2)
  end do
  call check_done()
end program written_submodules_test
