// A handler whose function throws the exception again: the exception stays one, and what it holds has no shadow.
// ad-flags: -g
// ad-error: AD032 14:30 an active value is stored in memory that has no shadow
#include "ad.h"

struct excess {
    double by;
};
static double result = 0.0;
static void report() {
    try { throw; } catch (const excess &e) { result = e.by; }
}
static double limited(double x) {
    if (x > 1.0) throw excess{x * x};
    return x;
}
static double elsewhere(const double *x) {
    try { return limited(x[0]); } catch (...) { report(); }
    return result * x[1];
}
void derivatives(const double *x, double *xb) {
    __ad_adjoint<void>(elsewhere, x, xb);
}
