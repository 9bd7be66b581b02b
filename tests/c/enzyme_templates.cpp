// Code written for Enzyme in C++: the template prototypes, markers as external, defined and constant variables, references and lambdas,
// virtual tables whose shadows are made, requests in templates, functors with and without members by value.
// ad-open: virtual tables that the linker merges
#include "check.h"
#include <cmath>

extern int enzyme_dup, enzyme_out;
extern const int enzyme_const;
int enzyme_dupnoneed;
extern int enzyme_width, enzyme_primal_return, enzyme_runtime_activity, enzyme_tape, enzyme_allocated;
template <typename Return, typename... Args> Return __enzyme_autodiff(void *, Args...);
template <typename Return, typename... Args> Return __enzyme_fwddiff(void *, Args...);
template <typename... Args> void *__enzyme_augmentfwd(void *, Args...);
template <typename Return, typename... Args> Return __enzyme_reverse(void *, Args...);
template <typename... Args> int __enzyme_augmentsize(void *, Args...);
extern "C" void *__enzyme_virtualreverse(void *);

struct vec { double x, y, z; };
struct both { double value, derivative; };
struct three { double d[3]; };

static double length(const vec &v, double &scale) { return scale * (v.x * v.x + v.y * v.y + v.z * v.z); }
static double by_value(vec v, double scale) { return scale * (v.x * v.x + v.y * v.y + v.z * v.z); }
static void square(double &x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = x * x * (i + 1);
}
template <typename T> static T cube(T x) { return x * x * x; }
template <typename T> static T derivative(T x) { return __enzyme_autodiff<T>((void *)cube<T>, enzyme_out, x); }
template <typename T, T f(T)> static T derivative_of(T x) { return __enzyme_fwddiff<T>((void *)f, enzyme_dup, x, T(1)); }

// A table of functions, as compilers make it, with a shadow made by hand.
struct table { double (*apply)(const void *, double); };
struct object { const table *functions; double factor; };
static double times(const void *self, double x) { return static_cast<const object *>(self)->factor * x * x; }
static double plus(const void *self, double x) { return static_cast<const object *>(self)->factor + std::sin(x); }
static double through(const object *o, double x) { return o->functions->apply(o, x) * x; }

struct shape {
    double factor;
    virtual double area(double x) const = 0;
    explicit shape(double f) : factor(f) {}
    virtual ~shape() {}
};
struct disc : shape {
    using shape::shape;
    double area(double x) const override { return factor * x * x; }
};
struct ring : shape {
    using shape::shape;
    double area(double x) const override { return factor * std::exp(x); }
};
static double area(const shape *s, double x) { return s->area(x); }

struct sine { double operator()(double x) const { return std::sin(x); } };
struct quadratic { double a; double operator()(double x) const { return a * x * x; } };
template <typename F> static double of_functor(F f, double x) { return f(x); }
template <typename F> static double behind(double x, F f) { return f(x); }

static void functors() {
    check_close("empty", __enzyme_fwddiff<double>((void *)of_functor<sine>, enzyme_const, sine{}, enzyme_dup, 1.0, 2.0), 2 * std::cos(1), 1e-15);
    check_close("empty", __enzyme_autodiff<double>((void *)of_functor<sine>, enzyme_const, sine{}, enzyme_out, 1.0), std::cos(1), 1e-15);
    check_close("empty, behind", __enzyme_autodiff<double>((void *)behind<sine>, 1.0, enzyme_const, sine{}), std::cos(1), 1e-15);
    check_close("empty, unmarked", __enzyme_autodiff<double>((void *)of_functor<sine>, sine{}, 1.0), std::cos(1), 1e-15);
    check_close("with a member", __enzyme_autodiff<double>((void *)of_functor<quadratic>, enzyme_const, quadratic{3}, enzyme_out, 1.0), 6, 0);
    both by = __enzyme_autodiff<both>((void *)of_functor<quadratic>, quadratic{3}, 2.0);
    check_close("with an active member", by.value + 100 * by.derivative, 4 + 1200, 0);
}

