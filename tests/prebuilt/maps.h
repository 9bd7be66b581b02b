/* Functions of a library between arrays, as maps of the runner of check.h.
 *
 *   LIBRARY_MAP(f, count, call)   f(x, y) of so many doubles: `call` gets from `from` to `to`, which begins as zeros
 *   check_maps(cases, count)      checks them where they are smooth at a step of 1e-3
 */
#include "requests.h"

#define LIBRARY_MAP(f, count, call)                                                                                   \
    static void f(const double *x, double *y) {                                                                       \
        double from[count], to[count];                                                                                \
        for (int i = 0; i < (count); i++) from[i] = x[i], to[i] = 0;                                                  \
        call;                                                                                                         \
        for (int i = 0; i < (count); i++) y[i] = to[i];                                                               \
    }                                                                                                                 \
    AD_MAP(f)

static void check_maps(check_case *cases, size_t count) {
    for (size_t k = 0; k < count; k++) {
        cases[k].step = 1e-3, cases[k].tol_diff = 1e-7;
        check_random_points(&cases[k], 2, 0.3, 0.9);
    }
}
