/* A number that goes through the message of an exception which a recursion throws.
 * ad-flags: -g
 * ad-error: AD024 28:16 a number is computed from the digits of text that holds active data */
#include "ad.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

struct curve {
    double rate;
    mutable double last;
    int days(int to) const {
        if (to < 4) {
            std::ostringstream message;
            message << rate;
            throw std::runtime_error(message.str());
        }
        last = rate * to;
        return to > 4 ? days(to - 1) + 1 : 0;
    }
};
static double read_again(double x, int to) {
    const curve c = {x * x, 0};
    try {
        return c.days(to) * c.last;
    } catch (const std::exception &e) {
        return std::atoi(e.what()) * x;
    }
}
double derivative(double x, int to) { return __ad_adjoint<double>((void *)read_again, x, to); }
