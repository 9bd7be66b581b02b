// A tree of expressions: classes with an integer, a real or pointers at the same place behind the table of virtual functions.
#include "requests.h"
#include <memory>
#include <utility>

struct expression {
    virtual ~expression() = default;
    virtual double value(const double *x) const = 0;
};
using node = std::unique_ptr<expression>;

struct variable : expression {
    int index;
    explicit variable(int i) : index(i) {}
    double value(const double *x) const override { return x[index]; }
};
struct constant : expression {
    double number;
    explicit constant(double n) : number(n) {}
    double value(const double *) const override { return number; }
};
struct sum : expression {
    node a, b;
    sum(node left, node right) : a(std::move(left)), b(std::move(right)) {}
    double value(const double *x) const override { return a->value(x) + b->value(x); }
};
struct product : expression {
    node a, b;
    product(node left, node right) : a(std::move(left)), b(std::move(right)) {}
    double value(const double *x) const override { return a->value(x) * b->value(x); }
};
struct sine : expression {
    node a;
    explicit sine(node of) : a(std::move(of)) {}
    double value(const double *x) const override { return std::sin(a->value(x)); }
};
template <class T, class... A> static node make(A &&...a) { return std::make_unique<T>(std::forward<A>(a)...); }

static double tree(const double *x) {
    node scaled = make<product>(make<constant>(x[2]), make<sum>(make<variable>(2), make<variable>(0)));
    return make<sum>(make<product>(make<variable>(0), make<sine>(make<variable>(1))), std::move(scaled))->value(x);
}
AD_FUNCTIONAL(tree)
static void tree_jacobian(const double *x, double *J) {
    J[0] = sin(x[1]) + x[2];
    J[1] = x[0] * cos(x[1]);
    J[2] = 2 * x[2] + x[0];
}

int main(void) {
    check_case c = CHECK_FUNCTIONAL(tree, 3);
    c.jacobian = tree_jacobian;
    check_random_points(&c, 3, 0.3, 1.3);
    return check_done();
}
