subroutine smooth(u, v, n)
  integer, intent(in) :: n
  real(8), intent(in) :: u(n)
  real(8), intent(out) :: v(n)
  integer :: i
  do i = 1, n
    v(i) = (u(i) + u(max(i - 1, 1)))*exp(u(i))
  end do
end subroutine
