/* A number that goes through the message of an exception.
 * ad-flags: -g
 * ad-error: AD024 23:16 reads a number from text that holds active data */
#include "ad.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

__attribute__((noinline)) static void fail(double v) {
    std::ostringstream message;
    message << v;
    throw std::domain_error(message.str());
}
static int whole(double v) {
    if (v > 2) fail(v * v);
    return (int)v;
}
static double read_again(double x) {
    try {
        return whole(x) * x;
    } catch (const std::exception &e) {
        return std::strtod(e.what(), nullptr) * x;
    }
}
double derivative(double x) { return __ad_adjoint<double>((void *)read_again, x); }
