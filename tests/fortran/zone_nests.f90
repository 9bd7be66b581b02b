! Nests of loops as in BLAS and LAPACK, over parts of arrays that the caller overwrites.
! ad-option: -ad-adjoint=zone_nests(y)/(x)
! ad-option: -ad-tangent=zone_nests(y)/(x)
! ad-option: -ad-argnames=zone_nests_:n,m,x,y
module zone_nests_parts
  implicit none
contains
  ! c = alpha op(a) op(b) + beta c
  subroutine product(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
    logical, intent(in) :: ta, tb
    integer, intent(in) :: m, n, k, lda, ldb, ldc
    real(8), intent(in) :: alpha, beta, a(lda,*), b(ldb,*)
    real(8), intent(inout) :: c(ldc,*)
    real(8) :: t
    integer :: i, j, l
    if (m == 0 .or. n == 0) return
    do j = 1, n
      if (.not. ta) then
        if (beta /= 1) then
          do i = 1, m
            c(i,j) = beta * c(i,j)
          end do
        end if
        do l = 1, k
          if (tb) then
            t = alpha * b(j,l)
          else
            t = alpha * b(l,j)
          end if
          do i = 1, m
            c(i,j) = c(i,j) + t * a(i,l)
          end do
        end do
      else
        do i = 1, m
          t = 0
          do l = 1, k
            if (tb) then
              t = t + a(l,i) * b(j,l)
            else
              t = t + a(l,i) * b(l,j)
            end if
          end do
          c(i,j) = alpha * t + beta * c(i,j)
        end do
      end if
    end do
  end subroutine product

  ! x of op(a) x = b, by columns of b
  subroutine solve(upper, trans, unit, m, n, a, lda, b, ldb)
    logical, intent(in) :: upper, trans, unit
    integer, intent(in) :: m, n, lda, ldb
    real(8), intent(in) :: a(lda,*)
    real(8), intent(inout) :: b(ldb,*)
    real(8) :: t
    integer :: i, j, k
    do j = 1, n
      if (trans .neqv. upper) then
        do k = m, 1, -1
          if (upper) then
            if (.not. unit) b(k,j) = b(k,j) / a(k,k)
            do i = 1, k - 1
              b(i,j) = b(i,j) - b(k,j) * a(i,k)
            end do
          else
            t = b(k,j)
            do i = k + 1, m
              t = t - a(i,k) * b(i,j)
            end do
            if (.not. unit) t = t / a(k,k)
            b(k,j) = t
          end if
        end do
      else
        do k = 1, m
          if (.not. upper) then
            if (.not. unit) b(k,j) = b(k,j) / a(k,k)
            do i = k + 1, m
              b(i,j) = b(i,j) - b(k,j) * a(i,k)
            end do
          else
            t = b(k,j)
            do i = 1, k - 1
              t = t - a(i,k) * b(i,j)
            end do
            if (.not. unit) t = t / a(k,k)
            b(k,j) = t
          end if
        end do
      end if
    end do
  end subroutine solve

  recursive subroutine factor(n, a, lda)
    integer, intent(in) :: n, lda
    real(8), intent(inout) :: a(lda,*)
    integer :: h
    if (n <= 1) return
    h = n / 2
    call factor(h, a, lda)
    call solve(.false., .false., .true., h, n - h, a, lda, a(1,h+1), lda)
    call solve(.true., .true., .false., h, n - h, a, lda, a(1,h+1), lda)
    call product(.true., .false., n - h, n - h, h, -1d0, a(1,h+1), lda, a(1,h+1), lda, 1d0, a(h+1,h+1), lda)
    call factor(n - h, a(h+1,h+1), lda)
  end subroutine factor
end module zone_nests_parts

subroutine zone_nests(n, m, x, y)
  use zone_nests_parts
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n)
  real(8), intent(out) :: y(m)
  integer, parameter :: q = 5
  real(8) :: a(q,q), b(q,q), c(q,q)
  integer :: i, j, k
  do j = 1, q
    do i = 1, q
      a(i,j) = x(i + 2*j) * sin(1.0d0*i*j) + merge(3d0, 0d0, i == j)
      b(i,j) = x(2*i + j) * cos(1.0d0*i - j)
      c(i,j) = x(i + j)
    end do
  end do
  y = 0
  do k = 0, 3
    call product(k >= 2, mod(k, 2) == 1, 3, 4, k, 0.7d0, a, q, b, q, 0.9d0, c, q)
    a = 1.1d0 * a
  end do
  do k = 0, 7
    call solve(k >= 4, mod(k/2, 2) == 1, mod(k, 2) == 1, 4, 2, a, q, c, q)
    y(1) = y(1) + c(1,1) * c(4,2)
    c(:,3) = c(:,1) + b(:,k/2 + 1)
    a(2,2) = a(2,2) + 0.1d0 * x(k + 1)
  end do
  call factor(q, a, q)
  y(2) = sum(a * b)
  a = 0; b = 0
  y(3) = sum(c)
  y(4) = a(1,1) + c(2,2) * c(3,3)
end subroutine zone_nests

program zone_nests_test
  use check
  implicit none
  procedure(kernel) :: zone_nests
  procedure(kernel_tangent) :: zone_nests_d
  procedure(kernel_adjoint) :: zone_nests_b
  real(dp) :: x(20)
  integer :: k
  do k = 1, 2
    call check_fill(x, 0.4_dp, 1.3_dp)
    call check_kernel('zone_nests', zone_nests, zone_nests_d, zone_nests_b, x, 4)
  end do
  call check_done()
end program zone_nests_test
