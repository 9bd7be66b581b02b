/* A request of what calls a head's function, in another file than both. */
extern void __ad_tangent_void(void *f, ...);
extern char ad_const;
void gradient_(const int *n, const double *x, double *g);

void requested(int n, const double *x, const double *v, double *g, double *gd) {
    __ad_tangent_void((void *)gradient_, ad_const, &n, x, v, g, gd);
}
