/* Checks for the test programs, C and C++: comparisons that NaN never passes, central differences with Richardson
 * extrapolation, the dot-product identity, and a runner that applies all of them to one map y = F(x).
 *
 * A program ends with `return check_done();`, which prints the closing line that the harness looks for.
 *
 * Compiled with -DCHECK_SELF the runner makes no request (what else a program requests must then be defined by stubs):
 * it compares the closed form with central differences, and those with differences of another step, which proves a
 * program's expectations without the plugin.
 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compilers do not optimise the checks, and inline none of them: that was two fifths of the time that a program takes to
 * compile at -O2. What they check is optimised as ever. */
#ifdef __clang__
#define CHECK_FUNCTION static __attribute__((noinline, optnone, unused))
#else
#define CHECK_FUNCTION static inline
#endif

static int check_passed_count = 0;
static int check_failed_count = 0;

/* ---- single comparisons ---- */

CHECK_FUNCTION uint64_t check_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* By its bits, and through a volatile, so that -ffast-math cannot assume the answer. */
CHECK_FUNCTION int check_is_finite(double value) {
    volatile uint64_t bits = check_bits(value);
    return ((bits >> 52) & 0x7ff) != 0x7ff;
}

CHECK_FUNCTION int check_true(const char *name, int holds) {
    if (holds) {
        check_passed_count++;
    } else {
        check_failed_count++;
        printf("FAIL %s\n", name);
    }
    return holds;
}

/* With CHECK_SHOW in the environment each number is printed too, for comparison with those of another build. */
CHECK_FUNCTION void check_show(const char *name, double got, double bound) {
    static int shows = -1;
    if (shows < 0) shows = getenv("CHECK_SHOW") != NULL;
    if (shows) printf("= %.17g %.3g %s\n", got, bound, name);
}

/* |got - want| <= bound, both finite. */
CHECK_FUNCTION int check_within(const char *name, double got, double want, double bound) {
    check_show(name, got, bound);
    int holds = check_is_finite(got) && check_is_finite(want) && check_is_finite(bound);
    holds = holds && fabs(got - want) <= bound;
    if (holds) {
        check_passed_count++;
    } else {
        check_failed_count++;
        printf("FAIL %s: got %.17g, want %.17g, difference %.3g, bound %.3g\n", name, got, want, got - want, bound);
    }
    return holds;
}

/* Relative to the larger of the two; a wanted zero must be met exactly. */
CHECK_FUNCTION int check_close(const char *name, double got, double want, double rel_tol) {
    return check_within(name, got, want, rel_tol * fmax(fabs(got), fabs(want)));
}

/* The same bits: tells -0 from 0; two NaN differ from everything. In code for the x87 unit it depends on the registers that
 * are free which values have 80 bits: there, finite numbers may differ by the rounding of a float. */
