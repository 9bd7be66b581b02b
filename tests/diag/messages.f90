! The sum over all ranks.
! ad-flags: -g
! ad-option: -ad-prebuilt=shadow
! ad-option: -ad-tangent=total(y)/(x)
! ad-option: -ad-argnames=total_:x,y
! ad-error: AD021 - 'mpi_allreduce_' (message passing (MPI)) receives data from elsewhere
subroutine total(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: own
  integer :: error
  own = sin(x)
  call mpi_allreduce(own, y, 1, 17, 3, 0, error)
end subroutine
