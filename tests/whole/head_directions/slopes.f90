! Calls what heads on procedures of other files generate.
subroutine slopes(x, g)
   implicit none
   real(8), intent(in) :: x(3)
   real(8), intent(out) :: g
   interface
      subroutine force_dv(x, x1, x2, x3, x4, fd, f, k1, k2, k3, k4)
         real(8) :: x(:), x1(:), x2(:), x3(:), x4(:), fd(4), f, k1, k2, k3, k4
      end subroutine
   end interface
   real(8) :: units(3, 4), kd(4), fd(4), f
   integer :: i
   units = 0
   do i = 1, 3
      units(i, i) = 1
   end do
   kd = [0d0, 0d0, 0d0, 1d0]
   call force_dv(x, units(:, 1), units(:, 2), units(:, 3), units(:, 4), fd, f, kd(1), kd(2), kd(3), kd(4))
   g = fd(1)*fd(2) + fd(3)*fd(4) + f
end subroutine

subroutine check_force(x, worst) bind(c)
   use iso_c_binding, only: c_double
   implicit none
   real(c_double), intent(in) :: x(3)
   real(c_double), intent(out) :: worst
   interface
      subroutine force_bv(x, x1, x2, x3, x4, fb, k1, k2, k3, k4)
         real(8) :: x(:), x1(:), x2(:), x3(:), x4(:), fb(4), k1, k2, k3, k4
      end subroutine
      subroutine force_b(x, xb, fb, kb)
         real(8) :: x(:), xb(:), fb, kb
      end subroutine
   end interface
   real(8) :: xb(3, 4), fb(4), kb(4), xc(3), kc
   integer :: k
   xb = 0
   kb = 0
   fb = [1d0, -2d0, 0.5d0, 3d0]
   call force_bv(x, xb(:, 1), xb(:, 2), xb(:, 3), xb(:, 4), fb, kb(1), kb(2), kb(3), kb(4))
   worst = 0
   do k = 1, 4
      xc = 0
      kc = 0
      call force_b(x, xc, fb(k), kc)
      worst = max(worst, maxval(abs(xb(:, k) - xc)), abs(kb(k) - kc))
      if (.not. all(abs(xc) > 1d-3)) worst = 1
   end do
end subroutine
