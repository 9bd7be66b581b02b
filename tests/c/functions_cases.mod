!mod$ v1 sum:f7e641a4489f00eb
!need$ 41fc80e72403d2a3 n check
module functions_cases
use check,only:dp
use check,only:sp
use check,only:check_true
use check,only:check_within
use check,only:check_close
use check,only:check_dot
use check,only:check_uniform
use check,only:check_fill
use check,only:check_directional
use check,only:check_jacobian
use check,only:check_done
procedure(real(8))::energy
procedure(real(8))::energy_d
procedure(real(8))::bump
procedure(real(8))::bump_d
contains
subroutine energy_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine energy_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine energy_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine bump_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine bump_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine bump_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
end
