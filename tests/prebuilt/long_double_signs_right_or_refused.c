// ad-library: long_double_signs.c
/* Sign and exponent of a long double are changed as integers, in memory and among the arguments: each derivative is right, or refused by a code. Each is
 * computed in a process of its own, which a refusal ends. */
#include "requests.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/long_double_signs.h"

extern long double __ad_tangent_long(void *f, ...), __ad_adjoint_long(void *f, ...);

static long double by_pointer(long double x, int change) {
    long double y;
    long_double_changed(&x, &y, change);
    return y;
}
#define CASE(change) case change: return long_double_##change(x);
static long double by_value(long double x, int change) {
    switch (change) {
        WITH_ALL_CHANGES(CASE)
    default: return 0;
    }
}

typedef long double derivative(long double x, int change);
static long double pointer_tangent(long double x, int change) { return __ad_tangent_long((void *)by_pointer, x, 1.0L, change); }
static long double pointer_adjoint(long double x, int change) { return __ad_adjoint_long((void *)by_pointer, x, change); }
static long double value_tangent(long double x, int change) { return __ad_tangent_long((void *)by_value, x, 1.0L, change); }
static long double value_adjoint(long double x, int change) { return __ad_adjoint_long((void *)by_value, x, change); }
static const struct {
    const char *name;
    derivative *of;
} DERIVATIVES[] = {
    {"pointer, tangent", pointer_tangent},
    {"pointer, adjoint", pointer_adjoint},
    {"value, tangent", value_tangent},
    {"value, adjoint", value_adjoint},
};

static double expected(long double x, enum change change) {
    int exponent;
    frexpl(x, &exponent);
    switch (change) {
    case MAGNITUDE: return x < 0 ? -1 : 1;
    case SIGNIFICAND: return ldexp(1, 1 - exponent);
    case OVERWRITTEN: return ldexp(x < 0 ? -1 : 1, 1 - exponent);
    case SCALED: return 8;
    case UNCHANGED: return 1;
    default: return -1;
    }
}

/* The child: returns its exit status. */
static int compute(derivative *of, const char *name, enum change change) {
    for (int k = 0; k < 3; k++) {
        long double x = 1.5L - 1.25L * k;
        double got = (double)of(x, change), want = expected(x, change);
        if (!(fabs(got - want) <= 1e-14)) return printf("FAIL %s, change %d of %Lg: got %.15g, want %.15g\n", name, change, x, got, want), fflush(stdout), 1;
    }
    return 0;
}

/* Whether a child is right, or ends with a message that has a code. */
static int is_right_or_refused(derivative *of, const char *name, enum change change) {
    int ends[2], status;
    char text[4096] = "";
    if (pipe(ends)) return 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        _exit(compute(of, name, change));
    }
    close(ends[1]);
    for (size_t n = 0, more; (more = (size_t)read(ends[0], text + n, sizeof text - 1 - n)) > 0 && more < sizeof text;) n += more;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) return WEXITSTATUS(status) == 0;
    if (change != UNCHANGED && strstr(text, "adshadow: AS")) return 1;
    return printf("FAIL %s, change %d: status %d, %s\n", name, change, status, text), 0;
}

int main(void) {
    for (unsigned k = 0; k < sizeof DERIVATIVES / sizeof *DERIVATIVES; k++)
        for (int change = 0; change < CHANGES; change++) check_true(DERIVATIVES[k].name, is_right_or_refused(DERIVATIVES[k].of, DERIVATIVES[k].name, change));
    return check_done();
}
