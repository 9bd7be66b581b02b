#include <math.h>

double weight(double x);

double cost(const double *u, const double *w, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += w[i] * sin(u[i]) * sum + u[i];
    return sum;
}
