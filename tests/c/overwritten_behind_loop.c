/* What a loop reads is overwritten behind it, and the loop has two exits: in the order of blocks, the code behind the loop may come
 * before the part of the loop that reads. */
#include "requests.h"

enum { N = 3 };

static double left_at_the_top(const double *x) {
    double a[3], y = 0.0;
    for (int i = 0; i < 3; i++) a[i] = x[i];
    for (long k = 3; k-- > 0;) {
        y += a[k] * a[k];
        if (a[k] > 50.0) return 0.5;
    }
    for (int i = 0; i < 3; i++) a[i] = 0.5 * x[2 - i];
    return y * a[1] + a[0] * a[2];
}

/* Two loops, one in the other; behind both, and between them. */
static double left_early(const double *x) {
    double a[4] = {x[0], x[1], x[2], 1.0}, y = 1.0;
    for (int round = 0; round < 3; round++) {
        int k = 0;
        for (;;) {
            if (k == 3) break;
            y *= 1.0 + 0.1 * a[k] * a[k];
            k++;
            if (y > 40.0) goto out;
        }
        for (int i = 0; i < k; i++) a[i] = a[(i + 1) & 3] * 0.7;
    }
out:
    a[0] = y;
    for (int i = 1; i < 4; i++) a[i] = a[i - 1] * a[0];
    return a[3];
}

/* Through an unknown pointer, and a call behind the loop. */
static __attribute__((noinline)) void blank(double *a, int n) {
    for (int i = 0; i < n; i++) a[i] = 0.25;
}
static __attribute__((noinline)) double worked_on(double *a, int n) {
    double y = 0.0;
    for (int k = n; k-- > 0;) {
        y += a[k] * a[0];
        if (a[1] > 50.0) return y;
    }
    blank(a, n);
    return y + a[0];
}
static double handed_on(const double *x) {
    double a[3];
    for (int i = 0; i < 3; i++) a[i] = x[i];
    return worked_on(a, 3) * a[1];
}

AD_FUNCTIONAL(left_at_the_top)
AD_FUNCTIONAL(left_early)
AD_FUNCTIONAL(handed_on)

/* In place: the argument itself is overwritten. */
struct level {
    long double of[2];
    double now;
};
static long double in_place(double *v, int n) {
    struct level all[3] = {0};
    for (long k = n; k-- > 0;) {
        all[2].now = v[0] * v[0];
        if (0.5 > v[1]) return 0.5;
    }
    all[2].of[1] = all[2].now;
    v[0] = 0.5;
    return all[2].of[n % 2];
}
extern void __ad_adjoint_in_place(long double (*)(double *, int), double *, double *, int);

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(left_at_the_top, N), CHECK_FUNCTIONAL(left_early, N), CHECK_FUNCTIONAL(handed_on, N)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 4, 0.3, 1.3);
    double v[2] = {0.4404, 1.0812}, b[2] = {1.0, 3.0};
    __ad_adjoint_in_place(in_place, v, b, 5);
    check_close("in_place[0]", b[0], 2.0 * 0.4404, 1e-13);
    check_close("in_place[1]", b[1], 3.0, 1e-13);
    return check_done();
}
