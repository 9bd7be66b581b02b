/* Functions with a variable number of arguments. */
#include <math.h>
#include <stdarg.h>

double variadic_sum(int n, ...) {
    va_list all;
    va_start(all, n);
    double s = 0;
    for (int i = 0; i < n; i++) s = s * 0.5 + va_arg(all, double) * (i + 1);
    va_end(all);
    return s;
}
/* By letters: d a double, i an int, p a pointer to a double, x a long double, f a function. */
static double read_all(const char *letters, va_list all) {
    double s = 1;
    for (; *letters; letters++) {
        switch (*letters) {
        case 'd': s *= va_arg(all, double); break;
        case 'i': s += va_arg(all, int); break;
        case 'p': s += *va_arg(all, double *); break;
        case 'x': s *= (double)sinl(va_arg(all, long double)); break;
        case 'f': s = va_arg(all, double (*)(double))(s); break;
        default: return NAN;
        }
    }
    return s;
}
double variadic_mixed(double first, const char *letters, ...) {
    va_list all;
    va_start(all, letters);
    double s = read_all(letters, all);
    va_end(all);
    return s * first;
}
void variadic_fill(double *to, int n, ...) {
    va_list all, again;
    va_start(all, n);
    va_copy(again, all);
    for (int i = 0; i < n; i++) to[i] = va_arg(all, double);
    for (int i = 0; i < n; i++) to[i] *= va_arg(again, double);
    va_end(again);
    va_end(all);
}
