/* Calls through pointers that have no derivative, found at run time: the program ends with a message and no number. A
 * pointer to a function of another file; one of many candidates that cannot be differentiated and is not called in one
 * run, but is in the other.
 * ad-also: parts/far_function.c */
#include "requests.h"

#include <sys/wait.h>
#include <unistd.h>

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

/* Whether a derivative with f ends the process by a signal, and what it says contains both words. */
static int ends(function *f, enum mode mode, const char *code, const char *word) {
    int ends_of_pipe[2];
    if (pipe(ends_of_pipe)) return 0;
    pid_t child = fork();
    if (child == 0) {
        double x[2] = {1.5, 0.5}, xd[2] = {1.0, 0.0}, xb[2] = {0.0, 0.0};
        dup2(ends_of_pipe[1], 2);
        if (mode == TANGENT) xb[0] = tangent_of(f, x, xd);
        else adjoint_of(f, x, xb);
        _exit(0);
    }
    close(ends_of_pipe[1]);
    char text[2000] = "";
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends_of_pipe[0], text + length, sizeof text - 1 - length)) > 0) length += (size_t)got;
    close(ends_of_pipe[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && strstr(text, code) && strstr(text, word);
}

int main(void) {
    function *const keep[] = {reaches_unknown, through_weak};
    double x[2] = {1.5, 0.5}, xd[2] = {1.0, 0.0}, xb[2] = {0.0, 0.0};
    double want = 2.0 * 1.5 * 6.25 + 2.25 * 2.0 * 2.5;
    check_close("what is known works, tangent", tangent_of(square, x, xd), want, 1e-14);
    adjoint_of(square, x, xb);
    check_close("what is known works, adjoint", xb[0], want, 1e-14);
    for (int mode = TANGENT; mode <= ADJOINT; mode++) {
        check_true("another file", ends(far_pointer(), (enum mode)mode, "AD202", "in function"));
        check_true("no body behind it", ends(keep[0], (enum mode)mode, "AD203", "unknown_effect"));
        check_true("a weak function behind it", ends(keep[1], (enum mode)mode, "AD203", "through_weak"));
    }
    return check_done();
}
