!mod$ v1 sum:c580381c2a7d37c6
!need$ fc1ab5ddb0e0d965 i iso_c_binding
!need$ 41fc80e72403d2a3 n check
module digits_cases
use,intrinsic::iso_c_binding,only:c_int
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
interface
function fork() bind(c)
integer(4)::fork
end
end interface
interface
function waitpid(child,status,options) bind(c)
integer(4),value::child
integer(4)::status
integer(4),value::options
integer(4)::waitpid
end
end interface
interface
subroutine leave(code) bind(c,name="_exit")
integer(4),value::code
end
end interface
contains
function ends(way,is_adjoint)
integer(4),intent(in)::way
logical(4),intent(in)::is_adjoint
logical(4)::ends
end
end
