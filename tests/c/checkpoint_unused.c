/* Active values that a checkpointed loop or region uses where they have no influence (floor, a conversion, a comparison, a value that is
 * dropped), and that are used again behind it: what comes from there goes on to what lies before. */
#include "requests.h"

static double loop(double b) {
    double n = 0.0;
    for (int i = 0; i < 5; i++) {
        ad_checkpoint_loop(2);
        n = floor(n + 0.2 * b * i);
    }
    return n > 100.0 ? 0.0 : b * b;
}
static double independent(double b) {
    double t[4], a = exp(b);
    for (int i = 0; i < 4; i++) {
        ad_checkpoint_independent();
        t[i] = floor(2.1 + 0.05 * a * i);
    }
    return a * b * t[3];
}
static double region(double b) {
    double a = sin(b);
    ad_checkpoint_begin();
    double n = floor(3.2 + a * 0.3);
    n = floor(n + 0.1 * b);
    ad_checkpoint_end();
    return a * n + b * a;
}
/* Before, inside, behind; two parts in a row. */
static double twice(double b) {
    double a = exp(b), u = a * b, s = 0.0;
    ad_checkpoint_begin();
    s = floor(1.1 + 0.05 * u);
    ad_checkpoint_end();
    double t = u * s + a;
    ad_checkpoint_begin();
    s += floor(2.1 + 0.05 * (u + a));
    ad_checkpoint_end();
    return t * u + a * s;
}
static double nested(double b) {
    double a = exp(b), s = 0.0;
    for (int i = 0; i < 3; i++) {
        ad_checkpoint_loop(2);
        for (int j = 0; j < 3; j++) {
            ad_checkpoint_loop(1);
            s = floor(s + 1.1 + 0.05 * a * j);
        }
        ad_checkpoint_begin();
        s = s * 0.5 + floor(0.1 * a);
        ad_checkpoint_end();
    }
    return a * a + s * b;
}
/* No step, one, some: a is active in them by its type alone. */
static double trips(double b, int n) {
    double a = exp(b), s = 0.0;
    for (int i = 0; i < n; i++) {
        ad_checkpoint_loop(1);
        s = floor(s + 1.1 + 0.05 * a);
    }
    return a * b + s * a;
}
static double no_trip(double b) { return trips(b, 0); }
static double one_trip(double b) { return trips(b, 1); }
static double some_trips(double b) { return trips(b, 4); }
static double conversions(double b) {
    double a = exp(b);
    long s = 0;
    int over = 0;
    for (int i = 0; i < 4; i++) {
        ad_checkpoint_loop(3);
        s += (long)(1.1 + 0.1 * a * i);
        if (a * i > 1e3) over++;
    }
    return (s + 1) * a * b + over;
}
static double leaves(double b) {
    double a = exp(b), s = 0.0;
    for (int i = 0; i < 10; i++) {
        ad_checkpoint_loop(2);
        s = floor(s + 3.1 + 0.05 * a);
        if (s > 11.0) break;
    }
    return a * s;
}
/* One of two reals that a step is given counts, the other does not; one real twice. */
static double some(double b) {
    double a = exp(b), c = b * b, s = 0.0, t = 0.0;
    for (int i = 0; i < 4; i++) {
        ad_checkpoint_loop(1);
        s += floor(1.1 + 0.05 * a * i);
        t += c * i * s + floor(0.2 * (c + c * b));
    }
    return t * a * c;
}
__attribute__((noinline)) static double count(double a, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s = floor(s + 1.1 + 0.05 * a * i);
    return s;
}
static double called(double b) {
    double a = exp(b), s;
    ad_checkpoint_begin();
    s = count(a, 4);
    ad_checkpoint_end();
    return a * s * b;
}
static double single(double b) {
    float a = (float)(b * b), s = 0.0f;
    for (int i = 0; i < 3; i++) {
        ad_checkpoint_loop(1);
        s += floorf(1.1f + 0.1f * a * i);
    }
    return (double)a * s;
}
static double extended(double b) {
    long double a = (long double)b * b, s = 0.0L;
    for (int i = 0; i < 3; i++) {
        ad_checkpoint_loop(1);
        s += floorl(1.1L + 0.1L * a * i);
    }
    return (double)(a * s);
}
/* In memory: behind pointers, in an array, in members; overwritten there, too. */
static double behind(const double *x) {
    double s = 0.0;
    for (int i = 0; i < 4; i++) {
        ad_checkpoint_loop(2);
        s = floor(s + 1.1 + 0.03 * (x[0] * i + x[1]));
    }
    return x[0] * x[1] * s;
}
struct pair {
    double a, b;
};
static double members(const double *x) {
    struct pair p = {x[0] * x[1], x[1]};
    double y[2] = {x[0] * x[0], x[1]}, s = 0.0;
    for (int i = 0; i < 4; i++) {
        ad_checkpoint_loop(2);
        s = floor(s + 1.1 + 0.03 * (p.a * i + p.b + y[i % 2]));
    }
    return p.a * p.b * s + y[0] * y[1];
}
static double overwritten(const double *x) {
    double y[2] = {x[0] * x[0], x[1]}, a = y[0], s = 0.0;
    ad_checkpoint_begin();
    s = floor(1.1 + 0.03 * (y[0] + a));
    y[0] = s;
    ad_checkpoint_end();
    return a * y[1] + y[0] * x[1];
}

AD_VALUE(loop)
AD_VALUE(independent)
AD_VALUE(region)
AD_VALUE(twice)
AD_VALUE(nested)
AD_VALUE(no_trip)
AD_VALUE(one_trip)
AD_VALUE(some_trips)
AD_VALUE(conversions)
AD_VALUE(leaves)
AD_VALUE(some)
AD_VALUE(called)
AD_VALUE(single)
AD_VALUE(extended)
AD_FUNCTIONAL(behind)
AD_FUNCTIONAL(members)
AD_FUNCTIONAL(overwritten)

int main(void) {
    check_case cases[] = {CHECK_VALUE(loop), CHECK_VALUE(independent), CHECK_VALUE(region), CHECK_VALUE(twice), CHECK_VALUE(nested), CHECK_VALUE(no_trip),
                          CHECK_VALUE(one_trip), CHECK_VALUE(some_trips), CHECK_VALUE(conversions), CHECK_VALUE(leaves), CHECK_VALUE(some), CHECK_VALUE(called),
                          CHECK_VALUE(extended), CHECK_FUNCTIONAL(behind, 2), CHECK_FUNCTIONAL(members, 2), CHECK_FUNCTIONAL(overwritten, 2)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    check_case in_float = CHECK_VALUE(single);
    in_float.tol_diff = 1e-2; /* float: 24 bits; differences of the float function itself lose the rest */
    in_float.tol_dot = 1e-5;  /* float: 24 bits, in sums of several terms */
    check_random_points(&in_float, 3, 0.3, 1.1);
    return check_done();
}
