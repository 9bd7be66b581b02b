// Gaussian mixture, as bench/objectives/gmm.c.
#include "gmm.h"

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    const long *s = it.sizes;
    gmm code{s[0], s[1], s[2], s[3], it.data.data(), it.data.back()};
    return peer_run(code, it, double(s[1] * s[2] * s[0] * (s[0] + 4)), arguments);
}
