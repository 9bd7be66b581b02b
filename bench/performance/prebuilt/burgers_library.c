/* Burgers' equation in two dimensions, upwind, explicit steps: compiled by gcc, a library without source for the program. */

void burgers_solve(double *u, double *v, double *a, double *b, long n, long steps) {
    const double h = 1.0 / (double)(n - 1), dt = 0.2 * h, nu = 1e-3, c = dt / h, d = nu * dt / (h * h);
    for (long s = 0; s < steps; s++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                long k = i * n + j;
                a[k] = u[k] - c * u[k] * (u[k] - u[k - n]) - c * v[k] * (u[k] - u[k - 1])
                     + d * (u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4.0 * u[k]);
                b[k] = v[k] - c * u[k] * (v[k] - v[k - n]) - c * v[k] * (v[k] - v[k - 1])
                     + d * (v[k + n] + v[k - n] + v[k + 1] + v[k - 1] - 4.0 * v[k]);
            }
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                u[i * n + j] = a[i * n + j];
                v[i * n + j] = b[i * n + j];
            }
    }
}
