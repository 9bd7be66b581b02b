// ad-levels: O0 O1 O2
// ad-i386: none, strings beside active data are refused where an address has four bytes
// Exceptions that derivatives hand on as they are: text that is thrown, those of the library, those of a class with several bases, and
// those that a handler asks for. Each is thrown by a call that is not inlined, at some of the points.
#include "requests.h"

#include <stdexcept>
#include <vector>
#include <string>
#include <map>
static double text(double *m, double x, int d) {
    m[0] += x * x;
    if (x < 0.4) throw "too small";
    if (d == 0) return m[0] * x;
    return text(m, x * 0.7, d - 1) + text(m, x * 1.1 - 0.3, d - 1);
}
static double f1(const double *x) {
    double m[1] = {x[1]};
    double r = 0;
    for (int i = 0; i < 3; ++i) try {
            r += text(m, x[0] + 0.3 * i, 2);
        } catch (const char *s) {
            r += m[0] * x[1] * (s[4] == 's' ? 2 : 3);
        }
    return r;
}
AD_FUNCTIONAL(f1)
static double walk(const std::vector<double> &v, std::size_t i, double y, double *m) {
    m[0] = m[0] * y + 0.1;
    if (y > 2.3) throw std::invalid_argument("walk: " + std::to_string(i));
    return i > 4 ? y : walk(v, i + 1, y * v[i] + 0.1, m) * v.at(i + 1);
}
static double f2(const double *x) {
    std::vector<double> v(x, x + 4);
    double r = 0, m[1] = {x[2]};
    for (int i = 0; i < 3; ++i) {
        v.push_back(x[i] * 0.3);
        try {
            r += walk(v, 0, x[0], m);
        } catch (const std::out_of_range &e) {
            r += x[2] * m[0];
        } catch (const std::exception &e) {
            r += x[1] * std::string(e.what()).size() * m[0];
        }
    }
    return r;
}
AD_FUNCTIONAL(f2)
static double lookup(const std::map<std::string, double> &t, const std::string &k, int d, double *m) {
    m[0] *= 1.1;
    if (d == 0) return t.at(k) * m[0];
    return lookup(t, k + "a", d - 1, m) + t.at("b");
}
static double f3(const double *x) {
    std::map<std::string, double> t;
    t["b"] = x[0];
    t["baa"] = x[1];
    double r = 0, m[1] = {x[2]};
    for (int i = 0; i < 4; ++i) try {
            r += lookup(t, "b", i, m);
        } catch (...) {
            r += m[0] * x[0];
        }
    return r;
}
AD_FUNCTIONAL(f3)
struct Tag { virtual ~Tag() {} int n; };
struct Two : std::runtime_error, Tag { Two(int k) : std::runtime_error("two") { n = k; } };
static double two(double *m, double x, int d) {
    m[0] += x * x;
    if (x < 0.4) throw Two(d);
    if (d == 0) return m[0] * x;
    return two(m, x * 0.7, d - 1) + two(m, x * 1.1 - 0.3, d - 1);
}
static double f4(const double *x) {
    double m[1] = {x[1]};
    double r = 0;
    for (int i = 0; i < 3; ++i) try {
            r += two(m, x[0] + 0.3 * i, 2);
        } catch (const Tag &s) {
            r += m[0] * x[1] * s.n;
        }
    return r;
}
AD_FUNCTIONAL(f4)
// the handler that asks what it handles
struct Own { int code; };
static int translate() {
    try { throw; } catch (const Own &o) { return o.code; } catch (const std::exception &) { return 7; }
}
static double five(double *m, double x, int d) {
    m[0] += x * x;
    if (x < 0.4) throw Own{d + 1};
    if (d == 0) return m[0] * x;
    if (x > 3) throw std::overflow_error("big");
    return five(m, x * 0.7, d - 1) + five(m, x * 1.1 - 0.3, d - 1);
}
static double f5(const double *x) {
    double m[1] = {x[1]};
    double r = 0;
    for (int i = 0; i < 4; ++i) try {
            r += five(m, x[0] + 0.8 * i, 2);
        } catch (...) {
            r += m[0] * x[1] * translate();
        }
    return r;
}
AD_FUNCTIONAL(f5)
int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(f1, 2), CHECK_FUNCTIONAL(f2, 4), CHECK_FUNCTIONAL(f3, 3), CHECK_FUNCTIONAL(f4, 2), CHECK_FUNCTIONAL(f5, 2)};
    for (check_case &c : cases) {
        c.step = 2e-4, c.tol_diff = 1e-6; // no kink within a step
        check_random_points(&c, 10, 0.3, 1.4);
    }
    return check_done();
}
