! adcc: sparse Jacobians and Hessians in Fortran (see ad_sparse.h, which says more of each function).
!
! adfc finds the module. It has no code: libadrt.a defines these procedures. A matrix is a type(c_ptr). Rows, columns and
! directions are numbered from 0: `first` is the number of elements before a piece. Arrays may have any rank and are taken in
! the order of their elements. Each name that takes reals takes both kinds.
module ad_sparse
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int, c_long, c_float, c_double
  implicit none
  private
  public :: ad_sparse_jacobian, ad_sparse_hessian, ad_sparse_free
  public :: ad_sparse_inputs, ad_sparse_outputs, ad_sparse_pattern
  public :: ad_sparse_skip_check, ad_sparse_colour, ad_sparse_directions, ad_sparse_colours, ad_sparse_is_by_rows
  public :: ad_sparse_direction, ad_sparse_values, ad_sparse_check
  public :: ad_sparse_nonzeros, ad_sparse_starts, ad_sparse_indices, ad_sparse_entries
  public :: ad_sparse_csr, ad_sparse_csc, ad_sparse_lower, ad_sparse_lower_nonzeros
  public :: ad_by_columns, ad_by_rows, ad_by_either, ad_by_substitution

  integer(c_int), parameter :: ad_by_columns = 0, ad_by_rows = 1, ad_by_either = 2, ad_by_substitution = 3

  ! A matrix: made, freed.
  interface
    function ad_sparse_jacobian(rows, columns) result(matrix) bind(c)
      import :: c_ptr, c_long
      integer(c_long), value :: rows, columns
      type(c_ptr) :: matrix
    end function
    function ad_sparse_hessian(n) result(matrix) bind(c)
      import :: c_ptr, c_long
      integer(c_long), value :: n
      type(c_ptr) :: matrix
    end function
    subroutine ad_sparse_free(matrix) bind(c)
      import :: c_ptr
      type(c_ptr), value :: matrix
    end subroutine
  end interface

  ! Before the request __ad_pattern: sets(i) becomes the set of column first + i - 1.
  interface ad_sparse_inputs
    subroutine ad_sparse_inputs_double(matrix, sets, first, count) bind(c, name="ad_sparse_inputs")
      import :: c_ptr, c_long, c_double
      type(c_ptr), value :: matrix
      integer(c_long), value :: first, count
      !dir$ ignore_tkr(r) sets
      real(c_double), intent(inout) :: sets(*)
    end subroutine
    subroutine ad_sparse_inputs_float(matrix, sets, first, count) bind(c, name="ad_sparse_inputs_f")
      import :: c_ptr, c_long, c_float
      type(c_ptr), value :: matrix
      integer(c_long), value :: first, count
      !dir$ ignore_tkr(r) sets
      real(c_float), intent(inout) :: sets(*)
    end subroutine
  end interface

  ! After it: takes the sets of rows first, first + 1, ...
  interface ad_sparse_outputs
    subroutine ad_sparse_outputs_double(matrix, sets, first, count) bind(c, name="ad_sparse_outputs")
      import :: c_ptr, c_long, c_double
      type(c_ptr), value :: matrix
      integer(c_long), value :: first, count
      !dir$ ignore_tkr(r) sets
      real(c_double), intent(in) :: sets(*)
    end subroutine
    subroutine ad_sparse_outputs_float(matrix, sets, first, count) bind(c, name="ad_sparse_outputs_f")
      import :: c_ptr, c_long, c_float
      type(c_ptr), value :: matrix
      integer(c_long), value :: first, count
      !dir$ ignore_tkr(r) sets
      real(c_float), intent(in) :: sets(*)
    end subroutine
  end interface

  ! The pattern and the directions.
  interface
    ! The number of entries.
    function ad_sparse_pattern(matrix) result(entries) bind(c)
      import :: c_ptr, c_long
      type(c_ptr), value :: matrix
      integer(c_long) :: entries
    end function
    subroutine ad_sparse_skip_check(matrix) bind(c)
      import :: c_ptr
      type(c_ptr), value :: matrix
    end subroutine
    ! The number of directions, the check among them. `by` is one of ad_by_...
    function ad_sparse_colour(matrix, by) result(directions) bind(c)
      import :: c_ptr, c_long, c_int
      type(c_ptr), value :: matrix
      integer(c_int), value :: by
      integer(c_long) :: directions
    end function
    function ad_sparse_directions(matrix) result(directions) bind(c)
      import :: c_ptr, c_long
      type(c_ptr), value :: matrix
      integer(c_long) :: directions
    end function
    function ad_sparse_colours(matrix) result(colours) bind(c)
      import :: c_ptr, c_long
      type(c_ptr), value :: matrix
      integer(c_long) :: colours
    end function
    ! 1 or 0.
    function ad_sparse_is_by_rows(matrix) result(is_by_rows) bind(c)
      import :: c_ptr, c_int
      type(c_ptr), value :: matrix
      integer(c_int) :: is_by_rows
    end function
  end interface

  ! Fills the seeds of a direction, 0 to directions - 1.
  interface ad_sparse_direction
    subroutine ad_sparse_direction_double(matrix, direction, seeds, first, count) bind(c, name="ad_sparse_direction")
      import :: c_ptr, c_long, c_double
      type(c_ptr), value :: matrix
      integer(c_long), value :: direction, first, count
      !dir$ ignore_tkr(r) seeds
      real(c_double), intent(inout) :: seeds(*)
    end subroutine
    subroutine ad_sparse_direction_float(matrix, direction, seeds, first, count) bind(c, name="ad_sparse_direction_f")
      import :: c_ptr, c_long, c_float
      type(c_ptr), value :: matrix
      integer(c_long), value :: direction, first, count
      !dir$ ignore_tkr(r) seeds
      real(c_float), intent(inout) :: seeds(*)
    end subroutine
  end interface

  ! Takes a product.
  interface ad_sparse_values
    subroutine ad_sparse_values_double(matrix, direction, products, first, count) bind(c, name="ad_sparse_values")
      import :: c_ptr, c_long, c_double
      type(c_ptr), value :: matrix
      integer(c_long), value :: direction, first, count
      !dir$ ignore_tkr(r) products
      real(c_double), intent(in) :: products(*)
    end subroutine
    subroutine ad_sparse_values_float(matrix, direction, products, first, count) bind(c, name="ad_sparse_values_f")
      import :: c_ptr, c_long, c_float
      type(c_ptr), value :: matrix
      integer(c_long), value :: direction, first, count
      !dir$ ignore_tkr(r) products
      real(c_float), intent(in) :: products(*)
    end subroutine
  end interface

  interface
    ! -1: the pattern holds. Otherwise the first row (column, by rows) where it does not, from 0.
    function ad_sparse_check(matrix, tolerance) result(row) bind(c)
      import :: c_ptr, c_long, c_double
      type(c_ptr), value :: matrix
      real(c_double), value :: tolerance
      integer(c_long) :: row
    end function
    function ad_sparse_nonzeros(matrix) result(entries) bind(c)
      import :: c_ptr, c_long
      type(c_ptr), value :: matrix
      integer(c_long) :: entries
    end function
    ! Arrays for c_f_pointer: rows + 1 and entries of integer(c_long), from 0, and entries of real(c_double).
    function ad_sparse_starts(matrix) result(starts) bind(c)
      import :: c_ptr
      type(c_ptr), value :: matrix
      type(c_ptr) :: starts
    end function
    function ad_sparse_indices(matrix) result(indices) bind(c)
      import :: c_ptr
      type(c_ptr), value :: matrix
      type(c_ptr) :: indices
    end function
    function ad_sparse_entries(matrix) result(entries) bind(c)
      import :: c_ptr
      type(c_ptr), value :: matrix
      type(c_ptr) :: entries
    end function
    ! Compressed rows, compressed columns, and triplets of the lower triangle. Indices start at base, 0 or 1. Without value,
    ! only the pattern.
    subroutine ad_sparse_csr(matrix, start, column, value, base) bind(c)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: matrix
      integer(c_int), intent(out) :: start(*), column(*)
      real(c_double), intent(out), optional :: value(*)
      integer(c_int), value :: base
    end subroutine
    subroutine ad_sparse_csc(matrix, start, row, value, base) bind(c)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: matrix
      integer(c_int), intent(out) :: start(*), row(*)
      real(c_double), intent(out), optional :: value(*)
      integer(c_int), value :: base
    end subroutine
    subroutine ad_sparse_lower(matrix, row, column, value, base) bind(c)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: matrix
      integer(c_int), intent(out) :: row(*), column(*)
      real(c_double), intent(out), optional :: value(*)
      integer(c_int), value :: base
    end subroutine
    function ad_sparse_lower_nonzeros(matrix) result(entries) bind(c)
      import :: c_ptr, c_long
      type(c_ptr), value :: matrix
      integer(c_long) :: entries
    end function
  end interface
end module ad_sparse
