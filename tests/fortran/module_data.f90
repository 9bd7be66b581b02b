! Variables of a module among the independents and dependents of heads: scalars, arrays, allocatables from before the request.
! ad-option: -ad-adjoint=blend(y,media::table,energy)/(x,media::coef,media%table,media::work,grid,blk)
! ad-option: -ad-tangent=blend(y,media::table,energy)/(x,media::coef,media%table,media::work,grid,blk)
! ad-option: -ad-argnames=_QMmediaPblend:n,x,y
! ad-option: -ad-adjoint=drag(drag)/(v,media::single,coef)
! ad-option: -ad-tangent=drag(drag)/(v,media::single,coef)
! ad-option: -ad-argnames=_QMmediaPdrag:v
module media
  implicit none
  real(8) :: coef, table(3), energy
  real(4) :: single
  real(8), allocatable :: work(:), grid(:, :)
contains
  subroutine blend(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y
    real(8) :: shared(2)
    common /blk/ shared
    y = coef*sum(x)**2 + table(2)*x(1) + shared(1)*shared(2)
    if (allocated(work)) y = y + sum(work*x(1)**2)
    y = y + sum(grid(1, :)*grid(2, :)*x(2))
    energy = y*coef
    table(1) = table(1)*table(3)*x(1)
  end subroutine
  real(8) function drag(v)
    real(8), intent(in) :: v
    drag = 0.5d0*coef*v**2 + single*v
  end function
end module

module module_data_cases
  use check
  use media
  implicit none
  external :: blend_d, blend_b, drag_b
  real(8), external :: drag_d
  real(8) :: shared(2)
  common /blk/ shared
contains
  ! What the map reads: x(2), coef, table(3), work(2), grid(2,2), the common block.
  subroutine put(z)
    real(dp), intent(in) :: z(:)
    coef = z(3)
    table = z(4:6)
    if (allocated(work)) deallocate (work, grid)
    allocate (work(2), grid(2, 2))
    work = z(7:8)
    grid = reshape(z(9:12), [2, 2])
    shared = z(13:14)
  end subroutine
  subroutine blend_map(z, y)
    real(dp), intent(in) :: z(:)
    real(dp), intent(out) :: y(:)
    call put(z)
    call blend(2, z(1:2), y(1))
    y(2:4) = table
    y(5) = energy
  end subroutine
  subroutine blend_tangent(z, zd, yd)
    real(dp), intent(in) :: z(:), zd(:)
    real(dp), intent(out) :: yd(:)
    real(dp) :: y, tabled(3), energyd, coefd, workd(2), gridd(2, 2), blkd(2)
    call put(z)
    coefd = zd(3)
    tabled = zd(4:6)
    workd = zd(7:8)
    gridd = reshape(zd(9:12), [2, 2])
    blkd = zd(13:14)
    yd = 0
    energyd = 0
    call blend_d(2, z(1:2), zd(1:2), y, yd(1), tabled, energyd, coefd, workd, gridd, blkd)
    yd(2:4) = tabled
    yd(5) = energyd
  end subroutine
  subroutine blend_adjoint(z, zb, yb)
    real(dp), intent(in) :: z(:), yb(:)
    real(dp), intent(inout) :: zb(:)
    real(dp) :: y, seed, tableb(3), energyb, coefb, workb(2), gridb(2, 2), blkb(2)
    call put(z)
    seed = yb(1)
    tableb = yb(2:4)
    energyb = yb(5)
    coefb = zb(3)
    workb = zb(7:8)
    gridb = reshape(zb(9:12), [2, 2])
    blkb = zb(13:14)
    call blend_b(2, z(1:2), zb(1:2), y, seed, tableb, energyb, coefb, workb, gridb, blkb)
    call check_true('blend: seeds are consumed', seed == 0 .and. energyb == 0)
    zb(3) = coefb
    zb(4:6) = zb(4:6) + tableb
    zb(7:8) = workb
    zb(9:12) = reshape(gridb, [4])
    zb(13:14) = blkb
  end subroutine
  subroutine drag_cases()
    real(dp) :: v, vb, coefb, y, yd
    real(4) :: singleb
    v = 1.5_dp
    coef = 0.7_dp
    single = 0.25
    vb = 0
    coefb = 1
    singleb = 0
    call drag_b(v, vb, 2.0_dp, singleb, coefb)
    call check_close('drag: v', vb, 2*(coef*v + single), 1e-14_dp)
    call check_close('drag: coef', coefb, 1 + v**2, 1e-14_dp)
    call check_close('drag: single', real(singleb, dp), 2*v, 1e-6_dp)
    yd = drag_d(v, 1.0_dp, y, 2.0, 3.0_dp)
    call check_close('drag: tangent', yd, coef*v + single + 2*v + 1.5_dp*v**2, 1e-14_dp)
    call check_close('drag: value', y, drag(v), 1e-14_dp)
  end subroutine
end module module_data_cases

program module_data_test
  use check
  use module_data_cases
  implicit none
  integer :: k
  real(dp) :: z(14)
  do k = 1, 3
    call check_fill(z, 0.3_dp, 1.2_dp)
    call check_jacobian('blend', blend_map, blend_tangent, blend_adjoint, z, 5)
  end do
  call drag_cases()
  call check_done()
end program module_data_test
