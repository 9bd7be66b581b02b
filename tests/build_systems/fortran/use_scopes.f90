program use_scopes
 use scopes_derivatives
 implicit none
 real(8) :: x(3) = [1d0, 2d0, 3d0], xb(3), y, yb, t, tb, rb
 xb = 0; yb = 1
 call step_b(x, xb, y, yb)
 if (any(abs(xb - 3 * x**2) > 1d-12)) error stop 1
 t = 3; tb = 0; rb = 1
 call alone_b(t, tb, rb)
 if (abs(tb - 6) > 1d-12) error stop 2
 print '(a)', 'right'
end program
