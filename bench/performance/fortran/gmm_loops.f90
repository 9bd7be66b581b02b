! The Gaussian mixture objective with a Wishart prior (gamma = 1, m = 0), by loops.
module gmm_parts
  implicit none
  private
  public :: dp, log_sum_exp, multiply, log_wishart, log_2pi
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: log_pi = 1.14472988584940017414_dp, log_2pi = 1.83787706640934548356_dp
  real(dp), parameter :: log_2 = 0.69314718055994530942_dp
contains
  real(dp) function log_sum_exp(v)
    real(dp), intent(in) :: v(:)
    real(dp) :: largest, total
    integer :: i
    largest = v(1)
    do i = 2, size(v)
      if (v(i) > largest) largest = v(i)
    end do
    total = 0
    do i = 1, size(v)
      total = total + exp(v(i) - largest)
    end do
    log_sum_exp = largest + log(total)
  end function log_sum_exp

  ! out = Q v; the strictly lower triangle of Q lies column by column.
  subroutine multiply(diagonal, lower, v, out)
    real(dp), intent(in) :: diagonal(:), lower(:), v(:)
    real(dp), intent(out) :: out(:)
    integer :: row, column, first, d
    d = size(v)
    do row = 1, d
      out(row) = diagonal(row) * v(row)
    end do
    first = 0
    do column = 1, d - 1
      do row = column + 1, d
        out(row) = out(row) + lower(first + row - column) * v(column)
      end do
      first = first + d - column
    end do
  end subroutine multiply

  real(dp) function log_gamma_multivariate(a, d)
    real(dp), intent(in) :: a
    integer, intent(in) :: d
    integer :: j
    log_gamma_multivariate = 0.25_dp * d * (d - 1) * log_pi
    do j = 1, d
      log_gamma_multivariate = log_gamma_multivariate + log_gamma(a + 0.5_dp * (1 - j))
    end do
  end function log_gamma_multivariate

  real(dp) function log_wishart(diagonals, icf)
    real(dp), intent(in) :: diagonals(:,:), icf(:,:)
    real(dp) :: total
    integer :: c, j, d, k
    d = size(diagonals, 1)
    k = size(diagonals, 2)
    total = 0
    do c = 1, k
      do j = 1, d
        total = total + 0.5_dp * diagonals(j,c)**2
      end do
      do j = d + 1, size(icf, 1)
        total = total + 0.5_dp * icf(j,c)**2
      end do
    end do
    log_wishart = total - k * (-(d + 1) * d * 0.5_dp * log_2 - log_gamma_multivariate(0.5_dp * (d + 1), d))
  end function log_wishart
end module gmm_parts

subroutine gmm_loops(d, k, n, data, x, y)
  use gmm_parts
  implicit none
  integer, intent(in) :: d, k, n
  real(dp), intent(in) :: data(d, n), x(k * (1 + d + d * (d + 1) / 2))
  real(dp), intent(out) :: y
  call objective(x, x(k + 1), x(k + k * d + 1))
contains
  subroutine objective(alphas, means, icf)
    real(dp), intent(in) :: alphas(k), means(d, k), icf(d * (d + 1) / 2, k)
    real(dp) :: diagonals(d, k), sums(k), centred(d), mapped(d), terms(k), total, norm
    integer :: i, j, c
    do c = 1, k
      sums(c) = 0
      do j = 1, d
        sums(c) = sums(c) + icf(j,c)
        diagonals(j,c) = exp(icf(j,c))
      end do
    end do
    total = 0
    do i = 1, n
      do c = 1, k
        do j = 1, d
          centred(j) = data(j,i) - means(j,c)
        end do
        call multiply(diagonals(:,c), icf(d+1:,c), centred, mapped)
        norm = 0
        do j = 1, d
          norm = norm + mapped(j) * mapped(j)
        end do
        terms(c) = alphas(c) + sums(c) - 0.5_dp * norm
      end do
      total = total + log_sum_exp(terms)
    end do
    y = total - n * log_sum_exp(alphas) - 0.5_dp * n * d * log_2pi + log_wishart(diagonals, icf)
  end subroutine objective
end subroutine gmm_loops
