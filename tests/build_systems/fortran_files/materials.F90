! A module of procedures and a type, with macros and an included file of the preprocessor.
#include "sizes.h"
#ifndef WP
#define WP 8
#endif
module materials
  implicit none
  integer, parameter :: wp = WP, cells = CELLS
  real(wp), parameter :: weights(3) = [0.25_wp, 0.5_wp, 0.25_wp]
  type, abstract :: law
  contains
    procedure(stress_of), deferred :: stress
  end type
  abstract interface
    real(wp) function stress_of(self, strain)
      import :: law, wp
      class(law), intent(in) :: self
      real(wp), intent(in) :: strain
    end function
  end interface
  type, extends(law) :: hardening
    real(wp) :: stiffness = 2, exponent = 3
  contains
    procedure :: stress => stress_of_hardening
  end type
contains
  real(wp) function stress_of_hardening(self, strain) result(s)
    class(hardening), intent(in) :: self
    real(wp), intent(in) :: strain
#ifdef QUADRATIC
    s = self%stiffness*strain + SQUARE(strain)/self%exponent
#else
    s = self%stiffness*strain + sin(strain)/self%exponent
#endif
  end function
end module
