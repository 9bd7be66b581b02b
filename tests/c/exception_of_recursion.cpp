// An exception of a call with a derivative that cannot be inlined, caught by differentiated code: the adjoint is right where none is thrown,
// and ends with AD203 where one is, for what the call did until then cannot be undone. The tangent is right in both
// cases, with the numbers of an error as well, and ends where the handler finds reals in the exception.
#include "ending.h"
#include "requests.h"

#include <stdexcept>
#include <vector>

static double root(double *memory, double x) {
    memory[0] = x * x;
    if (x < 0.0) throw std::domain_error("negative");
    return x > 1.0 ? 1.5 * root(memory, x * 0.5) + x : memory[0] * x;
}
static double guarded(const double *x) {
    double memory[1] = {x[1]};
    try {
        return root(memory, x[0]) * x[1];
    } catch (const std::domain_error &) {
        return memory[0] * x[1];
    }
}
AD_FUNCTIONAL(guarded)

struct Rejected : std::domain_error {
    double value;
    explicit Rejected(double x) : std::domain_error("rejected"), value(x) {}
};
static double half(double x) {
    if (x < 0.0) throw Rejected(x * x);
    return x > 1.0 ? 1.5 * half(x * 0.5) + x : x;
}
static double replaced(const double *x) {
    try {
        return half(x[0]) * x[1];
    } catch (const Rejected &r) {
        return r.value * x[1];
    }
}
AD_FUNCTIONAL(replaced)

struct Listed : std::domain_error {
    std::vector<double> values;
    explicit Listed(double x) : std::domain_error("listed"), values(2, x) {}
};
static double third(double x) {
    if (x < 0.0) throw Listed(x * x);
    return x > 1.0 ? 1.5 * third(x * 0.5) + x : x;
}
static double of_list(const double *x) {
    try {
        return third(x[0]) * x[1];
    } catch (const Listed &l) {
        return l.values[1] * x[1];
    }
}
AD_FUNCTIONAL(of_list)

struct Numbered : std::domain_error {
    int number;
    long place;
    Numbered(int n, long p) : std::domain_error("numbered"), number(n), place(p) {}
};
static double fifth(double x) {
    if (x < 0.0) throw Numbered(3, 5);
    return x > 1.0 ? 1.5 * fifth(x * 0.5) + x : x;
}
static double of_number(const double *x) {
    try {
        return fifth(x[0]) * x[1];
    } catch (const Numbered &n) {
        return n.place < 6 ? n.number * x[0] * x[1] : 0;
    }
}
AD_FUNCTIONAL(of_number)

static const double negative[2] = {-1.5, 0.7};
static void content(void *) {
    const double xd[2] = {1.0, 0.5};
    __ad_tangent_double((void *)replaced, negative, xd);
}
static void list(void *) {
    const double xd[2] = {1.0, 0.5};
    __ad_tangent_double((void *)of_list, negative, xd);
}
static void adjoint(void *) {
    double xb[2] = {0.0, 0.0};
    __ad_adjoint_void((void *)guarded, negative, xb);
}

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(guarded, 2), CHECK_FUNCTIONAL(replaced, 2), CHECK_FUNCTIONAL(of_list, 2),
                          CHECK_FUNCTIONAL(of_number, 2)};
    for (check_case &c : cases) check_random_points(&c, 6, 0.3, 3.1);
    const double xd[2] = {1.0, 0.5};
    double yd = __ad_tangent_double((void *)guarded, negative, xd);
    check_close("caught, tangent", yd, 2 * -1.5 * 0.7 + 1.5 * 1.5 * 0.5, 1e-14);
    yd = __ad_tangent_double((void *)of_number, negative, xd);
    check_close("number, tangent", yd, 3 * (0.7 - 1.5 * 0.5), 1e-14);
    check_ends("caught, adjoint", adjoint, NULL, "AD203", "root");
    check_ends("content, tangent", content, NULL, "AD203", "half");
    check_ends("list, tangent", list, NULL, "AD203", "third");
    return check_done();
}
