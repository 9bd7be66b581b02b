#include <math.h>
#include <stdio.h>

double cost(const double *u, const double *w, int n);
void cost_b(const double *u, double *ub, const double *w, double *wb, int n, double b);

int main(void) {
    double u[3] = {0.3, 0.5, 0.7}, ub[3] = {0}, w[3] = {1, 2, 3}, wb[3] = {0}, h = 1e-6;
    cost_b(u, ub, w, wb, 3, 1.0);
    u[1] += h;
    double above = cost(u, w, 3);
    u[1] -= 2 * h;
    double difference = (above - cost(u, w, 3)) / (2 * h);
    return fabs(difference - ub[1]) < 1e-6 ? puts("right"), 0 : 1;
}
