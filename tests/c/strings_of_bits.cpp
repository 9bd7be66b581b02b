// A string within active data whose characters are the bytes of a real, joined with others, so that it grows out of the
// object.
// ad-i386: none, addresses of four bytes look like floats
#include "requests.h"
#include <cstring>
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
static void written_jacobian(const double *x, double *J) {
    J[0] = x[1] * x[1];
    J[1] = 2.0 * x[0] * x[1];
}

int main() {
    check_case c = CHECK_FUNCTIONAL(written, 2);
    c.jacobian = written_jacobian;
    check_random_points(&c, 4, 0.3, 1.1);
    return check_done();
}
