// Burgers' equation, as codes/burgers.c.
#include "peer.h"

struct burgers {
    long n, pairs;
    template <class T> void step(const T *p, const T *u, T *next) const {
        next[0] = u[0];
        for (long i = 1; i < n - 1; i++)
            next[i] = u[i] - p[0] * u[i] * (u[i + 1] - u[i - 1]) + p[1] * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
        next[n - 1] = u[n - 1];
    }
    template <class T> void operator()(const T *x, T *u) const {
        std::vector<T> work(n);
        for (long i = 0; i < n; i++) u[i] = x[2 + i];
        for (long s = 0; s < pairs; s++) {
            step(x, u, work.data());
            step(x, work.data(), u);
        }
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    return peer_run(burgers{it.sizes[0], it.sizes[1]}, it, 18.0 * double(it.sizes[0] * it.sizes[1]), arguments);
}
