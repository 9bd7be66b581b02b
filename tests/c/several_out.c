/* Several active by-value arguments: their adjoints come back as a struct of them, in order. Two doubles return in
 * registers, three and more through a hidden pointer, float and double mixed with padding. */
#include "requests.h"

struct two { double a, b; };
struct three { double a, b, c; };
struct five { double a, b, c, d, e; };
struct floats { float a, b; };
struct mixed { float a; double b; };
struct mixed3 { double a; float b; double c; };

extern struct two __ad_adjoint_two(void *f, ...);
extern struct three __ad_adjoint_three(void *f, ...);
extern struct five __ad_adjoint_five(void *f, ...);
extern struct floats __ad_adjoint_floats(float (*f)(float, float), float, float);
extern struct mixed __ad_adjoint_mixed(double (*f)(float, double), float, double);
extern struct mixed3 __ad_adjoint_mixed3(void *f, ...);

static double product(double a, double b) { return a * b; }
static double triple(double a, double b, double c) { return a * b * c + a; }
static double chain(double a, double b, double c, double d, double e) { return a + b * c - d / e; }
static float float_product(float a, float b) { return a * b; }
static double mixed_product(float a, double b) { return (double)a * b; }
static double mixed_triple(double a, float b, double c) { return a * (double)b + c * c; }
static double with_count(int n, double a, double b) { return n * a * b; }

int main(void) {
    struct two two = __ad_adjoint_two((void *)product, 3.0, 5.0);
    check_equal_bits("two.a", two.a, 5.0);
    check_equal_bits("two.b", two.b, 3.0);
    check_equal_bits("two, tangent", __ad_tangent_double((void *)product, 3.0, 2.0, 5.0, 7.0), 2.0 * 5.0 + 3.0 * 7.0);

    struct three three = __ad_adjoint_three((void *)triple, 2.0, 3.0, 5.0);
    check_equal_bits("three.a", three.a, 16.0);
    check_equal_bits("three.b", three.b, 10.0);
    check_equal_bits("three.c", three.c, 6.0);

    struct five five = __ad_adjoint_five((void *)chain, 1.0, 3.0, 5.0, 7.0, 2.0);
    double want[5] = {1.0, 5.0, 3.0, -0.5, 1.75}, xd[5], tangent;
    double got[5] = {five.a, five.b, five.c, five.d, five.e};
    for (int i = 0; i < 5; i++) check_close("five", got[i], want[i], 1e-15);
    check_fill(xd, 5, -1.0, 1.0);
    tangent = __ad_tangent_double((void *)chain, 1.0, xd[0], 3.0, xd[1], 5.0, xd[2], 7.0, xd[3], 2.0, xd[4]);
    check_dot("five", 5, xd, got, 1, &tangent, (double[]){1.0}, 1e-12);

    struct floats floats = __ad_adjoint_floats(float_product, 3.0f, 5.0f);
    check_equal_bits("floats.a", floats.a, 5.0);
    check_equal_bits("floats.b", floats.b, 3.0);

    struct mixed mixed = __ad_adjoint_mixed(mixed_product, 3.0f, 5.0);
    check_equal_bits("mixed.a", mixed.a, 5.0);
    check_equal_bits("mixed.b", mixed.b, 3.0);

    struct mixed3 mixed3 = __ad_adjoint_mixed3((void *)mixed_triple, 2.0, 3.0f, 4.0);
    check_equal_bits("mixed3.a", mixed3.a, 3.0);
    check_equal_bits("mixed3.b", mixed3.b, 2.0);
    check_equal_bits("mixed3.c", mixed3.c, 8.0);

    two = __ad_adjoint_two((void *)with_count, 4, 3.0, 5.0); /* an integer is inactive and has no member */
    check_equal_bits("with_count.a", two.a, 20.0);
    check_equal_bits("with_count.b", two.b, 12.0);
    return check_done();
}
