!mod$ v1 sum:7654205f84b3d69b
!need$ 41fc80e72403d2a3 n check
module complex_cases
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
subroutine double_functions_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine double_functions_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine double_functions_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine iterated_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine iterated_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine iterated_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
end
