// Strings within active data whose characters are bytes of reals, from their start or somewhere within, joined with others, so that
// they grow out of the object.
// ad-i386: none, addresses of four bytes look like floats
#include "requests.h"
#include <cstring>
#include <map>
#include <string>

struct record {
    std::string text;
    double value;
};

static double written(const double *x) {
    record r{"", x[1]};
    double y = x[0] * x[1];
    r.text.append(reinterpret_cast<const char *>(&y), sizeof y);
    r.text += "a tail that makes it too long for the object";
    record copy = r;
    double z;
    std::memcpy(&z, copy.text.data(), sizeof z);
    return z * copy.value;
}
AD_FUNCTIONAL(written)

static void put(std::string &s, double v) { s.append(reinterpret_cast<const char *>(&v), sizeof v); }
static double get(const std::string &s, std::size_t at) {
    double v;
    std::memcpy(&v, s.data() + at, sizeof v);
    return v;
}
static double within(const double *x) {
    record r{"", x[1]};
    r.text.resize(24);
    double y = x[0] * x[1];
    std::memcpy(&r.text[8], &y, sizeof y);
    r.text += std::string(30, 'a');
    record copy = r;
    return get(copy.text, 8) * copy.value;
}
static double behind(const double *x) {
    record r{"", x[1]};
    double y[3] = {x[0] * x[1], x[2], x[1]};
    r.text.assign(reinterpret_cast<const char *>(y), sizeof y);
    r.text.insert(0, "12345678");
    return get(r.text, 8) * get(r.text, 16) * r.value;
}

volatile int count = 3;
static double many(const double *x) {
    int n = count;
    record r{std::string(8 * n, '\0'), x[1]};
    for (int i = 0; i < n; i++) {
        double y = x[i] * x[0];
        std::memcpy(&r.text[8 * i], &y, sizeof y);
    }
    record copy = r;
    std::string joined = "header: " + copy.text;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += get(joined, 8 + 8 * i) * x[i] * copy.value;
    return sum;
}

/* Names and reals, one behind the other. */
struct packet {
    std::string body;
    std::map<std::string, double> heads;
};
static std::size_t rounded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
static double packed(const double *x) {
    packet p;
    p.heads["first"] = x[0];
    p.heads["a name that is longer than sixteen"] = x[1] * x[2];
    for (auto &h : p.heads) {
        p.body += h.first;
        p.body += '\0';
        p.body.resize(rounded(p.body.size()));
        put(p.body, h.second);
    }
    packet q = p;
    double sum = 0;
    std::size_t at = 0;
    for (auto &h : q.heads) {
        at = rounded(at + h.first.size() + 1);
        sum += get(q.body, at) * h.second;
        at += sizeof(double);
    }
    return sum;
}
AD_FUNCTIONAL(within)
AD_FUNCTIONAL(behind)
AD_FUNCTIONAL(many)
AD_FUNCTIONAL(packed)

static void written_jacobian(const double *x, double *J) {
    J[0] = x[1] * x[1];
    J[1] = 2.0 * x[0] * x[1];
}

int main() {
    check_case c = CHECK_FUNCTIONAL(written, 2);
    c.jacobian = written_jacobian;
    check_random_points(&c, 4, 0.3, 1.1);
    check_case cases[] = {CHECK_FUNCTIONAL(within, 3), CHECK_FUNCTIONAL(behind, 3), CHECK_FUNCTIONAL(many, 3), CHECK_FUNCTIONAL(packed, 3)};
    for (check_case &one : cases) check_random_points(&one, 3, 0.3, 1.1);
    return check_done();
}
