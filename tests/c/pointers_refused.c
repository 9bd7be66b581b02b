/* Calls through pointers that have no derivative, found at run time: the program ends with a message and no number. A
 * pointer to a function of another file; one of many candidates that cannot be differentiated and is not called in one
 * run, but is in the other.
 * ad-also: parts/far_function.c */
#include "ending.h"
#include "requests.h"

typedef double function(double);
function far_function;
function *far_pointer(void);

static double square(double t) { return t * t; }
double unknown_effect(double t); /* defined in the other file: no derivative here */
static double reaches_unknown(double t) { return unknown_effect(t) + t; }
static double through_weak(double t);
__attribute__((weak)) double replaceable(double t) { return t * t * t; }
static double through_weak(double t) { return replaceable(t); }

static __attribute__((noinline)) double twice(function *f, double t) { return f(t) * f(t + 1.0); }
static double chosen(function *f, const double *x) { return twice(f, x[0]) + x[1]; }

static double tangent_of(function *f, const double *x, const double *xd) {
    return __ad_tangent_double((void *)chosen, ad_const, f, x, xd);
}
static void adjoint_of(function *f, const double *x, double *xb) { __ad_adjoint_void((void *)chosen, ad_const, f, x, xb); }

enum mode { TANGENT, ADJOINT };

struct derivative {
    function *f;
    enum mode mode;
};
static void derive(void *use) {
    const struct derivative *d = (const struct derivative *)use;
    double x[2] = {1.5, 0.5}, xd[2] = {1.0, 0.0}, xb[2] = {0.0, 0.0};
    if (d->mode == TANGENT) xb[0] = tangent_of(d->f, x, xd);
    else adjoint_of(d->f, x, xb);
}
static void ends(const char *name, function *f, enum mode mode, const char *code, const char *word) {
    struct derivative d = {f, mode};
    check_ends(name, derive, &d, code, word);
}

int main(void) {
    function *const keep[] = {reaches_unknown, through_weak};
    double x[2] = {1.5, 0.5}, xd[2] = {1.0, 0.0}, xb[2] = {0.0, 0.0};
    double want = 2.0 * 1.5 * 6.25 + 2.25 * 2.0 * 2.5;
    check_close("what is known works, tangent", tangent_of(square, x, xd), want, 1e-14);
    adjoint_of(square, x, xb);
    check_close("what is known works, adjoint", xb[0], want, 1e-14);
    for (int mode = TANGENT; mode <= ADJOINT; mode++) {
        ends("another file", far_pointer(), (enum mode)mode, "AD202", "in function");
        ends("no body behind it", keep[0], (enum mode)mode, "AD203", "unknown_effect");
        ends("a weak function behind it", keep[1], (enum mode)mode, "AD203", "through_weak");
    }
    return check_done();
}
