/* Loops whose results lose against others: the reverse sweep may pass by them, with all that they recorded, where nothing arrives. */
#include "requests.h"

#define NOINLINE __attribute__((noinline))
enum { N = 12, D = 3 };

static volatile int points = N / D;

static double nearest(const double *x) { /* the least of distances: nothing is recorded in the inner loop */
    double total = 0.0;
    for (int i = 0; i < points; i++) {
        double least = INFINITY;
        for (int c = 0; c < points; c++) {
            double sum = c == i ? 9.0 : 0.0;
            for (int j = 0; j < D; j++) sum += (x[i * D + j] - x[c * D + j]) * (x[i * D + j] - x[c * D + j]);
            if (sum < least) least = sum;
        }
        total += least * least;
    }
    return total;
}
AD_FUNCTIONAL(nearest)

static double largest(const double *x) { /* products along a path: the inner loop records */
    double best = 0.0, sum = 0.0;
    for (int i = 0; i < points; i++) {
        double product = 1.0;
        for (int j = 0; j < D + i % 2; j++) product *= sin(x[(i * D + j) % N]) + product * x[j];
        best = fmax(best, product);
        sum += best * x[i];
    }
    return sum;
}
AD_FUNCTIONAL(largest)

static double rectified(const double *x) { /* a layer of sums of which those below zero count as zero, then another */
    double hidden[N], sum = 0.0;
    for (int i = 0; i < N; i++) {
        double s = -0.3 * i;
        for (int j = 0; j < N; j++) s += x[j] * cos(x[i] * (j + 1));
        hidden[i] = s > 0.0 ? s : 0.0;
    }
    for (int i = 0; i < N; i++) {
        double s = 0.1 * i - 0.6;
        for (int j = 0; j < N; j++) s += hidden[j] * x[(i + j) % N] * 0.1;
        if (s > 0.0) sum += s * s;
    }
    return sum;
}
AD_FUNCTIONAL(rectified)

static double branches(const double *x) { /* two results of one loop, of which a branch takes one, or neither */
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        double a = 1.0, b = 0.5;
        for (int j = 0; j <= i; j++) a = 0.5 * a * x[j] + 0.1 * b * b, b = 0.3 * a * b + x[j];
        double taken = 0.25;
        if (i % 3 == 0) taken = a;
        else if (i % 3 == 1) taken = b;
        sum += taken * taken * x[i];
    }
    return sum;
}
AD_FUNCTIONAL(branches)

static double nested(const double *x) { /* the loop that loses has one inside, which records too */
    double least = 4.0;
    for (int i = 0; i < points; i++) {
        double sum = 0.0;
        for (int j = 0; j < D; j++) {
            double p = 1.0;
            for (int k = 0; k <= j; k++) p = p * x[(i * D + k) % N] + 0.1 * p * p;
            sum += p;
        }
        least = sum < least ? sum : least;
    }
    return least * least;
}
AD_FUNCTIONAL(nested)

static double searched(const double *x) { /* the number of iterations is unknown */
    double best = 0.0;
    for (int i = 0; i < points; i++) {
        double value = x[i];
        while (value * value < 40.0 + i % 2) value = value * 1.5 + 0.1 * value * value;
        if (value > best) best = value;
    }
    return best;
}
AD_FUNCTIONAL(searched)

static double stored(const double *x) { /* a loop that loses, and stores what counts all the same */
    double kept[N], least = INFINITY, sum = 0.0;
    for (int i = 0; i < N; i++) kept[i] = 1.0;
    for (int i = 0; i < points; i++) {
        double s = 0.0;
        for (int j = 0; j < D; j++) s += x[i * D + j] * x[j], kept[i * D + j] = s * kept[j];
        if (s < least) least = s;
    }
    for (int i = 0; i < N; i++) sum += kept[i] * kept[i];
    return sum * least;
}
AD_FUNCTIONAL(stored)

static NOINLINE double power(double x, int n) { return n == 0 ? 1.0 : x * power(x, n - 1); }
static double called(const double *x) {
    double best = -1.0;
    for (int i = 0; i < points; i++) {
        double s = 0.0;
        for (int j = 0; j < D; j++) s += power(x[i * D + j], j + 1);
        if (s > best) best = s;
    }
    return best * best;
}
AD_FUNCTIONAL(called)

/* An infinite partial on the losing side gives nothing; on the other it counts. */
static double roots(const double *x) {
    double least = INFINITY;
    for (int i = 0; i < 2; i++) {
        double s = i == 0 ? 1.0 : 0.0;
        for (int j = 0; j < 2; j++) s += sqrt(x[2 * i + j]);
        if (s < least) least = s;
    }
    return least;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(nearest, N), CHECK_FUNCTIONAL(largest, N),  CHECK_FUNCTIONAL(rectified, N),
                          CHECK_FUNCTIONAL(branches, N), CHECK_FUNCTIONAL(nested, N),   CHECK_FUNCTIONAL(searched, points),
                          CHECK_FUNCTIONAL(stored, N),   CHECK_FUNCTIONAL(called, N)};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        cases[i].step = 1e-4;
        check_random_points(&cases[i], 3, 0.3, 0.9);
    }
    double x[4] = {0.0, 4.0, 0.25, 0.25}, xb[4] = {0};
    __ad_adjoint_void((void *)roots, x, xb);
    check_true("the losing side", xb[0] == 0.0 && xb[1] == 0.0);
    check_close("the other", xb[2], 1.0, 1e-14), check_close("and its second", xb[3], 1.0, 1e-14);
    double y[4] = {0.25, 4.0, 25.0, 25.0}, yb[4] = {0};
    __ad_adjoint_void((void *)roots, y, yb);
    check_close("the first", yb[0], 1.0, 1e-14), check_close("and its second", yb[1], 0.25, 1e-14);
    check_true("what loses", yb[2] == 0.0 && yb[3] == 0.0);
    return check_done();
}
