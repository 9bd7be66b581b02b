! Procedure pointers in components, chosen by text.
! ad-option: -ad-adjoint=written_laws_by_name(y)/(x)
! ad-option: -ad-tangent=written_laws_by_name(y)/(x)
! ad-option: -ad-argnames=written_laws_by_name_:n,m,x,y
module materials
  implicit none
  type :: material
    character(len=16) :: name
    real(8) :: k
    procedure(law_i), pointer, nopass :: law => null()
  end type
  abstract interface
    pure function law_i(k, e) result(s)
      real(8), intent(in) :: k, e
      real(8) :: s
    end function
  end interface
contains
  pure function linear(k,e) result(s)
    real(8), intent(in) :: k, e
    real(8) :: s
    s = k*e
  end function
  pure function neo(k,e) result(s)
    real(8), intent(in) :: k, e
    real(8) :: s
    s = k*((1+e) - 1/(1+e)**2)
  end function
  subroutine choose(mat, name, k)
    type(material), intent(out) :: mat
    character(*), intent(in) :: name
    real(8), intent(in) :: k
    mat%name = name; mat%k = k
    select case (trim(mat%name))
    case ('linear'); mat%law => linear
    case ('neo-hooke'); mat%law => neo
    end select
  end subroutine
end module
subroutine written_laws_by_name(n,m,x,y)
  use materials
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(material) :: mats(2)
  integer :: i
  call choose(mats(1), 'linear', x(1))
  call choose(mats(2), 'neo-hooke', x(2))
  y = 0
  do i = 3, n
    if (mats(1+mod(i,2))%name == 'linear') then
      y(1) = y(1) + mats(1+mod(i,2))%law(mats(1)%k, x(i))
    else
      y(2) = y(2) + mats(1+mod(i,2))%law(mats(2)%k, x(i)*x(1))
    end if
  end do
end subroutine

program written_laws_by_name_test
  use check
  implicit none
  procedure(kernel) :: written_laws_by_name
  procedure(kernel_tangent) :: written_laws_by_name_d
  procedure(kernel_adjoint) :: written_laws_by_name_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_laws_by_name', written_laws_by_name, written_laws_by_name_d, written_laws_by_name_b, x, 2)
  end do
  call check_done()
end program written_laws_by_name_test
