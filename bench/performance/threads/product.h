static double NAME(norms)(const double *a, const double *x, double *y, const int *begin, const int *column, long n, long count) {
    double sum = 0;
    for (long t = 0; t < count; t++) {
        OMP(parallel for)
        for (long i = 0; i < n; i++) {
            double z = 0;
            for (int k = begin[i]; k < begin[i + 1]; k++) z += a[k] * x[column[k]];
            y[i] = z;
        }
        OMP(parallel for reduction(+ : sum))
        for (long i = 0; i < n; i++) sum += y[i] * y[i];
    }
    return sum / (double)n;
}

static double NAME(value)(void) { return NAME(norms)(x + rows, x, y, begin, column, rows, turns); }

static void NAME(gradient)(void) {
    memset(xb, 0, (size_t)(rows * (1 + ENTRIES)) * sizeof *xb), memset(yb, 0, (size_t)rows * sizeof *yb);
    __ad_adjoint((void *)NAME(norms), ad_dup, x + rows, xb + rows, ad_dup, x, xb, ad_dup, y, yb, ad_const, begin, ad_const, column, rows, turns);
}
