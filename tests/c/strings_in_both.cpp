// ad-i386: none, addresses of four bytes look like floats
// Structs with names in a vector, whose names become keys of a map of active values, in one function.
#include "requests.h"
#include <map>
#include <string>
#include <vector>

enum { N = 4 };

struct spring {
    std::string name;
    double stiffness, rest;
};
static double energy(const double *x) {
    std::vector<spring> all;
    std::map<std::string, double> forces;
    for (int i = 0; i + 1 < N; i++) all.push_back({i % 2 ? "even, with a name that is long" : "odd", x[i] * x[i] + 1, 0.5 * x[i + 1]});
    double sum = 0;
    for (const spring &s : all) {
        forces[s.name] = s.stiffness * s.rest;
        sum += 0.5 * s.stiffness * s.rest * s.rest;
    }
    for (const auto &[name, f] : forces) sum += std::log1p(f * f) * name.size();
    return sum;
}
AD_FUNCTIONAL(energy)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(energy, N);
    check_random_points(&c, 3, 0.3, 1.3);
    return check_done();
}
