#include "pendulum.h"

/* Runge and Kutta's scheme of fourth order. */
double angle_after(double time, int steps, const double *parameters) {
    double h = time / steps, a = 1.0, v = 0.0;
    for (int i = 0; i < steps; i++) {
        double a1 = v, v1 = acceleration(a, v, parameters);
        double a2 = v + 0.5 * h * v1, v2 = acceleration(a + 0.5 * h * a1, v + 0.5 * h * v1, parameters);
        double a3 = v + 0.5 * h * v2, v3 = acceleration(a + 0.5 * h * a2, v + 0.5 * h * v2, parameters);
        double a4 = v + h * v3, v4 = acceleration(a + h * a3, v + h * v3, parameters);
        a += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        v += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    }
    return a;
}
