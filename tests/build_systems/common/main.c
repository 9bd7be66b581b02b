/* The request: its function is in another file. */
#include <ad.h>
#include <math.h>
#include <stdio.h>

double cost(const double *u, int n);
void __ad_adjoint_cost(void *, ...);

int main(void) {
    double u[4] = {0.3, -0.2, 0.7, 1.1}, b[4] = {0};
    __ad_adjoint_cost((void *)cost, u, b, 4);
    for (int i = 0; i < 4; i++) {
        double h = 1e-5, at = u[i];
        u[i] = at + h;
        double above = cost(u, 4);
        u[i] = at - h;
        double difference = (above - cost(u, 4)) / (2 * h);
        u[i] = at;
        if (!(fabs(difference - b[i]) < 1e-7)) return printf("wrong %d: %g, by differences %g\n", i, b[i], difference), 1;
    }
    puts("right");
    return 0;
}
