// An exception of a call with a derivative that cannot be inlined, caught by differentiated code: both modes are right, whether one is
// thrown or not, with reals that the handler finds in the exception as well. Where types do not say which handler catches it,
// because its class has several bases, derivatives end with AD203 if the handler finds reals in it.
#include "ending.h"
#include "requests.h"

#include <stdexcept>
#include <vector>

static double root(double *memory, double x) {
    memory[0] = x * x;
    if (x < 0.0) throw std::domain_error("negative");
    return x > 1.0 ? 1.5 * root(memory, x * 0.5 - 0.4) + x : memory[0] * x;
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
    return x > 1.0 ? 1.5 * half(x * 0.5 - 0.4) + x : x;
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
    return x > 1.0 ? 1.5 * third(x * 0.5 - 0.4) + x : x;
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
    return x > 1.0 ? 1.5 * fifth(x * 0.5 - 0.4) + x : x;
}
static double of_number(const double *x) {
    try {
        return fifth(x[0]) * x[1];
    } catch (const Numbered &n) {
        return n.place < 6 ? n.number * x[0] * x[1] : 0;
    }
}
AD_FUNCTIONAL(of_number)

struct Place {
    int line;
    double at;
};
struct Placed : std::domain_error, Place {
    Placed(int l, double x) : std::domain_error("placed") { line = l, at = x; }
};
static double seventh(double *memory, double x) {
    memory[0] *= x;
    if (x < 0.0) throw Placed(3, x);
    return x > 1.0 ? 1.5 * seventh(memory, x * 0.5 - 0.4) + x : x;
}
static double of_line(const double *x) {
    double memory[1] = {x[1]};
    try {
        return seventh(memory, x[0]) * x[1];
    } catch (const Place &p) {
        return p.line * memory[0];
    }
}
AD_FUNCTIONAL(of_line)
static double of_place(const double *x) {
    double memory[1] = {x[1]};
    try {
        return seventh(memory, x[0]) * x[1];
    } catch (const Place &p) {
        return p.at * memory[0];
    }
}
AD_FUNCTIONAL(of_place)

static const double negative[2] = {-1.5, 0.7};
static void tangent(void *) {
    const double xd[2] = {1.0, 0.5};
    __ad_tangent_double((void *)of_place, negative, xd);
}
static void adjoint(void *) {
    double xb[2] = {0.0, 0.0};
    __ad_adjoint_void((void *)of_place, negative, xb);
}

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(guarded, 2), CHECK_FUNCTIONAL(replaced, 2), CHECK_FUNCTIONAL(of_list, 2),
                          CHECK_FUNCTIONAL(of_number, 2), CHECK_FUNCTIONAL(of_line, 2)};
    for (check_case &c : cases) {
        check_random_points(&c, 6, 0.9, 3.1);
        check_random_points(&c, 3, -2.0, -0.1);
    }
    check_case placed = CHECK_FUNCTIONAL(of_place, 2);
    check_random_points(&placed, 3, 0.1, 0.9);
    check_ends("place, tangent", tangent, NULL, "AD203", "seventh");
    check_ends("place, adjoint", adjoint, NULL, "AD203", "seventh");
    return check_done();
}
