/* A request of what calls a head's function, in another file than both. */
extern void __ad_tangent_void(void *f, ...);
extern char ad_const;
void gradient_(const int *n, const double *x, double *g);

void requested(int n, const double *x, const double *v, double *g, double *gd) {
    __ad_tangent_void((void *)gradient_, ad_const, &n, x, v, g, gd);
}

/* Requests around requests, of what calls another file. */
double cube(double v);
extern void __ad_adjoint_void(void *f, ...);
static double bend(const double *x) { return cube(x[0]) * x[1]; }
static void slope(const double *x, double *g) {
    g[0] = g[1] = 0;
    __ad_adjoint_void((void *)bend, x, g);
}
void nested(const double *x, const double *v, double *g, double *gd) { __ad_tangent_void((void *)slope, x, v, g, gd); }
