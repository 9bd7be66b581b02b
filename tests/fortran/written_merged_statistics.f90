! Elemental type-bound procedures of arrays of objects; an operator that merges them.
! ad-option: -ad-adjoint=written_merged_statistics(y)/(x)
! ad-option: -ad-tangent=written_merged_statistics(y)/(x)
! ad-option: -ad-argnames=written_merged_statistics_:n,m,x,y
module stats
  implicit none
  type :: acc
    integer :: n = 0
    real(8) :: mean = 0, m2 = 0
  contains
    procedure :: add
    procedure :: var
    procedure, private :: merged
    generic :: operator(//) => merged
  end type
contains
  elemental subroutine add(this, v)
    class(acc), intent(inout) :: this
    real(8), intent(in) :: v
    real(8) :: d
    this%n = this%n + 1
    d = v - this%mean
    this%mean = this%mean + d/this%n
    this%m2 = this%m2 + d*(v - this%mean)
  end subroutine
  elemental real(8) function var(this)
    class(acc), intent(in) :: this
    var = this%m2/max(1, this%n-1)
  end function
  pure function merged(a,b) result(c)
    class(acc), intent(in) :: a, b
    type(acc) :: c
    real(8) :: d
    c%n = a%n + b%n
    d = b%mean - a%mean
    c%mean = a%mean + d*b%n/c%n
    c%m2 = a%m2 + b%m2 + d*d*a%n*b%n/c%n
  end function
end module
subroutine written_merged_statistics(n,m,x,y)
  use stats
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(acc) :: s(3), t
  integer :: i
  do i = 1, n
    call s(1+mod(i,3))%add(x(i)**2)
  end do
  call s%add(x(1:3))
  t = s(1)//s(2)//s(3)
  y(1) = t%var()*t%mean
  y(2) = sum(s%var())
end subroutine

program written_merged_statistics_test
  use check
  implicit none
  procedure(kernel) :: written_merged_statistics
  procedure(kernel_tangent) :: written_merged_statistics_d
  procedure(kernel_adjoint) :: written_merged_statistics_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_merged_statistics', written_merged_statistics, &
                      written_merged_statistics_d, written_merged_statistics_b, x, 2)
  end do
  call check_done()
end program written_merged_statistics_test
