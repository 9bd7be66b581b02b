! Bodies that attract each other: an array of objects, leapfrog steps.
! ad-option: -ad-adjoint=zone_bodies_in_motion(y)/(x)
! ad-option: -ad-tangent=zone_bodies_in_motion(y)/(x)
! ad-option: -ad-argnames=zone_bodies_in_motion_:n,m,x,y
subroutine zone_bodies_in_motion(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  type :: body
    real(8) :: mass, place(2), speed(2)
  end type body
  type(body) :: all(3)
  real(8) :: pull(2), apart(2)
  integer :: i, j, step
  do i = 1, 3
    all(i) = body(x(i), [x(i + 3), 1.5d0 * i], [0.1d0 * x(i + 4), x(i + 5) * 0.2d0])
  end do
  do step = 1, 4
    all%place(1) = all%place(1) + 0.05d0 * all%speed(1)
    all%place(2) = all%place(2) + 0.05d0 * all%speed(2)
    do i = 1, 3
      pull = 0
      do j = 1, 3
        if (i == j) cycle
        apart = all(j)%place - all(i)%place
        pull = pull + all(j)%mass * apart / (sum(apart**2) + 0.1d0)**1.5d0
      end do
      all(i)%speed = all(i)%speed + 0.05d0 * pull
    end do
  end do
  y(1) = sum(all%mass * (all%speed(1)**2 + all%speed(2)**2))
  y(2) = all(2)%place(1) * all(3)%place(2)
end subroutine zone_bodies_in_motion

program zone_bodies_in_motion_test
  use check
  implicit none
  procedure(kernel) :: zone_bodies_in_motion
  procedure(kernel_tangent) :: zone_bodies_in_motion_d
  procedure(kernel_adjoint) :: zone_bodies_in_motion_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_bodies_in_motion', zone_bodies_in_motion, zone_bodies_in_motion_d, zone_bodies_in_motion_b, x, 2)
  end do
  call check_done()
end program zone_bodies_in_motion_test
