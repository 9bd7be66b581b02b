/* Arithmetic of long doubles and the functions of libm on them, which Rust has no type for (number.rs). Operands and results go through
 * pointers; integers come as long doubles, which hold all of them. Several operands lie 16 bytes apart, on i386 as well, where a long double has 12. */

#include <math.h>
#include <string.h>

#define PI 0x1.921fb54442d18468p+1L

void adshadow_from_double(long double *to, double x) { *to = x; }
double adshadow_to_double(const long double *x) { return (double)*x; }
float adshadow_to_float(const long double *x) { return (float)*x; }
void adshadow_from_integer(long double *to, long long x) { *to = x; }

void adshadow_arithmetic(char operation, long double *to, const long double *a, const long double *b) {
    switch (operation) {
    case '+': *to = *a + *b; break;
    case '-': *to = *a - *b; break;
    case '*': *to = *a * *b; break;
    case '/': *to = *a / *b; break;
    default: *to = NAN;
    }
}

/* Bit 0: less; bit 1: equal; bit 2: greater; none of them where one is NaN. */
int adshadow_compare(const long double *a, const long double *b) { return (*a < *b) | (*a == *b) << 1 | (*a > *b) << 2; }

/* sin(pi x) and cos(pi x), exact at multiples of a half. */
static long double sine_of_pi(long double x) {
    long double r = x - 2 * rintl(x / 2);
    long double a = fminl(fabsl(r), 1 - fabsl(r));
    return copysignl(a > 0.25L ? cosl(PI * (0.5L - a)) : sinl(PI * a), r);
}
static long double cosine_of_pi(long double x) {
    long double r = x - 2 * rintl(x / 2);
    long double a = 0.5L - fabsl(r);
    return fabsl(a) > 0.25L ? cosl(PI * r) : sinl(PI * a);
}

static long double compound(long double x, long double n) { return x == -1 ? powl(0, n) : expl(n * log1pl(x)); }

static long double scale(long double x, long double n) { return scalblnl(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (long)n); }

/* The logarithmic derivative of Gamma: recurrence up to where the asymptotic expansion (DLMF 5.11.2), cut after B26, is exact; reflection
 * (DLMF 5.5.4). Absolute error a few 1e-19 near the root. */
static long double digamma(long double x) {
    static const long double bernoulli[] = {1.0L / 6, -1.0L / 30, 1.0L / 42, -1.0L / 30, 5.0L / 66, -691.0L / 2730, 7.0L / 6,
                                            -3617.0L / 510, 43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730,
                                            8553103.0L / 6};
    if (x == 0) return -1 / x;
    if (x < 0) {
        long double r = x - roundl(x);
        if (r == 0 || isinf(x)) return NAN;
        long double cotangent = fabsl(r) <= 0.25L ? 1 / tanl(PI * r) : copysignl(tanl(PI * (0.5L - fabsl(r))), r);
        return digamma(1 - x) - PI * cotangent;
    }
    long double sum = 0;
    for (; x < 20; x += 1) sum += 1 / x;
    long double square = 1 / (x * x), power = 1, tail = 0;
    for (int k = 0; k < 13; k++) {
        power *= square;
        tail += bernoulli[k] / (2 * (k + 1)) * power;
    }
    return logl(x) - (0.5L / x + tail) - sum;
}

struct operand {
    _Alignas(16) long double x;
};

/* The value of a function by its base name: 1 if it is known with so many operands. */
int adshadow_function(const char *name, long length, long double *to, const struct operand *a, long count) {
#define IS(n, text) (count == (n) && length == (long)sizeof(text) - 1 && !memcmp(name, text, sizeof(text) - 1))
#define ONE(text, f) if (IS(1, text)) return *to = f(a[0].x), 1;
#define TWO(text, f) if (IS(2, text)) return *to = f(a[0].x, a[1].x), 1;
#define ORDER(text, f) if (IS(2, text)) return *to = f((int)a[0].x, a[1].x), 1;
    ONE("sin", sinl) ONE("cos", cosl) ONE("sinh", sinhl) ONE("cosh", coshl) ONE("exp", expl) ONE("log", logl) ONE("sqrt", sqrtl)
    ONE("fabs", fabsl) ONE("rint", rintl) ONE("sinpi", sine_of_pi) ONE("cospi", cosine_of_pi)
    ONE("j0", j0l) ONE("j1", j1l) ONE("y0", y0l) ONE("y1", y1l) ONE("adrt_digamma", digamma)
    TWO("copysign", copysignl) TWO("hypot", hypotl) TWO("atan2", atan2l) TWO("pow", powl) TWO("powi", powl) TWO("pown", powl)
    TWO("compoundn", compound) TWO("ldexp", scale) TWO("scalbn", scale) TWO("scalbln", scale)
    ORDER("jn", jnl) ORDER("yn", ynl)
    if (IS(2, "scalb")) return *to = a[0].x * exp2l(a[1].x), 1;
    return 0;
}
