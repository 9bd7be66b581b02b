/* Vectors, structs with vectors and complex numbers by value in requests, in both modes: arguments, shadows and results in 32-byte
 * registers. */
// ad-flags: -mavx
// ad-i386: none, 32-bit code returns vectors of 32 bytes in other registers
#include "check.h"

extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_interleave;
typedef float four __attribute__((vector_size(16)));
typedef int integers __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));
typedef double wide __attribute__((vector_size(32)));
struct beside { four v; double d; };
struct three { float v[3]; };
struct five { float v[5]; };
struct complex_beside { _Complex float z; int k; };
struct extended { long double a; double b; };
struct nested { struct three p; struct { double x; int i; } q; };
extern four __enzyme_autodiff_four(void *, ...), __enzyme_fwddiff_four(void *, ...);
extern eight __enzyme_autodiff_eight(void *, ...);
extern wide __enzyme_autodiff_wide(void *, ...), __enzyme_fwddiff_wide(void *, ...);
extern struct beside __enzyme_autodiff_beside(void *, ...), __enzyme_fwddiff_beside(void *, ...);
extern struct three __enzyme_autodiff_three(void *, ...);
extern struct five __enzyme_autodiff_five(void *, ...);
extern struct complex_beside __enzyme_autodiff_complex(void *, ...);
extern struct extended __enzyme_autodiff_extended(void *, ...);
extern struct nested __enzyme_autodiff_nested(void *, ...);
extern double __enzyme_autodiff(void *, ...), __enzyme_fwddiff(void *, ...);

static float of_four(four v) { return v[0] * v[1] + v[2] * v[3]; }
static float of_eight(eight v) { return v[0] * v[7] + v[3] * v[3]; }
static four products(four v, four w) { return v * w; }
static wide squares(wide v, wide w) { return v * v * w; }
static double of_beside(struct beside s) { return s.v[0] * s.v[3] * s.d; }
static struct beside to_beside(struct beside s) {
    s.v *= s.v, s.d *= s.v[1];
    return s;
}
static float of_three(struct three s) { return s.v[0] * s.v[1] * s.v[2]; }
static float of_five(struct five s) { return s.v[0] * s.v[4]; }
static float of_complex(struct complex_beside c) { return __real__ c.z * __real__ c.z * __imag__ c.z * c.k; }
static double of_extended(struct extended s) { return s.a * s.a * s.b; }
static double of_nested(struct nested s) { return s.p.v[0] * s.p.v[2] * s.q.x * s.q.i; }
static double masked(double x, integers m) { return x * x * m[2]; }

int main(void) {
    four v = {1, 2, 3, 4}, w = {5, 6, 7, 8}, one = {1, 1, 1, 1}, d, b = __enzyme_autodiff_four((void *)of_four, enzyme_out, v);
    check_close("four floats", b[0] + 10 * b[1] + 100 * b[2] + 1000 * b[3], 2 + 10 + 400 + 3000, 1e-6);
    eight e = {1, 2, 3, 4, 5, 6, 7, 8}, eb = __enzyme_autodiff_eight((void *)of_eight, e);
    check_close("eight floats", eb[0] + 100 * eb[7] + 10000 * eb[3], 8 + 100 + 80000, 1e-6);
    d = __enzyme_fwddiff_four((void *)products, enzyme_dup, v, one, enzyme_const, w);
    check_close("products, tangent", d[0] + 10 * d[3], 5 + 80, 1e-6);
    d = __enzyme_fwddiff_four((void *)products, enzyme_dup, v, enzyme_const, w, enzyme_interleave, one);
    check_close("products, shadow behind", d[0] + 10 * d[3], 5 + 80, 1e-6);
    b = __enzyme_autodiff_four((void *)products, enzyme_out, v, enzyme_const, w, one);
    check_close("products, adjoint", b[0] + 10 * b[3], 5 + 80, 1e-6);
    wide x = {1, 2, 3, 4}, y = {5, 6, 7, 8}, xd = {1, -1, 0.5, 2}, yb = {3, 1, -2, 0.25};
    wide tangent = __enzyme_fwddiff_wide((void *)squares, enzyme_dup, x, xd, enzyme_const, y), adjoint = __enzyme_autodiff_wide((void *)squares, x, enzyme_const, y, yb);
    check_dot("squares", 4, (double *)&xd, (double *)&adjoint, 4, (double *)&tangent, (double *)&yb, 1e-14);
    check_close("squares", tangent[3], 2 * 4 * 8 * 2, 1e-15);
    struct beside s = {v, 2.0}, sd = {one, 1.0}, sb = __enzyme_autodiff_beside((void *)of_beside, s);
    check_close("a vector beside a real", sb.v[0] + 100 * sb.v[3] + 10000 * sb.d, 8 + 200 + 40000, 1e-6);
    sb = __enzyme_fwddiff_beside((void *)to_beside, s, sd);
    check_close("a vector beside a real, tangent", sb.v[0] + 100 * sb.v[3] + 10000 * sb.d, 2 + 800 + 10000 * (4 + 2 * 4), 1e-6);
    struct three t = {{2, 3, 4}}, tb = __enzyme_autodiff_three((void *)of_three, t);
    check_close("three floats", tb.v[0] + 100 * tb.v[1] + 10000 * tb.v[2], 12 + 800 + 60000, 1e-6);
    struct five f = {{2, 3, 4, 5, 6}}, fb = __enzyme_autodiff_five((void *)of_five, f);
    check_close("five floats", fb.v[0] + 100 * fb.v[1] + 10000 * fb.v[4], 6 + 20000, 1e-6);
    struct complex_beside c = {2 + 3.0iF, 5}, cb = __enzyme_autodiff_complex((void *)of_complex, c);
    check_close("complex beside an integer", __real__ cb.z + 1000 * __imag__ cb.z, 60 + 20000, 1e-6);
    struct extended l = {3, 5}, lb = __enzyme_autodiff_extended((void *)of_extended, l);
    check_close("long double", (double)lb.a + 100 * lb.b, 30 + 900, 1e-15);
    struct nested n = {{{2, 3, 4}}, {5, 6}}, nb = __enzyme_autodiff_nested((void *)of_nested, n);
    check_close("nested", nb.p.v[0] + 1000 * nb.p.v[2] + 1e6 * nb.q.x, 120 + 60000 + 48e6, 1e-6);
    integers k = {1, 2, 3, 4};
    check_close("integers", __enzyme_autodiff((void *)masked, 2.0, k), 12, 0);
    check_close("integers, tangent", __enzyme_fwddiff((void *)masked, 2.0, 1.0, enzyme_const, k), 12, 0);
    return check_done();
}
