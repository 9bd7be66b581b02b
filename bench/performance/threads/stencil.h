static double NAME(steps)(double *x, double *y, long n, long count) {
    for (long t = 0; t < count; t++) {
        OMP(parallel for)
        for (long i = 1; i < n - 1; i++) y[i] = x[i] + 0.1 * (x[i - 1] - 2 * x[i] + x[i + 1]) * x[i];
        OMP(parallel for)
        for (long i = 1; i < n - 1; i++) x[i] = y[i] + 0.1 * (y[i - 1] - 2 * y[i] + y[i + 1]) * y[i];
    }
    double energy = 0;
    OMP(parallel for reduction(+ : energy))
    for (long i = 0; i < n; i++) energy += x[i] * x[i];
    return energy / (double)n;
}

static double NAME(value)(void) {
    memcpy(x, start, (size_t)cells * sizeof *x), memcpy(y, start, (size_t)cells * sizeof *y);
    return NAME(steps)(x, y, cells, steps);
}

static void NAME(gradient)(void) {
    memcpy(x, start, (size_t)cells * sizeof *x), memcpy(y, start, (size_t)cells * sizeof *y);
    memset(xb, 0, (size_t)cells * sizeof *x), memset(yb, 0, (size_t)cells * sizeof *y);
    __ad_adjoint((void *)NAME(steps), ad_dup, x, xb, ad_dup, y, yb, cells, steps);
    for (long i = 0; i < cells; i++) xb[i] += yb[i];
}
