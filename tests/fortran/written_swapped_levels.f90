! Time levels whose pointers are swapped; `associate` with sections; `block`.
! ad-option: -ad-adjoint=written_swapped_levels(y)/(x)
! ad-option: -ad-tangent=written_swapped_levels(y)/(x)
! ad-option: -ad-argnames=written_swapped_levels_:n,m,x,y
subroutine written_swapped_levels(n,m,x,y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  real(8), allocatable, target :: a(:,:), b(:,:)
  real(8), pointer :: old(:,:), new(:,:), t(:,:)
  integer :: s, i, j
  allocate(a(n,n), b(n,n))
  do j = 1, n; do i = 1, n; a(i,j) = x(i)*x(j); end do; end do
  b = 0
  old => a; new => b
  do s = 1, 5
    do j = 2, n-1
      do i = 2, n-1
        new(i,j) = old(i,j) + 0.1d0*(old(i-1,j)+old(i+1,j)+old(i,j-1)+old(i,j+1)-4*old(i,j))*old(i,j)
      end do
    end do
    new(1,:) = old(2,:); new(n,:) = old(n-1,:); new(:,1) = x; new(:,n) = old(:,n-1)
    t => old; old => new; new => t
  end do
  associate (c => old(3:5,3:5), d => old(::2,1))
    y(1) = sum(c*c) + sum(d)
    block
      real(8) :: tr
      integer :: k
      tr = 0
      do k = 1, n
        tr = tr + old(k,k)
      end do
      y(2) = tr*c(2,2)
    end block
  end associate
end subroutine

program written_swapped_levels_test
  use check
  implicit none
  procedure(kernel) :: written_swapped_levels
  procedure(kernel_tangent) :: written_swapped_levels_d
  procedure(kernel_adjoint) :: written_swapped_levels_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('written_swapped_levels', written_swapped_levels, written_swapped_levels_d, written_swapped_levels_b, x, 2)
  end do
  call check_done()
end program written_swapped_levels_test
