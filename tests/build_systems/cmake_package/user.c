#include <math.h>
#include <stdio.h>

void gradient(const double *x, double *b, int n);
int main(void) {
    double x[1] = {3}, b[1] = {0};
    gradient(x, b, 1);
    return fabs(b[0] - 6) < 1e-14 ? puts("user"), 0 : printf("%g\n", b[0]);
}
