/* Loops that compilers vectorise, copies, sorting, blocks, lists: y = F(x), each of n numbers. */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "floats.h"

#define LOOP(name) void loop_##name(const double *restrict x, double *restrict y, int n)

LOOP(sum) {
    double s = 0;
    FOR(i, n) s += x[i] * x[i];
    y[0] = s;
}
LOOP(dot) {
    double s = 0;
    FOR(i, n / 2) s += x[i] * x[i + n / 2];
    y[0] = s, y[1] = s * x[0];
}
LOOP(axpy) { FOR(i, n) y[i] = x[0] * x[i] + i; }
LOOP(stencil) {
    for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] - 2 * x[i] * x[i] + x[i + 1] * x[i];
    y[0] = x[0], y[n - 1] = x[n - 1];
}
LOOP(stencil_in_place) {
    FOR(i, n) y[i] = x[i];
    FOR(sweep, 3) for (int i = 1; i < n - 1; i++) y[i] += 0.2 * (y[i - 1] - 2 * y[i] + y[i + 1]) * y[i];
}
LOOP(multiply) {
    FOR(i, 3) FOR(j, 3) {
        double s = 0;
        FOR(k, 3) s += x[3 * i + k] * x[3 * k + j];
        y[3 * i + j] = s;
    }
    (void)n;
}
LOOP(strided) {
    for (int i = 0; i + 3 <= n; i += 3) y[i] = x[i] * x[i + 1] + x[i + 2], y[i + 2] = x[i + 2] / x[i];
}
LOOP(reversed) { FOR(i, n) y[n - 1 - i] = x[i] * (i + 1); }
LOOP(prefix) {
    double s = 0, p = 1;
    FOR(i, n) s += x[i], p *= x[i], y[i] = s * p;
}
LOOP(horner) {
    FOR(i, n) {
        double s = 0;
        FOR(k, n) s = s * x[i] + x[k];
        y[i] = s;
    }
}
LOOP(copied) {
    double v[MOST];
    memcpy(v, x, (size_t)n * sizeof *x);
    memcpy(y, v + 1, (size_t)(n - 1) * sizeof *x);
    y[n - 1] = v[0] * v[0];
}
LOOP(moved) {
    memcpy(y, x, (size_t)n * sizeof *x);
    memmove(y + 1, y, (size_t)(n - 1) * sizeof *y);
    memmove(y + 2, y + 3, (size_t)(n - 3) * sizeof *y);
    y[0] *= y[1];
}
typedef struct { double a; float b; int k; double c[3]; char d; } mixed;
LOOP(struct_copies) {
    mixed all[4] = {{0}}, one;
    FOR(i, 4) all[i].a = x[i], all[i].b = (float)i, all[i].k = i, all[i].c[i % 3] = x[i] * x[n - 1];
    one = all[2], all[2] = all[0], all[0] = one;
    FOR(i, 4) y[i] = all[i].a * (all[i].c[0] + all[i].c[1] + 2 * all[i].c[2]) + all[i].k;
}
LOOP(reallocated) {
    double *p = NULL;
    FOR(i, n) {
        p = realloc(p, (size_t)(i + 1) * 400 * sizeof *p);
        p[i * 400] = i ? p[(i - 1) * 400] * x[i] + x[i] : x[0];
    }
    FOR(i, n) y[i] = p[i * 400];
    free(p);
}
static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}
LOOP(sorted) {
    FOR(i, n) y[i] = x[i] * (i % 3 ? 1 : -2);
    qsort(y, (size_t)n, sizeof *y, by_value);
    FOR(i, n) y[i] *= i + 1;
}
typedef struct { double key; float value; int at; } keyed;
LOOP(sorted_pairs) {
    keyed v[MOST];
    FOR(i, n) v[i] = (keyed){cos(5 * x[i]), (float)(i + 1), i};
    qsort(v, (size_t)n, sizeof *v, by_value);
    FOR(i, n) y[i] = v[i].key * v[i].value + x[v[i].at];
}
LOOP(largest) {
    double m = x[0];
    FOR(i, n) m = m < x[i] ? x[i] : m;
    double f = -1;
    FOR(i, n) f = fmax(f, x[i] * (i & 1));
    y[0] = m * m, y[1] = f;
}
LOOP(least_at) {
    int at = 0;
    FOR(i, n) if (x[i] < x[at]) at = i;
    y[at] = x[at] * x[(at + 1) % n];
}
LOOP(norms) {
    double one = 0, most = 0, two = 0;
    FOR(i, n) {
        double v = x[i] - 0.6;
        one += fabs(v), two += v * v, most = fabs(v) > most ? fabs(v) : most;
    }
    y[0] = one, y[1] = sqrt(two), y[2] = most;
}
LOOP(gathered) {
    static const int at[] = {3, 1, 4, 1, 5, 0, 2, 5};
    FOR(i, n) y[i] = x[at[i % 8]] * x[i];
}
LOOP(scattered) {
    static const int at[] = {3, 1, 4, 1, 5, 0, 2, 5};
    FOR(i, 8) y[at[i]] += x[i] * x[i];
    (void)n;
}
LOOP(interleaved) {
    double re[MOST], im[MOST];
    FOR(i, n / 2) re[i] = x[2 * i], im[i] = x[2 * i + 1];
    FOR(i, n / 2) y[2 * i] = re[i] * re[i] - im[i] * im[i], y[2 * i + 1] = 2 * re[i] * im[i];
}
LOOP(complex_sums) {
    double complex s = 1, p = 0;
    FOR(i, n / 2) s *= x[2 * i] + I * x[2 * i + 1], p += s / (x[i] + 2 * I);
    s = cexp(s) + csqrt(p) * cpow(p, 1.5);
    y[0] = creal(s), y[1] = cimag(s), y[2] = cabs(p), y[3] = carg(p), y[4] = creal(clog(p) * csin(p));
}
LOOP(counted) {
    FOR(i, n) {
        int k = (int)(x[i] * 4);
        y[i] = x[i] * k + k + (double)(long)(x[i] * 9) * x[0];
    }
}
LOOP(rows) {
    double *all[4];
    FOR(i, 4) {
        all[i] = malloc(3 * sizeof *all[i]);
        FOR(j, 3) all[i][j] = x[(i + j) % n] * (j + 1);
    }
    FOR(i, 4) FOR(j, 3) y[i] += all[i][j] * all[3 - i][2 - j];
    FOR(i, 4) free(all[i]);
}
LOOP(rows_swapped) {
    double a[3], b[3], *p = a, *q = b;
    FOR(i, 3) p[i] = x[i], q[i] = 0;
    FOR(step, 5) {
        FOR(i, 3) q[i] = 0.5 * p[i] + 0.25 * p[(i + 1) % 3] * p[i] + 0.1 * x[3];
        double *t = p;
        p = q, q = t;
    }
    FOR(i, 3) y[i] = p[i];
    (void)n;
}
typedef struct node { struct node *next; double value; } node;
LOOP(listed) {
    node *head = NULL;
    FOR(i, n) {
        node *one = malloc(sizeof *one);
        one->next = head, one->value = x[i] * (head ? head->value : 1), head = one;
    }
    int k = 0;
    while (head) {
        node *next = head->next;
        y[k++] = head->value;
        free(head);
        head = next;
    }
}
static double tree_at(const double *x, int low, int high) {
    if (high - low == 1) return x[low];
    int middle = (low + high) / 2;
    double left = tree_at(x, low, middle), right = tree_at(x, middle, high);
    return left * right + (left > right ? left : 2 * right);
}
LOOP(tree) { y[0] = tree_at(x, 0, n); }
LOOP(workspace) {
    double *work = calloc((size_t)(3 * n), sizeof *work), *u = work + n, *v = u + n;
    FOR(i, n) u[i] = x[i] * x[i];
    FOR(i, n) v[i] = u[n - 1 - i] + work[i];
    memset(u, 0, (size_t)n * sizeof *u);
    FOR(i, n) y[i] = v[i] * x[i] + u[i];
    free(work);
}
LOOP(on_stack) {
    double v[n][2];
    FOR(i, n) v[i][0] = x[i], v[i][1] = x[n - 1 - i];
    FOR(i, n) y[i] = v[i][0] * v[(i + 1) % n][1];
}
LOOP(clipped) { FOR(i, n) y[i] = fmin(fmax(x[i], 0.5), 0.8) * x[i]; }
LOOP(signs) {
    FOR(i, n) y[i] = copysign(x[i], i % 2 ? -1.0 : 1.0) + fabs(x[i] - 1.5) - (-x[i]) * x[i];
}
LOOP(conditional) { FOR(i, n) y[i] = x[i] > 0.6 ? sqrt(x[i]) : x[i] * x[i] / 2; }
LOOP(powers) {
    FOR(i, n) {
        double p = 1, b = x[i];
        for (int k = i + 3; k; k >>= 1, b *= b)
            if (k & 1) p *= b;
        y[i] = p;
    }
}
LOOP(triangle) { FOR(i, n) for (int j = 0; j <= i; j++) y[i] += x[j] * x[i - j]; }
static void spd(const double *x, double a[4][4]) {
    FOR(i, 4) FOR(j, 4) a[i][j] = (i == j) * (3 + x[i]) + x[i] * x[j] * 0.3;
}
LOOP(cholesky) {
    double a[4][4];
    spd(x, a);
    FOR(j, 4) {
        FOR(k, j) a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < 4; i++) {
            FOR(k, j) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    FOR(i, 4) y[i] = a[i][i], y[4 + i] = a[3][i];
    (void)n;
}
LOOP(eliminated) {
    double a[4][4], b[4];
    spd(x, a);
    FOR(i, 4) b[i] = x[4 + i];
    FOR(k, 4) for (int i = k + 1; i < 4; i++) {
        double f = a[i][k] / a[k][k];
        for (int j = k; j < 4; j++) a[i][j] -= f * a[k][j];
        b[i] -= f * b[k];
    }
    for (int i = 3; i >= 0; i--) {
        for (int j = i + 1; j < 4; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
    FOR(i, 4) y[i] = b[i];
    (void)n;
}
LOOP(transposed) {
    double a[3][4], b[4][3];
    FOR(i, 3) FOR(j, 4) a[i][j] = x[(4 * i + j) % n];
    FOR(i, 4) FOR(j, 3) b[i][j] = a[j][i];
    FOR(i, 4) FOR(j, 3) y[3 * i + j < n ? 3 * i + j : 0] += b[i][j] * b[j][i % 3];
}
LOOP(upwind) {
    double u[MOST], v[MOST];
    FOR(i, n) u[i] = x[i] - 0.6;
    FOR(step, 4) {
        FOR(i, n) {
            double back = u[i] - u[(i + n - 1) % n], ahead = u[(i + 1) % n] - u[i];
            v[i] = u[i] - 0.1 * u[i] * (u[i] > 0 ? back : ahead);
        }
        FOR(i, n) u[i] = v[i];
    }
    FOR(i, n) y[i] = u[i];
}
LOOP(wave) {
    double before[MOST], now[MOST], next[MOST];
    FOR(i, n) before[i] = now[i] = x[i];
    FOR(step, 5) {
        for (int i = 1; i < n - 1; i++) next[i] = 2 * now[i] - before[i] + 0.3 * x[0] * (now[i - 1] - 2 * now[i] + now[i + 1]);
        next[0] = next[n - 1] = 0;
        memcpy(before, now, sizeof now);
        memcpy(now, next, sizeof now);
    }
    FOR(i, n) y[i] = now[i];
}
LOOP(exponentials) { FOR(i, n) y[i] = exp(x[i]) * log(1 + x[i]); }
LOOP(mixed) {
    int k = 3;
    double e;
    FOR(i, n) {
        double m = frexp(x[i] * 5, &k), f = modf(x[i] * 7, &e);
        y[i] = m * k + f * e + ldexp(x[i], k);
    }
}
LOOP(bytes) {
    unsigned char *to = (unsigned char *)y;
    const unsigned char *from = (const unsigned char *)x;
    FOR(i, n * 8) to[i] = from[i];
    FOR(i, n) y[i] *= y[0];
}
LOOP(table) {
    static double kept[MOST];
    FOR(i, n) kept[i] = x[i] * x[i];
    FOR(i, n) y[i] = kept[(int)(i * 7 % n)] * kept[i];
}
LOOP(swapped) {
    FOR(i, n) y[i] = x[i] * (i + 1);
    FOR(i, n / 2) {
        double t = y[i];
        y[i] = y[n - 1 - i], y[n - 1 - i] = t;
    }
}
LOOP(halves) {
    double v[MOST];
    int count = n;
    FOR(i, n) v[i] = x[i] * x[i];
    for (; count > 1; count = (count + 1) / 2) FOR(i, count / 2) v[i] += 0.5 * v[count - 1 - i] * v[i];
    y[0] = v[0];
}
LOOP(bubble) {
    FOR(i, n) y[i] = sin(9 * x[i]);
    FOR(i, n) FOR(j, n - 1) if (y[j] > y[j + 1]) {
        double t = y[j];
        y[j] = y[j + 1], y[j + 1] = t;
    }
    FOR(i, n) y[i] *= y[i] * i;
}
LOOP(zeroed) {
    FOR(i, n) y[i] = x[i] * x[i];
    memset(y, 0, (size_t)(n / 2) * sizeof *y);
    y[n - 1] = 0;
}
LOOP(polynomials) {
    FOR(i, n) {
        double p = 1, q = x[i];
        for (int k = 1; k < 6; k++) {
            double r = ((2 * k + 1) * x[i] * q - k * p) / (k + 1);
            p = q, q = r;
        }
        y[i] = q;
    }
}
LOOP(fourier) {
    FOR(k, n / 2) {
        double complex s = 0;
        FOR(i, n) s += x[i] * cexp(-2 * M_PI * I * i * k / n);
        y[k] = creal(s) * creal(s) + cimag(s) * cimag(s);
    }
}
LOOP(tridiagonal) {
    double c[MOST], d[MOST];
    c[0] = x[0] / 4, d[0] = x[0] / 4;
    for (int i = 1; i < n; i++) {
        double m = 4 - x[i] * c[i - 1];
        c[i] = x[i] / m, d[i] = (x[i] - x[i] * d[i - 1]) / m;
    }
    y[n - 1] = d[n - 1];
    for (int i = n - 2; i >= 0; i--) y[i] = d[i] - c[i] * y[i + 1];
}
LOOP(convolved) {
    static const double kernel[] = {0.25, 0.5, 0.25};
    FOR(i, n) FOR(k, 3) y[i] += kernel[k] * x[(i + k) % n] * x[i];
}
LOOP(sines) {
    FOR(i, n) {
        double s, c;
        sincos(x[i] * 2, &s, &c);
        y[i] = s * c + sin(x[i]) * cos(x[0]);
    }
}
