// Explicit Runge-Kutta steps, as codes/ode.c.
#include "peer.h"

struct ode {
    long cells, steps;
    double dt;
    template <class T> void cell(const T *p, const T *s, T *rate, long left, long i, long right) const {
        const T *u = s, *v = s + cells;
        T reaction = u[i] * u[i] * v[i];
        rate[i] = p[0] - (p[1] + 1.0) * u[i] + reaction + p[2] * (u[left] - 2.0 * u[i] + u[right]);
        rate[cells + i] = p[1] * u[i] - reaction + p[3] * (v[left] - 2.0 * v[i] + v[right]);
    }
    template <class T> void right_hand_side(const T *p, const T *s, T *rate) const {
        cell(p, s, rate, 0, 0, 1);
        for (long i = 1; i < cells - 1; i++) cell(p, s, rate, i - 1, i, i + 1);
        cell(p, s, rate, cells - 2, cells - 1, cells - 1);
    }
    template <class T> void advance(double by, const T *state, const T *rate, T *at) const {
        for (long i = 0; i < 2 * cells; i++) at[i] = state[i] + by * rate[i];
    }
    template <class T> void operator()(const T *x, T *state) const {
        long n = 2 * cells;
        std::vector<T> k1(n), k2(n), k3(n), k4(n), at(n);
        for (long i = 0; i < n; i++) state[i] = x[4 + i];
        for (long s = 0; s < steps; s++) {
            right_hand_side(x, state, k1.data());
            advance(0.5 * dt, state, k1.data(), at.data());
            right_hand_side(x, at.data(), k2.data());
            advance(0.5 * dt, state, k2.data(), at.data());
            right_hand_side(x, at.data(), k3.data());
            advance(dt, state, k3.data(), at.data());
            right_hand_side(x, at.data(), k4.data());
            for (long i = 0; i < n; i++) state[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    return peer_run(ode{it.sizes[0], it.sizes[1], it.data[0]}, it, 130.0 * double(it.sizes[0] * it.sizes[1]), arguments);
}
