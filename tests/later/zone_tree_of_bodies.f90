! A tree of cells over bodies, linked by pointers: moments from the leaves, a potential from the root.
! Refused, not wrong: a pointer component lies one stride before an array of pointer components.
! ad-error: AD034 - cannot deduce whether this copy moves
! ad-levels: O0
! ad-option: -ad-adjoint=zone_tree_of_bodies(y)/(x)
! ad-option: -ad-tangent=zone_tree_of_bodies(y)/(x)
! ad-option: -ad-argnames=zone_tree_of_bodies_:n,m,x,y
module zone_tree_parts
  implicit none
  type :: body
    real(8) :: pos(2) = 0, mass = 0, acc(2) = 0
  end type
  type :: quad_ptr
    type(quad), pointer :: p => null()
  end type
  type :: quad
    real(8) :: centre(2) = 0, half = 1, mass = 0, com(2) = 0
    type(body), pointer :: b => null()
    type(quad_ptr) :: child(4)
    logical :: leaf = .true.
  end type
contains
  recursive subroutine insert(q, b)
    type(quad), intent(inout) :: q
    type(body), target :: b
    type(body), pointer :: old
    if (q%leaf) then
      if (.not. associated(q%b)) then
        q%b => b
        return
      end if
      old => q%b
      q%b => null()
      q%leaf = .false.
      call down(q, old)
    end if
    call down(q, b)
  end subroutine
  recursive subroutine down(q, b)
    type(quad), intent(inout) :: q
    type(body), target :: b
    integer :: k
    k = 1
    if (b%pos(1) > q%centre(1)) k = k + 1
    if (b%pos(2) > q%centre(2)) k = k + 2
    if (.not. associated(q%child(k)%p)) then
      allocate (q%child(k)%p)
      q%child(k)%p%half = q%half/2
      q%child(k)%p%centre = q%centre + q%half/2*[merge(1, -1, mod(k, 2) == 0), merge(1, -1, k > 2)]
    end if
    call insert(q%child(k)%p, b)
  end subroutine
  recursive subroutine moments(q)
    type(quad), intent(inout) :: q
    integer :: k
    q%mass = 0; q%com = 0
    if (q%leaf) then
      if (associated(q%b)) then
        q%mass = q%b%mass
        q%com = q%b%pos
      end if
      return
    end if
    do k = 1, 4
      if (associated(q%child(k)%p)) then
        call moments(q%child(k)%p)
        q%mass = q%mass + q%child(k)%p%mass
        q%com = q%com + q%child(k)%p%mass*q%child(k)%p%com
      end if
    end do
    q%com = q%com/q%mass
  end subroutine
  recursive function potential(q, at) result(u)
    type(quad), intent(in) :: q
    real(8), intent(in) :: at(2)
    real(8) :: u, r
    integer :: k
    r = sqrt(sum((q%com - at)**2) + 0.01d0)
    if (q%leaf .or. q%half/r < 0.4d0) then
      u = -q%mass/r
    else
      u = 0
      do k = 1, 4
        if (associated(q%child(k)%p)) u = u + potential(q%child(k)%p, at)
      end do
    end if
  end function
  recursive subroutine free(q)
    type(quad), intent(inout) :: q
    integer :: k
    do k = 1, 4
      if (associated(q%child(k)%p)) then
        call free(q%child(k)%p)
        deallocate (q%child(k)%p)
      end if
    end do
  end subroutine
end module

subroutine zone_tree_of_bodies(n, m, x, y)
  use zone_tree_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type(quad) :: root
  type(body), allocatable, target :: b(:)
  integer :: i
  allocate (b(n))
  do i = 1, n
    b(i)%pos = [cos(2.1d0*i), sin(3.3d0*i)]*0.6d0 + 0.02d0*[x(i), x(1 + mod(i, n))]
    b(i)%mass = x(i)**2
    call insert(root, b(i))
  end do
  call moments(root)
  y(1) = 0
  do i = 1, n
    y(1) = y(1) + b(i)%mass*potential(root, b(i)%pos)
  end do
  y(2) = potential(root, [2d0, x(1)])
  y(3) = root%com(1)*root%mass
  call free(root)
end subroutine

program zone_tree_of_bodies_test
  use check
  implicit none
  procedure(kernel) :: zone_tree_of_bodies
  procedure(kernel_tangent) :: zone_tree_of_bodies_d
  procedure(kernel_adjoint) :: zone_tree_of_bodies_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_tree_of_bodies', zone_tree_of_bodies, zone_tree_of_bodies_d, zone_tree_of_bodies_b, x, 3)
  end do
  call check_done()
end program zone_tree_of_bodies_test
