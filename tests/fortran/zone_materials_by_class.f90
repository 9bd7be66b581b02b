! Polymorphic components: assigned, cloned, moved, copied with the array that holds them, bound elemental functions.
! ad-option: -ad-adjoint=zone_materials_by_class(y)/(x)
! ad-option: -ad-tangent=zone_materials_by_class(y)/(x)
! ad-option: -ad-argnames=zone_materials_by_class_:n,m,x,y
module zone_materials_parts
  implicit none
  type, abstract :: material
  contains
    procedure(stress_i), deferred :: stress
    procedure(clone_i), deferred :: clone
  end type
  abstract interface
    elemental real(8) function stress_i(this, e)
      import
      class(material), intent(in) :: this
      real(8), intent(in) :: e
    end function
    function clone_i(this, factor) result(c)
      import
      class(material), intent(in) :: this
      real(8), intent(in) :: factor
      class(material), allocatable :: c
    end function
  end interface
  type, extends(material) :: linear
    real(8) :: e
  contains
    procedure :: stress => s_lin
    procedure :: clone => c_lin
  end type
  type, extends(material) :: curve
    real(8), allocatable :: s(:)
    character(:), allocatable :: name
  contains
    procedure :: stress => s_curve
    procedure :: clone => c_curve
  end type
  type :: element
    class(material), allocatable :: mat
    real(8) :: area
  end type
contains
  elemental real(8) function s_lin(this, e)
    class(linear), intent(in) :: this
    real(8), intent(in) :: e
    s_lin = this%e*e
  end function
  elemental real(8) function s_curve(this, e)
    class(curve), intent(in) :: this
    real(8), intent(in) :: e
    integer :: i
    s_curve = 0
    do i = size(this%s), 1, -1
      s_curve = (s_curve + this%s(i))*e
    end do
  end function
  function c_lin(this, factor) result(c)
    class(linear), intent(in) :: this
    real(8), intent(in) :: factor
    class(material), allocatable :: c
    c = linear(this%e*factor)
  end function
  function c_curve(this, factor) result(c)
    class(curve), intent(in) :: this
    real(8), intent(in) :: factor
    class(material), allocatable :: c
    type(curve) :: t
    t = this
    t%s = t%s*factor
    allocate (c, source=t)
  end function
end module

subroutine zone_materials_by_class(n, m, x, y)
  use zone_materials_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(element), allocatable :: mesh(:), copy(:)
  class(material), allocatable :: a, b
  integer :: i
  allocate (mesh(4))
  a = linear(x(1))
  b = curve([x(2), x(3), x(4)], 'soft')
  do i = 1, 4
    if (mod(i, 2) == 0) then
      mesh(i)%mat = a
    else
      mesh(i)%mat = b%clone(x(5)*i)
    end if
    mesh(i)%area = x(6)
  end do
  copy = mesh
  a = b
  copy(2)%mat = a
  deallocate (copy(3)%mat)
  allocate (copy(3)%mat, source=mesh(2)%mat)
  y = 0
  do i = 1, 4
    y(1) = y(1) + mesh(i)%area*mesh(i)%mat%stress(x(i))
    y(2) = y(2) + copy(i)%area*copy(i)%mat%stress(x(i)*0.5d0)
  end do
  y(3) = sum(a%stress(x))
  call move_alloc(copy(1)%mat, a)
  y(4) = a%stress(x(6))
  select type (a)
  type is (curve)
    y(4) = y(4)*len(a%name)
  end select
end subroutine

program zone_materials_by_class_test
  use check
  implicit none
  procedure(kernel) :: zone_materials_by_class
  procedure(kernel_tangent) :: zone_materials_by_class_d
  procedure(kernel_adjoint) :: zone_materials_by_class_b
  real(dp) :: x(6)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_materials_by_class', zone_materials_by_class, zone_materials_by_class_d, &
                      zone_materials_by_class_b, x, 4)
  end do
  call check_done()
end program zone_materials_by_class_test
