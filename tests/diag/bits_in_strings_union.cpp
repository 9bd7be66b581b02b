/* The same where a union's characters are appended one by one.
 * ad-levels: O0
 * ad-flags: -g
 * ad-error: AD039 22:39 a part of an active floating-point value
 * ad-error: AD021 24:85 has no body in this file and no derivative rule */
#include "ad.h"

#include <memory>
#include <sstream>
#include <vector>

struct Record {
    double weight;
    std::string bytes;
};
union Bytes {
    double real;
    char bytes[8];
};
__attribute__((noinline)) static void pack(std::string &to, double q) {
    Bytes u{q};
    for (int i = 0; i < 8; i++) to += u.bytes[i];
}
__attribute__((noinline)) static void put(std::ostream &out, const Record &r) { out << r.bytes; }
__attribute__((noinline)) static double get(const std::string &s, size_t at) {
    Bytes u{0};
    for (int i = 0; i < 8; i++) u.bytes[i] = s[at + i];
    return u.real;
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
double derivative(double x) { return __ad_tangent<double>((void *)packed, x, 1.0); }
