! Types, a pointer to a procedure and a polymorphic variable, which other files set and use.
module types
  implicit none
  integer, parameter :: dp = 8
  type :: mesh
    integer :: n = 0
    real(dp), allocatable :: h(:), u(:)
    real(dp) :: left = 0, right = 0
  end type
  type, abstract :: closure
    real(dp) :: c = 1
  contains
    procedure(flux_of), deferred :: flux
  end type
  abstract interface
    pure function flux_of(self, u, du) result(f)
      import :: closure, dp
      class(closure), intent(in) :: self
      real(dp), intent(in) :: u, du
      real(dp) :: f
    end function
    function source_of(t) result(s)
      import :: dp
      real(dp), intent(in) :: t
      real(dp) :: s
    end function
  end interface
  procedure(source_of), pointer :: source => null()
  class(closure), allocatable :: law
end module
