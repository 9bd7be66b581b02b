/* Derivatives of the user's own for functions of values: every shape of result, in loops, branches, callees and recursion.
 * Counters show that the rules run; the functions' own bodies hide what they compute from differentiation. */
// ad-switches: derivatives of the user's own, split sweeps, several directions
#include "requests.h"

struct two { double a, b; };
struct three { double a, b, c; };
struct three_floats { float a, b, c; };
struct pair_floats { float value, derivative; };
extern struct three __ad_adjoint_three(void *f, ...);
extern float __ad_tangent_float(void *f, ...);
extern float __ad_adjoint_float(void *f, ...);

static int tangents, forwards, reverses;

/* The bits of a real in integer arithmetic: no derivative follows from that. */
static double hidden(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= 0x5555555555555555u;
    bits ^= 0x5555555555555555u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* One value; the tangent returns the derivative only. */
static double cube(double x) { return hidden(x) * x * x; }
static double cube_tangent(double x, double xd) { return tangents++, 3.0 * x * x * xd; }
static double cube_augmented(double x) { return forwards++, x * x * x; }
static double cube_reverse(double x, double yb) { return reverses++, 3.0 * x * x * yb; }
void *__ad_register_tangent_cube[] = {(void *)cube, (void *)cube_tangent};
void *__ad_register_adjoint_cube[] = {(void *)cube, (void *)cube_augmented, (void *)cube_reverse};

/* Two values, a struct of two adjoints; the tangent returns both. */
static double product(double a, int n, double b) { return hidden(a) * n * b; }
static struct two product_tangent(double a, double ad, int n, double b, double bd) {
    struct two both = {a * n * b, n * (ad * b + a * bd)};
    return tangents++, both;
}
static double product_augmented(double a, int n, double b) { return forwards++, a * n * b; }
static struct two product_reverse(double a, int n, double b, double yb) {
    struct two bars = {n * b * yb, n * a * yb};
    return reverses++, bars;
}
void *__ad_register_tangent_product[] = {(void *)product, (void *)product_tangent};
void *__ad_register_adjoint_product[] = {(void *)product, (void *)product_augmented, (void *)product_reverse};

/* Three values: the struct is returned through memory. The forward sweep is asked for the tape only. */
static double volume(double a, double b, double c) { return hidden(a) * b * c; }
static double volume_tangent(double a, double ad, double b, double bd, double c, double cd) {
    return tangents++, ad * b * c + a * bd * c + a * b * cd;
}
static void *volume_augmented(double a, double b, double c) {
    double *tape = (double *)malloc(3 * sizeof *tape);
    tape[0] = b * c, tape[1] = a * c, tape[2] = a * b;
    return forwards++, tape;
}
static struct three volume_reverse(double a, double b, double c, double yb, void *tape) {
    double *partials = (double *)tape;
    struct three bars = {partials[0] * yb, partials[1] * yb, partials[2] * yb};
    (void)a, (void)b, (void)c;
    free(tape);
    return reverses++, bars;
}
void *__ad_register_tangent_volume[] = {(void *)volume, (void *)volume_tangent};
void *__ad_register_adjoint_volume[] = {(void *)volume, (void *)volume_augmented, (void *)volume_reverse};

/* Single precision: structs of floats share registers. */
static float blend(float a, float b, float c) { return (float)hidden(a) * b + c; }
static struct pair_floats blend_tangent(float a, float ad, float b, float bd, float c, float cd) {
    struct pair_floats both = {a * b + c, ad * b + a * bd + cd};
    return tangents++, both;
}
static float blend_augmented(float a, float b, float c) { return forwards++, a * b + c; }
static struct three_floats blend_reverse(float a, float b, float c, float yb) {
    struct three_floats bars = {b * yb, a * yb, yb};
    (void)c;
    return reverses++, bars;
}
void *__ad_register_tangent_blend[] = {(void *)blend, (void *)blend_tangent};
void *__ad_register_adjoint_blend[] = {(void *)blend, (void *)blend_augmented, (void *)blend_reverse};

/* An integer result of a function that also has a real argument: it has no derivative, but is asked for. */
static int rounds(double x) { return (int)hidden(x); }
static int rounds_tangent(double x, double xd) { return (void)xd, tangents++, (int)x; }
static int rounds_augmented(double x) { return forwards++, (int)x; }
static double rounds_reverse(double x) { return (void)x, reverses++, 0.0; }
void *__ad_register_tangent_rounds[] = {(void *)rounds, (void *)rounds_tangent};
void *__ad_register_adjoint_rounds[] = {(void *)rounds, (void *)rounds_augmented, (void *)rounds_reverse};

/* A value that passes learn from the body: they must not replace the call by its argument. */
static double reversed(double x) { return x; }
static double reversed_tangent(double x, double xd) { return (void)x, -xd; }
static double reversed_augmented(double x) { return x; }
static double reversed_reverse(double x, double yb) { return (void)x, -yb; }
void *__ad_register_tangent_reversed[] = {(void *)reversed, (void *)reversed_tangent};
void *__ad_register_adjoint_reversed[] = {(void *)reversed, (void *)reversed_augmented, (void *)reversed_reverse};

/* ---- where they are called ---- */

__attribute__((noinline)) static double callee(double x, double y) { return sin(cube(x)) + product(x, 2, y); }

static double power(double x, int n) { return n == 0 ? cube(x) : 0.5 * power(x, n - 1) * x; }

static double chain(const double *x) {
    double sum = 0.0, last = x[0];
    for (int i = 0; i < 4; i++) {
        if (x[i] > 0.9) last = cube(last) * 0.3;
        else last = product(last, 3, x[i]) * 0.2;
        for (int k = 0; k < rounds(2.5 + x[0] * 0.1); k++) last = volume(last, x[k], 0.7) + 0.1;
        sum += callee(last, x[i]);
    }
    return sum + power(x[2], 3) + volume(x[0], x[0], x[3]);
}
AD_FUNCTIONAL(chain)

static double reversal(double x) { return reversed(x) * x * x; }
static float blended(float x) { return blend(x, x * x, blend(x, 2.0f, x)); }

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(chain, 4)};
    double x[] = {0.8, 1.2, 0.7, 1.1};
    check_at(cases, x);
    check_true("tangents run", tangents > 0);
    check_true("forward sweeps run", forwards > 0);
    check_true("each forward sweep has its reverse", forwards == reverses);

    /* A request on the function itself uses its rule. */
    int before = reverses;
    check_equal_bits("cube, adjoint", __ad_adjoint_double((void *)cube, 2.0), 12.0);
    check_equal_bits("cube, tangent", __ad_tangent_double((void *)cube, 2.0, 0.5), 6.0);
    struct three bars = __ad_adjoint_three((void *)volume, 2.0, 3.0, 5.0);
    check_equal_bits("volume a", bars.a, 15.0), check_equal_bits("volume b", bars.b, 10.0), check_equal_bits("volume c", bars.c, 6.0);
    check_true("rules run for requests on the functions", reverses == before + 2);
    /* Constant arguments: the rule runs, what it says of them is not used. */
    check_equal_bits("volume, c only", __ad_adjoint_double((void *)volume, ad_const, 2.0, ad_const, 3.0, 5.0), 6.0);
    check_equal_bits("volume, b only", __ad_tangent_double((void *)volume, ad_const, 2.0, 3.0, 1.0, ad_const, 5.0), 10.0);

    check_equal_bits("reversal, adjoint", __ad_adjoint_double((void *)reversal, 3.0), 2.0 * 9.0 - 9.0);
    check_equal_bits("reversal, tangent", __ad_tangent_double((void *)reversal, 3.0, 1.0), 2.0 * 9.0 - 9.0);
    /* x * x^2 + (2x + x), in float: 24 bits of numbers up to 10 */
    check_within("float, adjoint", __ad_adjoint_float((void *)blended, 1.5f), 3.0 * 1.5 * 1.5 + 3.0, 1e-5);
    check_within("float, tangent", __ad_tangent_float((void *)blended, 1.5f, 1.0f), 3.0 * 1.5 * 1.5 + 3.0, 1e-5);
    return check_done();
}
