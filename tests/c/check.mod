!mod$ v1 sum:41fc80e72403d2a3
!need$ b86a2090de1a6bef i iso_fortran_env
!need$ fc87cbf6ac040281 i ieee_arithmetic
module check
use,intrinsic::iso_fortran_env,only:int64
use,intrinsic::ieee_arithmetic,only:ieee_is_finite
use,intrinsic::ieee_arithmetic,only:ieee_arithmetic$ieee_arithmetic$ieee_is_finite_a8=>ieee_is_finite_a8
private::int64
private::ieee_is_finite
private::ieee_arithmetic$ieee_arithmetic$ieee_is_finite_a8
integer(4),parameter::dp=8_4
intrinsic::kind
private::kind
integer(4),parameter::sp=4_4
integer(4),parameter,private::levels=6_4
integer(4),private::passed
integer(4),private::failed
integer(8),private::state
private::map
abstract interface
subroutine map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
end interface
private::tangent_of_map
abstract interface
subroutine tangent_of_map(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
end interface
private::adjoint_of_map
abstract interface
subroutine adjoint_of_map(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
end interface
private::check_show
contains
subroutine check_true(name,holds)
character(*,1),intent(in)::name
logical(4),intent(in)::holds
end
subroutine check_show(name,got,bound)
character(*,1),intent(in)::name
real(8),intent(in)::got
real(8),intent(in)::bound
end
subroutine check_within(name,got,want,bound)
character(*,1),intent(in)::name
real(8),intent(in)::got
real(8),intent(in)::want
real(8),intent(in)::bound
end
subroutine check_close(name,got,want,tolerance)
character(*,1),intent(in)::name
real(8),intent(in)::got
real(8),intent(in)::want
real(8),intent(in)::tolerance
end
subroutine check_dot(name,xd,xb,yd,yb,tolerance)
character(*,1),intent(in)::name
real(8),intent(in)::xd(:)
real(8),intent(in)::xb(:)
real(8),intent(in)::yd(:)
real(8),intent(in)::yb(:)
real(8),intent(in)::tolerance
end
function check_uniform(low,high)
real(8),intent(in)::low
real(8),intent(in)::high
real(8)::check_uniform
end
subroutine check_fill(values,low,high)
real(8),intent(out)::values(:)
real(8),intent(in)::low
real(8),intent(in)::high
end
subroutine check_directional(f,x,xd,h,yd)
procedure(map)::f
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(in)::h
real(8),intent(out)::yd(:)
end
subroutine check_jacobian(name,f,tangent,adjoint,x,m)
character(*,1),intent(in)::name
procedure(map)::f
procedure(tangent_of_map)::tangent
procedure(adjoint_of_map)::adjoint
real(8),intent(in)::x(:)
integer(4),intent(in)::m
end
subroutine check_done()
end
end
