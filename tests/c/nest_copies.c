/* Nests of loops that read the same elements again and again, from arrays that are overwritten afterwards. */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 24, L = 6 };

/* Values to work on, and what becomes of them when all is read. */
static void fill(int n, const double *x, double *a, double shift) {
    for (int i = 0; i < n; i++) a[i] = x[i % N] + shift * sin(0.7 * i + x[(3 * i + 1) % N]);
}
static void spoil(int n, double *a) {
    for (int i = 0; i < n; i++) a[i] = 0.3 * i - 2.0;
}

/* c = c + a b by columns, as BLAS does it: m, n and k may be none. */
__attribute__((noinline)) static void multiply(int m, int n, int k, const double *restrict a, int lda, const double *restrict b, int ldb,
                                               double *restrict c, int ldc) {
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++) {
            double t = 0.5 * b[l + j * ldb];
            for (int i = 0; i < m; i++) c[i + j * ldc] += t * a[i + l * lda];
        }
}
static void products(const double *x, double *y) {
    double a[L * L], b[L * L], c[L * L];
    fill(L * L, x, a, 0.1), fill(L * L, x, b, 0.2), fill(L * L, x, c, 0.3);
    for (int n = 0; n < 4; n++) {
        multiply(n, 4 - n, 3, a, L, b, L, c, L);
        multiply(3, n, 4 - n, b + 1, L, c + 2 * L, L, a + 1, L);
    }
    multiply(L, L, L, a, L, b, L, c, L);
    spoil(L * L, a), spoil(L * L, b);
    for (int i = 0; i < 4; i++) y[i] = c[i * 7] * c[i + 5] + a[i];
}
AD_MAP(products)

/* Triangles: counts and starts that the loops around them give. */
static void solve(int n, const double *restrict a, double *restrict b, int columns) {
    for (int j = 0; j < columns; j++) {
        for (int k = 0; k < n; k++)
            for (int i = k + 1; i < n; i++) b[i + j * n] -= b[k + j * n] * a[i + k * n];
        for (int k = n - 1; k >= 0; k--) {
            b[k + j * n] /= 2.0 + a[k + k * n] * a[k + k * n];
            for (int i = 0; i < k; i++) b[i + j * n] -= b[k + j * n] * a[i + k * n];
        }
    }
}
static void triangles(const double *x, double *y) {
    double a[L * L], b[L * 3];
    fill(L * L, x, a, 0.1), fill(L * 3, x, b, 0.4);
    for (int n = 1; n <= L; n += 2) solve(n, a, b, 3);
    spoil(L * L, a);
    for (int i = 0; i < 4; i++) y[i] = b[3 * i] * b[i + 4];
}
AD_MAP(triangles)

/* Elimination in place: what a row of the nest reads, it does not write. */
static void eliminate(int n, double *a) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i * L + k] /= 3.0 + a[k * L + k] * a[k * L + k];
            for (int j = k + 1; j < n; j++) a[i * L + j] -= a[i * L + k] * a[k * L + j];
        }
}
static void elimination(const double *x, double *y) {
    double a[L * L];
    fill(L * L, x, a, 0.3);
    eliminate(L - 1, a), eliminate(L, a);
    for (int i = 0; i < 4; i++) y[i] = a[i * (L + 1)] * a[i * 4 + 3];
    spoil(L * L, a);
}
AD_MAP(elimination)

/* What is read is written in the same nest: before, at, and behind the place where it is read. */
static void neighbours(const double *x, double *y) {
    double a[3 * N];
    fill(3 * N, x, a, 0.2);
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 5; i++) a[k + i] += 0.1 * a[k] * a[k + 1];
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 5; i++) a[k + 1 + i] += 0.1 * a[k] * a[k];
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 5; i++) a[20 + k - i] += 0.1 * a[20 + k + 1] * a[12];
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 5; i++) a[20 + k - i] += 0.1 * a[20 + k] * a[15];
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 5; i++) a[30 + i] += 0.1 * a[24 + i] * a[29] * a[35];
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 5; i++) a[40 + 2 * i] += 0.1 * a[41 + 2 * k] * a[39 + 2 * i];
        for (int i = 1; i < 9; i++)
            for (int k = 0; k < 3; k++) a[50 + i] += 0.1 * a[49 + i] * a[60 + k];
    }
    for (int i = 0; i < 4; i++) y[i] = a[i] * a[20 + i] + a[30 + i] * a[40 + i] + a[55 + i];
    spoil(3 * N, a);
}
AD_MAP(neighbours)

