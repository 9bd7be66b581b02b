/* ad-levels: O0 O1 O2
 * ad-i386: none, sets of addresses are refused where an address has four bytes
 *
 * Logs: streams that are members beside active data, and streams by pointer and reference, take active numbers. */
#include "requests.h"
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

struct Log {
    std::ostream *out;
    double last = 0;
    void note(const char *what, double v) {
        *out << what << ' ' << std::setprecision(3) << v << '\n';
        last = v;
    }
};
struct Solver;
static std::set<Solver *> solvers;
struct Solver {
    std::vector<double> u;
    Log log;
    std::ostringstream text;
    explicit Solver(int n) : u(n), log{&text} { solvers.insert(this); }
    ~Solver() { solvers.erase(this); }
    void step(double dt) {
        for (size_t i = 1; i < u.size(); i++) u[i] += dt * u[i - 1] * u[i];
        log.note("step", u[1]);
    }
};
static void print(std::ostream &os, const std::vector<double> &u) {
    for (double v : u) os << v << ' ';
    os << std::endl;
}
static double run(const double *x) {
    Solver s(3);
    for (int i = 0; i < 3; i++) s.u[i] = x[i];
    for (int k = 0; k < 3; k++) s.step(x[0] * 0.1);
    std::ofstream file("/dev/null");
    print(file, s.u);
    print(s.text, s.u);
    return s.u[2] * s.log.last + s.u[1];
}
AD_FUNCTIONAL(run)
int main() {
    check_case c = CHECK_FUNCTIONAL(run, 3);
    check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
