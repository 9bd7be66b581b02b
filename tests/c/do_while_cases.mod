!mod$ v1 sum:0fbf880914ecf31e
!need$ 41fc80e72403d2a3 n check
module do_while_cases
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
subroutine newton_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine newton_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine newton_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine cycling_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine cycling_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine cycling_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine leaving_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine leaving_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine leaving_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
end
