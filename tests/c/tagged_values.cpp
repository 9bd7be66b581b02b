// std::variant of a whole number and a real, in containers, and a union with a tag in a vector.
// ad-i386: none, no run-time check of integers there
#include "requests.h"
#include <cstdint>
#include <map>
#include <variant>
#include <vector>

using cell = std::variant<long, double>;
static double number(const cell &c) { return std::holds_alternative<double>(c) ? std::get<double>(c) : double(std::get<long>(c)); }
static double sheet(const double *x) {
    std::map<int, cell> cells;
    cells[0] = x[0], cells[1] = 3L, cells[2] = x[1] * 2, cells[4] = x[2] * x[0];
    double sum = 0;
    for (auto &[k, c] : cells) sum += number(c) * number(cells[0]) * (k + 1);
    cells[2] = 7L;
    return sum * number(cells[2]);
}
struct tagged {
    enum kind : std::uint8_t { whole, real } tag;
    union { std::int64_t i; double d; };
    static tagged of(double v) { tagged r; r.tag = real; r.d = v; return r; }
    static tagged of(std::int64_t v) { tagged r; r.tag = whole; r.i = v; return r; }
    double number() const { return tag == whole ? double(i) : d; }
};
static double vector_of_them(const double *x) {
    std::vector<tagged> all;
    for (int i = 0; i < 6; i++) all.push_back(i % 3 == 0 ? tagged::of(std::int64_t(i + 2)) : tagged::of(x[i % 3] * i));
    double t = x[0];
    for (auto &v : all) t += v.number() * t * 0.1;
    return t;
}
AD_FUNCTIONAL(sheet)
AD_FUNCTIONAL(vector_of_them)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(sheet, 3), CHECK_FUNCTIONAL(vector_of_them, 3)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
