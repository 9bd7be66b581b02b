!mod$ v1 sum:2edb9ee64f40b64c
!need$ 41fc80e72403d2a3 n check
module explicit_shape_cases
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
contains
subroutine elements_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine elements_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine elements_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine neighbours_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine neighbours_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine neighbours_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine folded_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine folded_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine folded_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
end
