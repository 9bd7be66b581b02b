/* Calls through pointers: a callback by name to a function that is kept out of line, tables chosen by data, a pointer in
 * a struct, recursion through a pointer, a library function, a pointer chosen by a condition. */
#include "requests.h"

enum { N = 4 };
#define NOINLINE __attribute__((noinline))
typedef double function(double);

static double square(double t) { return t * t; }
static double wave(double t) { return sin(3.0 * t) * t; }
static NOINLINE double decay(double t) {
    double r = 1.0;
    for (int i = 0; i < 3; i++) r *= exp(-t) + 0.5;
    return r;
}
/* Another signature: it must not be called in place of the others. */
static float narrow(float t) { return t + 100.0f; }
static float (*volatile keep_narrow)(float) = narrow;

static NOINLINE double integrate(function *f, double from, double to) {
    double sum = 0.0, h = (to - from) / 8;
    for (int i = 0; i < 8; i++) sum += f(from + (i + 0.5) * h);
    return sum * h;
}
static double by_name(const double *x) {
    return integrate(wave, x[0], x[1]) * integrate(decay, x[2], x[3]) + integrate(square, x[1], x[2]) + integrate(cos, x[0], x[3]);
}

static function *const table[3] = {square, wave, decay};
static const int code[] = {2, 0, 1, 1, 0, 2, 2};
static double by_table(const double *x) {
    double y = x[0];
    for (int i = 0; i < 7; i++) y = 0.2 * table[code[i]](y) + 0.5 * x[i % N];
    return y;
}

static function *changing[2] = {square, wave};
static double by_variable_table(const double *x) {
    double y = 0.0;
    for (int i = 0; i < N; i++) y += changing[i & 1](x[i]) * x[(i + 1) % N];
    return y;
}

struct law {
    double scale;
    function *at;
    struct law *next;
};
static NOINLINE double apply(const struct law *law, double t) {
    double sum = 0.0;
    for (; law; law = law->next) sum += law->scale * law->at(t) * t;
    return sum;
}
static double by_member(const double *x) { /* pointers to functions beside active data, in memory with a shadow */
    struct law second = {x[1], decay, 0}, first = {x[0], wave, &second};
    double y = apply(&first, x[2]);
    second.at = square;
    second.scale *= x[3];
    return y * apply(&first, x[3]);
}

static double by_condition(const double *x) { /* the condition is varied */
    double y = 1.0;
    for (int i = 0; i < N; i++) {
        function *f = x[i] > 0.7 ? square : x[i] > 0.5 ? sqrt : wave;
        y *= integrate(f, x[i], x[(i + 1) % N]) + 2.0;
    }
    return y;
}

struct walker {
    double (*step)(const struct walker *, double, int);
};
static double left(const struct walker *w, double t, int depth);
static NOINLINE double right(const struct walker *w, double t, int depth) {
    struct walker other = {depth % 2 ? right : left};
    return depth == 0 ? t * t : w->step(&other, sin(t) + 0.1, depth - 1) * t;
}
static NOINLINE double left(const struct walker *w, double t, int depth) {
    struct walker other = {depth % 3 ? left : right};
    return depth == 0 ? t : w->step(&other, t * 1.1, depth - 1) + t;
}
static double by_recursion(const double *x) { /* recursion through pointers */
    struct walker w = {left};
    return right(&w, x[0], 5) * left(&w, x[1], 4) + right(&w, x[2] * x[3], 3);
}

static NOINLINE void each(double *v, int n, void (*visit)(double *, void *), void *context) {
    for (int i = 0; i < n; i++) visit(v + i, context);
}
static void scale_by(double *v, void *context) { *v *= *(const double *)context; }
static void add_to(double *v, void *context) { *(double *)context += *v * *v; }
static double by_visitor(const double *x) { /* the callback writes what it is given, and reads a context */
    double v[N], total = x[3];
    for (int i = 0; i < N; i++) v[i] = x[i] * x[i];
    each(v, N, scale_by, &total);
    each(v, N - 1, add_to, &total);
    double factor = total * x[0];
    each(v + 1, 2, scale_by, &factor);
    return v[0] + v[1] * total + v[2] * v[3];
}

static NOINLINE double two_levels(double (*outer)(function *, double, double), function *inner, const double *x) {
    return outer(inner, x[0], x[1]) * outer(inner, x[2], x[3]);
}
static NOINLINE double ends(function *f, double from, double to) { return f(to) - f(from); }
static double by_two_levels(const double *x) {
    return two_levels(integrate, wave, x) + two_levels(ends, decay, x) * x[1];
}

AD_FUNCTIONAL(by_name)
AD_FUNCTIONAL(by_table)
AD_FUNCTIONAL(by_variable_table)
AD_FUNCTIONAL(by_member)
AD_FUNCTIONAL(by_condition)
AD_FUNCTIONAL(by_recursion)
AD_FUNCTIONAL(by_visitor)
AD_FUNCTIONAL(by_two_levels)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_name, N),      CHECK_FUNCTIONAL(by_table, N),
                          CHECK_FUNCTIONAL(by_variable_table, N), CHECK_FUNCTIONAL(by_member, N),
                          CHECK_FUNCTIONAL(by_condition, N), CHECK_FUNCTIONAL(by_recursion, N),
                          CHECK_FUNCTIONAL(by_visitor, N),   CHECK_FUNCTIONAL(by_two_levels, N)};
    for (int i = 0; i < 8; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    (void)keep_narrow;
    return check_done();
}
