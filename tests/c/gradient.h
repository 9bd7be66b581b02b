/* Checks for a long gradient of one scalar objective: central differences and tangents on sampled entries, the dot-product
 * identity along a random direction, and that a second adjoint adds to the first. Used by the programs on real inputs. */
#ifndef GRADIENT_H
#define GRADIENT_H

#include "check.h"

typedef struct gradient_case {
    const char *name;
    int n;                                                  /* parameters */
    double (*objective)(const double *p);
    void (*adjoint)(const double *p, double *pb);           /* pb += gradient */
    double (*tangent)(const double *p, const double *pd);   /* gradient times pd */
    int samples;                                            /* entries that are compared one by one */
    double step;                                            /* first step of the differences */
} gradient_case;

CHECK_FUNCTION double gradient_difference(const gradient_case *g, double *p, int i, double h) {
    double differences[CHECK_LEVELS], keep = p[i];
    for (int level = 0; level < CHECK_LEVELS; level++, h *= 0.5) {
        p[i] = keep + h;
        double plus = g->objective(p);
        p[i] = keep - h;
        differences[level] = (plus - g->objective(p)) / (2.0 * h);
        p[i] = keep;
    }
    return check_extrapolate(differences, CHECK_LEVELS, NULL);
}

CHECK_FUNCTION int gradient_sample(const gradient_case *g, int s) {
    return (int)((long)s * (g->n - 1) / (g->samples - 1)); /* both ends, evenly between */
}

/* The differences without any derivative: two steps agree where the entry will be compared. */
CHECK_FUNCTION void gradient_self(const gradient_case *g, double *p) {
    double largest = 0.0;
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < g->samples; s++) {
            double want = gradient_difference(g, p, gradient_sample(g, s), g->step);
            double other = gradient_difference(g, p, gradient_sample(g, s), 0.37 * g->step);
            largest = fmax(largest, fabs(want));
            if (round) check_within("differences of two steps", other, want, 1e-6 * fmax(fabs(want), 1e-3 * largest));
        }
}

CHECK_FUNCTION void gradient_check(const gradient_case *g, double *p) {
#ifdef CHECK_SELF
    gradient_self(g, p);
#else
    double *pb = check_alloc(g->n), *pd = check_alloc(g->n), *again = check_alloc(g->n), largest = 0.0, sum = 0.0;
    g->adjoint(p, pb);
    for (int i = 0; i < g->n; i++) {
        if (!check_is_finite(pb[i])) check_true("gradient is finite", 0);
        largest = fmax(largest, fabs(pb[i]));
    }
    check_true("gradient is not zero", largest > 0.0);

    /* The objective is rounded to 2^-53 of its own size, a sum over all points; an entry a thousand times below the
     * largest is compared relative to that thousandth. */
    for (int s = 0; s < g->samples; s++) {
        int i = gradient_sample(g, s);
        char name[120];
        double want = gradient_difference(g, p, i, g->step), scale = 1e-3 * largest;
        snprintf(name, sizeof name, "%s: entry %d against differences", g->name, i);
        check_within(name, pb[i], want, 1e-6 * fmax(fabs(want), scale));
        memset(pd, 0, (size_t)g->n * sizeof *pd);
        pd[i] = 1.0;
        snprintf(name, sizeof name, "%s: entry %d, adjoint against tangent", g->name, i);
        check_within(name, pb[i], g->tangent(p, pd), 1e-11 * fmax(fabs(pb[i]), scale));
    }

    double one = 1.0, tangent;
    check_fill(pd, g->n, -1.0, 1.0);
    tangent = g->tangent(p, pd);
    check_dot(g->name, g->n, pd, pb, 1, &tangent, &one, 1e-12);

    memcpy(again, pb, (size_t)g->n * sizeof *again);
    g->adjoint(p, again);
    for (int i = 0; i < g->n; i++) sum = fmax(sum, fabs(again[i] - 2.0 * pb[i]));
    check_within("a second adjoint adds the same again", sum, 0.0, 1e-12 * largest);
    free(pb), free(pd), free(again);
#endif
}

#endif
