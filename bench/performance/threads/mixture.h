static double NAME(likelihood)(const double *data, const double *weight, const double *mean, long n) {
    double all = 0;
    OMP(parallel for reduction(+ : all))
    for (long i = 0; i < n; i++) {
        double most = -1e300, term[COMPONENTS];
        for (int k = 0; k < COMPONENTS; k++) {
            double q = 0;
            for (int d = 0; d < DIMENSIONS; d++) {
                double z = data[i * DIMENSIONS + d] - mean[k * DIMENSIONS + d];
                q += z * z;
            }
            term[k] = weight[k] - 0.5 * q;
            if (term[k] > most) most = term[k];
        }
        double sum = 0;
        for (int k = 0; k < COMPONENTS; k++) sum += exp(term[k] - most);
        all += most + log(sum);
    }
    return all / (double)n;
}

static double NAME(value)(void) { return NAME(likelihood)(data, x, x + COMPONENTS, points); }

static void NAME(gradient)(void) {
    memset(xb, 0, COMPONENTS * (1 + DIMENSIONS) * sizeof *xb);
    __ad_adjoint((void *)NAME(likelihood), ad_const, data, ad_dup, x, xb, ad_dup, x + COMPONENTS, xb + COMPONENTS, points);
}
