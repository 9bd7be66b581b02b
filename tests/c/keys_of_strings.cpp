/* Maps whose keys are strings: from literals, from a table of literals. Text of constants leads to nothing that could be active.
 * ad-i386: none, addresses of four bytes look like floats */
#include "requests.h"

#include <map>
#include <string>
#include <vector>

enum { N = 6 };

static const char *const names[] = {"alpha", "beta", "a name that is longer than what lies in a string itself"};
static double tables(const double *x) {
    std::map<std::string, double> sums;
    for (int i = 0; i < N; i++) sums[names[i % 3]] += x[i] * x[i];
    return sums["alpha"] * sums["beta"] + sums.at(names[2]) * sums.size();
}
AD_FUNCTIONAL(tables)

static double lists(const double *x) {
    std::map<std::string, std::vector<double>> all;
    for (int i = 0; i < N; i++) all[i % 3 ? "odd" : "three"].push_back(x[i]);
    double sum = 0;
    for (const auto &[key, values] : all) {
        double product = 1;
        for (double v : values) product *= v;
        sum += product * key.length();
    }
    return sum;
}
AD_FUNCTIONAL(lists)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(tables, N), CHECK_FUNCTIONAL(lists, N)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.4, 1.3);
    return check_done();
}