CHECK_FUNCTION int check_equal_bits(const char *name, double got, double want) {
    volatile uint64_t bits = check_bits(got);
    int is_nan = (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
    int holds = !is_nan && bits == check_bits(want);
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
    if (!holds && check_is_finite(got) && check_is_finite(want)) holds = fabs(got - want) <= 1e-6 * fmax(fabs(got), fabs(want));
#endif
    if (holds) {
        check_passed_count++;
    } else {
        check_failed_count++;
        printf("FAIL %s: got %.17g (%a), want %.17g (%a), equal bits\n", name, got, got, want, want);
    }
    return holds;
}

/* The primal's arithmetic is not ours to change: its result has the same bits in and outside of a request. Only
 * -ffast-math lets the compiler round the two copies differently. */
CHECK_FUNCTION int check_same_primal(const char *name, double got, double want) {
#ifdef __FAST_MATH__
    return check_close(name, got, want, 1e-13);
#else
    return check_equal_bits(name, got, want);
#endif
}

/* Prints the closing line; the value for main to return. A program without a check has failed. */
CHECK_FUNCTION int check_done(void) {
    printf("checks: %d passed, %d failed\n", check_passed_count, check_failed_count);
    return check_failed_count != 0 || check_passed_count == 0;
}

/* ---- numbers that look random and are the same everywhere (splitmix64) ---- */

static uint64_t check_random_state = 0x9e3779b97f4a7c15u;

CHECK_FUNCTION void check_seed(uint64_t seed) { check_random_state = seed; }

CHECK_FUNCTION uint64_t check_random(void) {
    uint64_t z = check_random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

CHECK_FUNCTION double check_uniform(double low, double high) {
    return low + (high - low) * ((double)(check_random() >> 11) * 0x1p-53);
}

CHECK_FUNCTION void check_fill(double *values, int count, double low, double high) {
    for (int i = 0; i < count; i++) values[i] = check_uniform(low, high);
}

CHECK_FUNCTION double *check_alloc(int count) {
    double *values = (double *)calloc(count > 0 ? (size_t)count : 1, sizeof(double));
    if (!values) {
        printf("FAIL out of memory\n");
        exit(1);
    }
    return values;
}

/* ---- central differences ---- */

enum { CHECK_LEVELS = 6 };

/* Richardson extrapolation of central differences at h, h/2, h/4, ...: the entry of the table that differs least from
 * its neighbours (Ridders). `error` may be null. */
CHECK_FUNCTION double check_extrapolate(const double *differences, int levels, double *error) {
    double table[CHECK_LEVELS][CHECK_LEVELS];
    double best = differences[0], least = 1e308;
    for (int row = 0; row < levels; row++) {
        double factor = 1.0;
        table[row][0] = differences[row];
        for (int column = 1; column <= row; column++) {
            factor *= 4.0;
            double finer = table[row][column - 1], coarser = table[row - 1][column - 1];
            table[row][column] = finer + (finer - coarser) / (factor - 1.0);
            double spread = fmax(fabs(table[row][column] - finer), fabs(table[row][column] - coarser));
            if (spread <= least) {
                least = spread;
                best = table[row][column];
            }
        }
    }
    if (error) *error = least;
    return best;
}

typedef double (*check_curve)(double t, void *context);

/* d curve / dt at 0, from steps h, h/2, ... */
CHECK_FUNCTION double check_difference(check_curve curve, void *context, double h, double *error) {
    double differences[CHECK_LEVELS];
    for (int level = 0; level < CHECK_LEVELS; level++, h *= 0.5) {
        differences[level] = (curve(h, context) - curve(-h, context)) / (2.0 * h);
    }
    return check_extrapolate(differences, CHECK_LEVELS, error);
}

typedef void (*check_map)(const double *x, double *y);

/* yd = directional difference of y = map(x) along xd. */
CHECK_FUNCTION void check_directional(check_map map, int n, int m, const double *x, const double *xd, double h, double *yd) {
    double *moved = check_alloc(n), *plus = check_alloc(m), *minus = check_alloc(m);
    double *differences = check_alloc(CHECK_LEVELS * m);
    for (int level = 0; level < CHECK_LEVELS; level++, h *= 0.5) {
        for (int i = 0; i < n; i++) moved[i] = x[i] + h * xd[i];
        map(moved, plus);
        for (int i = 0; i < n; i++) moved[i] = x[i] - h * xd[i];
        map(moved, minus);
        for (int j = 0; j < m; j++) differences[j * CHECK_LEVELS + level] = (plus[j] - minus[j]) / (2.0 * h);
    }
    for (int j = 0; j < m; j++) yd[j] = check_extrapolate(differences + j * CHECK_LEVELS, CHECK_LEVELS, NULL);
    free(moved), free(plus), free(minus), free(differences);
}

/* ---- the dot-product identity ---- */

/* <yd, yb> = <xd, xb>. Rounding grows with the terms, not with their (possibly cancelling) sum: the bound is relative
 * to the sum of the terms' magnitudes. Two sums without a nonzero term would prove nothing, so they fail. */
CHECK_FUNCTION int check_dot(const char *name, int n, const double *xd, const double *xb, int m, const double *yd,
                            const double *yb, double rel_tol) {
    double left = 0.0, right = 0.0, left_size = 0.0, right_size = 0.0;
    for (int j = 0; j < m; j++) left += yd[j] * yb[j], left_size += fabs(yd[j] * yb[j]);
    for (int i = 0; i < n; i++) right += xd[i] * xb[i], right_size += fabs(xd[i] * xb[i]);
    char full[160];
    snprintf(full, sizeof full, "%s: <yd,yb> = <xd,xb>", name);
    double size = fmax(left_size, right_size);
    if (!(size > 0.0)) return check_true(full, 0);
    return check_within(full, right, left, rel_tol * size);
}

/* ---- the runner: one map y = F(x), its tangent and its adjoint ---- */

typedef struct check_case {
    const char *name;
    int n, m;         /* how many x, how many y */
    check_map primal; /* y = F(x) */
    /* yd = F'(x) xd, and y. */
    void (*tangent)(const double *x, const double *xd, double *y, double *yd);
    /* xb += F'(x)^T yb, and y; yb is consumed. */
    void (*adjoint)(const double *x, double *xb, double *y, double *yb);
    /* Closed form, or null: row j, column i at j * n + i. */
    void (*jacobian)(const double *x, double *entries);
    check_map smooth;     /* F for the differences, if F itself rounds too coarsely (float); null: primal */
    double step;          /* first step of the differences; 0: 0.02 */
    double tol_closed;    /* 0: 1e-12, relative to the entry */
    double tol_diff;      /* 0: 1e-8, relative to the entry */
    double tol_dot;       /* 0: 1e-12, relative to the terms */
    int has_unit_seed;    /* the adjoint is that of a returned value: the seed is 1, m is 1 */
    int keeps_seed;       /* yb reaches the adjoint by value, or is not consumed for another reason */
    int adjoint_needs_no_primal; /* y after the adjoint is not F(x) (a head, ad_dupnoneed) */
    int tangent_needs_no_primal; /* likewise for the tangent */
} check_case;

CHECK_FUNCTION const char *check_label(const check_case *c, const char *what, int row, int column) {
    static char label[200];
    if (column >= 0) snprintf(label, sizeof label, "%s: %s [%d][%d]", c->name, what, row, column);
    else snprintf(label, sizeof label, "%s: %s [%d]", c->name, what, row);
    return label;
}

/* Differences cannot be better than the rounding of F over the step; 1e-11 of the largest output covers that. */
CHECK_FUNCTION void check_against_differences(const check_case *c, const double *x, const double *xd, const double *got,
                                             const char *what) {
    double *y = check_alloc(c->m), *want = check_alloc(c->m), largest = 0.0;
    check_map map = c->smooth ? c->smooth : c->primal;
    double tolerance = c->tol_diff > 0.0 ? c->tol_diff : 1e-8;
    map(x, y);
    for (int j = 0; j < c->m; j++) largest = fmax(largest, fabs(y[j]));
    check_directional(map, c->n, c->m, x, xd, c->step > 0.0 ? c->step : 0.02, want);
    for (int j = 0; j < c->m; j++) {
        double bound = tolerance * fmax(fabs(got[j]), fabs(want[j])) + 1e-11 * largest;
        check_within(check_label(c, what, j, -1), got[j], want[j], bound);
    }
    free(y), free(want);
}

CHECK_FUNCTION void check_self_at(const check_case *c, const double *x) {
    double *y = check_alloc(c->m), *xd = check_alloc(c->n), *yd = check_alloc(c->m), *entries = check_alloc(c->n * c->m);
    c->primal(x, y);
    for (int j = 0; j < c->m; j++) check_true(check_label(c, "primal is finite", j, -1), check_is_finite(y[j]));
    for (int i = 0; i < c->n; i++) { /* no kink within a step */
        for (int k = 0; k < c->n; k++) xd[k] = k == i;
        double step = c->step > 0.0 ? c->step : 0.02;
        check_directional(c->smooth ? c->smooth : c->primal, c->n, c->m, x, xd, 0.37 * step, yd);
        check_against_differences(c, x, xd, yd, "differences of two steps");
    }
    if (c->jacobian) {
        c->jacobian(x, entries);
        for (int i = 0; i < c->n; i++) {
            for (int k = 0; k < c->n; k++) xd[k] = k == i;
            for (int j = 0; j < c->m; j++) yd[j] = entries[j * c->n + i];
            check_against_differences(c, x, xd, yd, "closed form against differences");
        }
    }
    free(y), free(xd), free(yd), free(entries);
}

/* Tangent columns: against differences and the closed form. Leaves the Jacobian in `entries`. */
CHECK_FUNCTION void check_tangent_at(const check_case *c, const double *x, const double *y, double *entries) {
    double *xd = check_alloc(c->n), *out = check_alloc(c->m), *yd = check_alloc(c->m), *closed = check_alloc(c->n * c->m);
    double tolerance = c->tol_closed > 0.0 ? c->tol_closed : 1e-12;
    for (int i = 0; i < c->n; i++) {
        for (int k = 0; k < c->n; k++) xd[k] = k == i;
        for (int j = 0; j < c->m; j++) yd[j] = out[j] = 0.0;
        c->tangent(x, xd, out, yd);
        for (int j = 0; j < c->m; j++) entries[j * c->n + i] = yd[j];
        check_against_differences(c, x, xd, yd, "tangent against differences");
    }
    if (!c->tangent_needs_no_primal) {
        for (int j = 0; j < c->m; j++) check_same_primal(check_label(c, "primal of the tangent", j, -1), out[j], y[j]);
    }
    if (c->jacobian) {
        c->jacobian(x, closed);
        for (int j = 0; j < c->m; j++)
            for (int i = 0; i < c->n; i++) {
                double got = entries[j * c->n + i];
                check_close(check_label(c, "tangent against closed form", j, i), got, closed[j * c->n + i], tolerance);
            }
    }
    free(xd), free(out), free(yd), free(closed);
}

/* One adjoint call with seed yb on top of xb. */
CHECK_FUNCTION void check_adjoint_call(const check_case *c, const double *x, double *xb, const double *yb, const double *y) {
    double *out = check_alloc(c->m), *seed = check_alloc(c->m);
    memcpy(seed, yb, (size_t)c->m * sizeof *seed);
    c->adjoint(x, xb, out, seed);
    for (int j = 0; j < c->m; j++) {
        if (!c->adjoint_needs_no_primal) check_same_primal(check_label(c, "primal of the adjoint", j, -1), out[j], y[j]);
        if (!c->has_unit_seed && !c->keeps_seed) check_true(check_label(c, "seed is consumed", j, -1), seed[j] == 0.0);
    }
    free(out), free(seed);
}

/* The primal, the tangent, the adjoint and the identity between them at one point. */
CHECK_FUNCTION void check_at(const check_case *c, const double *x) {
#ifdef CHECK_SELF
    check_self_at(c, x);
#else
    int n = c->n, m = c->m;
    double tolerance = c->tol_dot > 0.0 ? c->tol_dot : 1e-12;
    double *y = check_alloc(m), *out = check_alloc(m), *xd = check_alloc(n), *yd = check_alloc(m), *entries = check_alloc(n * m);
    double *yb = check_alloc(m), *xb = check_alloc(n), *start = check_alloc(n), *again = check_alloc(n);
    c->primal(x, y);
    for (int j = 0; j < m; j++) check_true(check_label(c, "primal is finite", j, -1), check_is_finite(y[j]));
    check_tangent_at(c, x, y, entries);

    check_fill(xd, n, -1.0, 1.0);
    check_fill(yb, m, 0.5, 1.5);
    if (c->has_unit_seed) yb[0] = 1.0;
    c->tangent(x, xd, out, yd);
    check_adjoint_call(c, x, xb, yb, y);
    check_dot(c->name, n, xd, xb, m, yd, yb, tolerance);
    for (int i = 0; i < n; i++) {
        double sum = 0.0, size = 0.0;
        for (int j = 0; j < m; j++) sum += yb[j] * entries[j * n + i], size += fabs(yb[j] * entries[j * n + i]);
        check_within(check_label(c, "adjoint against tangent", i, -1), xb[i], sum, tolerance * size);
    }

    check_fill(start, n, -2.0, 2.0); /* adjoints accumulate into what is there */
    memcpy(again, start, (size_t)n * sizeof *again);
    check_adjoint_call(c, x, again, yb, y);
    for (int i = 0; i < n; i++) {
        double bound = tolerance * (fabs(start[i]) + fabs(xb[i]));
        check_within(check_label(c, "adjoint accumulates", i, -1), again[i], start[i] + xb[i], bound);
    }
    free(y), free(out), free(xd), free(yd), free(entries), free(yb), free(xb), free(start), free(again);
#endif
}

/* At `count` points drawn from [low, high]. */
CHECK_FUNCTION void check_random_points(const check_case *c, int count, double low, double high) {
    double *x = check_alloc(c->n);
    for (int k = 0; k < count; k++) {
        check_fill(x, c->n, low, high);
        check_at(c, x);
    }
    free(x);
}

#endif
