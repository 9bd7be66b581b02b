/* Points without a derivative, as the user's documentation lists them: abs, max and min follow the branch that the
 * primal took; a zero adjoint (or tangent) times an infinite partial is zero; roundings have derivative zero. */
#include "requests.h"

/* x[1] g(x[0]) where g has an infinite partial: with x[1] = 0 the adjoint of g is zero, and stays zero. */
static double masked_sqrt(const double *x) { return x[1] * sqrt(x[0]); }
static double masked_cbrt(const double *x) { return x[1] * cbrt(x[0]); }
static double masked_pow(const double *x) { return x[1] * pow(x[0], 0.5); }
static double masked_hypot(const double *x) { return x[1] * hypot(x[0], x[0]); }
static double masked_asin(const double *x) { return x[1] * asin(x[0]); }
static double masked_acosh(const double *x) { return x[1] * acosh(x[0]); }

#define MASKED(f, at)                                                                                \
    do {                                                                                             \
        double zero[2] = {at, 0.0}, one[2] = {at, 1.0}, xb[2] = {0.0, 0.0}, along[2] = {0.0, 1.0};   \
        __ad_adjoint_void((void *)f, zero, xb);                                                      \
        check_true(#f ": adjoint of x[0]", xb[0] == 0.0);                                            \
        check_close(#f ": adjoint of x[1]", xb[1], f(one), 1e-15);                                   \
        double tangent = __ad_tangent_double((void *)f, zero, along);                                \
        check_close(#f ": tangent along x[1]", tangent, f(one), 1e-15);                              \
    } while (0)

static double absolute(double x) { return fabs(x); }
static double absolute_branch(double x) { return x < 0.0 ? -x : x; }
static double larger(double x) { return fmax(x, 1.0); }
static double smaller(double x) { return fmin(x, 1.0); }
static double larger_branch(double x) { return x > 1.0 ? x : 1.0; }
static double roundings(double x) { return floor(x) + ceil(x) + round(x) + trunc(x) + rint(x) + nearbyint(x) + (double)(int)x; }
static double fraction(double x) { return x - floor(x); }
static double square_root(double x) { return sqrt(x); }
static double squared_by_pow(double x) { return pow(x, 2.0); }
static double itself_by_pow(double x) { return pow(x, 1.0); }
static double one_by_pow(double x) { return pow(x, 0.0); }

/* Both modes give `want`, to the bit. */
#define BOTH(f, at, want)                                                                            \
    do {                                                                                             \
        check_equal_bits(#f " at " #at ", adjoint", __ad_adjoint_double((void *)f, at) + 0.0, want); \
        check_equal_bits(#f " at " #at ", tangent", __ad_tangent_double((void *)f, at, 1.0) + 0.0, want); \
    } while (0)

int main(void) {
    MASKED(masked_sqrt, 0.0);
    MASKED(masked_cbrt, 0.0);
    MASKED(masked_pow, 0.0);
    MASKED(masked_hypot, 0.0);
    MASKED(masked_asin, 1.0);
    MASKED(masked_acosh, 1.0);

    BOTH(absolute, 2.0, 1.0);
    BOTH(absolute, -2.0, -1.0);
    BOTH(absolute_branch, -2.0, -1.0);
    BOTH(absolute_branch, 0.0, 1.0); /* 0 < 0 is false: x itself */
    BOTH(larger, 2.0, 1.0);
    BOTH(larger, 0.5, 0.0);
    BOTH(smaller, 2.0, 0.0);
    BOTH(smaller, 0.5, 1.0);
    BOTH(larger_branch, 1.0, 0.0); /* 1 > 1 is false: the constant */
    BOTH(roundings, 2.3, 0.0);
    BOTH(roundings, -2.3, 0.0);
    BOTH(roundings, 2.0, 0.0);
    BOTH(fraction, 2.3, 1.0);
    BOTH(squared_by_pow, 0.0, 0.0);
    BOTH(itself_by_pow, 0.0, 1.0);
    BOTH(one_by_pow, 0.0, 0.0);
    BOTH(squared_by_pow, -3.0, -6.0); /* no logarithm of the negative base */
    BOTH(square_root, 0.0, INFINITY); /* infinite it is, where nothing masks it */

    /* Where both arguments of max or min are equal, or abs meets zero, either side will do: the same in both modes. */
    double (*ties[3])(double) = {absolute, larger, smaller};
    const double at[3] = {0.0, 1.0, 1.0};
    double got[3][2] = {{__ad_adjoint_double((void *)absolute, at[0]), __ad_tangent_double((void *)absolute, at[0], 1.0)},
                        {__ad_adjoint_double((void *)larger, at[1]), __ad_tangent_double((void *)larger, at[1], 1.0)},
                        {__ad_adjoint_double((void *)smaller, at[2]), __ad_tangent_double((void *)smaller, at[2], 1.0)}};
    for (int i = 0; i < 3; i++) {
        check_true("tie: tangent = adjoint", got[i][0] == got[i][1]);
        check_true("tie: between the one-sided derivatives", got[i][0] >= -1.0 && got[i][0] <= 1.0 && check_is_finite(ties[i](at[i])));
    }
    return check_done();
}
