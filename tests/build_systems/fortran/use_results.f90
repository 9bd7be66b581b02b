program use_results
 use results_derivatives
 implicit none
 real(8) :: x(3) = [1d0, 2d0, 3d0], xb(3), y(3), yb(3), s, sb, v, vb
 yb = 1; xb = 0
 call arr_b(y, yb, x, xb, 3)
 if (any(abs(xb - 2 * x) > 1d-12)) error stop 1
 sb = 1; xb = 0; v = 3; vb = 0
 call bound_c_b(x, xb, v, vb, s, sb)
 if (any(abs(xb - 6 * x) > 1d-12) .or. abs(vb - 14) > 1d-12) error stop 2
 print '(a)', 'right'
end program
