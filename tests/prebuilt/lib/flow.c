/* Control and state inside a library: recursion, jumps, callbacks, structs by value, bits of numbers, solvers. */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"

#define FLOW_(name) void flow_##name(const double *x, double *y)
#define FOR(i, count) for (int i = 0; i < (count); i++)

static double power(double x, int n) { return n == 0 ? 1 : n % 2 ? x * power(x, n - 1) : power(x * x, n / 2); }
FLOW_(recursive) { FOR(i, 8) y[i] = power(x[i], i + 2) * power(x[7 - i], 3); }
static double deep(double x, int m, int n) { return m == 0 ? x + n : n == 0 ? deep(x * 1.01, m - 1, 1) : deep(deep(x, m, n - 1) * 0.1, m - 1, 1); }
FLOW_(ackermann) { FOR(i, 4) y[i] = deep(x[i], 2, i) * x[0]; }

static jmp_buf here;
static double descend(double x, int depth) {
    if (x > 3) longjmp(here, depth);
    return descend(x * 1.3 + 0.01, depth + 1) + 1;
}
FLOW_(jumped) {
    FOR(i, 8) {
        volatile double kept = x[i] * x[i];
        int depth = setjmp(here);
        if (depth == 0) y[i] = descend(x[i], 1);
        else y[i] = kept * depth * x[0];
    }
}
static double far_from(double *out, double x, int depth) {
    out[depth % 8] += x * x;
    if (depth == 5) _longjmp(here, 7);
    return far_from(out, x * 1.1, depth + 1) * 2;
}
FLOW_(jumped_far) {
    if (_setjmp(here) == 0) y[7] = far_from(y, x[0] * x[1], 0);
    y[0] *= x[2];
}
typedef double (*function)(double, const void *);
static double integrate(function f, const void *context, double a, double b) {
    double s = 0, h = (b - a) / 16;
    FOR(i, 16) s += f(a + (i + 0.5) * h, context) * h;
    return s;
}
static double inner(double t, const void *context) { return sin(t * ((const double *)context)[1]) * exp(-t); }
static double outer(double t, const void *context) { return t * integrate(inner, context, 0, t + ((const double *)context)[2]); }
FLOW_(nested_callbacks) { y[0] = integrate(outer, x, x[0], x[3]); }
static double one(double v) { return v * v; }
static double two(double v) { return sqrt(v); }
static double three(double v) { return -v / 3; }
FLOW_(tabled) {
    static double (*const all[])(double) = {one, two, three, sin, cos, exp, fabs, log};
    FOR(i, 8) y[i] = all[i](x[i]) + all[(i + 3) % 8](x[0]);
}
static double added(int count, ...) {
    va_list all;
    va_start(all, count);
    double s = 0;
    FOR(i, count) {
        int k = va_arg(all, int);
        s = s * 0.5 + k * va_arg(all, double);
    }
    va_end(all);
    return s;
}
FLOW_(variadic) { y[0] = added(3, 1, x[0], 2, x[1] * x[2], 3, x[3]), y[1] = added(10, 1, x[0], 2, x[1], 3, x[2], 4, x[3], 5, x[4], 6, x[5], 7, x[6], 8, x[7], 9, x[0], 10, x[1]); }
typedef struct { double a, b; } pair;
__attribute__((noinline)) static pair swap(pair p) { return (pair){p.b * p.a, p.a}; }
FLOW_(small_struct) {
    pair p = {x[0], x[1]};
    FOR(i, 4) p = swap(p), y[2 * i] = p.a, y[2 * i + 1] = p.b;
}
typedef struct { int k; float f; double d; } some;
__attribute__((noinline)) static some step(some s) { return (some){s.k + 1, s.f + (float)s.k, s.d * s.d * s.k}; }
FLOW_(mixed_struct) {
    some s = {1, 2, x[0]};
    FOR(i, 4) s = step(s), y[i] = s.d * s.f + s.k * x[1];
}
typedef struct { double v[6]; int n; } large;
__attribute__((noinline)) static large turned(large l) {
    large r = {.n = l.n + 1};
    FOR(i, 6) r.v[i] = l.v[(i + 1) % 6] * l.v[i];
    return r;
}
FLOW_(large_struct) {
    large l = {.n = 0};
    FOR(i, 6) l.v[i] = x[i];
    l = turned(turned(l));
    FOR(i, 6) y[i] = l.v[i] * l.n;
}
typedef struct { float a, b, c; } triple;
__attribute__((noinline)) static triple cross(triple p) { return (triple){p.b * 2, p.c / 2, p.a * 4}; }
FLOW_(float_struct) {
    triple p = {1, 2, 3};
    FOR(i, 3) p = cross(p);
    y[0] = p.a * x[0] + p.b * x[1] + p.c;
}
__attribute__((noinline)) static double complex turn(double complex z, double by) { return z * cexp(I * by) + conj(z); }
FLOW_(complex_value) {
    double complex z = x[0] + I * x[1];
    FOR(i, 3) z = turn(z, x[2 + i]);
    y[0] = creal(z), y[1] = cimag(z), y[2] = cabs(z);
}
__attribute__((noinline)) static long double longer(long double a, long double b) { return a * b - b / a + sqrtl(a); }
FLOW_(long_double) {
    long double s = 1;
    FOR(i, 8) s = longer(x[i] + s * 0.1L, x[(i + 1) % 8]), y[i] = (double)s;
}
FLOW_(extended_array) {
    long double v[9] = {0}, w[9];
    FOR(i, 8) v[i + 1] = v[i] + (long double)x[i] * x[i];
    memcpy(w, v, sizeof w);
    FOR(i, 8) y[i] = (double)(w[i + 1] * (w[8] - w[i]) + fabsl(w[3] - 100) * (w[i] < w[2] ? 2 : w[4]));
}
static uint64_t bits(double v) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}
static double number(uint64_t b) {
    double v;
    memcpy(&v, &b, sizeof v);
    return v;
}
FLOW_(sign_bits) { FOR(i, 8) y[i] = number(bits(x[i]) ^ (i % 2 ? 1ull << 63 : 0)) * x[0]; }
FLOW_(exponent_bits) {
    FOR(i, 8) {
        int e = (int)(bits(x[i]) >> 52 & 0x7ff) - 1023;
        y[i] = x[i] * number((uint64_t)(1023 - e) << 52);
    }
}
FLOW_(absolute_bits) { FOR(i, 8) y[i] = number(bits(x[i] - 5) & ~(1ull << 63)) * x[1]; }
FLOW_(select_bits) {
    FOR(i, 8) {
        uint64_t mask = -(uint64_t)(x[i] > 0.6);
        y[i] = number(bits(x[i] * x[i]) & mask | bits(x[i] * 3) & ~mask);
    }
}
FLOW_(rounded_by_constant) {
    FOR(i, 8) {
        volatile double shifted = x[i] * 7 + 0x1.8p52;
        double whole = shifted - 0x1.8p52;
        y[i] = (x[i] * 7 - whole) * whole;
    }
}
FLOW_(truncated_low) {
    FOR(i, 8) {
        double high = number(bits(x[i]) & 0xffffffff00000000u), low = x[i] - high;
        y[i] = high * high + low * (high + x[i]);
    }
}
FLOW_(union_views) {
    union { double d; uint64_t u; uint32_t h[2]; } v;
    FOR(i, 8) {
        v.d = x[i] * x[i];
        v.h[1] ^= 0x80000000u;
        y[i] = v.d + (v.u >> 63);
    }
}
static _Thread_local double mine[8];
FLOW_(threaded_local) {
    FOR(i, 8) mine[i] = x[i] * x[i];
    FOR(i, 8) y[i] = mine[7 - i] * x[i];
}
static double total;
static double *where = &total;
static void push(double v) { *where += v * v; }
FLOW_(global_state) {
    total = 0;
    FOR(i, 8) push(x[i]), y[i] = total * x[0];
}
typedef struct cell { double v; struct cell *left, *right; } cell;
static cell *insert(cell *c, double v) {
    if (!c) {
        c = calloc(1, sizeof *c);
        c->v = v;
    } else if (v < c->v) c->left = insert(c->left, v);
    else c->right = insert(c->right, v);
    return c;
}
static int collect(cell *c, double *y, int k) {
    if (!c) return k;
    k = collect(c->left, y, k);
    y[k] = c->v * (k + 1);
    k = collect(c->right, y, k + 1);
    free(c);
    return k;
}
FLOW_(linked) {
    cell *root = NULL;
    FOR(i, 8) root = insert(root, cos(4 * x[i]));
    collect(root, y, 0);
}
FLOW_(exchanged) {
    double a = x[0], b = x[1];
    FOR(i, 8) {
        if (a > b) {
            double t = a;
            a = b, b = t;
        }
        y[i] = a * 2 + b;
        a = b * x[i], b = y[i];
    }
}
FLOW_(early_exit) {
    double s = 0;
    FOR(i, 8) {
        s += x[i];
        if (s > 2.5) break;
        if (x[i] < 0.4) continue;
        y[i] = s * x[i];
    }
    y[7] += s;
}
FLOW_(loop_until) {
    double v = x[0], n = 0;
    while (v < 50) v = v * v + x[1] + 1, n++;
    y[0] = v * n;
}
FLOW_(switched) {
    FOR(i, 8) switch ((i * 5 + (int)(x[i] * 10)) % 6) {
        case 0: y[i] = x[i]; break;
        case 1: y[i] = x[i] * x[i]; break;
        case 2: y[i] = sin(x[i]); break;
        case 3: y[i] = 1 / x[i];
        /* fall through */
        case 4: y[i] += x[0]; break;
        default: y[i] = -x[i];
    }
}
FLOW_(newton) {
    double v = 1;
    FOR(i, 30) {
        double f = v * v * v + x[0] * v - x[1];
        if (fabs(f) < 1e-15 && i > 3) break;
        v -= f / (3 * v * v + x[0]);
    }
    y[0] = v;
}
FLOW_(runge_kutta) {
    double u = x[0], v = x[1], h = 0.05;
#define DU(u, v) (v)
#define DV(u, v) (x[2] * (1 - (u) * (u)) * (v) - (u))
    FOR(i, 20) {
        double a = DU(u, v), b = DV(u, v), c = DU(u + h / 2 * a, v + h / 2 * b), d = DV(u + h / 2 * a, v + h / 2 * b);
        double e = DU(u + h / 2 * c, v + h / 2 * d), f = DV(u + h / 2 * c, v + h / 2 * d), g = DU(u + h * e, v + h * f), k = DV(u + h * e, v + h * f);
        u += h / 6 * (a + 2 * c + 2 * e + g), v += h / 6 * (b + 2 * d + 2 * f + k);
    }
    y[0] = u, y[1] = v;
}
static double simpson(double a, double b, const double *x, int depth) {
    double m = (a + b) / 2, fa = exp(-x[0] * a * a), fm = exp(-x[0] * m * m), fb = exp(-x[0] * b * b);
    double whole = (b - a) / 6 * (fa + 4 * fm + fb);
    return depth == 0 ? whole : simpson(a, m, x, depth - 1) + simpson(m, b, x, depth - 1);
}
FLOW_(simpson) { y[0] = simpson(0, x[1] + 1, x, 4); }
static void quicksort(double *v, int n) {
    if (n < 2) return;
    double pivot = v[n / 2];
    int i = 0, j = n - 1;
    while (i <= j) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i <= j) {
            double t = v[i];
            v[i++] = v[j], v[j--] = t;
        }
    }
    quicksort(v, j + 1);
    quicksort(v + i, n - i);
}
FLOW_(quicksort) {
    FOR(i, 8) y[i] = sin(7 * x[i]);
    quicksort(y, 8);
    FOR(i, 8) y[i] *= i + 1;
}
FLOW_(matrix_power) {
    double a[2][2] = {{x[0], x[1]}, {x[2], x[3]}}, p[2][2] = {{1, 0}, {0, 1}};
    FOR(step, 5) {
        double q[2][2] = {{0}};
        FOR(i, 2) FOR(j, 2) FOR(k, 2) q[i][j] += p[i][k] * a[k][j];
        memcpy(p, q, sizeof p);
    }
    FOR(i, 4) y[i] = p[i / 2][i % 2];
}
FLOW_(string_keyed) {
    static const char *const names[] = {"density", "speed", "pressure"};
    char wanted[16];
    FOR(i, 8) {
        strcpy(wanted, i % 2 ? "pressure" : "speed");
        FOR(k, 3) if (strcmp(names[k], wanted) == 0) y[i] = x[i] * (k + 1);
    }
}
FLOW_(formatted) {
    char text[64];
    int k = snprintf(text, sizeof text, "%d %.3f", 42, 1.5);
    FOR(i, 8) y[i] = x[i] * k * atof(text);
}
FLOW_(atomics) {
    static double shared;
    shared = 0;
    FOR(i, 8) {
        double old, fresh;
        __atomic_load(&shared, &old, __ATOMIC_SEQ_CST);
        do fresh = old + x[i] * x[i];
        while (!__atomic_compare_exchange(&shared, &old, &fresh, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        y[i] = shared;
    }
}
FLOW_(inverse_root) {
    FOR(i, 8) {
        /* A guess of bits, whose derivative is zero, and steps that converge. */
        double guess = 1.2, half = x[i] / 2;
        FOR(k, 6) guess *= 1.5 - half * guess * guess;
        y[i] = guess;
    }
}
FLOW_(next_float) {
    FOR(i, 8) {
        int e;
        double m = frexp(x[i] * 100, &e);
        y[i] = ldexp(m * m, e) + nextafter(1.0, 2.0) * x[i];
    }
}
FLOW_(random_walk) {
    uint32_t seed = 12345;
    double v = x[0];
    FOR(i, 50) {
        seed = seed * 1664525u + 1013904223u;
        v = seed >> 31 ? v * (1 + 0.05 * x[1]) : v + 0.01 * x[seed >> 10 & 7];
    }
    y[0] = v;
}
FLOW_(heap_queue) {
    double v[8];
    FOR(i, 8) {
        int k = i;
        v[k] = sin(5 * x[i]);
        while (k && v[(k - 1) / 2] > v[k]) {
            double t = v[k];
            v[k] = v[(k - 1) / 2], v[(k - 1) / 2] = t, k = (k - 1) / 2;
        }
    }
    FOR(i, 8) y[i] = v[i] * v[0];
}
FLOW_(summed_compensated) {
    volatile double s = 0, c = 0;
    FOR(i, 8) {
        double t = x[i] * x[i] - c, u = s + t;
        c = (u - s) - t, s = u;
    }
    y[0] = s;
}
