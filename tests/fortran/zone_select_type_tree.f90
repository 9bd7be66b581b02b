! Expressions as trees of extended types, evaluated by SELECT TYPE and by recursion through class pointers.
! ad-option: -ad-adjoint=zone_select_type_tree(y)/(x)
! ad-option: -ad-tangent=zone_select_type_tree(y)/(x)
! ad-option: -ad-argnames=zone_select_type_tree_:n,m,x,y
module zone_expression_parts
  implicit none
  type, abstract :: expression
  end type expression
  type, extends(expression) :: constant
    real(8) :: value
  end type constant
  type, extends(expression) :: operation
    character(1) :: symbol
    class(expression), pointer :: left => null(), right => null()
  end type operation
contains
  recursive real(8) function evaluate(e) result(r)
    class(expression), intent(in) :: e
    real(8) :: a, b
    r = 0
    select type (e)
    type is (constant)
      r = e%value
    type is (operation)
      a = evaluate(e%left)
      b = evaluate(e%right)
      select case (e%symbol)
      case ('+')
        r = a + b
      case ('*')
        r = a * b
      case ('/')
        r = a / b
      end select
    end select
  end function evaluate
end module zone_expression_parts

subroutine zone_select_type_tree(n, m, x, y)
  use zone_expression_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(constant), target :: leaves(4)
  type(operation), target :: nodes(3)
  integer :: i
  do i = 1, 4
    leaves(i)%value = x(i) * x(i + 4)
  end do
  nodes(1)%symbol = '+'
  nodes(1)%left => leaves(1)
  nodes(1)%right => leaves(2)
  nodes(2)%symbol = '*'
  nodes(2)%left => nodes(1)
  nodes(2)%right => leaves(3)
  nodes(3)%symbol = '/'
  nodes(3)%left => nodes(2)
  nodes(3)%right => leaves(4)
  y(1) = evaluate(nodes(3))
  nodes(3)%symbol = '*'
  y(2) = evaluate(nodes(3)) * evaluate(leaves(1))
end subroutine zone_select_type_tree

program zone_select_type_tree_test
  use check
  implicit none
  procedure(kernel) :: zone_select_type_tree
  procedure(kernel_tangent) :: zone_select_type_tree_d
  procedure(kernel_adjoint) :: zone_select_type_tree_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_select_type_tree', zone_select_type_tree, zone_select_type_tree_d, zone_select_type_tree_b, x, 2)
  end do
  call check_done()
end program zone_select_type_tree_test
