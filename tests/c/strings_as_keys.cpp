// Active values by name: in maps and hash tables with strings as keys, made from literals and put together while the program runs,
// looked up and erased.
// ad-long: many containers
// ad-i386: none, strings beside active data are refused where an address has four bytes
#include "requests.h"
#include <map>
#include <string>
#include <unordered_map>

enum { N = 3 };

static double parameters(const double *x) {
    std::map<std::string, double> p;
    p["young"] = x[0];
    p["poisson"] = x[1];
    p["density of the material at the temperature of the room"] = x[2];
    double sum = 0.0;
    for (auto &entry : p) sum += entry.second * entry.second * (double)entry.first.size();
    p["young"] *= x[2];
    return sum * p.at("young") + std::sin(p["poisson"]);
}
AD_FUNCTIONAL(parameters)

static double hashed(const double *x) {
    std::unordered_map<std::string, double> m;
    m["a"] = x[0];
    m["a key that is longer than fifteen characters"] = x[1] * x[2];
    for (int i = 0; i < 20; i++) m["k" + std::to_string(i)] = x[i % N] * i;
    double sum = 0.0;
    for (int i = 0; i < 20; i += 3) sum += m.at("k" + std::to_string(i)) * m["a"];
    m.erase("a");
    if (m.count("a")) sum += 100.0;
    return sum + std::sin(m["a key that is longer than fifteen characters"]);
}
AD_FUNCTIONAL(hashed)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(parameters, N), CHECK_FUNCTIONAL(hashed, N)};
    for (int i = 0; i < 2; i++) check_random_points(&c[i], 2, 0.2, 0.8);
    return check_done();
}