/* Conditions on the way to what is read. */
static void conditions(const double *x, double *y) {
    double a[N], b[N], s[4] = {0};
    fill(N, x, a, 0.2), fill(N, x, b, 0.5);
    for (int n = 0; n < 5; n++)
        for (int r = 0; r < 3; r++) {
            if (n > 1)
                for (int i = 0; i < n; i++) s[r] += a[i] * b[i + n] * (1.0 + 0.1 * s[r]);
            for (int i = 0; i < N; i++)
                if ((i + r) % 3 == 0) s[3] += 0.1 * a[i] * s[r];
                else if (i % 4 == n) s[2] += 0.1 * b[i] * a[N - 1 - i] * s[3];
            for (int i = 0; i < n; i++) {
                if (s[0] > 0.4 * i) s[1] += 0.1 * a[i] * s[1];
                s[2] += 0.01 * a[i + 3] * s[1];
            }
        }
    spoil(N, a), spoil(N, b);
    for (int i = 0; i < 4; i++) y[i] = s[i] + a[i];
}
AD_MAP(conditions)

/* Steps, ends and pointers of all kinds. */
static void walks(const double *x, double *y) {
    double a[2 * N], s[4] = {0.3, 0.2, 0.1, 0.4};
    fill(2 * N, x, a, 0.2);
    for (int r = 0; r < 3; r++) {
        for (int i = N - 1; i >= 0; i -= 2) s[0] = 0.9 * s[0] + 0.1 * a[i] * s[r];
        const double *p = a, *q = a + 2 * N;
        while (p < q) {
            s[1] = 0.9 * s[1] + 0.1 * *p * q[-1] * s[0];
            p += 3, q -= 2;
        }
        int at = 0;
        for (int i = 0; i < 6; i++) {
            s[2] += 0.1 * a[at] * s[1];
            at += i;
        }
        for (unsigned char i = 250; i != 4; i++) s[3] += 0.1 * a[(unsigned char)(i + 6)] * s[2];
        for (long i = 0; i < 3; i++)
            for (short j = 2; j > -3; j--) s[0] += 0.05 * a[20 + i * 4 + j] * s[3];
    }
    spoil(2 * N, a);
    for (int i = 0; i < 4; i++) y[i] = s[i] + a[i];
}
AD_MAP(walks)

/* Other types, more dimensions, indices, calls and copies within. */
static void kinds(const double *x, double *y) {
    float f[N];
    long double l[N];
    double t[2 * 3 * 2 * 2], s[4] = {0.3, 0.2, 0.1, 0.4}, copy[4], u[N];
    int at[N];
    for (int i = 0; i < N; i++) f[i] = 0.25F * (i % 7), l[i] = x[i] * x[(i + 1) % N], at[i] = (5 * i + 2) % N;
    fill(N, x, t, 0.3), fill(N, x, u, 0.3);
    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < N; i++) s[0] += 0.1 * f[i] * s[r] + (double)(0.1L * l[i] * l[N - 1 - i]);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 2; k++)
                    for (int m = 0; m < 2; m++) s[1] += 0.1 * t[((i * 3 + j) * 2 + k) * 2 + m] * s[r];
        for (int i = 0; i < N; i++) s[2] += 0.1 * sin(u[at[i]]) * s[0];
        for (int i = 0; i < 5; i++) {
            memcpy(copy, u + i, sizeof copy);
            s[3] += 0.1 * copy[r] * copy[3] * s[2];
        }
    }
    for (int i = 0; i < N; i++) f[i] = 0.0F, l[i] = 0.0L, at[i] = i;
    spoil(N, t), spoil(N, u);
    for (int i = 0; i < 4; i++) y[i] = s[i] + f[at[i]] + (double)l[i] + copy[i];
}
AD_MAP(kinds)

/* Nests of which nothing but the data tell how often they run, and nests in recursion. */
static double descend(int depth, double *a, double s) {
    if (depth == 0) return s;
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < depth; i++) s += 0.05 * a[i] * a[i + r] * s;
    for (int i = 0; i < depth; i++) a[i] = 0.9 * a[i] + 0.1 * s;
    return descend(depth - 1, a, s) + s * a[0];
}
static void around(const double *x, double *y) {
    double a[N], s = 0.4;
    fill(N, x, a, 0.2);
    int rounds = 0;
    while (s < 3.0 && rounds++ < 7) {
        for (int r = 0; r < 2; r++)
            for (int i = 0; i < rounds; i++) s += 0.05 * a[i] * a[N - 1 - i] * (r + s);
        for (int i = 0; i < N; i++) a[i] = 0.9 * a[i] + 0.05 * s;
        for (int r = 0; r < 4; r++)
            for (int i = 0; i < N; i++) {
                if (s > 50.0) break;
                s += 0.001 * a[i] * s;
            }
    }
    y[0] = s;
    y[1] = descend(4, a, s);
    y[2] = a[0] * a[1];
    y[3] = rounds * a[2];
    spoil(N, a);
}
AD_MAP(around)

int main(void) {
    check_case cases[] = {CHECK_MAP(products, N, 4),   CHECK_MAP(triangles, N, 4), CHECK_MAP(elimination, N, 4), CHECK_MAP(neighbours, N, 4),
                          CHECK_MAP(conditions, N, 4), CHECK_MAP(walks, N, 4),     CHECK_MAP(kinds, N, 4),       CHECK_MAP(around, N, 4)};
    for (int i = 0; i < 8; i++) check_random_points(&cases[i], 2, 0.3, 1.1);
    return check_done();
}
