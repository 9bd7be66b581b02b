/* On its way to an exception that differentiated code catches, a function stores a pointer in memory that the request calls constant.
 * ad-flags: -g
 * ad-error: AD032 14:51 a pointer to active memory is stored in memory that has no shadow */
#include "ad.h"
#include <stdexcept>

struct Node {
    double value;
    Node *next;
};
struct Failure {
    Node *node;
};
static void fail(Node *n, Failure *to) { to->node = n; throw std::runtime_error("large"); }
__attribute__((noinline)) static double sum(Node *n, double x, Failure *to) {
    if (x > 4) fail(n, to);
    return n ? n->value * x + sum(n->next, x * 1.5, to) : x;
}
static double guarded(double x, Failure *to) {
    Node last{x, nullptr}, first{x * x, &last};
    try {
        return sum(&first, x, to);
    } catch (const std::runtime_error &) {
        return to->node->value;
    }
}
double derivative(double x, Failure *to) { return __ad_tangent<double>((void *)guarded, x, 1.0, ad_const, to); }
