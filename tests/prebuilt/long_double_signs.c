// ad-library: long_double_signs.c
/* Sign and exponent of a long double are changed as integers, in memory and among the arguments: each derivative is right, or refused by a code. Each is
 * computed in a process of its own, which a refusal ends. */
#include "requests.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/long_double_signs.h"

extern long double __ad_tangent_long(void *f, ...), __ad_adjoint_long(void *f, ...);

static long double by_pointer(long double x, int way) {
    long double y;
    long_double_changed(&x, &y, way);
    return y;
}
#define CASE(way) case way: return long_double_##way(x);
static long double by_value(long double x, int way) {
    switch (way) {
        WITH_ALL_WAYS(CASE)
    default: return 0;
    }
}

typedef long double derivative(long double x, int way);
static long double pointer_tangent(long double x, int way) { return __ad_tangent_long((void *)by_pointer, x, 1.0L, way); }
static long double pointer_adjoint(long double x, int way) { return __ad_adjoint_long((void *)by_pointer, x, way); }
static long double value_tangent(long double x, int way) { return __ad_tangent_long((void *)by_value, x, 1.0L, way); }
static long double value_adjoint(long double x, int way) { return __ad_adjoint_long((void *)by_value, x, way); }
static const struct {
    const char *name;
    derivative *of;
} DERIVATIVES[] = {
    {"pointer, tangent", pointer_tangent},
    {"pointer, adjoint", pointer_adjoint},
    {"value, tangent", value_tangent},
    {"value, adjoint", value_adjoint},
};

static double expected(long double x, enum way way) {
    int exponent;
    frexpl(x, &exponent);
    switch (way) {
    case MAGNITUDE: return x < 0 ? -1 : 1;
    case SIGNIFICAND: return ldexp(1, 1 - exponent);
    case OVERWRITTEN: return ldexp(x < 0 ? -1 : 1, 1 - exponent);
    case SCALED: return 8;
    case UNCHANGED: return 1;
    default: return -1;
    }
}

/* The child: returns its exit status. */
static int compute(derivative *of, const char *name, enum way way) {
    for (int k = 0; k < 3; k++) {
        long double x = 1.5L - 1.25L * k;
        double got = (double)of(x, way), want = expected(x, way);
        if (!(fabs(got - want) <= 1e-14)) return printf("FAIL %s, way %d of %Lg: got %.15g, want %.15g\n", name, way, x, got, want), fflush(stdout), 1;
    }
    return 0;
}

/* Whether a child is right, or ends with a message that has a code. */
static int is_right_or_refused(derivative *of, const char *name, enum way way) {
    int ends[2], status;
    char text[4096] = "";
    if (pipe(ends)) return 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        _exit(compute(of, name, way));
    }
    close(ends[1]);
    for (size_t n = 0, more; (more = (size_t)read(ends[0], text + n, sizeof text - 1 - n)) > 0 && more < sizeof text;) n += more;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) return WEXITSTATUS(status) == 0;
    if (way != UNCHANGED && strstr(text, "adshadow: AS")) return 1;
    return printf("FAIL %s, way %d: status %d, %s\n", name, way, status, text), 0;
}

int main(void) {
    for (unsigned k = 0; k < sizeof DERIVATIVES / sizeof *DERIVATIVES; k++)
        for (int way = 0; way < WAYS; way++) check_true(DERIVATIVES[k].name, is_right_or_refused(DERIVATIVES[k].of, DERIVATIVES[k].name, way));
    return check_done();
}
