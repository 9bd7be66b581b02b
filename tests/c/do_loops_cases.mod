!mod$ v1 sum:3c4c8026e58c8f7e
!need$ 41fc80e72403d2a3 n check
module do_loops_cases
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
subroutine strided_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine strided_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine strided_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine skipped_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine skipped_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine skipped_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine triangle_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine triangle_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine triangle_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
subroutine recurrence_map(x,y)
real(8),intent(in)::x(:)
real(8),intent(out)::y(:)
end
subroutine recurrence_tangent(x,xd,yd)
real(8),intent(in)::x(:)
real(8),intent(in)::xd(:)
real(8),intent(out)::yd(:)
end
subroutine recurrence_adjoint(x,xb,yb)
real(8),intent(in)::x(:)
real(8),intent(inout)::xb(:)
real(8),intent(in)::yb(:)
end
end
