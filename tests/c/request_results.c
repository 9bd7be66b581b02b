/* Prototypes of requests that return structs and numbers in registers and in memory, as the calling convention packs them, and integers of
 * functions that return such. */
#include "requests.h"
#include <complex.h>
#include <stdbool.h>

struct two { double a, b; };
struct two_floats { float a, b; };
struct three_floats { float a, b, c; };
struct four { double v[4]; };
struct nested { struct { double a; } x; double b[1]; };
struct mixed { float x; int n; };
struct named { double v; char name[8]; };
struct tape_and_value { void *tape; float value; };
struct unequal { float a; double b; };
extern struct two __ad_adjoint_two(void *, ...);
extern struct two_floats __ad_adjoint_two_floats(void *, ...);
extern struct three_floats __ad_adjoint_three_floats(void *, ...);
extern struct four __ad_adjoint_four(void *, ...);
extern struct nested __ad_adjoint_nested(void *, ...);
extern struct unequal __ad_adjoint_unequal(void *, ...);
extern struct mixed __ad_tangent_mixed(void *, ...);
extern struct named __ad_tangent_named(void *, ...);
extern struct tape_and_value __ad_augmented_value(void *, ...);
extern float __ad_reverse_float(void *, ...);
extern int __ad_tangent_int(void *, ...);
extern bool __ad_tangent_bool(void *, ...);
extern float _Complex __ad_adjoint_complex_float(void *, ...);
extern double _Complex __ad_adjoint_complex(void *, ...);

static double product(double a, double b) { return a * a * b; }
static float product_of_floats(float a, float b) { return a * a * b; }
static float product_of_three(float a, float b, float c) { return a * b * c; }
static double product_of_four(double a, double b, double c, double d) { return a * b * c * d; }
static double product_of_unequal(float a, double b) { return a * b; }
static int whole(double x) { return (int)x; }
static bool is_large(double x) { return x > 1.0; }
static struct mixed of_mixed(float x) { return (struct mixed){x * x, 7}; }
static struct named of_named(double x) { return (struct named){x * x, "square"}; }
static float square(float x) { return x * x; }
static float _Complex square_complex_float(float _Complex z) { return z * z; }
static double _Complex square_complex(double _Complex z) { return z * z; }

int main(void) {
    struct two t = __ad_adjoint_two((void *)product, 3.0, 5.0);
    check_true("two", t.a == 30.0 && t.b == 9.0);
    struct two_floats f = __ad_adjoint_two_floats((void *)product_of_floats, 3.0f, 5.0f);
    check_true("two floats", f.a == 30.0f && f.b == 9.0f);
    struct three_floats g = __ad_adjoint_three_floats((void *)product_of_three, 2.0f, 3.0f, 5.0f);
    check_true("three floats", g.a == 15.0f && g.b == 10.0f && g.c == 6.0f);
    struct four q = __ad_adjoint_four((void *)product_of_four, 2.0, 3.0, 5.0, 7.0);
    check_true("four, in memory", q.v[0] == 105.0 && q.v[1] == 70.0 && q.v[2] == 42.0 && q.v[3] == 30.0);
    struct nested n = __ad_adjoint_nested((void *)product, 3.0, 5.0);
    check_true("nested", n.x.a == 30.0 && n.b[0] == 9.0);
    struct unequal u = __ad_adjoint_unequal((void *)product_of_unequal, 3.0f, 5.0);
    check_true("unequal", u.a == 5.0f && u.b == 3.0);
    check_true("a real beside an integer", __ad_tangent_mixed((void *)of_mixed, 3.0f, 1.0f).x == 6.0f);
    check_true("a real beside characters", __ad_tangent_named((void *)of_named, 3.0, 1.0).v == 6.0);
    struct tape_and_value y = __ad_augmented_value((void *)square, 3.0f);
    check_true("a tape and a float", y.value == 9.0f && __ad_reverse_float((void *)square, 3.0f, 1.0f, y.tape) == 6.0f);
    check_true("an integer of the function", __ad_tangent_int((void *)whole, ad_primal_return, 3.5, 1.0) == 3);
    check_true("a truth value of the function", __ad_tangent_bool((void *)is_large, ad_primal_return, 3.5, 1.0));
    float _Complex a = __ad_adjoint_complex_float((void *)square_complex_float, 1.0f + 2.0f * I, (float _Complex)1.0f);
    check_true("a complex number of floats", crealf(a) == 2.0f && cimagf(a) == -4.0f);
    double _Complex b = __ad_adjoint_complex((void *)square_complex, 1.0 + 2.0 * I, (double _Complex)1.0);
    check_true("a complex number", creal(b) == 2.0 && cimag(b) == -4.0);
    check_close("a float of a double", __ad_reverse_float((void *)square, 3.0f, 1.0f, __ad_augmented((void *)square, 3.0f)), 6.0, 1e-6);
    return check_done();
}
