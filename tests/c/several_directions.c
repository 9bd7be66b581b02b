/* Tangents in several directions at once: each derivative is the one of a request for its direction alone. Functions that
 * work in place, allocate, call, recurse, and have derivatives of the user's own. In both spellings. */
// ad-switches: derivatives of the user's own, split sweeps, several directions
// ad-sanitizers: address
#include "requests.h"

struct three { double d[3]; };
struct two { double d[2]; };
struct two_floats { float d[2]; };
struct value_and_two { double value, d[2]; };
extern struct three __ad_tangent_three(void *f, ...);
extern struct two __ad_tangent_two(void *f, ...);
extern struct two_floats __ad_tangent_two_floats(void *f, ...);
extern struct value_and_two __ad_tangent_value_and_two(void *f, ...);
extern float __ad_tangent_float(void *f, ...);
extern int enzyme_width, enzyme_dup, enzyme_dupnoneed, enzyme_const;
extern void __enzyme_fwddiff_void(void *f, ...);
extern struct two __enzyme_fwddiff_two(void *f, ...);

enum { N = 5 };

static double value(double a, double b, int n) {
    double last = a;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1) last = sin(last) * b;
        else last = exp(-last * 0.3) + a / (1.0 + b);
    }
    return last;
}

typedef struct pair { double *values; double scale; } pair;

__attribute__((noinline)) static double callee(const double *x, double *y, double s) {
    y[0] += x[0] * s;
    return y[0] * y[0];
}

static double recursive(const double *x, int n) { return n == 0 ? x[0] : x[n] * recursive(x, n - 1) + sin(x[n]); }

/* x is overwritten as it is read. */
static void in_place(double *x, double *y, int n) {
    double *work = (double *)malloc(n * sizeof *work), local[2];
    pair p = {work, x[0]};
    memcpy(work, x, n * sizeof *work);
    for (int i = 0; i < n; i++) {
        local[i % 2] = p.values[i] * p.scale;
        x[i] = x[i] * x[(i + 1) % n] + local[0];
        y[i] = callee(&x[i], &work[(i + 2) % n], x[n - 1 - i]);
    }
    memset(&y[n - 1], 0, sizeof *y);
    y[0] += recursive(work, n - 1);
    double *from = x[0] > 0.0 ? x : work;
    y[1] += from[2];
    free(work);
}

/* A block that grows: what realloc keeps fits the shadows of all directions. */
static double grows(const double *x, int n) {
    double *all = NULL, sum = 0.0;
    for (int i = 0; i < n; i++) {
        all = (double *)realloc(all, (i + 1) * sizeof *all);
        all[i] = x[i] * (i > 0 ? all[i - 1] : 1.0);
    }
    for (int i = 0; i < n; i++) sum += all[i] * all[i];
    free(all);
    return sum;
}

static float single(float x, const float *y) { return x * y[0] + y[1] * y[1]; }

static int runs;
static double own(double x, double y) { return x * y * y; }
static double own_tangent(double x, double xd, double y, double yd) { return runs++, xd * y * y + 2.0 * x * y * yd; }
void *__ad_register_tangent_own[] = {(void *)own, (void *)own_tangent};
static double uses_own(double x) { return own(x, x * x) + x; }

int main(void) {
    struct three all = __ad_tangent_three((void *)value, ad_width, 3, 0.7, 1.0, 0.0, -0.5, 1.2, 0.0, 1.0, 2.0, 7);
    double directions[3][2] = {{1.0, 0.0}, {0.0, 1.0}, {-0.5, 2.0}};
    for (int k = 0; k < 3; k++) {
        double alone = __ad_tangent_double((void *)value, 0.7, directions[k][0], 1.2, directions[k][1], 7);
        check_close("value", all.d[k], alone, 1e-14);
    }
    struct two some = __enzyme_fwddiff_two((void *)value, enzyme_width, 2, enzyme_const, 0.7, enzyme_dup, 1.2, 1.0, -3.0, 7);
    check_close("value, constant argument", some.d[0], all.d[1], 1e-14);
    check_close("value, constant argument, scaled", some.d[1], -3.0 * all.d[1], 1e-14);
    struct value_and_two both = __ad_tangent_value_and_two((void *)value, ad_primal_return, ad_width, 2, 0.7, 1.0, 0.0, 1.2, 0.0, 1.0, 7);
    check_same_primal("result", both.value, value(0.7, 1.2, 7));
    check_close("result and derivatives", both.d[0], all.d[0], 1e-14), check_close("both", both.d[1], all.d[1], 1e-14);
    check_close("one direction", __ad_tangent_double((void *)value, ad_width, 1, 0.7, 1.0, 1.2, 0.0, 7), all.d[0], 1e-14);

    double x[N], start[N], xd[3][N], xd_start[3][N], y[N], yd[3][N];
    check_fill(start, N, 0.5, 1.5), check_fill(xd_start[0], 3 * N, -1.0, 1.0);
    for (int spelling = 0; spelling < 2; spelling++) {
        memcpy(x, start, sizeof x), memcpy(xd, xd_start, sizeof xd);
        if (spelling == 0) __ad_tangent_void((void *)in_place, ad_width, 3, x, xd[0], xd[1], xd[2], y, yd[0], yd[1], yd[2], N);
        else __enzyme_fwddiff_void((void *)in_place, enzyme_width, 3, enzyme_dup, x, xd[0], xd[1], xd[2], enzyme_dupnoneed, y, yd[0], yd[1], yd[2], N);
        for (int k = 0; k < 3; k++) {
            double x1[N], xd1[N], y1[N], yd1[N];
            memcpy(x1, start, sizeof x1), memcpy(xd1, xd_start[k], sizeof xd1);
            __ad_tangent_void((void *)in_place, x1, xd1, y1, yd1, N);
            for (int i = 0; i < N; i++) {
                check_close("in place: y", yd[k][i], yd1[i], 1e-13), check_close("in place: x", xd[k][i], xd1[i], 1e-13);
                if (spelling == 0) check_same_primal("in place: primal", x[i], x1[i]), check_same_primal("primal y", y[i], y1[i]);
            }
        }
    }
    check_true("something is left", yd[2][0] != 0.0 && yd[1][1] != 0.0 && yd[0][0] != yd[1][0]);

    double g[N] = {1.5, 0.5, 2.0, 0.25, 3.0}, gd[2][N] = {{1.0, 0.0, 0.0, 0.0, 1.0}, {0.0, 1.0, -1.0, 2.0, 0.0}};
    struct two grown = __ad_tangent_two((void *)grows, ad_width, 2, g, gd[0], gd[1], N);
    for (int k = 0; k < 2; k++) check_close("grows", grown.d[k], __ad_tangent_double((void *)grows, g, gd[k], N), 1e-14);

    float s[2] = {2.0f, 3.0f}, sd[2][2] = {{1.0f, 0.0f}, {0.0f, 1.0f}};
    struct two_floats f = __ad_tangent_two_floats((void *)single, ad_width, 2, 1.5f, 1.0f, 0.0f, s, sd[0], sd[1]);
    check_equal_bits("float 0", f.d[0], 2.0 + 1.5), check_equal_bits("float 1", f.d[1], 6.0);
    struct two u = __ad_tangent_two((void *)uses_own, ad_width, 2, 1.1, 1.0, -2.0);
    check_close("own", u.d[0], 5.0 * pow(1.1, 4.0) + 1.0, 1e-14), check_close("own, scaled", u.d[1], -2.0 * u.d[0], 1e-14);
    check_true("the user's tangent runs once for each direction", runs == 2);
    return check_done();
}
