/* Paths that do not return (assert, abort, exit, traps, unreachable, functions marked noreturn), tail calls, calls of every
 * linkage, mutual recursion out of line, printing of active values. */
#include "requests.h"

#include <assert.h>
#include <stdarg.h>

enum { N = 4 };
#define NOINLINE __attribute__((noinline))

static NOINLINE _Noreturn void fail(double *memory, double value) { /* what happens on the way out is never undone */
    memory[0] = value * value;
    fprintf(stderr, "failed with %g %g\n", value, memory[0]);
    exit(3);
}
static NOINLINE double guarded(double *memory, double t) {
    assert(t > -1.0);
    if (t > 1e6) abort();
    if (t < -1e6) __builtin_trap();
    if (t > 1e5) fail(memory, t);
    memory[1] = t * memory[0];
    return memory[1] * t;
}
static double guards(const double *x) {
    double memory[2] = {x[0], x[1]}, y = 0.0;
    for (int i = 0; i < N; i++) {
        y += guarded(memory, x[i]);
        memory[0] += memory[1];
        if (y > 1e8) fail(memory, y);
    }
    return y;
}

static double sides(const double *x) { /* the default cannot be reached */
    double y = 0.0;
    for (int i = 0; i < 2 * N; i++) {
        switch (i % 4) {
        case 0: y += x[0] * x[1]; break;
        case 1: y *= x[2]; break;
        case 2: y = sin(y); break;
        case 3: y -= x[3]; break;
        default: __builtin_unreachable();
        }
    }
    return y;
}

static double odd(double t, int n);
static NOINLINE double even(double t, int n) { return n == 0 ? t : odd(t * 1.1 + 0.1, n - 1); } /* tail calls */
static NOINLINE double odd(double t, int n) { return n == 0 ? t * t : even(sin(t) * t, n - 1); }
static double mutual(const double *x) { return even(x[0], 5) * odd(x[1], 4) + even(x[2] * x[3], 6); }

#if defined(__clang__)
#define MUSTTAIL __attribute__((musttail))
#else
#define MUSTTAIL
#endif
static NOINLINE double finish(double t, double u, int n) { return t * u + n; }
static NOINLINE double count(double t, double u, int n) {
    if (n == 0) MUSTTAIL return finish(t, u, n);
    MUSTTAIL return count(t * u, t + 0.5 * u, n - 1);
}
static NOINLINE double constant(double t, double u, int n) { return t > u ? n : n + 1.0; } /* no derivative */
static NOINLINE double stored(double *memory, double u, int n);
static NOINLINE double constant_of(double *memory, double u, int n) { return memory[1] > u ? n : n + 1.0; }
static NOINLINE double stored(double *memory, double u, int n) {
    memory[0] *= u * u;
    MUSTTAIL return constant_of(memory, u, n);
}
static double tails(const double *x) {
    double memory[2] = {x[0], x[1]};
    double k = stored(memory, x[2], 2) * constant(x[0], x[1], 3);
    return k * memory[0] + count(x[0], x[1], 3) + count(x[2], x[3], 2) * finish(x[0], x[3], 1);
}

static inline __attribute__((always_inline)) double always(double t) { return t * exp(-t); }
static inline double plain(double t) { return always(t) + t; }
NOINLINE double external(double t) { return plain(t) * t; }
static double linkages(const double *x) { return external(x[0]) * plain(x[1]) + always(x[2] * x[3]); }

static NOINLINE double logged(const char *name, double t) {
    char text[64];
    snprintf(text, sizeof text, "%s = %.3f (%d)", name, t, 1);
    if (t > 1e6) printf("%s %g %p\n", text, t, (void *)text);
    return t * t * (double)(strlen(text) > 3);
}
static double printing(const double *x) {
    double y = 1.0;
    for (int i = 0; i < N; i++) {
        y += logged("square", x[i] * y);
        if (i > N) fprintf(stderr, "%g %g\n", y, x[i]);
    }
    return y;
}

static NOINLINE double weights(int count, ...) { /* variable arguments, none of them active */
    va_list list;
    va_start(list, count);
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += va_arg(list, double);
    va_end(list);
    return sum;
}
static double weighted(const double *x) { return x[0] * weights(3, 1.0, 2.0, 0.5) + x[1] * x[2] * weights(1, 4.0); }

AD_FUNCTIONAL(guards)
AD_FUNCTIONAL(sides)
AD_FUNCTIONAL(mutual)
AD_FUNCTIONAL(tails)
AD_FUNCTIONAL(linkages)
AD_FUNCTIONAL(printing)
AD_FUNCTIONAL(weighted)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(guards, N),   CHECK_FUNCTIONAL(sides, N),    CHECK_FUNCTIONAL(mutual, N),
                          CHECK_FUNCTIONAL(tails, N),    CHECK_FUNCTIONAL(linkages, N), CHECK_FUNCTIONAL(printing, N),
                          CHECK_FUNCTIONAL(weighted, N)};
    for (int i = 0; i < 7; i++) check_random_points(&cases[i], 3, 0.3, 0.95);
    return check_done();
}
