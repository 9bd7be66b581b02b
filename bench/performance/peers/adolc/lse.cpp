// Log-sum-exp, as codes/lse.c.
#include "peer.h"

struct lse {
    long n;
    template <class T> void operator()(const T *x, T *y) const {
        T largest = x[0], sum = 0.0;
        for (long i = 1; i < n; i++)
            if (x[i] > largest) largest = x[i];
        for (long i = 0; i < n; i++) sum += exp(x[i] - largest);
        *y = largest + log(sum);
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    return peer_run(lse{it.sizes[0]}, it, 4.0 * double(it.sizes[0]), arguments);
}
