/* Reals that are moved in pieces, tangents only: loops that move one piece after the other, as memmove does, and both halves of a real one
 * after the other. Whole reals in a message that is declared as one of integers.
 * ad-flags: -fno-strict-aliasing */
#include "ad.h"
#include "check.h"

extern void __ad_tangent_void(void *f, ...);
#define APART __attribute__((noinline))

APART static void copy_bytes(unsigned char *to, const unsigned char *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
}
APART static void swap_halves(int *p, int n) {
    for (int i = 0; i < n; i++) {
        int t = p[i];
        p[i] = p[i + n];
        p[i + n] = t;
    }
}

static void bytes(const double *x, double *y) {
    double a[4], b[4];
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    copy_bytes((unsigned char *)b, (const unsigned char *)a, sizeof a);
    y[0] = b[0] * b[1] + b[2] * b[3];
}
static void halves(const double *x, double *y) {
    double a[4];
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    swap_halves((int *)a, 4);
    y[0] = a[0] * a[1] + a[2] * a[3] + a[0];
}
static void long_doubles(const double *x, double *y) {
    long double a[2], b[2] = {0.0L, 0.0L};
    for (int i = 0; i < 2; i++) a[i] = (long double)x[i] * x[i + 2];
    for (int i = 0; i < (int)(sizeof a / sizeof(uint64_t)); i++) ((uint64_t *)b)[i] = ((uint64_t *)a)[i];
    y[0] = (double)(b[0] * b[0] * b[1]);
}

struct message { int64_t count, words[8]; };
APART static void pack(struct message *m, const double *from, int n) {
    m->count = n;
    for (int i = 0; i < n; i++) m->words[i] = ((const int64_t *)from)[i];
}
APART static void unpack(const struct message *m, double *to) {
    for (int i = 0; i < m->count; i++) ((int64_t *)to)[i] = m->words[i];
}
static void messages(const double *x, double *y) {
    double a[4], b[4];
    struct message m, other;
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    pack(&m, a, 4);
    other = m;
    unpack(&other, b);
    y[0] = b[0] * b[1] + b[2] * b[3];
}

static double at(void (*f)(const double *, double *), const double *x, const double *xd, double h) {
    double moved[4], y;
    for (int i = 0; i < 4; i++) moved[i] = x[i] + h * xd[i];
    f(moved, &y);
    return y;
}
static void compare(const char *name, void (*f)(const double *, double *), const double *x, const double *xd, double got) {
    double h = 1e-3, near = (at(f, x, xd, h) - at(f, x, xd, -h)) / (2 * h), far = (at(f, x, xd, 2 * h) - at(f, x, xd, -2 * h)) / (4 * h);
    check_close(name, got, (4 * near - far) / 3, 1e-9);
}

int main(void) {
    double x[4] = {0.9, 0.7, 1.3, 0.4}, xd[4] = {0.3, -1.1, 0.6, 0.8}, y[1], yd[1];
    __ad_tangent_void((void *)bytes, x, xd, y, yd);
    compare("bytes", bytes, x, xd, yd[0]);
    __ad_tangent_void((void *)halves, x, xd, y, yd);
    compare("halves", halves, x, xd, yd[0]);
    __ad_tangent_void((void *)long_doubles, x, xd, y, yd);
    compare("long_doubles", long_doubles, x, xd, yd[0]);
    __ad_tangent_void((void *)messages, x, xd, y, yd);
    compare("messages", messages, x, xd, yd[0]);
    return check_done();
}
