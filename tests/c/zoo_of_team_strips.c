/* Loops whose addresses advance by a constant step, as the threads of a team add to shared adjoints: up, down, by columns, in nests,
 * over parts of a row, under conditions; arrays that overlap and arrays that do not. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "check.h"
#include <ad.h>
#include <math.h>
#include <string.h>

enum { N = 5000, R = 48, C = 70 };

/* Neighbours, in chunks and backwards. */
static double neighbours(double *x, double *y, int n) {
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for schedule(static)
    for (int i = 1; i < n - 1; i++)
      y[i] = x[i] + 0.1 * (x[i - 1] - 2 * x[i] + x[i + 1]) * x[i];
#pragma omp parallel for schedule(static, 64)
    for (int i = n - 2; i >= 1; i--)
      x[i] = 0.9 * y[i] + 0.05 * y[i] * y[i];
  }
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

/* The same cells of both, which may be one array. */
static double cells(double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    y[i] = sin(x[i]) * y[i] + x[i] * x[i];
    x[i] = x[i] * y[i];
  }
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

/* Blocks that overlap with those of the other array, one after the other. */
static double blocks(double *x, double *y, int n) {
  for (int from = 0; from + 500 <= n; from += 500) {
#pragma omp parallel for
    for (int i = from; i < from + 500; i++)
      y[i] = exp(0.1 * x[i]) * y[i];
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

/* Each thread reads one half of the array and writes the other: apart only as far as the bounds say. */
static double halves(double *x, double *same, int n) {
  double *low = x, *high = same + n / 2;
#pragma omp parallel for
  for (int i = 0; i < n / 2; i++)
    high[i] = sin(low[i]) * high[i] + low[i] * low[i];
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return s;
}

/* Rows by threads, columns within; the vector is every thread's. */
static double product(const double *a, const double *v, int rows, int columns) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; i++) {
    double z = 0;
    for (int j = 0; j < columns; j++)
      z += a[i * columns + j] * v[j];
    s += z * z;
  }
  return s;
}

/* Columns by threads, from the last row to the first, and only as far as the diagonal. */
static double columns(const double *a, const double *v, int rows, int columns) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) schedule(dynamic, 3)
  for (int j = 0; j < columns; j++) {
    double z = 1;
    for (int i = rows - 1; i >= 0 && i >= j - 20; i--)
      if ((i + j) % 5)
        z += a[i * columns + j] * v[rows - 1 - i] * (1 + 0.01 * z);
    s += log(1 + z * z);
  }
  return s;
}

/* Small loops of known length around each point; floats. */
static float mixture(const float *points, const float *mean, int n) {
  float s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    float q = 0;
    for (int k = 0; k < 6; k++)
      for (int d = 0; d < 4; d++) {
        float z = points[4 * i + d] - mean[4 * k + d];
        q += z * z * (1 + 0.1f * k);
      }
    s += sqrtf(1 + q);
  }
  return s;
}

/* A gather beside a walk, and a cell that all threads add to. */
static double gather(const double *x, const int *at, const double *scale, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[at[i]] * x[i] * *scale;
  return s;
}

static double x[N], y[N], xb[N], yb[N], xd[N], yd[N];
static double a[R * C], ab[R * C], ad[R * C], v[C], vb[C], vd[C];
static float points[4 * N], mean[24], meanb[24];
static int at[N];

static void start(void) {
  for (int i = 0; i < N; i++)
    x[i] = 0.5 + 0.3 * sin(0.01 * i), y[i] = cos(0.02 * i), at[i] = (i * 37) % 100;
  for (int i = 0; i < N; i++)
    xd[i] = sin(3.0 * i), yd[i] = cos(5.0 * i);
  memset(xb, 0, sizeof xb), memset(yb, 0, sizeof yb);
}

