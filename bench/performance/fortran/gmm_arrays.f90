! The Gaussian mixture objective with a Wishart prior (gamma = 1, m = 0), by whole-array expressions.
module gmm_array_parts
  implicit none
  private
  public :: dp, log_sum_exp, product, log_wishart, log_2pi
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: log_pi = 1.14472988584940017414_dp, log_2pi = 1.83787706640934548356_dp
  real(dp), parameter :: log_2 = 0.69314718055994530942_dp
contains
  real(dp) function log_sum_exp(v)
    real(dp), intent(in) :: v(:)
    real(dp) :: largest
    largest = maxval(v)
    log_sum_exp = largest + log(sum(exp(v - largest)))
  end function log_sum_exp

  ! Q v; the strictly lower triangle of Q lies column by column.
  function product(diagonal, lower, v) result(out)
    real(dp), intent(in) :: diagonal(:), lower(:), v(:)
    real(dp) :: out(size(v))
    integer :: column, first, d
    d = size(v)
    out = diagonal * v
    first = 0
    do column = 1, d - 1
      out(column+1:) = out(column+1:) + lower(first+1:first+d-column) * v(column)
      first = first + d - column
    end do
  end function product

  real(dp) function log_gamma_multivariate(a, d)
    real(dp), intent(in) :: a
    integer, intent(in) :: d
    integer :: j
    log_gamma_multivariate = 0.25_dp * d * (d - 1) * log_pi + sum(log_gamma(a + 0.5_dp * [(1 - j, j = 1, d)]))
  end function log_gamma_multivariate

  real(dp) function log_wishart(diagonals, icf)
    real(dp), intent(in) :: diagonals(:,:), icf(:,:)
    integer :: d
    d = size(diagonals, 1)
    log_wishart = 0.5_dp * (sum(diagonals**2) + sum(icf(d+1:,:)**2)) &
      - size(diagonals, 2) * (-(d + 1) * d * 0.5_dp * log_2 - log_gamma_multivariate(0.5_dp * (d + 1), d))
  end function log_wishart
end module gmm_array_parts

subroutine gmm_arrays(d, k, n, data, x, y)
  use gmm_array_parts
  implicit none
  integer, intent(in) :: d, k, n
  real(dp), intent(in) :: data(d, n), x(k * (1 + d + d * (d + 1) / 2))
  real(dp), intent(out) :: y
  call objective(x, x(k + 1), x(k + k * d + 1))
contains
  subroutine objective(alphas, means, icf)
    real(dp), intent(in) :: alphas(k), means(d, k), icf(d * (d + 1) / 2, k)
    real(dp) :: diagonals(d, k), sums(k), mapped(d), terms(k), total
    integer :: i, c
    diagonals = exp(icf(:d,:))
    sums = sum(icf(:d,:), dim=1)
    total = 0
    do i = 1, n
      do c = 1, k
        mapped = product(diagonals(:,c), icf(d+1:,c), data(:,i) - means(:,c))
        terms(c) = alphas(c) + sums(c) - 0.5_dp * dot_product(mapped, mapped)
      end do
      total = total + log_sum_exp(terms)
    end do
    y = total - n * log_sum_exp(alphas) - 0.5_dp * n * d * log_2pi + log_wishart(diagonals, icf)
  end subroutine objective
end subroutine gmm_arrays
