/* Requests for the functions of forms.ll, and the same in C. */
#include "requests.h"

double shuffled(const double *x), taken_apart(const double *x), filtered(const double *x);
AD_FUNCTIONAL(shuffled)
AD_FUNCTIONAL(taken_apart)
AD_FUNCTIONAL(filtered)

static void shuffled_in_c(const double *x, double *y) {
    const double *a = x, *b = x + 4;
    double i[4] = {a[3], a[2], b[2], b[3]}, n[4] = {b[1], b[0], b[3], b[2]}, m[4], top = b[0], low = b[0];
    double sum = 0.25;
    for (int k = 0; k < 4; k++) {
        m[k] = x[k + 3] * x[k + 1] + i[k] * n[k];
        sum += m[k];
        top = fmax(top, b[k]);
        low = fmin(low, b[k]);
    }
    y[0] = sum + a[0] * a[1] * a[2] * a[3] * top + low * fmax(m[0], fmax(m[1], m[2]));
}
static void taken_apart_in_c(const double *x, double *y) {
    int scale[4] = {3, 1, -2, 0};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        int exponent;
        double whole, half = frexp(x[i], &exponent), part = modf(5 * x[i], &whole);
        sum += pow(ldexp(half, scale[i]), 3) * x[i] + part * sin(x[i]) + (int)whole * exponent * (cos(x[i]) + 1);
    }
    y[0] = sum;
}
static void filtered_in_c(const double *x, double *y) {
    double e[4], g[4], store[8] = {0}, sum = 0;
    const int at[4] = {-1, 0, -1, -1}, to[4] = {4, 7, 5, 6};
    int next = 0, n = 0;
    for (int i = 0; i < 4; i++) {
        e[i] = x[i] > 0.6 ? x[4 + next++] : x[i];
        if (x[i] > 0.6) store[n++] = e[i] * x[i];
    }
    for (int i = 0; i < 4; i++) g[i] = x[i] > 0.6 ? x[4 + at[i]] : e[i];
    for (int i = 0; i < 4; i++)
        if (i != 2) store[to[i]] = g[i];
    for (int i = 0; i < 4; i++) sum += store[i] * store[i + 4] + g[i];
    y[0] = sum;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(shuffled, 8), CHECK_FUNCTIONAL(taken_apart, 4), CHECK_FUNCTIONAL(filtered, 8)};
    check_map in_c[] = {shuffled_in_c, taken_apart_in_c, filtered_in_c};
    for (int i = 0; i < 3; i++) {
        cases[i].step = 1e-4;
        cases[i].tol_diff = 1e-7;
        for (int k = 0; k < 6; k++) {
            double x[8], y[1], z[1];
            check_fill(x, 8, 0.3, 0.9);
            in_c[i](x, y);
            cases[i].primal(x, z);
            check_close(cases[i].name, z[0], y[0], 1e-14);
            cases[i].smooth = in_c[i];
            check_at(&cases[i], x);
        }
    }
    return check_done();
}
