// An exception of an active call that differentiated code catches: what the call did until then cannot be undone.
// ad-flags: -g
// ad-error: AD040 21:5 catches an exception
#include "ad.h"

#include <stdexcept>

__attribute__((noinline)) static double root(double *memory, double x) {
    memory[0] = x * x;
    if (x < 0.0) throw std::domain_error("negative");
    return x > 1.0 ? 1.5 * root(memory, x * 0.5) + x : memory[0] * x;
}
static double guarded(double x) {
    double memory[1] = {x};
    try { return root(memory, x); } catch (const std::domain_error &) { return memory[0]; }
}
double harmless(double x) {
    return __ad_tangent<double>(guarded, x, 1.0);
}
double derivative(double x) { return
    __ad_adjoint<double>(guarded, x);
}