int main() {
    functors();
    vec v{1, 2, 3}, vb{}, vd{1, 0, 1};
    double scale = 0.5, scale_b = 0;
    __enzyme_autodiff<void>((void *)length, enzyme_dup, &v, &vb, enzyme_dup, &scale, &scale_b);
    check_close("references", vb.x + 10 * vb.y + 100 * vb.z, 321, 0);
    check_close("references", scale_b, 14, 0);
    check_close("references, const", __enzyme_fwddiff<double>((void *)length, &v, &vd, enzyme_const, &scale), 4, 0);
    vec bar = __enzyme_autodiff<vec>((void *)by_value, enzyme_out, v, enzyme_const, 0.5);
    check_close("struct by value", bar.x + 10 * bar.y + 100 * bar.z, 321, 0);
    both b = __enzyme_autodiff<both>((void *)by_value, enzyme_primal_return, enzyme_const, v, enzyme_out, 0.5);
    check_close("with the value", b.value, 7, 0);
    check_close("with the value", b.derivative, 14, 0);
    three d = __enzyme_fwddiff<three>((void *)by_value, enzyme_width, 3, enzyme_dup, v, vec{1, 0, 0}, vec{0, 1, 0}, vec{0, 0, 1}, enzyme_const, 1.0);
    check_close("three directions", d.d[0] + 10 * d.d[1] + 100 * d.d[2], 642, 0);
    check_close("runtime activity", __enzyme_autodiff<double>((void *)cube<double>, enzyme_runtime_activity, enzyme_out, 2.0), 12, 0);

    double x = 3, xb = 0, y[2], yb[2] = {1, 10};
    __enzyme_autodiff<void>((void *)square, enzyme_dup, &x, &xb, enzyme_dupnoneed, y, yb, enzyme_const, 2);
    check_close("dupnoneed", xb, 126, 0);
    void *tape = __enzyme_augmentfwd((void *)square, enzyme_dup, &x, &xb, enzyme_dup, y, yb, 2);
    yb[0] = 1, yb[1] = 0, xb = 0;
    __enzyme_reverse<void>((void *)square, enzyme_dup, &x, &xb, enzyme_dup, y, yb, 2, tape);
    check_close("split", xb, 6, 0);
    char memory[64];
    check_true("size", __enzyme_augmentsize((void *)cube<double>, enzyme_out) <= 64);
    __enzyme_augmentfwd((void *)cube<double>, enzyme_allocated, 64, enzyme_tape, memory, enzyme_out, 2.0);
    double kept = __enzyme_reverse<double>((void *)cube<double>, enzyme_allocated, 64, enzyme_tape, memory, enzyme_out, 2.0, 0.5);
    check_close("split, in memory", kept, 6, 0);

    check_close("request in a template", derivative(2.0) + derivative(2.0f), 24, 0);
    check_close("function as a parameter", derivative_of<double, cube<double>>(2.0), 12, 0);
    double (*lambda)(double) = [](double t) { return std::sin(t) * t; };
    check_close("lambda", __enzyme_fwddiff<double>((void *)lambda, enzyme_dup, 2.0, 1.0), std::sin(2) + 2 * std::cos(2), 1e-15);

    table tables[2] = {{times}, {plus}}, shadows[2] = {};
    for (int i = 0; i < 2; i++) shadows[i].apply = (double (*)(const void *, double))__enzyme_virtualreverse((void *)tables[i].apply);
    double want[2] = {3 * 2.0 * 4, 2 + std::sin(2) + 2 * std::cos(2)}, want_factor[2] = {8, 2};
    for (int i = 0; i < 2; i++) {
        object o{&tables[i], 2}, ob{&shadows[i], 0}, od{&shadows[i], 0};
        check_close("table", __enzyme_autodiff<double>((void *)through, enzyme_dup, &o, &ob, enzyme_out, 2.0), want[i], 1e-15);
        check_close("table, object", ob.factor, want_factor[i], 0);
        check_close("table, tangent", __enzyme_fwddiff<double>((void *)through, enzyme_dup, &o, &od, enzyme_dup, 2.0, 1.0), want[i], 1e-15);
    }
    disc s{3}, sb{0};
    ring r{3}, rb{0};
    check_close("virtual", __enzyme_autodiff<double>((void *)area, (shape *)&s, (shape *)&sb, 2.0), 12, 0);
    check_close("virtual", __enzyme_autodiff<double>((void *)area, (shape *)&r, (shape *)&rb, 0.0), 3, 0);
    check_close("virtual, objects", sb.factor + 10 * rb.factor, 14, 0);
    return check_done();
}
