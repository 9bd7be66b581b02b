! adcc: what Fortran code says of derivatives where it stands (see docs/reference/ad-h.md).
!
! adfc finds the module. It has no code: libadrt.a defines these procedures, which do nothing in the primal, and the plugin
! understands the calls.
module ad
  implicit none
  private
  public :: ad_checkpoint_loop, ad_checkpoint_independent, ad_checkpoint_begin, ad_checkpoint_end
  public :: ad_checkpoint_state, ad_fixed_point, ad_split_begin, ad_split_end
  interface
    ! In the body of a time-stepping loop: the gradient keeps at most this number of snapshots of the loop's state, and runs
    ! steps again from there.
    subroutine ad_checkpoint_loop(snapshots)
      implicit none
      integer, intent(in) :: snapshots
    end subroutine
    ! In the body of a loop whose iterations do not read array elements that other iterations write.
    subroutine ad_checkpoint_independent()
    end subroutine
    ! In the body of a loop that iterates to a fixed point: the gradient converges the adjoint of the state with the last
    ! iteration. The tolerance, relative to its first size, is a real of 4 or 8 bytes.
    subroutine ad_fixed_point(tolerance)
      implicit none
      !dir$ ignore_tkr(k) tolerance
      real(8), intent(in) :: tolerance
    end subroutine
    ! Around a region of one procedure: the gradient takes one snapshot, and runs the region again.
    subroutine ad_checkpoint_begin()
    end subroutine
    subroutine ad_checkpoint_end()
    end subroutine
    ! Before the loop or region: states the number of bytes of this memory that belong to its state. Memory of any type;
    ! bytes of any kind of integer with 4 or 8 bytes.
    subroutine ad_checkpoint_state(memory, bytes)
      implicit none
      !dir$ ignore_tkr memory, bytes
      real, intent(in) :: memory
      integer, intent(in) :: bytes
    end subroutine
    ! Around calls: these calls are recorded, even if the procedures run again elsewhere.
    subroutine ad_split_begin()
    end subroutine
    subroutine ad_split_end()
    end subroutine
  end interface
end module ad
