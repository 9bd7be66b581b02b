/* A number that goes through an array, where a recursion writes its digits before it throws.
 * ad-flags: -g
 * ad-error: AD024 21:16 reads a number from text that holds active data */
#include "ad.h"

#include <cstdio>
#include <cstdlib>

static double steps(double x, char *text, int n) {
    if (n > 3) {
        std::snprintf(text, 40, "%.6f", x);
        throw n;
    }
    return n > 0 ? x * steps(x, text, n - 1) : x;
}
static double read_again(double x, int n) {
    char text[40] = "3";
    try {
        return steps(x * x, text, n);
    } catch (int) {
        return std::strtod(text, nullptr) * x;
    }
}
double derivative(double x, int n) { return __ad_adjoint<double>((void *)read_again, x, n); }
