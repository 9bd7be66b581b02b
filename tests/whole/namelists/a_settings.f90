module settings
  implicit none
  real(8) :: gain = 1.5d0, weights(3) = 1d0, unread = 0.25d0
  integer :: power = 1
  logical :: is_damped = .false.
  character(8) :: label = ''
  namelist /params/ gain, weights, unread, power, is_damped, label
end module
