/* Bits of a real that a string holds and a stream writes come back without a derivative. Nothing in put says that
 * there are any; pack does.
 * ad-flags: -g
 * ad-error: AD021 19:85 has no body in this file and no derivative rule */
#include "ad.h"

#include <cstring>
#include <memory>
#include <sstream>
#include <vector>

struct Record {
    double weight;
    std::string bytes;
};
template <typename T> __attribute__((noinline)) static void pack(std::string &to, const T &q) {
    to.append((const char *)&q, sizeof q);
}
__attribute__((noinline)) static void put(std::ostream &out, const Record &r) { out << r.bytes; }
__attribute__((noinline)) static double get(const std::string &s, size_t at) {
    double y;
    std::memcpy(&y, s.data() + at, sizeof y);
    return y;
}

static double packed(double x) {
    std::vector<std::unique_ptr<Record>> all;
    for (int i = 0; i < 2; i++) {
        all.push_back(std::make_unique<Record>(Record{x, ""}));
        pack(all.back()->bytes, x * (i + 1));
    }
    std::ostringstream out;
    for (const auto &r : all) put(out, *r);
    return get(out.str(), 8) * all[1]->weight;
}
double derivative(double x) { return __ad_adjoint<double>((void *)packed, x); }
