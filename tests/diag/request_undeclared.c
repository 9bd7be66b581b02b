/* A request that nothing declares is taken for a function that returns an int (C89).
 * ad-flags: -g -std=gnu89 -Wno-implicit-function-declaration
 * ad-error: AD013 9:12 remedy: declare the request, or include ad.h
 */
static double square(x) double x; { return x * x; }
static void twice(x, y) const double *x; double *y; { *y = 2.0 * *x; }

double derivative(double x) {
    return __ad_adjoint((void *)square, x);
}
/* Nobody asks for its result. */
void right(x, xb, y, yb) double *x, *xb, *y, *yb; { __ad_adjoint((void *)twice, x, xb, y, yb); }
