// A string within active data whose characters are the bytes of a real, joined with others: nobody can say how long they are.
// ad-error: AD034 - cannot deduce whether this copy moves floating-point data, integers or pointers
#include "ad.h"
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

int main() {
    double x[2] = {1, 2}, dx[2] = {};
    __ad_adjoint<void>(written, ad_dup, x, dx);
    return dx[0] != 0;
}
