// ad-library: same_pointers.c
/* A library stores a pointer where the same one lies already: left by an earlier call in memory that is used anew, or in an object whose shadow the caller has made
 * zero since. It must get its shadow all the same. And zeros that are stored through a pointer which a library returns. */
#include "requests.h"

#include <stdlib.h>
#include <string.h>

#include "lib/same_pointers.h"

static view filled(const double *x) {
    same_table[1] = sin(x[1]);
    view v = {same_table, 2, 0.5 * x[0]};
    return v;
}

static double by_result(const double *x) {
    view v = filled(x);
    view w = same_returned(&v);
    return w.at[1] * w.weight;
}
AD_FUNCTIONAL(by_result)

static double onto_itself(const double *x) {
    view v = filled(x);
    v = same_returned(&v);
    return v.at[1] * v.weight;
}
AD_FUNCTIONAL(onto_itself)

static double by_variable(const double *x) {
    view v = filled(x), w;
    same_stored(&w, &v);
    return w.at[1] * w.weight;
}
AD_FUNCTIONAL(by_variable)

static double in_loop(const double *x) {
    double s = 0;
    for (int i = 0; i < 3; i++) {
        view v = filled(x), w[2];
        same_stored(&w[i % 2], &v);
        s += w[i % 2].at[1] * w[i % 2].weight;
    }
    return s;
}
AD_FUNCTIONAL(in_loop)

static double by_block(const double *x) {
    view v = filled(x), *w = malloc(sizeof *w);
    same_stored(w, &v);
    double y = w->at[1] * w->weight;
    free(w);
    return y;
}
AD_FUNCTIONAL(by_block)

static double by_bytes(const double *x) {
    view v = filled(x), w;
    union {
        view is;
        char bytes[sizeof v];
    } u;
    same_bytes(u.bytes, &v);
    memcpy(&w, &u, sizeof w);
    return w.at[1] * w.weight;
}
AD_FUNCTIONAL(by_bytes)

static void onto_given(const double *x, view *w, double *y) {
    view v = filled(x);
    same_stored(w, &v);
    *y = w->at[1] * w->weight;
}

struct cell {
    struct cell *next;
    double v;
};
static void enrolled(void) {}
static double chain(double x) {
    struct cell *first = 0;
    double s = 0;
    for (int i = 0; i < 3; i++) {
        struct cell *c = malloc(sizeof *c);
        c->v = x * i;
        c->next = first;
        first = c;
    }
    while (first) {
        struct cell *c = first;
        first = c->next;
        s += c->v;
        free(c);
    }
    return s;
}
static double zeros(const double *x) {
    double a[2] = {x[0], x[1]};
    same_enroll(enrolled);
    same_table[0] = chain(0.5);
    memset(same_pointer(a), 0, sizeof *a);
    return a[0] + a[1] * a[1];
}
AD_FUNCTIONAL(zeros)

static int failed_given;
static void check_given(const char *mode, double got, double want) {
    if (!(fabs(got - want) <= 1e-14)) failed_given++, printf("FAIL onto_given, %s: got %.12g, want %.12g\n", mode, got, want);
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_result, 2),   CHECK_FUNCTIONAL(onto_itself, 2), CHECK_FUNCTIONAL(by_variable, 2), CHECK_FUNCTIONAL(in_loop, 2),
                          CHECK_FUNCTIONAL(by_block, 2),    CHECK_FUNCTIONAL(by_bytes, 2),    CHECK_FUNCTIONAL(zeros, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 0.9);
    const double x[2] = {0.3, 0.7}, xd[2] = {0.2, -1.1};
    const double d[2] = {0.5 * sin(x[1]), 0.5 * x[0] * cos(x[1])};
    view w = {0};
    for (int k = 0; k < 3; k++) {
        view wd = {0}, wb = {0};
        double y, yd = 0, yb = 1, xb[2] = {0, 0};
        __ad_tangent((void *)onto_given, x, xd, &w, &wd, &y, &yd);
        check_given("tangent", yd, d[0] * xd[0] + d[1] * xd[1]);
        __ad_adjoint((void *)onto_given, x, xb, &w, &wb, &y, &yb);
        check_given("adjoint, first", xb[0], d[0]);
        check_given("adjoint, second", xb[1], d[1]);
    }
    return check_done() || failed_given;
}
