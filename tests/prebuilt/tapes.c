// ad-library: basic.c
// ad-link: -lm
/* Tapes of several gradients open at once, reversed in any order. */
#include "requests.h"

double lib_sum(double x, double y);
void lib_scale(double *v, int n, double s);
void lib_reset(void);
void lib_push(double x);
double lib_total(void);
extern void *__ad_augmented(void *, ...);
extern double __ad_reverse(void *, ...);

enum { COUNT = 3, ORDERS = 6 };

/* Two calls, one of which is given an array. */
static double arrays(double x) {
    double v[2] = {x, x * x};
    lib_scale(v, 2, x);
    return lib_sum(v[0], v[1]) * x;
}
/* Calls that share what the library keeps. */
static double state(double x) {
    lib_reset();
    lib_push(x), lib_push(x * x);
    return lib_total() * x;
}

#define CHECK(f)                                                                                                       \
    static void check_##f(void) {                                                                                      \
        static const int orders[ORDERS][COUNT] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};     \
        double x[COUNT] = {0.5, 0.9, 1.3}, alone[COUNT];                                                               \
        for (int k = 0; k < COUNT; k++) alone[k] = __ad_adjoint_double((void *)f, x[k]);                                \
        for (int order = 0; order < ORDERS; order++) {                                                                 \
            void *tapes[COUNT];                                                                                        \
            for (int k = 0; k < COUNT; k++) tapes[k] = __ad_augmented((void *)f, x[k]);                                 \
            for (int k = 0; k < COUNT; k++) {                                                                          \
                int which = orders[order][k];                                                                          \
                check_close(#f, __ad_reverse((void *)f, x[which], 1.0 + k, tapes[which]), (1 + k) * alone[which], 1e-14); \
            }                                                                                                          \
        }                                                                                                              \
    }
CHECK(arrays)
CHECK(state)

/* One that stays open, and others that come and go. */
static void check_one_for_long(void) {
    double alone = __ad_adjoint_double((void *)arrays, 0.5);
    void *first = __ad_augmented((void *)arrays, 0.5);
    for (int k = 0; k < 100; k++) {
        double x = 0.5 + 0.01 * k, one = __ad_adjoint_double((void *)state, x);
        void *tape = __ad_augmented((void *)state, x), *other = __ad_augmented((void *)state, x);
        check_close("the earlier", __ad_reverse((void *)state, x, 1.0, tape), one, 1e-14);
        check_close("the later", __ad_reverse((void *)state, x, 1.0, other), one, 1e-14);
    }
    check_close("the first", __ad_reverse((void *)arrays, 0.5, 1.0, first), alone, 1e-14);
}

int main(void) {
    check_arrays();
    check_state();
    check_one_for_long();
    return check_done();
}
