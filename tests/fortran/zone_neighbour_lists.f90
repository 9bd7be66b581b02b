! Molecular dynamics: cells as linked lists, neighbour lists of derived types, species with pair potentials, velocity Verlet.
! ad-long: many allocatable components
! ad-option: -ad-adjoint=zone_neighbour_lists(y)/(x)
! ad-option: -ad-tangent=zone_neighbour_lists(y)/(x)
! ad-option: -ad-argnames=zone_neighbour_lists_:n,m,x,y
module zone_md_parts
  implicit none
  integer, parameter :: dp = kind(1.d0)
  type :: particle
    integer :: kind = 1
    real(dp), dimension(2) :: r = 0, v = 0, f = 0
    integer, allocatable :: near(:)
  end type particle
  type :: node
    integer :: id
    type(node), pointer :: next => null()
  end type node
  type :: cell
    type(node), pointer :: first => null()
    integer :: count = 0
  end type cell
  type :: pair
    real(dp) :: epsilon = 1, sigma = 1
    procedure(potential), pointer, nopass :: u => null()
  end type pair
  type :: box
    real(dp) :: side(2)
    type(particle), allocatable :: p(:)
    type(cell), allocatable :: cells(:, :)
    type(pair) :: pairs(2, 2)
  contains
    procedure :: sort
    procedure :: find
    procedure :: forces
    procedure :: step
    final :: clear
  end type box
  abstract interface
    pure subroutine potential(r2, epsilon, sigma, e, g)
      import :: dp
      real(dp), intent(in) :: r2, epsilon, sigma
      real(dp), intent(out) :: e, g
    end subroutine potential
  end interface
contains
  pure subroutine lennard_jones(r2, epsilon, sigma, e, g)
    real(dp), intent(in) :: r2, epsilon, sigma
    real(dp), intent(out) :: e, g
    real(dp) :: s
    s = (sigma**2 / (r2 + 0.1_dp))**3
    e = 4 * epsilon * (s**2 - s)
    g = 24 * epsilon * (2 * s**2 - s) / (r2 + 0.1_dp)
  end subroutine lennard_jones
  pure subroutine yukawa(r2, epsilon, sigma, e, g)
    real(dp), intent(in) :: r2, epsilon, sigma
    real(dp), intent(out) :: e, g
    real(dp) :: r
    r = sqrt(r2)
    e = epsilon * exp(-r / sigma) / r
    g = e * (1 / r + 1 / sigma) / r
  end subroutine yukawa
  subroutine clear(this)
    type(box), intent(inout) :: this
    call empty(this)
  end subroutine clear
  subroutine empty(this)
    class(box), intent(inout) :: this
    type(node), pointer :: a, b
    integer :: i, j
    if (.not. allocated(this%cells)) return
    do j = 1, size(this%cells, 2)
      do i = 1, size(this%cells, 1)
        a => this%cells(i, j)%first
        do while (associated(a))
          b => a%next
          deallocate (a)
          a => b
        end do
        nullify (this%cells(i, j)%first)
        this%cells(i, j)%count = 0
      end do
    end do
  end subroutine empty
  subroutine sort(this, many)
    class(box), intent(inout) :: this
    integer, intent(in) :: many
    type(node), pointer :: item
    integer :: i, c(2)
    if (allocated(this%cells)) then
      call empty(this)
    else
      allocate (this%cells(many, many))
    end if
    do i = 1, size(this%p)
      c = 1 + modulo(int(this%p(i)%r / this%side * many), many)
      allocate (item)
      item%id = i
      item%next => this%cells(c(1), c(2))%first
      this%cells(c(1), c(2))%first => item
      this%cells(c(1), c(2))%count = this%cells(c(1), c(2))%count + 1
    end do
  end subroutine sort
  subroutine find(this)
    class(box), intent(inout), target :: this
    type(node), pointer :: item
    integer :: i, j, c, d
    do i = 1, size(this%p)
      if (allocated(this%p(i)%near)) deallocate (this%p(i)%near)
      allocate (this%p(i)%near(0))
      do d = 1, size(this%cells, 2)
        do c = 1, size(this%cells, 1)
          item => this%cells(c, d)%first
          do while (associated(item))
            j = item%id
            if (j > i .and. norm2(this%p(i)%r - this%p(j)%r) < 2.5_dp) this%p(i)%near = [this%p(i)%near, j]
            item => item%next
          end do
        end do
      end do
    end do
  end subroutine find
  subroutine forces(this, energy)
    class(box), intent(inout), target :: this
    real(dp), intent(out) :: energy
    type(particle), pointer :: a, b
    real(dp) :: d(2), e, g
    integer :: i, k
    energy = 0
    do i = 1, size(this%p)
      this%p(i)%f = 0
    end do
    do i = 1, size(this%p)
      a => this%p(i)
      do k = 1, size(a%near)
        b => this%p(a%near(k))
        d = a%r - b%r
        associate (law => this%pairs(a%kind, b%kind))
          call law%u(dot_product(d, d), law%epsilon, law%sigma, e, g)
        end associate
        energy = energy + e
        a%f = a%f + g * d
        b%f = b%f - g * d
      end do
    end do
  end subroutine forces
  subroutine step(this, dt, energy)
    class(box), intent(inout) :: this
    real(dp), intent(in) :: dt
    real(dp), intent(out) :: energy
    integer :: i
    do concurrent (i = 1:size(this%p))
      this%p(i)%v = this%p(i)%v + 0.5_dp * dt * this%p(i)%f
      this%p(i)%r = this%p(i)%r + dt * this%p(i)%v
    end do
    call this%forces(energy)
    do concurrent (i = 1:size(this%p))
      this%p(i)%v = this%p(i)%v + 0.5_dp * dt * this%p(i)%f
    end do
  end subroutine step
end module zone_md_parts

subroutine zone_neighbour_lists(n, m, x, y)
  use zone_md_parts
  implicit none
  integer, intent(in) :: n, m
  real(dp), intent(in) :: x(n)
  real(dp), intent(out) :: y(m)
  type(box) :: b
  real(dp) :: e
  integer :: i, s
  b%side = 3
  allocate (b%p(6))
  do i = 1, 6
    b%p(i)%r = [mod(i - 1, 3) + 0.25_dp * x(i), real((i - 1) / 3, dp) + 0.25_dp * x(i + 1)]
    b%p(i)%kind = 1 + mod(i, 2)
  end do
  b%pairs(1, 1)%u => lennard_jones
  b%pairs(2, 2) = pair(0.5_dp * x(n), 0.9_dp, yukawa)
  b%pairs(1, 2) = pair(0.7_dp, 0.5_dp + x(n - 1), yukawa)
  b%pairs(2, 1) = b%pairs(1, 2)
  do s = 1, 3
    call b%sort(2)
    call b%find()
    call b%forces(e)
    call b%step(0.02_dp, e)
    call b%step(0.02_dp, e)
  end do
  y(1) = e
  y(2) = sum([(dot_product(b%p(i)%v, b%p(i)%v), i = 1, 6)])
  y(3) = b%p(2)%r(1) * b%p(5)%r(2)
end subroutine zone_neighbour_lists

program zone_neighbour_lists_test
  use check
  implicit none
  procedure(kernel) :: zone_neighbour_lists
  procedure(kernel_tangent) :: zone_neighbour_lists_d
  procedure(kernel_adjoint) :: zone_neighbour_lists_b
  real(dp) :: x(8)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_neighbour_lists', zone_neighbour_lists, zone_neighbour_lists_d, zone_neighbour_lists_b, x, 3)
  end do
  call check_done()
end program zone_neighbour_lists_test