/* A tangent and an adjoint of a function of two arrays, which may be parts of one. */
#define COMPARE(f, offset_x, offset_y, n)                                                                                            \
  do {                                                                                                                               \
    double *px = x + (offset_x), *py = (offset_y) < 0 ? y : x + (offset_y), dot, sum = 0;                                            \
    double *pd = xd + (offset_x), *qd = (offset_y) < 0 ? yd : xd + (offset_y);                                                       \
    double *pb = xb + (offset_x), *qb = (offset_y) < 0 ? yb : xb + (offset_y);                                                       \
    start();                                                                                                                         \
    dot = __ad_tangent((void *)f, ad_dup, px, pd, ad_dup, py, qd, (n));                                                              \
    start();                                                                                                                         \
    __ad_adjoint((void *)f, ad_dup, px, pb, ad_dup, py, qb, (n));                                                                    \
    for (int i = 0; i < N; i++)                                                                                                      \
      sum += xb[i] * sin(3.0 * i) + yb[i] * cos(5.0 * i);                                                                            \
    check_close(#f, sum, dot, 1e-10);                                                                                                \
    check_true(#f " depends on its arguments", fabs(dot) > 1e-3);                                                                    \
  } while (0)

int main(void) {
  COMPARE(neighbours, 0, -1, N);
  COMPARE(neighbours, 0, N / 2, N / 2);
  COMPARE(neighbours, N / 2, 0, N / 2);
  COMPARE(cells, 0, -1, N);
  COMPARE(cells, 3, 3, N - 3);
  COMPARE(cells, 0, N / 2, N / 2);
  COMPARE(blocks, 0, 1500, N - 1500);
  COMPARE(blocks, 1000, 0, N - 1000);
  COMPARE(halves, 0, 0, N);

  for (int i = 0; i < R * C; i++)
    a[i] = sin(0.3 * i), ad[i] = cos(1.1 * i);
  for (int j = 0; j < C; j++)
    v[j] = 0.1 * cos(0.7 * j), vd[j] = sin(2.3 * j);
  double (*both[])(const double *, const double *, int, int) = {product, columns};
  for (int f = 0; f < 2; f++) {
    memset(ab, 0, sizeof ab), memset(vb, 0, sizeof vb);
    if (f == 0)
      __ad_adjoint((void *)product, ad_dup, a, ab, ad_dup, v, vb, R, C);
    else
      __ad_adjoint((void *)columns, ad_dup, a, ab, ad_dup, v, vb, R, C);
    double dot = 0, along = f == 0 ? __ad_tangent((void *)product, ad_dup, a, ad, ad_dup, v, vd, R, C)
                                   : __ad_tangent((void *)columns, ad_dup, a, ad, ad_dup, v, vd, R, C);
    for (int k = 0; k < R * C; k++)
      dot += ab[k] * ad[k];
    for (int k = 0; k < C; k++)
      dot += vb[k] * vd[k];
    check_close("tangent and adjoint", dot, along, 1e-10);
    check_true("they are not zero", fabs(along) > 1e-2);
    for (int k = 0; k < C; k += 9) {
      double h = 1e-5, old = v[k];
      v[k] = old + h;
      double up = both[f](a, v, R, C);
      v[k] = old - h;
      double down = both[f](a, v, R, C);
      v[k] = old;
      check_within("vector", vb[k], (up - down) / (2 * h), 1e-6);
    }
    for (int k = 5; k < R * C; k += 311) {
      double h = 1e-5, old = a[k];
      a[k] = old + h;
      double up = both[f](a, v, R, C);
      a[k] = old - h;
      double down = both[f](a, v, R, C);
      a[k] = old;
      check_within("matrix", ab[k], (up - down) / (2 * h), 1e-7);
    }
  }

  for (int i = 0; i < 4 * N; i++)
    points[i] = sinf(0.1f * i);
  for (int k = 0; k < 24; k++)
    mean[k] = cosf(2.0f * k);
  __ad_adjoint((void *)mixture, ad_const, points, ad_dup, mean, meanb, 900);
  for (int k = 0; k < 24; k++) {
    double expected = 0;
    for (int i = 0; i < 900; i++) {
      double q = 0;
      for (int m = 0; m < 24; m++) {
        double z = points[4 * i + m % 4] - mean[m];
        q += z * z * (1 + 0.1 * (m / 4));
      }
      expected += -(points[4 * i + k % 4] - mean[k]) * (1 + 0.1 * (k / 4)) / sqrt(1 + q);
    }
    check_close("mean", meanb[k], expected, 1e-4);
  }

  start();
  double scale = 1.5, scaleb = 0, expected = 0;
  __ad_adjoint((void *)gather, ad_dup, x, xb, ad_const, at, ad_dup, &scale, &scaleb, N);
  static double by_hand[N];
  for (int i = 0; i < N; i++)
    by_hand[at[i]] += x[i] * scale, by_hand[i] += x[at[i]] * scale, expected += x[at[i]] * x[i];
  check_close("scale", scaleb, expected, 1e-11);
  for (int i = 0; i < N; i++)
    check_close("gather", xb[i], by_hand[i], 1e-11);
  return check_done();
}
