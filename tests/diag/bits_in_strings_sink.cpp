/* The same where reals go to the string through a virtual function, and come back byte by byte.
 * ad-flags: -g
 * ad-error: AD021 24:85 has no body in this file and no derivative rule */
#include "ad.h"

#include <memory>
#include <sstream>
#include <vector>

struct Record {
    double weight;
    std::string bytes;
};
struct Sink {
    virtual ~Sink() = default;
    virtual void put(const char *from, size_t n) = 0;
};
struct StringSink : Sink {
    explicit StringSink(std::string &s) : to(s) {}
    void put(const char *from, size_t n) override { to.append(from, n); }
    std::string &to;
};
__attribute__((noinline)) static void pack(Sink &sink, double q) { sink.put((const char *)&q, sizeof q); }
__attribute__((noinline)) static void put(std::ostream &out, const Record &r) { out << r.bytes; }
__attribute__((noinline)) static double get(const std::string &s, size_t at) {
    double y = 0;
    for (size_t i = 0; i < sizeof y; i++) ((char *)&y)[i] = s[at + i];
    return y;
}

static double packed(double x) {
    std::vector<std::unique_ptr<Record>> all;
    for (int i = 0; i < 2; i++) {
        all.push_back(std::make_unique<Record>(Record{x, ""}));
        StringSink sink(all.back()->bytes);
        pack(sink, x * (i + 1));
    }
    std::ostringstream out;
    for (const auto &r : all) put(out, *r);
    return get(out.str(), 8) * all[1]->weight;
}
double derivative(double x) { return __ad_tangent<double>((void *)packed, x, 1.0); }
