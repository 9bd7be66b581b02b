static double NAME(energy)(const double *x, long n) {
    double all = 0;
    OMP(parallel for reduction(+ : all))
    for (long i = 0; i < n; i++) {
        double sum = 0;
        for (long j = 0; j < n; j++) {
            double u = x[3 * i] - x[3 * j], v = x[3 * i + 1] - x[3 * j + 1], w = x[3 * i + 2] - x[3 * j + 2];
            sum += 1 / sqrt(u * u + v * v + w * w + 0.01);
        }
        all += sum * sum;
    }
    return all / (double)(n * n * n);
}

static double NAME(value)(void) { return NAME(energy)(x, bodies); }

static void NAME(gradient)(void) {
    memset(xb, 0, (size_t)(3 * bodies) * sizeof *xb);
    __ad_adjoint((void *)NAME(energy), ad_dup, x, xb, bodies);
}
