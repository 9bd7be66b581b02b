! What a namelist reads is constant, whatever the variables held; what it does not name stays. What a namelist writes has no derivative.
subroutine model(x, y)
  use settings
  implicit none
  real(8), intent(in) :: x(3)
  real(8), intent(out) :: y(2)
  real(8) :: state(2)
  character(64) :: text
  integer :: unit
  namelist /local/ state
  namelist /active/ state, x, gain
  gain = x(1)
  weights = x
  unread = x(2)**2
  open(newunit=unit, status='scratch')
  write(unit, '(a)') "&params gain = 2.5, weights(2) = 0.75, power = 2, is_damped = .true., label = 'spring' /"
  rewind(unit)
  read(unit, nml=params)
  close(unit)
  state = x(1) * x(2)
  text = '&local state(1) = 3.0 /'
  read(text, nml=local)
  open(newunit=unit, status='scratch')
  write(unit, nml=active)
  close(unit)
  y(1) = gain * x(1) + sum(weights * x) + unread
  if (is_damped .and. label == 'spring') y(1) = y(1)**power
  y(2) = state(1) * x(3) + state(2)
end subroutine
