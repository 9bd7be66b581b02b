// Members with a variable number of arguments: virtual ones, by what a text says, and a list in a struct.
// ad-i386: none, AD014
#include "requests.h"
#include <cstdarg>

enum { N = 3 };

struct polynomial {
    double constant;
    explicit polynomial(double c) : constant(c) {}
    double at(int n, ...) const {
        va_list list;
        va_start(list, n);
        double x = va_arg(list, double), sum = constant, power = 1.0;
        for (int i = 0; i < n; i++) sum += (power *= x) * va_arg(list, double);
        va_end(list);
        return sum;
    }
    virtual double by(const char *format, ...) {
        va_list list;
        va_start(list, format);
        double sum = constant;
        for (; *format; format++) {
            if (*format == 'd') sum += va_arg(list, double);
            else if (*format == 'u') sum += 0.5 * (double)va_arg(list, unsigned long long);
            else if (*format == 'c') sum *= (char)va_arg(list, int);
        }
        va_end(list);
        return sum;
    }
    virtual ~polynomial() = default;
};
struct cursor {
    va_list list;
    double next() { return va_arg(list, double); }
};
static double walk(int a, int b, int c, int d, int e, int f, int g, double scale, ...) { // more integers than registers
    cursor at;
    va_start(at.list, scale);
    double r = scale * a * g;
    r += at.next();
    r *= at.next();
    va_end(at.list);
    return r + b + c + d + e + f;
}
static double all(const double *x) {
    polynomial p(x[0] * x[1]), *q = &p;
    return p.at(3, x[0], x[1], 2.0, x[2] * x[1]) * q->by("dcud", x[0], 3, 7ULL, x[2] * x[2]) + walk(1, 2, 3, 4, 5, 6, 7, x[0], x[1], x[2] * x[0]);
}
AD_FUNCTIONAL(all)

int main() {
    check_case c = CHECK_FUNCTIONAL(all, N);
    check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
