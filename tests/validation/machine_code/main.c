/* What exists only as machine code may compute with float: differences and products tell no more than that.
   check-machine-code: library.c
   check-right:
   check-notes: derivatives run its machine code */
#include <stdio.h>

enum { N = 11 };
void sums(const double *x, double *y, int n);
static void model(const double *x, double *y) {
    double from[N], to[N];
    for (int i = 0; i < N; i++) from[i] = x[i];
    sums(from, to, N);
    for (int i = 0; i < N; i++) y[i] = to[i];
}
void __ad_adjoint_void(void *, ...);

int main(void) {
    double x[N], xb[N], y[N], yb[N];
    for (int i = 0; i < N; i++) x[i] = 1.0 / (i + 3), xb[i] = 0, yb[i] = i;
    __ad_adjoint_void((void *)model, x, xb, y, yb);
    printf("%.5f %.5f\n", xb[0], xb[3]);
    return 0;
}
