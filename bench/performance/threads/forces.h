static double NAME(squares)(const double *x, double *f, const int *near, long n) {
    OMP(parallel for)
    for (long i = 0; i < n; i++) f[i] = 0;
    OMP(parallel for)
    for (long i = 0; i < n; i++)
        for (int k = 0; k < NEIGHBOURS; k++) {
            int j = near[i * NEIGHBOURS + k];
            double d = x[i] - x[j], g = d / (1 + d * d);
            OMP(atomic)
            f[i] += g;
            OMP(atomic)
            f[j] -= g;
        }
    double sum = 0;
    OMP(parallel for reduction(+ : sum))
    for (long i = 0; i < n; i++) sum += f[i] * f[i];
    return sum / (double)n;
}

static double NAME(value)(void) { return NAME(squares)(x, f, near, particles); }

static void NAME(gradient)(void) {
    memset(xb, 0, (size_t)particles * sizeof *xb), memset(fb, 0, (size_t)particles * sizeof *fb);
    __ad_adjoint((void *)NAME(squares), ad_dup, x, xb, ad_dup, f, fb, ad_const, near, particles);
}
