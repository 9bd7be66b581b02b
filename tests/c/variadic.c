/* Functions with a variable number of arguments: reals, integers and pointers in a row, more than registers hold; lists that
 * are copied, passed on and read twice; structs; results by pointer; text that is written. */
// ad-i386: none, AD014
#include <stdarg.h>
#include "requests.h"

enum { N = 4 };

/* Reals only, in a loop. */
__attribute__((noinline)) static double sum_of(int n, ...) {
    va_list list;
    va_start(list, n);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double v = va_arg(list, double);
        sum += v * v * (i + 1);
    }
    va_end(list);
    return sum;
}
/* One that calls itself with another number of arguments. */
static double nested(double first, int n, ...) {
    va_list list;
    va_start(list, n);
    double x = va_arg(list, double), y = n > 1 ? va_arg(list, double) : 1.0;
    va_end(list);
    return n > 1 ? first * nested(x, 1, y) : first + sin(x) * y;
}
static double reals(const double *x) {
    return sum_of(2, x[0], x[1] * x[2]) + sum_of(11, x[0], x[1], x[2], x[3], 2.0, x[0] * x[0], x[1], 1.0, x[2], x[3], x[0] * x[3]) +
           nested(x[1], 2, x[2], x[3]) * sum_of(0);
}
AD_FUNCTIONAL(reals)
static double recursive(const double *x) { return nested(x[1], 2, x[2], x[3] * x[0]); }
AD_FUNCTIONAL(recursive)

/* Reals, integers of several sizes and pointers, by what a text says. */
static double by_format(const char *format, ...) {
    va_list list;
    va_start(list, format);
    double product = 1.0;
    for (; *format; format++) {
        switch (*format) {
        case 'd': product *= va_arg(list, double); break;
        case 'i': product *= va_arg(list, int); break;
        case 'l': product += 0.01 * (double)va_arg(list, long); break;
        case 'p': {
            const double *p = va_arg(list, const double *);
            int n = va_arg(list, int);
            for (int i = 0; i < n; i++) product += p[i] * p[i];
            break;
        }
        }
    }
    va_end(list);
    return product;
}
static double mixed(const double *x) {
    double local[2] = {x[1] * x[2], x[3]};
    return by_format("dilpd", x[0], 3, 700L, x, N, x[1] * x[1]) * by_format("ppiidddddddddd", x + 1, 2, local, 2, 2, 1, x[0], x[1],
           x[2], x[3], x[0], x[1], x[2], x[3], x[0] + x[1], x[2]);
}
AD_FUNCTIONAL(mixed)

/* A list that goes to other functions, which read on; a copy that is read from its start. */
__attribute__((noinline)) static double take(va_list list, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += va_arg(list, double) * (1.0 + i);
    return sum;
}
static double weighted(va_list *list) {
    double weight = va_arg(*list, double);
    return weight * va_arg(*list, double);
}
static double passed_on(int n, double scale, ...) {
    va_list list, again;
    va_start(list, scale);
    va_copy(again, list);
    double first = weighted(&list), second = weighted(&list), sum = take(again, n);
    va_end(again);
    va_end(list);
    return scale * first * second + sum;
}
static double lists(const double *x) { return passed_on(4, x[0], x[1], x[2], x[3], x[0] * x[1]) * passed_on(6, 2.0, x[0], x[1], 3.0, x[2], x[3], x[3]); }
AD_FUNCTIONAL(lists)

/* Structs by value, some in registers, one in memory, and numbers of 80 bits. */
struct pair {
    double a, b;
};
struct tagged {
    double value;
    int times;
};
struct large {
    double v[4];
    long n;
};
static double products(int n, ...) {
    va_list list;
    va_start(list, n);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        struct pair p = va_arg(list, struct pair);
        sum += p.a * p.b * (i + 1);
    }
    sum += (double)(va_arg(list, long double) * 2.0L) * sum;
    va_end(list);
    return sum;
}
static double structs(int n, ...) {
    va_list list;
    va_start(list, n);
    struct tagged t = va_arg(list, struct tagged);
    struct large l = va_arg(list, struct large);
    double sum = t.value * t.times;
    for (long i = 0; i < l.n; i++) sum += l.v[i] * l.v[i];
    if (n > 2) sum *= va_arg(list, struct tagged).value;
    va_end(list);
    return sum;
}
static double by_value(const double *x) {
    struct pair p = {x[0], x[1] * x[2]};
    struct tagged t = {x[3] * x[3], 3};
    struct large l = {{x[0], x[1], x[2], x[3]}, 3};
    return structs(2, t, l) + structs(3, t, l, t) * products(1, p, (long double)x[1]) + products(6, p, p, p, p, p, p, 0.5L);
}
AD_FUNCTIONAL(by_value)

/* Results through pointers among the arguments; nothing active, but text. */
static void split(double x, int n, ...) {
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++) *va_arg(list, double *) = x * (i + 1.0) * x;
    va_end(list);
}
static char text[200];
__attribute__((noinline, format(printf, 1, 2))) static int note(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return length;
}
static void results(const double *x, double *y) {
    double a, b;
    split(x[0] * x[1], 2, &a, &b);
    note("%d: %.3f and %.3Lf, %s", 7, x[0], (long double)x[1], "text");
    split(a + b * x[2], 3, y, y + 1, y + 2);
    y[3] = x[3] * y[1];
}
AD_MAP(results)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(reals, N), CHECK_FUNCTIONAL(recursive, N), CHECK_FUNCTIONAL(mixed, N), CHECK_FUNCTIONAL(lists, N),
                          CHECK_FUNCTIONAL(by_value, N), CHECK_MAP(results, N, N)};
    for (int i = 0; i < 6; i++) check_random_points(&cases[i], 2, 0.5, 1.5);
    double x[N] = {1.25, 2.5, 0.75, 1.0}, xb[N] = {0.0}, y[N], yb[N] = {1.0, 1.0, 1.0, 1.0};
    results_adjoint(x, xb, y, yb);
    check_true("the text", strcmp(text, "7: 1.250 and 2.500, text") == 0);
    return check_done();
}
