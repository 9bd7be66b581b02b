/* What the programs of these tests share: the interface, used as generated code uses it, and checks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "adshadow.h"

static int failures;

static inline void check_value(const char *what, double got, double expected) {
    if (memcmp(&got, &expected, sizeof got) != 0) {
        printf("%s: %.17g, not %.17g\n", what, got, expected);
        failures++;
    }
}

static inline void check_close(const char *what, double got, double expected, double tolerance) {
    if (!(fabs(got - expected) <= tolerance * (1.0 + fabs(expected)))) {
        printf("%s: %.17g, not %.17g\n", what, got, expected);
        failures++;
    }
}

#define BEGIN(function, stack_bytes) adshadow_begin((void *)(function), #function, ADSHADOW_TANGENT, stack_bytes)
#define POINTER(p, s, kind) adshadow_pointer((void *)(p), (void *)(s), kind)

/* f(x) and its derivative, of a function of one double. */
static inline double tangent1(void *function, const char *name, double x, double dx, double *dot) {
    adshadow_begin(function, name, ADSHADOW_TANGENT, 0);
    ((void (*)(double))adshadow_capture())(dx);
    double y = ((double (*)(double))adshadow_entry())(x);
    adshadow_leave();
    *dot = ((double (*)(void))adshadow_result())();
    return y;
}
