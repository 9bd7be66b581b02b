/* The functions of math.h with integer arguments or with results behind pointers: ldexp, scalbn, scalbln, frexp, modf,
 * remquo, and the glibc pair sincos; lgamma_r. */
#define _GNU_SOURCE
#include "requests.h"

static double ldexp_3(double x) { return ldexp(x, 3) * x; }
static double scalbn_2(double x) { return scalbn(x * x, -2); }
static double scalbln_5(double x) { return scalbln(x, 5L) + x; }
static double frexp_mantissa(double x) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    return mantissa * mantissa * exponent;
}
static double modf_fraction(double x) {
    double whole, part = modf(x, &whole);
    return part * part + whole * x;
}
static double remquo_rest(double x) {
    int quotient;
    double rest = remquo(x, 1.5, &quotient);
    return rest * rest * (quotient + 1);
}
static double sincos_pair(double x) {
    double s, c;
    sincos(x, &s, &c);
    return s * c + 2.0 * c;
}
static double lgamma_r_sign(double x) {
    int sign;
    double value = lgamma_r(x, &sign);
    return value * sign;
}
static float ldexp_float(float x) { return ldexpf(x, 2) * x; }
static float frexp_float(float x) {
    int exponent;
    float mantissa = frexpf(x, &exponent);
    return mantissa * mantissa;
}
static float modf_float(float x) {
    float whole, part = modff(x, &whole);
    return part * part + whole;
}
static float sincos_float(float x) {
    float s, c;
    sincosf(x, &s, &c);
    return s * c;
}
AD_VALUE(ldexp_3)
AD_VALUE(scalbn_2)
AD_VALUE(scalbln_5)
AD_VALUE(frexp_mantissa)
AD_VALUE(modf_fraction)
AD_VALUE(remquo_rest)
AD_VALUE(sincos_pair)
AD_VALUE(lgamma_r_sign)

static void ldexp_3_jacobian(const double *x, double *J) { J[0] = 16.0 * x[0]; }
static void scalbn_2_jacobian(const double *x, double *J) { J[0] = 0.5 * x[0]; }
static void scalbln_5_jacobian(const double *x, double *J) { (void)x, J[0] = 33.0; }
static void frexp_mantissa_jacobian(const double *x, double *J) { J[0] = 2.0 * x[0] / 64.0 * 3.0; } /* 4 <= x < 8 */
static void modf_fraction_jacobian(const double *x, double *J) { J[0] = 2.0 * (x[0] - 5.0) + 5.0; }
static void remquo_rest_jacobian(const double *x, double *J) { J[0] = 2.0 * (x[0] - 6.0) * 5.0; } /* quotient 4 */
static void sincos_pair_jacobian(const double *x, double *J) { J[0] = cos(2.0 * x[0]) - 2.0 * sin(x[0]); }

extern float __ad_adjoint_float(float (*f)(float), float);
extern float __ad_tangent_float(float (*f)(float), float, float);

int main(void) {
    check_case cases[] = {CHECK_VALUE(ldexp_3),       CHECK_VALUE(scalbn_2),    CHECK_VALUE(scalbln_5),   CHECK_VALUE(frexp_mantissa),
                          CHECK_VALUE(modf_fraction), CHECK_VALUE(remquo_rest), CHECK_VALUE(sincos_pair), CHECK_VALUE(lgamma_r_sign)};
    cases[0].jacobian = ldexp_3_jacobian, cases[1].jacobian = scalbn_2_jacobian, cases[2].jacobian = scalbln_5_jacobian;
    cases[3].jacobian = frexp_mantissa_jacobian, cases[4].jacobian = modf_fraction_jacobian;
    cases[5].jacobian = remquo_rest_jacobian, cases[6].jacobian = sincos_pair_jacobian;
    for (int i = 0; i < 8; i++) check_random_points(&cases[i], 4, 5.15, 5.85);

    float (*functions[4])(float) = {ldexp_float, frexp_float, modf_float, sincos_float};
    float x = 5.25f;
    double want[4] = {8.0 * 5.25, 2.0 * 5.25 / 64.0, 2.0 * 0.25, cos(10.5)};
    double adjoint[4] = {__ad_adjoint_float(ldexp_float, x), __ad_adjoint_float(frexp_float, x), __ad_adjoint_float(modf_float, x),
                         __ad_adjoint_float(sincos_float, x)};
    double tangent[4] = {__ad_tangent_float(ldexp_float, x, 1.0f), __ad_tangent_float(frexp_float, x, 1.0f),
                         __ad_tangent_float(modf_float, x, 1.0f), __ad_tangent_float(sincos_float, x, 1.0f)};
    for (int i = 0; i < 4; i++) {
        check_true("primal is finite", check_is_finite(functions[i](x)));
        check_within("float, adjoint", adjoint[i], want[i], 8.0 * 0x1p-24 * (fabs(want[i]) + 0.25));
        check_within("float, tangent", tangent[i], want[i], 8.0 * 0x1p-24 * (fabs(want[i]) + 0.25));
    }
    return check_done();
}
